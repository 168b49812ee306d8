"""Bounds against every completion of small rankings."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.in_process import printed
from tests.conftest import examples
from tests.intervals import intervals
from tests.measures.test_properties import EVERY
from tests.oracles.fractional_completions import MEASURES, case, completions, measures
from tests.report.test_page import said
from unjudged import JudgedRankings, Measure, UsageError, calibrate, compare, evaluate, sample
from unjudged.evidence.filled import Filled
from unjudged.evidence.value_bounds import _over_counts, bounds
from unjudged.judging import next as next_documents
from unjudged.measures.kernel.names import parse

BOUNDED = [measure for measure in EVERY if measure.traits.monotone]
BOUNDED += [parse(name)[0] for name in ("AP@3", "nDCG@3", "R@2", "AP(rel=2)", "Bpref(form='paper')")]
labels = st.lists(st.sampled_from(["0", "1", "U", "N"]), min_size=1, max_size=8)
graded = st.lists(st.sampled_from(["0", "1", "2", "U", "N"]), min_size=1, max_size=5)
missed = st.lists(st.sampled_from(["0", "1", "U"]), max_size=3)


def every_value(measure: Measure, ranking: JudgedRankings, extra_relevant: int, top: int) -> list[float]:
    """The value of each completion, of unseen documents too, and the value as it is."""
    filled = Filled.of(ranking, extra_relevant)
    unknown, unseen = int(filled.unknown.sum()), int(filled.unseen.sum())
    ways = product(product(range(top + 1), repeat=unknown), product([-1, top], repeat=unseen))
    values = [float(measure.compute(filled.complete(grades, others))[0]) for grades, others in ways]
    return [*values, float(measure.compute(ranking)[0])]


def check(measure: Measure, ranking: JudgedRankings, extra_relevant: int, top: int) -> None:
    found = bounds(measure, ranking, extra_relevant=extra_relevant, top=top, after_end=False)
    values = every_value(measure, ranking, extra_relevant, top)
    assert found.low[0] <= min(values) + 1e-12
    assert found.high[0] >= max(values) - 1e-12
    if found.exact:
        assert found.low[0] == pytest.approx(min(values), abs=1e-12)
        assert found.high[0] == pytest.approx(max(values), abs=1e-12)


@pytest.mark.thorough
@pytest.mark.parametrize("measure", BOUNDED, ids=str)
@examples(40)
@given(labels=labels, missed=missed, extra_relevant=st.integers(0, 2))
def test_every_completion_of_binary_judgments(
    measure: Measure, labels: list[str], missed: list[str], extra_relevant: int
) -> None:
    check(measure, JudgedRankings.spelled(" ".join(labels), " ".join([*missed, "0"])), extra_relevant, top=1)


@pytest.mark.thorough
@pytest.mark.parametrize("measure", BOUNDED, ids=str)
def test_all_4096_completions_of_twelve_unknown(measure: Measure) -> None:
    ranking = JudgedRankings.spelled("U N 1 N U 0 N U N 1 N N U N 0 N", missed="1 0")
    assert Filled.of(ranking).count.tolist() == [12]
    check(measure, ranking, 0, top=1)


@pytest.mark.parametrize(
    "name", ["nDCG", "nDCG@2", "nDCG(dcg='exp-log2')@3", "ERR", "AP(rel=2)", "RBP(rel=2)"]
)
@examples(40)
@given(labels=graded, missed=missed)
def test_every_completion_of_graded_judgments(name: str, labels: list[str], missed: list[str]) -> None:
    (measure,) = parse(name)
    check(measure, JudgedRankings.spelled(" ".join(labels), " ".join([*missed, "2"])), 0, top=2)


def test_nothing_unknown_nothing_open() -> None:
    ranking = JudgedRankings.spelled("1 0 1", missed="1 0")
    for measure in BOUNDED:
        found = bounds(measure, ranking)
        tail = 0.8**3 if measure.name == "RBP" else 0.0
        assert found.high[0] - found.low[0] == pytest.approx(tail, abs=1e-12)


def test_refusals() -> None:
    ranking = JudgedRankings.spelled("1 U")
    with pytest.raises(UsageError, match="infAP has no bounds; these measures have: AP"):
        bounds(parse("infAP")[0], ranking)
    with pytest.raises(UsageError, match="extra_relevant is -1"):
        bounds(parse("AP")[0], ranking, extra_relevant=-1)
    with pytest.raises(UsageError, match="without unjudged"):
        bounds(parse("AP(unjudged='condensed')")[0], ranking)


@pytest.mark.parametrize(
    "name", ["AP", "AP@3", "R@3", "Rprec", "RprecMult@0.6", "Bpref", "Bpref10", "nDCG@4"]
)
@examples(60)
@given(labels=labels, missed=missed, extra_relevant=st.integers(0, 1))
def test_closed_forms_are_one_by_one(
    name: str, labels: list[str], missed: list[str], extra_relevant: int
) -> None:
    """A closed form gives what trying every number of relevant documents gives."""
    (measure,) = parse(name)
    ranking = JudgedRankings.spelled(" ".join(labels), " ".join([*missed, "0"]))
    closed = bounds(measure, ranking, extra_relevant=extra_relevant)
    counted = _over_counts(measure, Filled.of(ranking, extra_relevant), top=1)
    value = measure.compute(ranking)[0]
    low, high = min(counted.low[0], value), max(counted.high[0], value)
    assert closed.low[0] <= low + 1e-12
    assert closed.high[0] >= high - 1e-12
    if closed.exact:
        assert (closed.low[0], closed.high[0]) == pytest.approx((low, high), abs=1e-12)


def test_a_shared_document_counts_once() -> None:
    """Both retrieve u at rank 1, so it cannot separate them; only v, which one alone retrieves, can."""
    qrels = {"q": {"x": 1, "y": 0}}
    runs = {"two": {"q": {"u": 3.0, "y": 2.0, "v": 1.0}}, "one": {"q": {"u": 3.0, "x": 2.0, "y": 1.0}}}
    row = compare(qrels, runs, "RBP(p=0.5)").pair()
    assert (row["difference"], row["low"], row["high"]) == (0.25, 0.125, 0.25)
    assert row["more_judging"] == "cannot change it"


def test_a_graded_comparison_takes_the_whole_scale() -> None:
    """By the lowest relevant grade u could never outweigh x; by the highest it does."""
    qrels = {"q": {"x": 3, "y": 1, "z": 0}}
    runs = {"two": {"q": {"u": 2.0, "y": 1.0}}, "one": {"q": {"x": 2.0, "z": 1.0}}}
    row = compare(qrels, runs, "nDCG(dcg='exp-log2')@2").pair()
    assert row["difference"] > 0 > row["low"]
    assert row["flip"] < 1


def test_documents_outside_pool_and_runs_can_turn_a_mean_but_no_query() -> None:
    """Everything listed is judged. One more relevant document halves the difference of its query alone."""
    none = [f"n{k}" for k in range(9)]
    qrels = {query: {"d": 1, **dict.fromkeys(none, 0)} for query in ("q1", "q2")}
    runs = {
        "a": {"q1": ["d", "n0"], "q2": [*none, "d"]},
        "b": {"q1": ["n0", "d"], "q2": ["n0", "d", *none[1:]]},
    }
    signs: dict[str, set[float]] = {"AP": set(), "RBP(p=0.8)": set(), "nDCG": set()}
    for name, found in signs.items():
        for counts in product(range(4), repeat=2):
            more = {
                query: qrels[query] | {f"outside{k}": 1 for k in range(count)}
                for query, count in zip(qrels, counts, strict=True)
            }
            values = evaluate(more, runs, name).values[:, :, 0]
            first, second = values[0] - values[1]
            assert first > 0 > second
            found.add(float(np.sign((first + second).round(9))))
        row = compare(qrels, runs, name).pair()
        assert row["more_judging"] == "cannot change it"  # of pool and runs
        assert row["low"] == row["difference"] == row["high"]
    assert signs["AP"] == {-1.0, 1.0}
    assert len(signs["RBP(p=0.8)"]) == 1


def test_judged_documents_at_the_same_ranks_are_what_was_seen() -> None:
    """Behind is b: of its judged documents that favour it none is, so all of b's judged ones say it."""
    qrels = {"p": {"x": 1, "y": 0}, "q": {"x": 1, "y": 0}}
    runs = {
        "a": {"p": {"x": 2.0, "y": 1.0}, "q": {"y": 2.0, "x": 1.0}},
        "b": {"p": {"u": 2.0, "v": 1.0}, "q": {"u": 2.0, "x": 1.0}},
    }
    row = compare(qrels, runs, "P@2").pair()
    assert row["difference"] == -0.25
    assert row["seen"] == pytest.approx(1.0)


