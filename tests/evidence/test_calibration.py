"""Calibrated intervals: leaving groups out by hand, the order statistic, files, and who is in which group."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.intervals import intervals
from unjudged import Calibration, Collection, InputError, Judgments, UsageError, calibrate, evaluate, sample
from unjudged.base.errors import AssumptionWarning
from unjudged.data.matching import grouped
from unjudged.data.streams import LARGEST
from unjudged.evidence.calibration import SCHEMA, FirstDocuments, unusual
from unjudged.judging import Pool
from unjudged.measures.kernel.names import parse
from unjudged.questions.calibrating import Groups, groups_of, read_groups
from unjudged.rankings.runs import run_table

GROUPS = {
    "boolean": "old",
    "lexical": "old",
    "expanded": "text",
    "fused": "mix",
    "reranked": "deep",
    "dense": "deep",
}
MEASURES = ["AP", "P@10", "nDCG@10", "RR"]
DEPTH = 15


def learnt(scores: dict[str, tuple[float, ...]], groups: int = 39, **others: Any) -> Calibration:
    """A calibration with these scores, each of a group of its own."""
    rows = {name: tuple((k, score) for k, score in enumerate(own)) for name, own in scores.items()}
    shares = (0.0, 0.2, 0.6)
    return Calibration(groups, groups, 5, 100, shares, shares, rows, **others)


def rankings_of(name: str) -> dict[str, list[str]]:
    """Each query's documents, best first, down to the depth."""
    table = grouped(run_table(sample.runs[name]))
    scores: dict[str, list[tuple[float, str]]] = {}
    queries = np.repeat(np.arange(len(table.queries)), np.diff(table.starts))
    for query, document, score in zip(queries, map(str, table.documents), table.numbers[:, 0], strict=True):
        scores.setdefault(table.queries[int(query)], []).append((float(score), document))
    return {query: [d for _, d in sorted(own, reverse=True)[:DEPTH]] for query, own in scores.items()}


def without_group(group: str) -> tuple[dict[str, dict[str, int]], int]:
    """The judgments without the documents that only this group brought, and how many these are."""
    judgments = Judgments.read(sample.qrels)
    contributed: dict[tuple[str, str], set[str]] = {}
    for run, own in GROUPS.items():
        for query, documents in rankings_of(run).items():
            for document in documents:
                contributed.setdefault((query, document), set()).add(own)
    kept: dict[str, dict[str, int]] = {}
    hidden = 0
    for row, (document, grade) in enumerate(zip(map(str, judgments.documents), judgments.grade, strict=True)):
        query = judgments.queries[int(judgments.query[row])]
        only = contributed.get((query, document), set()) == {group} and grade >= 0
        hidden += only
        if not only:
            kept.setdefault(query, {})[document] = int(grade)
    return kept, hidden


def first_documents(qrels: dict[str, dict[str, int]], name: str) -> tuple[float, float]:
    """Of the first 15 documents the unjudged share, and the smoothed relevant share of the judged ones."""
    labels = [
        qrels.get(query, {}).get(document, -1)
        for query, documents in rankings_of(name).items()
        for document in documents
    ]
    judged = [label for label in labels if label >= 0]
    relevant = sum(label >= 1 for label in judged)
    return 1 - len(judged) / len(labels), (relevant + 1) / (len(judged) + 2)


