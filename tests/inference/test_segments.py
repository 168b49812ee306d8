"""Differences by segment, the test between segments, and the words about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pyarrow
import pytest
from scipy import stats

from unjudged import Comparison, InputError, Scores, UsageError, compare, evaluate, sample
from unjudged.base.choices import CorrectionName
from unjudged.base.errors import ExtraQueriesWarning
from unjudged.collection.query_segments import segments_of
from unjudged.inference.corrections import CORRECTIONS
from unjudged.inference.interaction import interaction_p
from unjudged.inference.power import power_of_t
from unjudged.inference.verdict import HEADLINES
from unjudged.results.words import segment_sentences

RNG = np.random.default_rng(5)
QUERIES = [f"q{j + 1}" for j in range(60)]
BY = {query: "head" if j < 20 else "tail" for j, query in enumerate(QUERIES)}


def scores(head: float, tail: float, noise: float = 0.1) -> Scores:
    base = RNG.uniform(0.3, 0.6, 60)
    moved = base + np.where(np.arange(60) < 20, head, tail) + RNG.normal(0, noise, 60)
    return Scores.read(np.stack([base, moved]), runs=["old", "new"], queries=QUERIES)


def said_of(found: Comparison) -> str:
    return " ".join(segment_sentences(found.segments, found.settings["alpha"]))


def method_of(found: Comparison) -> str:
    return found.grid("segments").notes[-1 - len(found.notes)]


def test_rows_are_tests_of_their_queries() -> None:
    table = scores(0.1, -0.1)
    found = compare(table, segments=BY)
    assert [(row["segment"], row["queries"]) for row in found.segments] == [
        ("head", 20),
        ("tail", 40),
        ("all", 60),
    ]
    difference = table.values[1, :, 0] - table.values[0, :, 0]
    for row, part in zip(found.segments, (difference[:20], difference[20:], difference), strict=True):
        assert row["p"] == pytest.approx(stats.ttest_1samp(part, 0).pvalue)
        low, high = stats.ttest_1samp(part, 0).confidence_interval(0.95)
        assert [row["query_low"], row["query_high"]] == pytest.approx([low, high])
        assert row["headline"] in HEADLINES
    head, tail, _ = found.segments
    assert min(head["p_adjusted"], tail["p_adjusted"]) == pytest.approx(2 * min(head["p"], tail["p"]))
    assert head["interaction_p"] < 0.001
    assert "Segments differ from each other" in str(found.grid("segments"))


def test_the_total_may_contradict_most_segments() -> None:
    values = np.zeros((2, 60))
    values[1] = np.repeat([-0.1, -0.1, 0.3], [10, 10, 40]) + RNG.normal(0, 0.02, 60)
    three = dict(zip(QUERIES, np.repeat(["a", "b", "c"], [10, 10, 40]).tolist(), strict=True))
    found = compare(Scores.read(values, runs=["old", "new"], queries=QUERIES), segments=three)
    assert (
        "says the opposite of most segments: new is ahead because of c (40 queries), but behind old in a, b"
        in said_of(found)
    )


def test_the_cause_of_a_total_is_the_segment_that_carries_it() -> None:
    sizes, shifts = [3, 3, 3, 41, 10], [-0.05, -0.05, -0.05, 0.0005, 0.5]
    values = np.stack([np.repeat(shifts, sizes) + RNG.normal(0, 1e-4, 60), np.zeros(60)])
    five = dict(zip(QUERIES, np.repeat(["a", "b", "c", "flat", "driver"], sizes).tolist(), strict=True))
    found = compare(Scores.read(values, runs=["A", "B"], queries=QUERIES), segments=five)
    assert "A is ahead because of driver (10 queries), but behind B in a, b, c." in said_of(found)


def test_what_is_detectable_is_what_the_test_shows_with_power() -> None:
    table = scores(0.4, -0.1)
    difference = table.values[0, :, 0] - table.values[1, :, 0]
    head, tail, whole = compare(table, segments=BY).segments
    for row, part, alpha in (
        (whole, difference, 0.05),
        (head, difference[:20], 0.05 / 2),
        (tail, difference[20:], 0.05 / 2),
    ):
        shown = power_of_t(len(part), row["detectable"] / part.std(ddof=1), alpha)
        assert shown == pytest.approx(0.8, abs=1e-9)
    three = compare(Scores.read(RNG.normal(0, 1, (3, 60)), queries=QUERIES), correction="tukey", segments=BY)
    assert [np.isnan(row["detectable"]) for row in three.segments] == 3 * [False, False, True]
    certain = compare(table, alpha=0.9, correction="none", segments=BY).segments
    assert np.isnan([row["detectable"] for row in certain]).all()


@pytest.mark.thorough
@pytest.mark.parametrize("correction", ["bonferroni", "holm", "none"])
def test_the_power_of_what_is_detectable(correction: CorrectionName) -> None:
    """A segment whose queries vary as told, and differ by what is detectable, is significant in 80 of 100."""
    rng, trials, deviation = np.random.default_rng(11), 4_000, np.repeat([0.1, 0.3, 0.2], [8, 12, 40])
    by = dict(zip(QUERIES, np.repeat(["small", "wide", "large"], [8, 12, 40]).tolist(), strict=True))
    masks = segments_of(by, QUERIES)
    drawn = rng.normal(0, 1, 60)
    for own in masks.values():
        drawn[own] = (drawn[own] - drawn[own].mean()) / drawn[own].std(ddof=1)
    pilot = Scores.read(np.stack([drawn * deviation, np.zeros(60)]), queries=QUERIES)
    told = compare(pilot, correction=correction, segments=by).segments
    for row, own in zip(told[:3], masks.values(), strict=True):
        noise = rng.normal(0, 1, (trials, 60)) * deviation + own * row["detectable"]
        p = np.stack([stats.ttest_1samp(noise[:, mask], 0, axis=1).pvalue for mask in masks.values()])
        after = np.apply_along_axis(CORRECTIONS[correction].function, 0, p)
        shown = (after[[*masks].index(row["segment"])] <= 0.05).mean()
        error = np.sqrt(0.8 * 0.2 / trials)
        more = 0.01 if correction == "holm" else 0.0  # Holm's second step, after a false discovery
        assert 0.8 - 3 * error < shown < 0.8 + 3 * error + more


def test_small_segments_say_what_they_could_have_shown() -> None:
    found = compare(scores(0.0, 0.0, 0.3), segments=BY)
    head, tail, whole = (row["detectable"] for row in found.segments)
    assert head > tail > whole > 0
    assert "Not significant. Detectable with power .8: head 0." in said_of(found)


def test_pairs_and_segments_are_corrected_together_and_all_queries_as_in_the_comparison() -> None:
    runs = {name: sample.runs[name] for name in ("lexical", "fused", "dense")}
    by = {f"q{k:02d}": "head" if k < 11 else "torso" if k < 21 else "tail" for k in range(1, 31)}
    for correction in ("holm", "bh", "tukey", "none"):
        found = compare(sample.qrels, runs, "nDCG@10", correction=correction, segments=by)
        whole = [row for row in found.segments if row["segment"] == "all"]
        assert [(row["p"], row["p_adjusted"]) for row in whole] == [
            (p["p"], p["p_adjusted"]) for p in found.pairs
        ]
        parts = [row for row in found.segments if row["segment"] != "all"]
        used = {"tukey": "holm"}.get(correction, correction)
        oracle = CORRECTIONS[used].function(np.array([row["p"] for row in parts]))
        assert [row["p_adjusted"] for row in parts] == pytest.approx(oracle.tolist())
        title = CORRECTIONS[used].title
        over = "" if used == "none" else " over 9 tests: 3 segments of 3 pairs"
        assert f"Paired t test, {title}{over}" in method_of(found)
        assert (f"; all: {CORRECTIONS[correction].title} over 3 pairs" in method_of(found)) == (
            used != "none"
        )


@pytest.mark.thorough
def test_tests_between_segments_are_corrected_over_pairs() -> None:
    queries = evaluate(sample.qrels, sample.runs).queries
    rng = np.random.default_rng(0)
    said = []
    for _ in range(5):
        halves = rng.permutation(["a", "b"] * 15).tolist()
        found = compare(
            sample.qrels, sample.runs, "nDCG@10", segments=dict(zip(queries, halves, strict=True))
        )
        totals = [row for row in found.segments if row["segment"] == "all"]
        p = np.array([row["interaction_p"] for row in totals])
        adjusted = [row["interaction_p_adjusted"] for row in totals]
        assert adjusted == CORRECTIONS["holm"].function(p).tolist()
        said.append(said_of(found))
    assert "; between segments over 15 pairs" in method_of(found)
    assert not any("Segments differ" in line for line in said)


@pytest.mark.thorough
def test_a_pair_among_very_many_can_differ_between_segments() -> None:
    values = RNG.normal(0, 0.1, (36, 40))
    values[0, :20] += 5
    table = Scores.read(values, runs=[f"r{k}" for k in range(36)], queries=QUERIES[:40])
    by = {query: f"{j // 20}" for j, query in enumerate(QUERIES[:40])}
    found = compare(table, baseline="r1", alpha=0.001, segments=by)
    between = [row["interaction_p_adjusted"] for row in found.segments if row["segment"] == "all"]
    assert [p <= 0.001 for p in between] == [True] + 34 * [False]
    tiny = compare(table, baseline="r1", alpha=1e-9, segments=by)
    assert "99,999 draws cannot show that segments differ among so many tests." in method_of(tiny)


def test_a_mean_misleads_only_where_signs_differ() -> None:
    said = said_of(compare(scores(0.1, 0.6), segments=BY))
    assert "Segments differ from each other (p = 0.0001): the difference is not the same in all segm" in said
    said = said_of(compare(scores(-0.3, 0.3), segments=BY))
    assert "Segments differ from each other (p = 0.0001): the mean alone misleads." in said


def test_one_query_is_not_tested_and_does_not_count() -> None:
    by = {**BY, "q1": "alone", "q2": "lonely"}
    found = compare(scores(0.05, 0.05), segments=by)
    *alone, head, tail, _ = found.segments
    assert [(row["p"], row["p_adjusted"]) for row in alone] == [(None, None)] * 2
    oracle = CORRECTIONS["holm"].function(np.array([head["p"], tail["p"]]))
    assert [head["p_adjusted"], tail["p_adjusted"]] == oracle.tolist()
    assert "over 2 segments, alpha = 0.05. 2 segments of one query cannot be tested: not counted." in (
        method_of(found)
    )
    assert found.records("segments").as_columns()["p"][:2] == [None, None]
    assert "nan" not in str(found.grid("segments"))
    few = compare(scores(0.05, 0.05), segments={q: "rest" if j else "alone" for j, q in enumerate(QUERIES)})
    assert few.grid("segments").notes[0] == (
        "Whether segments differ is not tested: that takes two segments of more than one query each."
    )
    none = compare(
        Scores.read(np.array([[0.1, 0.2], [0.3, 0.5]]), queries=["q1", "q2"]), segments={"q1": "a", "q2": "b"}
    )
    assert none.segments[-1]["p"] < 1


def test_segments_are_tested_with_the_draws_and_the_seed_of_the_comparison() -> None:
    table = scores(0.05, 0.02)
    options = {"test": "randomization", "draws": 99, "segments": BY}
    first, second = (compare(table, seed=seed, **options) for seed in (1, 2))  # type: ignore[arg-type]
    assert all(abs(100 * row["p"] - round(100 * row["p"])) < 1e-9 for row in first.segments)
    assert [row["p"] for row in first.segments] != [row["p"] for row in second.segments]


@pytest.mark.parametrize(
    "text",
    [
        "q1 head\nq2 tail\n",
        "query,segment\nq1,head\nq2,tail\n",
        "topic\tkind\nq1\thead\nq2\ttail\n",
        "# made by hand\nq1 head\n\n# the rest\nq2 tail\n",
        "# made by hand\nquery,segment\nq1,head\nq2,tail\n",
        "Query,Segment\nq1,head\nq2,tail\n",
        "query segment\nq1 head\nq2 tail\n",
        "Category;QID;note\nhead;q1;x\ntail;q2;y\n",
        'q1,head\n"q2",tail\n',
        "q1\thead\nq2 \ttail\n",
        "q1 head\nq2 tail\nq1 head\n",
        "query,segment\nq1,head\nq2,tail\nq1,head\n",
        '{"q1": "head", "q2": "tail"}',
        '[{"query": "q1", "segment": "head"}, {"query": "q2", "segment": "tail"}]',
    ],
)
def test_files_of_segments(text: str, tmp_path: Path) -> None:
    file = tmp_path / "segments.txt"
    file.write_text(text)
    found = segments_of(file, ["q2", "q1"])
    assert {name: own.tolist() for name, own in found.items()} == {
        "tail": [True, False],
        "head": [False, True],
    }


def names_in(source: object, queries: list[str]) -> list[str]:
    found = segments_of(source, queries)
    return [next(name for name, own in found.items() if own[k]) for k in range(len(queries))]


def test_names_of_segments_may_have_spaces(tmp_path: Path) -> None:
    file = tmp_path / "segments.txt"
    for text, queries, expected in (
        ("q1,long tail\nq2,head\n", ["q1", "q2"], ["long tail", "head"]),
        ("q1\tlong, tail\nq2\thead\n", ["q1", "q2"], ["long, tail", "head"]),
    ):
        file.write_text(text)
        assert names_in(file, queries) == expected


def test_one_of_several_columns(tmp_path: Path) -> None:
    file = tmp_path / "queries.csv"
    file.write_text("qid,kind,length\nq1,nav,1\nq2,info,7\n")
    assert names_in(f"{file}:kind", ["q1", "q2"]) == ["nav", "info"]
    assert names_in(f"{file}:length", ["q1", "q2"]) == ["1", "7"]
    for source in (file, f"{file}:size", f"{file}:qid"):
        with pytest.raises(InputError, match="no column for the segment among 'qid', 'kind', 'length', expe"):
            segments_of(source, ["q1", "q2"])
    with pytest.raises(InputError, match="no column for the query among 'id', 'kind', expected one of"):
        segments_of(pandas.DataFrame({"id": ["q1"], "kind": ["a"]}), ["q1"])


def test_other_queries_are_counted() -> None:
    with pytest.warns(ExtraQueriesWarning, match=r"Segments of 2 other queries are ignored: q8, q9\."):
        segments_of({"q1": "a", "q8": "b", "q9": "b"}, ["q1"])
    with pytest.raises(InputError, match=r"2 queries of 2 have no segment: 1, 2; .*segments of q1, q2"):
        segments_of({"q1": "a", "q2": "b"}, ["1", "2"])


def test_names_of_frames_and_dicts_are_those_of_tables_of_scores(tmp_path: Path) -> None:
    for source in (
        {1.0: "a", 2: "b"},
        pandas.DataFrame({"Query ID": [1.0, 2.0], "Segment": ["a", "b"]}),
    ):
        assert names_in(source, ["1", "2"]) == ["a", "b"]
    stream = tmp_path / "segments.arrows"
    frame = pyarrow.table({"query": ["q1", "q2"], "segment": ["a", "b"]})
    with pyarrow.ipc.new_stream(stream, frame.schema) as writer:
        writer.write_table(frame)
    assert names_in(stream, ["q1", "q2"]) == ["a", "b"]
    missing = pandas.DataFrame({"query": ["q1", "q2"], "segment": ["a", None]})
    for lacking in (missing, missing.convert_dtypes(), {"q1": "a", "q2": None}):
        with pytest.raises(InputError, match=r"row 1 .from 0.: query 'q2' has no segment"):
            segments_of(lacking, ["q1", "q2"])


def test_a_name_that_ends_in_nul_has_its_queries() -> None:
    """NumPy compares texts without the NUL characters at their ends."""
    found = segments_of({"q1": "x", "q2": "y\0"}, ["q1", "q2"])
    assert {name: own.tolist() for name, own in found.items()} == {"x": [True, False], "y\0": [False, True]}


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 query of 2 has no segment: q3; give each query one"):
        segments_of({"q1": "a"}, ["q1", "q3"])
    file = tmp_path / "segments.csv"
    for text, problem in (
        ("query,segment\nq1,a\nq1,b\n", "segments.csv:3: query 'q1' is in two segments, a and b"),
        ("q1 a\nq1 b\n", "segments.csv:2: query 'q1' is in two segments, a and b"),
        ("q1 a\nq2\n", "segments.csv:2: 'q2' has 1 field, expected 2: query, segment"),
        ("query,segment\nq1,a,b\n", "segments.csv:2: 'q1,a,b' has 3 fields, expected 2: query, segment"),
        ("q1\t\ta\n", "segments.csv:1: '.*' has 3 fields, expected 2: query, segment"),
        ("query,segment\nq1,\n", "segments.csv:2: query 'q1' has no segment, found '': give it one"),
        ("query,a,a\nq1,x,y\n", "segments.csv:1: two columns have the name 'a'"),
        ("# nothing\n", "segments.csv: "),
        ("query,segment\n" + "x" * 200_000 + ",a\n", "field larger than field limit"),
    ):
        file.write_text(text)
        with pytest.raises(InputError, match=problem):
            segments_of(file, ["q1"])
    with pytest.raises(UsageError, match="all queries are in one segment"):
        compare(scores(0, 0), segments=dict.fromkeys(QUERIES, "x"))
    with pytest.raises(UsageError, match="rename it"):
        compare(scores(0, 0), segments={**BY, "q1": "all"})


def test_runs_and_judgments_too() -> None:
    runs = {name: sample.runs[name] for name in ("fused", "dense")}
    by = {f"q{j:02}": "head" if j < 11 else "tail" for j in range(1, 31)}
    found = compare(sample.qrels, runs, ["AP", "P@10"], segments=by)
    assert len(found.segments) == 6
    assert "Holm over 2 segments per measure" in method_of(found)
    written = found.records("segments").as_columns()
    assert written["interaction_p"][0] == found.segments[0]["interaction_p"]
    assert all(row["low"] <= row["difference"] <= row["high"] for row in found.segments)


def test_intervals_by_segment_know_the_judgments() -> None:
    by = {f"q{k:02d}": "head" if k < 11 else "tail" for k in range(1, 31)}
    given: dict[str, Any] = {"segments": by, "interval": "queries"}
    known = evaluate(sample.qrels, sample.runs["fused"], "nDCG@10", **given)
    table = evaluate(Scores.read(known.as_view("queries").to_frame("pandas")), **given)
    for found, said in ((known, "as the measure takes them"), (table, "unknown")):
        methods = " ".join(row["method"] for row in found.rows["segments"])
        assert said in methods
        assert ("judgments: unknown" in methods) == (said == "unknown")


def by_hand(parts: list[np.ndarray]) -> float:
    """Welch's test as Welch wrote it, in plain Python."""
    weight = [len(part) / part.var(ddof=1) for part in parts]
    centre = sum(w * part.mean() for w, part in zip(weight, parts, strict=True)) / sum(weight)
    k, spread = len(parts), 0.0
    for w, part in zip(weight, parts, strict=True):
        spread += (1 - w / sum(weight)) ** 2 / (len(part) - 1)
    top = sum(w * (part.mean() - centre) ** 2 for w, part in zip(weight, parts, strict=True)) / (k - 1)
    statistic = top / (1 + 2 * (k - 2) / (k**2 - 1) * spread)
    return float(stats.f.sf(statistic, k - 1, (k**2 - 1) / (3 * spread))) * (1 - 1e-9)