def test_more_unjudged_documents_than_the_pool_has_places() -> None:
    """Two runs whose unjudged documents fill the cutoff twice over: nDCG's ideal has all of its places."""
    qrels = {"q": {"x": 1}}
    runs = {name: {"q": {f"{d}{k}": -float(k) for k, d in enumerate("uvwxyz")}} for name in "ab"}
    runs["a"]["q"]["x"] = 1.0
    row = compare(qrels, runs, "nDCG@3").pair()
    assert row["low"] == -1.0
    assert row["high"] <= 1.0


CASES = 12


@pytest.mark.thorough
def test_bounds_against_every_completion() -> None:
    for seed in range(CASES):
        qrels, run = case(np.random.default_rng(seed))
        scores = evaluate(qrels, run, list(MEASURES))
        assert scores.rankings is not None
        found = intervals(scores, "bounds")[0]
        for k, measure in enumerate(measures()):
            every = [
                evaluate(complete, run, measure).values[0, 0, 0]
                for complete in completions(qrels, run, measure)
            ]
            low, high = min(every), max(every)
            placed, rankings = measure.on(scores.rankings.judgments), scores.rankings
            after_end = 0.0 if measure.traits.tail is None else float(measure.weights(1))
            assert found[k].low <= low + 1e-12, (measure, seed)
            assert found[k].high >= high - 1e-12, (measure, seed)
            limits = bounds(placed, rankings, after_end=False)
            if limits.exact and not measure.traits.skips_unjudged and not after_end:
                value = float(scores.values[0, 0, k])
                assert limits.low[0] == pytest.approx(min(low, value), abs=1e-12), (measure, seed)
                assert limits.high[0] == pytest.approx(max(high, value), abs=1e-12), (measure, seed)