def test_scores_are_those_of_leaving_groups_out_by_hand() -> None:
    found = calibrate(sample.qrels, sample.runs, GROUPS, MEASURES, depth=DEPTH)
    by_hand: dict[str, list[float]] = {name: [] for name in MEASURES}
    unjudged, relevant, hidden_in_all = [], [], 0
    for run, group in GROUPS.items():
        reduced, hidden = without_group(group)
        hidden_in_all += hidden
        truth = evaluate(sample.qrels, {run: sample.runs[run]}, MEASURES, depth=DEPTH)
        value = evaluate(reduced, {run: sample.runs[run]}, MEASURES, depth=DEPTH)
        shares = first_documents(reduced, run)
        unjudged.append(shares[0])
        relevant.append(shares[1])
        for k, name in enumerate(MEASURES):
            estimate = intervals(value, "bounds")[0][k]
            if estimate.width > 1e-12:
                error = truth.means[0, k] - value.means[0, k]
                by_hand[name].append(error / (shares[1] * estimate.width) ** 1.15)
    assert hidden_in_all > 0
    for name in MEASURES:
        scores = [row[1] for row in found.scores[name]]
        assert scores == pytest.approx(sorted(by_hand[name], key=abs), abs=1e-9)
    assert (found.groups, found.runs, found.queries, found.depth) == (4, 6, 30, DEPTH)
    assert found.unjudged == pytest.approx(unjudged)
    assert found.relevant == pytest.approx(relevant)


def test_a_run_unlike_all_left_out_runs_gets_its_bounds() -> None:
    (measure,) = parse("RBP(p=0.8)")
    known = {name: run for name, run in sample.runs.items() if name != "dense"}
    made = calibrate(sample.qrels, known, "(.)", measure, depth=DEPTH)
    scores = evaluate(sample.qrels, sample.runs["dense"], measure)
    bounds = intervals(evaluate(sample.qrels, sample.runs["dense"], measure, depth=DEPTH), "bounds")[0][0]
    unjudged, relevant = first_documents(without_group("nobody")[0], "dense")
    every, none = (1.0,) * 5, (0.0,) * 5
    for unlike in (
        replace(made, unjudged=none, relevant=every),
        replace(made, unjudged=every, relevant=none),
    ):
        estimate = intervals(scores, "calibrated", calibration=unlike, confidence=0.5)[0][0]
        assert estimate.confidence == 1.0
        assert "so these are bounds: for an interval judge a random sample" in estimate.method
        assert f"{100 * unjudged:.0f} % are unjudged" in estimate.method
        assert f"{100 * relevant:.0f} % of the judged are relevant" in estimate.method
        assert estimate.low == pytest.approx(bounds.low)
        assert estimate.high <= bounds.high
    like = replace(made, unjudged=every, relevant=every)
    assert intervals(scores, "calibrated", calibration=like, confidence=0.5)[0][0].confidence == 0.5


def test_what_95_in_100_do_not_exceed_is_usual() -> None:
    """One broken run in a hundred does not set the limit; among few runs the largest is it."""
    shares = np.arange(99) / 100
    known = FirstDocuments(np.append(shares, 5.0), np.zeros(100))
    assert unusual(known, known).tolist() == [False] * 96 + [True] * 4
    few = FirstDocuments(np.array([0.1, 0.9]), np.array([0.5, 0.4]))
    new = FirstDocuments(np.array([0.9, 0.91, 0.2]), np.array([0.5, 0.1, 0.51]))
    assert unusual(new, few).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("count", "confidence", "place"),
    [(39, 0.95, 38), (19, 0.95, 19), (40, 0.95, 39), (9, 0.9, 9), (19, 0.55, 11)],
)
def test_the_order_statistic(count: int, confidence: float, place: int) -> None:
    """ceil((n + 1) confidence), by hand."""
    scores = tuple(float(k) for k in range(count, 0, -1))
    known = learnt({"AP": scores}, count)
    known.check(parse("AP")[0], confidence)
    assert known.radius(parse("AP")[0], confidence) == place