def test_the_interaction_is_the_larger_of_two_p_values() -> None:
    parts = [RNG.normal(0, 1, 12), RNG.normal(0, 2, 30), RNG.normal(1, 1, 8)]
    assert interaction_p(parts, draws=999) >= by_hand(parts)
    assert np.isnan(interaction_p([np.array([1.0]), RNG.normal(0, 1, 9)]))
    assert interaction_p([np.zeros(4), np.zeros(5)]) == 1
    assert interaction_p([np.zeros(9), np.ones(9)]) < 0.001


def test_two_segments_have_the_share_of_all_assignments() -> None:
    """Studentized permutation, with scipy's enumeration of the assignments as the oracle."""
    head, tail = RNG.normal(0, 1, 5), RNG.normal(1, 3, 6)

    def welch(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        found: np.ndarray = np.abs(stats.ttest_ind(a, b, axis=axis, equal_var=False).statistic)
        return found

    scipys = stats.permutation_test(
        (head, tail), welch, alternative="greater", vectorized=True, n_resamples=np.inf
    )
    assert interaction_p([head, tail]) == pytest.approx(scipys.pvalue, abs=1e-12)
    drawn = interaction_p([head, tail], draws=400)
    assert drawn == pytest.approx(scipys.pvalue, abs=0.08)
    assert drawn == interaction_p([head, tail], draws=400)


def test_several_segments_never_have_less_than_welchs_p_value() -> None:
    parts = [RNG.normal(0, scale, 5) for scale in (0.1, 1, 3, 9)]
    assert interaction_p(parts, draws=99) >= by_hand(parts)
