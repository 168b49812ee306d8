"""Differences by segment, the test between segments, and the words about them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from unjudged import InputError, Scores, UsageError, compare, evaluate, sample
from unjudged.comparison.testing.corrections import CORRECTIONS
from unjudged.comparison.testing.interaction import interaction_p
from unjudged.evaluation.query_segments import segments_grid, segments_of

RNG = np.random.default_rng(5)
QUERIES = [f"q{j + 1}" for j in range(60)]
BY = {query: "head" if j < 20 else "tail" for j, query in enumerate(QUERIES)}


def scores(head: float, tail: float, noise: float = 0.1) -> Scores:
    base = RNG.uniform(0.3, 0.6, 60)
    moved = base + np.where(np.arange(60) < 20, head, tail) + RNG.normal(0, noise, 60)
    return Scores.of(np.stack([base, moved]), runs=["old", "new"], queries=QUERIES)


def test_rows_are_tests_of_their_queries() -> None:
    table = scores(0.1, -0.1)
    found = compare(table).by(BY)
    assert [(row.segment, row.queries) for row in found.rows] == [("head", 20), ("tail", 40), ("all", 60)]
    difference = table.values[0, :, 0] - table.values[1, :, 0]
    for row, part in zip(found.rows, (difference[:20], difference[20:], difference), strict=True):
        assert row.p == pytest.approx(stats.ttest_1samp(part, 0).pvalue)
        low, high = stats.ttest_1samp(part, 0).confidence_interval(0.95)
        assert [row.low, row.high] == pytest.approx([low, high])
    head, tail, _ = found.rows
    assert min(head.p_adjusted, tail.p_adjusted) == pytest.approx(2 * min(head.p, tail.p))
    assert found.interactions[0].p < 0.001
    assert "Segments differ from each other" in str(found)


def test_the_total_may_contradict_most_segments() -> None:
    values = np.zeros((2, 60))
    values[1] = np.repeat([-0.1, -0.1, 0.3], [10, 10, 40]) + RNG.normal(0, 0.02, 60)
    three = dict(zip(QUERIES, np.repeat(["a", "b", "c"], [10, 10, 40]).tolist(), strict=True))
    found = compare(Scores.of(values, runs=["old", "new"], queries=QUERIES)).by(three)
    said = " ".join(found.sentences())
    assert (
        "says the opposite of most segments: new is ahead because of c (40 queries), but behind old in a, b"
        in said
    )


def test_small_segments_say_what_they_could_have_shown() -> None:
    found = compare(scores(0.0, 0.0, 0.3)).by(BY)
    head, tail, whole = (row.detectable for row in found.rows)
    assert head is not None
    assert tail is not None
    assert whole is not None
    assert head > tail > whole > 0
    assert "what would have been, with power 0.8: head 0." in str(found)


def test_pairs_and_segments_are_corrected_together_and_all_queries_as_in_the_comparison() -> None:
    runs = {name: sample.runs[name] for name in ("lexical", "fused", "dense")}
    by = {f"q{k:02d}": "head" if k < 11 else "torso" if k < 21 else "tail" for k in range(1, 31)}
    for correction in ("holm", "bh", "tukey", "none"):
        compared = compare(sample.qrels, runs, "nDCG@10", correction=correction)
        found = compared.by(by)
        whole = [row for row in found.rows if row.segment == "all"]
        assert [(row.p, row.p_adjusted) for row in whole] == [(p.p, p.p_adjusted) for p in compared.pairs()]
        parts = [row for row in found.rows if row.segment != "all"]
        used = {"tukey": "holm"}.get(correction, correction)
        oracle = CORRECTIONS[used].function(np.array([row.p for row in parts]))
        assert [row.p_adjusted for row in parts] == pytest.approx(oracle.tolist())
        title = CORRECTIONS[used].title
        over = "" if used == "none" else " over 9 tests: 3 segments of 3 pairs"
        assert f"Paired t test, {title}{over}" in found.method
        assert (f"; all: {CORRECTIONS[correction].title} over 3 pairs." in found.method) == (used != "none")


def test_segments_are_tested_with_the_draws_and_the_seed_of_the_comparison() -> None:
    table = scores(0.05, 0.02)
    options = {"test": "randomization", "draws": 99}
    first, second = (compare(table, seed=seed, **options).by(BY) for seed in (1, 2))  # type: ignore[arg-type]
    assert all(abs(100 * row.p - round(100 * row.p)) < 1e-9 for row in first.rows)
    assert [row.p for row in first.rows] != [row.p for row in second.rows]


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


@pytest.mark.parametrize(
    "text", ["q1 head\nq2 tail\n", "query,segment\nq1,head\nq2,tail\n", "topic\tkind\nq1\thead\nq2\ttail\n"]
)
def test_files_of_segments(text: str, tmp_path: Path) -> None:
    file = tmp_path / "segments.txt"
    file.write_text(text)
    found = segments_of(file, ["q2", "q1"])
    assert {name: own.tolist() for name, own in found.items()} == {
        "tail": [True, False],
        "head": [False, True],
    }


def test_a_name_that_ends_in_nul_has_its_queries() -> None:
    """NumPy compares texts without the NUL characters at their ends."""
    found = segments_of({"q1": "x", "q2": "y\0"}, ["q1", "q2"])
    assert {name: own.tolist() for name, own in found.items()} == {"x": [True, False], "y\0": [False, True]}


def test_refusals(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1 query of 2 has no segment: q3; give each query one"):
        segments_of({"q1": "a"}, ["q1", "q3"])
    file = tmp_path / "segments.csv"
    file.write_text("query,segment\nq1,a\nq1,b\n")
    with pytest.raises(InputError, match="query 'q1' is in two segments, a and b"):
        segments_of(file, ["q1"])
    with pytest.raises(UsageError, match="all queries are in one segment"):
        compare(scores(0, 0)).by(dict.fromkeys(QUERIES, "x"))
    with pytest.raises(UsageError, match="rename it"):
        compare(scores(0, 0)).by({**BY, "q1": "all"})


def test_runs_and_judgments_too() -> None:
    runs = {name: sample.runs[name] for name in ("fused", "dense")}
    by = {f"q{j:02}": "head" if j < 11 else "tail" for j in range(1, 31)}
    found = compare(sample.qrels, runs, ["AP", "P@10"]).by(by)
    assert len(found.rows) == 6
    assert found.records().as_columns()["interaction_p"][0] == found.interactions[0].p


def test_intervals_by_segment_know_the_judgments() -> None:
    by = {f"q{k:02d}": "head" if k < 11 else "tail" for k in range(1, 31)}
    known = evaluate(sample.qrels, sample.runs["fused"], "nDCG@10")
    for table, said in (
        (known, "as the measure takes them"),
        (Scores.of(known.to_frame("pandas")), "unknown"),
    ):
        masks = segments_of(by, table.queries)
        notes = " ".join(segments_grid(table, masks, 0.95).notes)
        assert said in notes
        assert ("judgments: unknown" in notes) == (said == "unknown")