def test_an_interval_by_hand() -> None:
    """P@2 of two queries is 1/2 and 0, the bounds of the mean are 1/4 and 3/4, the score 0.1.

    One of the two judged documents is relevant: (1 + 1) / (2 + 2).
    """
    qrels, run = (
        {"q": {"a": 1}, "r": {"b": 0, "c": 0}},
        {"q": {"a": 2.0, "u": 1.0}, "r": {"b": 2.0, "v": 1.0}},
    )
    scores = evaluate(qrels, run, "P@2")
    calibration = learnt({"P@2": tuple([0.1] * 38 + [9.0])})
    (found,) = intervals(scores, "calibrated", calibration=calibration)[0]
    reach = 0.1 * ((1 + 1) / (2 + 2) * 0.5) ** 1.15
    assert (found.value, found.low, found.high) == pytest.approx((0.25, 0.25, 0.25 + reach))
    assert found.confidence == 0.95
    assert "39 runs of 39 groups" in found.method
    assert found.method.endswith("each group left out in turn; assumes runs like theirs")
    wide = intervals(scores, "calibrated", calibration=learnt({"P@2": (9.0,) * 39}))[0][0]
    assert (wide.low, wide.high) == (0.25, 0.75)


def test_levels_that_groups_cannot_give() -> None:
    (measure,) = parse("AP")
    with pytest.raises(
        UsageError, match=r"18 groups cannot give 95 % confidence; they can give at most 94\.7 %"
    ):
        learnt({"AP": (1.0,) * 60}, 18).check(measure, 0.95)
    with pytest.raises(
        UsageError, match="10 left-out runs with unjudged documents that count for AP cannot give"
    ):
        learnt({"AP": (1.0,) * 10}, 39).check(measure, 0.95)
    with pytest.raises(UsageError, match="0 left-out runs"):
        learnt({"AP": ()}, 39).check(measure, 0.5)
    with pytest.raises(
        UsageError, match=r"^1 left-out run with .* for AP cannot give 60 % .*; it can give at"
    ):
        learnt({"AP": (1.0,)}, 39).check(measure, 0.6)


def test_a_measure_that_was_not_calibrated_is_named() -> None:
    with pytest.raises(UsageError, match="the calibration has no AP; it has RR"):
        learnt({"RR": (1.0,) * 39}).check(parse("AP")[0], 0.5)


def test_the_level_that_is_named_can_be_had() -> None:
    """A measure for which few groups count named the level of all groups, and then another one."""
    ap, rr = parse("AP, RR")
    known = learnt({"AP": (1.0,) * 10, "RR": (1.0,) * 5}, 12)
    said = known.too_few_groups(0.95, [ap])
    named = float(said.rpartition("at most ")[2].removesuffix(" %")) / 100
    named = round(named, 3)
    assert known.level(0.95, [ap]) == known.level(0.95, [rr, ap]) == named
    known.check(ap, named)
    with pytest.raises(UsageError, match="cannot give"):
        known.check(rr, named)
    assert known.level(0.95, [rr]) < named < known.level(0.95)
    assert known.level(0.5, [rr, ap]) == 0.5


def test_measures_that_were_not_calibrated_have_no_interval() -> None:
    scores = evaluate(sample.qrels, sample.runs["fused"], ["AP", "RR"])
    calibration = calibrate(sample.qrels, sample.runs, GROUPS, "AP", depth=DEPTH)
    with_interval, without = intervals(scores, "calibrated", calibration=calibration, confidence=0.7)[0]
    assert with_interval.has_interval
    assert not without.has_interval
    assert without.value == scores.means[0, 1]
    with pytest.raises(UsageError, match=r"need judgments\.calibration=FILE"):
        intervals(scores, "calibrated")


def test_a_file_round_trip(tmp_path: Path) -> None:
    found = calibrate(sample.qrels, sample.runs, GROUPS, MEASURES, depth=DEPTH)
    path = tmp_path / "calibration.json"
    found.save(path)
    assert Calibration.load(path) == found
    assert path.stat().st_size < 20_000