def test_the_same_in_halves_as_in_whole_numbers() -> None:
    """Grades of 0.5 and 1 are those of 1 and 2 by measures that only ask which are relevant, to the bit."""
    rng = np.random.default_rng(1)
    whole = {f"q{i}": {f"d{j}": int(rng.choice([-1, 0, 1, 2])) for j in range(12)} for i in range(15)}
    halves = {q: {d: g / 2 if g > 0 else float(g) for d, g in own.items()} for q, own in whole.items()}
    runs = {
        name: {q: {f"d{j}": float(rng.random()) for j in range(14)} for q in whole}
        for name in ("a", "b", "c")
    }
    pairs = [
        ("AP(rel=2)", "AP(rel=1.0)"),
        ("P(rel=1)@5", "P(rel=0.5)@5"),
        ("RBP(p=0.8, rel=2)", "RBP(p=0.8, rel=1.0)"),
    ]
    for of_whole, of_halves in pairs:
        one, other = compare(whole, runs, of_whole), compare(halves, runs, of_halves)
        assert other.measures == compare(halves, runs, of_halves).measures
        for view in ("pairs", "systems"):
            rows = ([{**row, "measure": None} for row in found.rows[view]] for found in (one, other))
            assert repr(next(rows)) == repr(next(rows))
        first, second = (
            next_documents(q, runs, n=5, measure=m) for q, m in ((whole, of_whole), (halves, of_halves))
        )
        assert [(c["query"], c["document"], c["gain"]) for c in first.wanted] == [
            (c["query"], c["document"], c["gain"]) for c in second.wanted
        ]


def test_a_report_says_what_grades_stand_for() -> None:
    from unjudged.report.report_page import report_page

    qrels = {f"q{i}": {"a": 0.25, "b": 0.7, "c": -1.0} for i in range(3)}
    runs = {"one": {q: {"a": 2.0, "b": 1.0} for q in qrels}, "two": {q: {"b": 2.0, "c": 1.0} for q in qrels}}
    for some in (runs, {"one": runs["one"]}):
        assert "0 is 0, 1 is 0.25, 2 is 0.7" in said(report_page(qrels, some, "nDCG").html)


def test_calibrations_are_learnt_from_the_command_line(tmp_path: Path) -> None:
    """Fractions are taken wherever whole grades are."""
    halves = tmp_path / "halves.txt"
    halves.write_text(re.sub(r"(?m) 1$", " 0.5", sample.qrels.read_text()))
    learnt = tmp_path / "learnt.json"
    calibrate(halves, sample.runs, "(.*)", "nDCG@10").save(learnt)
    settings = ["--set", f"judgments.calibration={learnt}", "--interval", "calibrated(confidence=0.7)"]
    assert "calibrated" in printed(
        "evaluate", str(halves), str(sample.runs["boolean"]), "-m", "nDCG@10", *settings
    )