GOOD = {"schema": SCHEMA, **asdict(learnt({"AP": (0.1, 0.2)}))}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nonsense",
        "[1, 2]",
        "{}",
        "[" * 100_000,
        "\xff\xfe",
        json.dumps({**GOOD, "schema": "unjudged calibration 5"}),
        json.dumps({key: value for key, value in GOOD.items() if key != "depth"}),
        json.dumps({**GOOD, "depth": 0}),
        json.dumps({**GOOD, "depth": -3}),
        json.dumps({**GOOD, "depth": 1e400}),
        json.dumps({**GOOD, "groups": True}),
        json.dumps({**GOOD, "groups": "40"}),
        json.dumps({**GOOD, "groups": 10**400}),
        json.dumps({**GOOD, "scores": {"AP": [[0, float("nan")]]}}),
        json.dumps({**GOOD, "scores": {"AP": [[-1, 0.1]]}}),
        json.dumps({**GOOD, "scores": {"AP": [[0.5, 0.1]]}}),
        json.dumps({**GOOD, "scores": {"AP": "123"}}),
        json.dumps({**GOOD, "scores": {"AP": [[1]]}}),
        json.dumps({**GOOD, "scores": {"AP": [0.1]}}),
        json.dumps({**GOOD, "scores": {"AP": [[0, 10**400]]}}),
        json.dumps({**GOOD, "scores": {"\x1b[31mAP": [[0, 1]]}}),
        json.dumps({**GOOD, "relevant": [2]}),
        json.dumps({**GOOD, "scores": [1]}),
        json.dumps({**GOOD, "unjudged": None}),
    ],
)
def test_hostile_files(text: str, tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="not a calibration"):
        Calibration.load(path)


def test_a_good_file_a_missing_one_and_one_too_large(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(json.dumps(GOOD))
    assert Calibration.load(path).scores == {"AP": ((0, 0.1), (1, 0.2))}
    with pytest.raises(InputError, match="no such file"):
        Calibration.load(tmp_path / "missing.json")
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="not a calibration"):
        Calibration.load(path)
    path.write_bytes(json.dumps(GOOD).encode() + b" " * LARGEST)
    with pytest.raises(InputError, match="larger than 16 MB, expected a calibration"):
        Calibration.load(path)


def test_groups_from_a_mapping_a_file_and_a_pattern(tmp_path: Path) -> None:
    names = ["acme-1", "acme-2", "zeta-1"]
    expected = {"acme-1": "acme", "acme-2": "acme", "zeta-1": "zeta"}
    path = tmp_path / "groups.txt"
    path.write_text("acme-1 acme\n\nacme-2\tacme\nzeta-1 zeta\nunused other\n")
    assert groups_of(expected, names) == groups_of(path, names) == groups_of(str(path), names) == expected
    assert groups_of("(.*?)-", names) == expected
    wrong_ones: list[tuple[Groups, str]] = [
        ("(.*?", "invalid pattern"),
        ("(z)", "2 of 3 runs have no group: acme-1, acme-2"),
        ({"acme-1": "a"}, "2 of 3 runs have no group"),
        (tmp_path / "none", "no such file"),
    ]
    for wrong, problem in wrong_ones:
        with pytest.raises((InputError, UsageError), match=problem):
            groups_of(wrong, names)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a b c\n", "groups.txt: no rows"),
        ("a b c\nd e f\n", "groups.txt: found the columns 'a', 'b', 'c', expected run and group"),
        ("a x\nb\n", "groups.txt:2: 'b' has 1 field, expected 2: run, group"),
        ("a x\na y\n", "groups.txt:2: run 'a' is in two groups, x and y"),
    ],
)
def test_bad_files_of_groups(text: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "groups.txt"
    path.write_text(text)
    with pytest.raises(InputError, match=problem):
        read_groups(path)
    path.write_bytes(b" " * LARGEST + b"a x")
    with pytest.raises(InputError, match=r"groups.txt:1: longer than"):
        read_groups(path)


def test_refusals() -> None:
    with pytest.raises(UsageError, match="at least two groups"):
        calibrate(sample.qrels, sample.runs, dict.fromkeys(sample.runs, "one"), "AP")
    with pytest.raises(UsageError, match="depth is 0"):
        calibrate(sample.qrels, sample.runs, GROUPS, "AP", depth=0)
    with pytest.raises(UsageError, match="infAP"):
        calibrate(sample.qrels, sample.runs, GROUPS, "infAP")


def test_a_calibration_holds_for_its_own_collection(tmp_path: Path) -> None:
    """One of other queries is refused, one of other judgments of the same queries is named."""
    pooled = {name: run for name, run in sample.runs.items() if name != "dense"}
    made = calibrate(sample.qrels, pooled, {name: name for name in pooled}, "P@10", depth=20)
    assert (made.judgments, made.made_by.split()[0]) == ("qrels.txt", "unjudged")
    saved = tmp_path / "calibration.json"
    made.save(saved)
    loaded = Calibration.load(saved)
    assert loaded == made
    other = {f"other{q}": {"a": 1, "b": 0} for q in range(3)}
    scores = evaluate(other, {"mine": {q: {"a": 1.0} for q in other}}, "P@10")
    with pytest.raises(UsageError, match=r"made from qrels.txt \(30 queries\), which have other queries"):
        intervals(scores, "calibrated", calibration=loaded, confidence=0.5)
    judgments = Judgments.read(sample.qrels)
    more = judgments.with_grades(np.where(judgments.grade < 0, 0, judgments.grade))
    scores = evaluate(more, sample.runs["dense"], "P@10")
    with pytest.warns(AssumptionWarning, match="other judgments of these queries"):
        intervals(scores, "calibrated", calibration=loaded, confidence=0.5)


def test_an_interval_is_of_the_value_beside_it() -> None:
    """AP is calibrated to the depth of the pool: the heading, the rows and the sentence say so."""
    pooled = {name: run for name, run in sample.runs.items() if name != "dense"}
    made = calibrate(sample.qrels, pooled, {name: name for name in pooled}, ["AP", "P@10"], depth=20)
    scores = evaluate(sample.qrels, sample.runs["fused"], ["AP", "P@10"])
    found = intervals(scores, "calibrated", calibration=made, confidence=0.5)
    assert found[0][0].value == evaluate(sample.qrels, sample.runs["fused"], "AP", depth=20).means[0, 0]
    known = Collection(sample.qrels, {"fused": sample.runs["fused"]}, calibration=made)
    rows = evaluate(known, None, ["AP", "P@10"], interval="calibrated(confidence=0.5)").rows["systems"]
    assert [row["estimated_measure"] for row in rows] == ["AP@20", "P@10"]
    assert rows[0]["calibrated_low"] == found[0][0].low


def test_too_few_groups_give_the_level_that_they_can() -> None:
    """Six groups cannot give 95 %, and an empty measure blocked the others."""
    scores = evaluate(sample.qrels, sample.runs["fused"], ["RR", "AP"])
    groups = {name: name for name in sample.runs}
    six = calibrate(sample.qrels, sample.runs, groups, ["AP", "RR"], depth=20)
    known = replace(six, scores={"AP": six.scores["AP"], "RR": ()})
    rr, ap = intervals(scores, "calibrated", calibration=known)[0]
    assert not rr.has_interval
    assert rr.value == scores.value("RR")
    assert "0 left-out runs with unjudged documents that count for RR cannot give" in rr.method
    assert ap.confidence == 0.857
    assert ap.method.endswith("6 groups cannot give 95 % confidence; they can give at most 85.7 %")
    (asked,) = intervals(
        evaluate(sample.qrels, sample.runs["fused"], "AP"), "calibrated", calibration=known, confidence=0.857
    )[0]
    assert (ap.value, ap.low, ap.high) == (asked.value, asked.low, asked.high)
    with pytest.raises(UsageError, match="0 left-out runs"):
        intervals(evaluate(sample.qrels, sample.runs["fused"], "RR"), "calibrated", calibration=known)


def pool_of(depth: int) -> tuple[Judgments, dict[str, dict[str, dict[str, float]]]]:
    """Ten runs over 20 queries, pooled to this depth."""
    rng = np.random.default_rng(2)
    truth = {f"q{q}": {f"d{k}": int(rng.random() < 0.3) for k in range(200)} for q in range(20)}
    runs = {
        f"r{i}": {q: {d: 2.0 * grade + rng.normal() for d, grade in own.items()} for q, own in truth.items()}
        for i in range(10)
    }
    best = {
        (q, d)
        for run in runs.values()
        for q, own in run.items()
        for d in sorted(own, key=own.__getitem__, reverse=True)[:depth]
    }
    return Judgments.read(
        {q: {d: g for d, g in own.items() if (q, d) in best} for q, own in truth.items()}
    ), runs


def test_the_depth_of_the_pool_is_inferred_and_one_that_judgments_contradict_is_refused() -> None:
    """With a pool of depth 7 and the usual depth of 100 intervals of 95 % held 46 %."""
    judgments, runs = pool_of(7)
    found = calibrate(judgments, runs, "(.*)", "nDCG@10")
    assert 7 <= found.depth < 20
    with pytest.raises(UsageError, match="they were not pooled to that depth: down to rank"):
        calibrate(judgments, runs, "(.*)", "nDCG@10", depth=100)
    assert calibrate(judgments, runs, "(.*)", "nDCG@10", depth=7).depth == 7
    deep, same = pool_of(120)
    assert calibrate(deep, same, "(.*)", "nDCG@10").depth == 100


def test_samples_of_every_kind_are_refused_where_calibrations_are_made_and_used() -> None:
    """From uniform samples, intervals of 90 % held 0 to 36 %."""
    judgments, runs = pool_of(10)
    learnt = calibrate(judgments, runs, "(.*)", "nDCG@10")
    pool = Pool.of(judgments, runs)
    uniform = pool.uniform(0.2, seed=1)
    plain = Judgments.read(
        [
            (uniform.queries[q], d, g)
            for q, d, g in zip(uniform.query.tolist(), uniform.documents, uniform.grade.tolist(), strict=True)
        ]
    )
    for sample_of in (uniform, plain, pool.stratified({3: 1.0, np.inf: 0.3}, seed=1)):
        with pytest.raises(UsageError, match="needs a pool"):
            calibrate(sample_of, runs, "(.*)", "nDCG@10", depth=10)
        with pytest.raises(UsageError, match=r"needs? a pool"):
            intervals(evaluate(sample_of, runs, "nDCG@10"), "calibrated", calibration=learnt)


def test_calibrated_intervals_are_the_default_where_groups_are_described_and_suffice() -> None:
    """Of a measure that the pool's depth does not cut; with too few groups there are bounds alone."""
    pooled = [name for name in sample.runs if name != "dense"]
    described: dict[str, Any] = {"how": "pool", "depth": 10, "pooled": pooled, "groups": "^(.*)$"}
    found = {}
    for alpha in (0.05, 0.2):
        collection = Collection(sample.qrels, sample.runs, defaults={"alpha": alpha}, **described)
        found[alpha] = evaluate(collection, measures=["nDCG@10", "AP"])
    asked = found[0.2].with_interval("calibrated")
    for name in sample.runs:
        few, row, own = (one.row(name, "nDCG@10") for one in (found[0.05], found[0.2], asked))
        assert "calibrated_low" not in few
        assert few["low"] <= row["calibrated_low"] <= row["calibrated_high"] <= few["high"]
        assert (row["calibrated_low"], row["calibrated_high"]) == (
            own["calibrated_low"],
            own["calibrated_high"],
        )
        assert "calibrated_low" not in found[0.2].row(name, "AP")
    said = [note for note in found[0.2].notes if "calibrated on" in note]
    assert len(said) == 2  # of the runs that are like the pooled ones once, and of the other one
