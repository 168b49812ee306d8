"""Measures whose lower values are better: everything agrees with the same values of the other sign."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.in_process import everything, printed
from tests.conftest import examples
from tests.report.test_page import read
from unjudged import Scores, UsageError, compare, compare_collections, evaluate, gate, report_page
from unjudged.base.segments import Floats
from unjudged.results.words import headline_sentence, segment_sentences

RUNS = ["a", "b", "c"]


def two_ways(values: Floats, **more: Any) -> tuple[Scores, Scores]:
    """Return a measure whose higher values are better, and its opposite."""
    up = Scores.read(values, "quality", runs=RUNS[: len(values)], **more)
    if "range" in more:
        more["range"] = (-more["range"][1], -more["range"][0])
    return up, Scores.read(-values, "quality", runs=up.runs, lower=["quality"], **more)


def drawn_values(seed: int, systems: int, queries: int) -> Floats:
    rng = np.random.default_rng(seed)
    skill = rng.normal(0, 0.3, (systems, 1))
    return np.asarray((rng.normal(0, 1, (systems, queries)) ** 3 / 9 + skill).round(2), float)


@examples(40)
@given(
    st.integers(0, 10**6),
    st.integers(2, 12),
    st.sampled_from(["t", "randomization", "wilcoxon", "bootstrap"]),
)
def test_comparisons_are_those_of_the_negated_values(seed: int, queries: int, test: Any) -> None:
    values = drawn_values(seed, 3, 3 * queries)
    up, down = (compare(scores, test=test, draws=200) for scores in two_ways(values))
    for one, other in zip(up.pairs, down.pairs, strict=True):
        same = ("p", "p_adjusted", "headline", "other_queries", "ahead", "better", "wins", "ties", "losses")
        assert [one[name] for name in same] == [other[name] for name in same]
        assert headline_sentence(one) == headline_sentence(other)
        assert one["difference"] == -other["difference"]
        assert (one["query_low"], one["query_high"]) == (-other["query_high"], -other["query_low"])
        assert (one["effect_low"], one["effect_high"]) == (-other["effect_high"], -other["effect_low"])
    for row, other in zip(up.systems, down.systems, strict=True):
        alike = ("system", "place_low", "place_high", "better_than")
        assert [row[name] for name in alike] == [other[name] for name in alike]
        assert row["mean"] == -other["mean"]
    assert [row[:2] for row in up.grid().rows] == [row[:2] for row in down.grid().rows]
    assert up.grid().stressed == down.grid().stressed


@examples(40)
@given(st.integers(0, 10**6), st.integers(1, 20), st.sampled_from([0, 0.1, 0.5]), st.booleans())
def test_gates_are_those_of_the_negated_values(seed: int, queries: int, margin: float, ranged: bool) -> None:
    values = np.clip(drawn_values(seed, 2, 2 * queries), -9, 9)
    by = {f"q{k + 1}": str(k % 2) for k in range(2 * queries)}
    up, down = (
        gate(scores, "a", "b", margin=margin, segments=by)
        for scores in two_ways(values, **({"range": (-9, 10)} if ranged else {}))
    )
    assert up.grid().title == down.grid().title
    for one, other in zip(up.checks, down.checks, strict=True):
        for name in ("outcome", "open_to", "queries_needed", "p_worse", "p_not_worse"):
            assert one[name] == other[name]
        assert one["difference"] == pytest.approx(-other["difference"], abs=1e-12)
        ends = (-other["limit_high"], -other["limit_low"])
        np.testing.assert_allclose((one["limit_low"], one["limit_high"]), ends, atol=1e-12)


def test_a_gate_stops_a_system_that_is_slower() -> None:
    """It passed 33 ms more, because higher values counted as better."""
    rng = np.random.default_rng(1)
    values = rng.normal(100, 10, (2, 50))
    values[1] += 33
    slower = gate(
        Scores.read(values, "latency", runs=["old", "new"], lower="latency"), "old", "new", margin=5
    )
    assert slower.outcome == "fail"
    (check,) = slower.checks
    assert 5 < check["limit_low"] < 33 < check["limit_high"]
    said = f"difference {check['difference']:+.4f}, above {check['limit_low']:+.4f} with 95 %"
    assert said in slower.sentence()
    assert "latency: the lower value counts as better." in slower.notes
    faster = gate(
        Scores.read(values, "latency", runs=["old", "new"], lower="latency"), "new", "old", margin=5
    )
    assert faster.outcome == "pass"
    assert f", below {faster.checks[0]['limit_high']:+.4f} with 95 %" in faster.sentence()


def test_best_marks_and_orders_of_means() -> None:
    values = np.array([[3.0, 5.0], [1.0, 2.0], [9.0, 4.0]])[:, :, None] * [1, 1]
    scores = Scores.read(values, ["latency", "x"], runs=RUNS, lower=["latency"])
    assert evaluate(scores).grid().stressed == {(0, 1), (2, 2)}
    assert r"\textbf{1.5000} & 1.5000" in evaluate(scores).to_latex()
    shown = compare(scores).to_latex()
    assert "Bold: the best mean." in shown
    assert shown.index("a & b &") < shown.index("b & a &") < shown.index("c & c &")
    assert shown.count(r"\textbf{1.5000}") == 1
    assert shown.count(r"\textbf{6.5000}") == 1
    latency = [row["system"] for row in compare(scores).systems if row["measure"] == "latency"]
    assert latency == ["b", "a", "c"]


def test_segments_say_who_is_ahead() -> None:
    values = np.array([[1.0] * 9 + [5, 5.1] + [6, 6.1], [5.0] * 9 + [2, 2.1] + [2, 2.2]])
    values += np.random.default_rng(0).normal(0, 0.1, values.shape)
    by = {f"q{k + 1}": "large" if k < 9 else "second" if k < 11 else "third" for k in range(13)}
    costs = Scores.read(values, "cost", runs=["a", "b"], lower=["cost"])
    rows = compare(costs, segments=by).segments
    (said,) = [line for line in segment_sentences(rows, 0.05) if "opposite" in line]
    assert "a is ahead because of large (9 queries), but behind b in second, third." in said


def test_figures_pages_and_collections_agree() -> None:
    values = np.random.default_rng(3).normal(0, 1, (3, 30)) + np.array([[5.0], [1.0], [9.0]])
    scores = Scores.read(values, "cost", runs=RUNS, lower=["cost"])
    assert evaluate(scores).plot.intervals(intervals=["queries"]).title == "b leads by cost"
    assert compare(scores).plot.differences("a", "b").title == "b beats a on 30 of 30 queries"
    (page,) = read(report_page(scores).html)["measures"]
    assert page["headline"] == "b is better than all others."
    assert page["sign"] == -1
    found = compare_collections({"one": scores, "two": scores}, scores.measures[0])
    assert list(dict.fromkeys(row["system"] for row in found.systems)) == ["b", "a", "c"]
    assert {row["better"] for row in found.rows["collections"] if {row["a"], row["b"]} == {"a", "b"}} == {"b"}
    assert set(found.grid().stressed) == {(0, 2), (0, 3), (0, 4)}
    bold = [line.split(" & ")[1] for line in found.to_latex().splitlines() if "textbf" in line]
    assert bold == ["b"]


def test_names_are_checked() -> None:
    values = np.ones((2, 3, 1))
    with pytest.raises(UsageError, match="lower names 'latencey', expected one of the measures: latency"):
        Scores.read(values, ["latency"], lower=["latencey"])
    with pytest.raises(UsageError, match="lower names AP, but higher values of AP are better"):
        Scores.read(values, ["AP"], lower="AP")
    with pytest.raises(UsageError, match="lower are 3, expected a list"):
        Scores.read(values, ["latency"], lower=3)  # type: ignore[arg-type]
    up = Scores.read(values, ["latency"])
    assert Scores.read(up, lower=["latency"]).measures[0].sign == -1
    assert up.measures[0].sign == 1


def test_on_the_command_line(tmp_path: Path) -> None:
    rng, table = np.random.default_rng(2), tmp_path / "scores.csv"
    lines = [
        f"{system},q{query},{measure},{mean + rng.normal():.3f}"
        for query in range(30)
        for measure in ("latency", "cost", "faithfulness")
        for system, mean in (("old", 10), ("new", 13))
    ]
    table.write_text("\n".join(["system,query,measure,value", *lines]))
    words = [str(table), "--set", "scores.lower=['latency', 'cost']"]
    said = everything("compare", str(table), "--set", "scores.lower=latency", "-m", "latency")
    assert "old is better than new." in said
    assert "latency: the lower value counts as better." in said
    said = everything("compare", *words)
    assert "latency, cost: the lower value counts as better." in said
    assert "faithfulness: the higher value counts as better (--set scores.lower=NAME" in said
    marked = printed("evaluate", *words, "--format", "markdown").split("\n\n")[0]
    assert marked.count("**") == 6
    assert marked.splitlines()[2].count("**") == 4  # old is best by two


def test_tables_of_collections_stress_the_lowest_and_say_so() -> None:
    values = {name: np.random.default_rng(k).random((3, 12)) for k, name in enumerate(("one", "two"))}
    both = [
        compare_collections(
            {name: Scores.read(sign * own, "latency", runs=RUNS, lower=lower) for name, own in values.items()}
        )
        for sign, lower in ((1, ["latency"]), (-1, None))
    ]
    low, high = (found.to_latex() for found in both)
    assert [line.count("textbf") for line in low.splitlines() if " & " in line] == [
        line.count("textbf") for line in high.splitlines() if " & " in line
    ]
    best = min(values["one"].mean(axis=1))
    assert rf"\textbf{{{best:.4f}}}" in low
    assert "latency: the lower value counts as better." in both[0].notes
    for found in both:
        assert any(
            note.startswith("What more judging could change is unknown") for note in found.grid().notes
        )


def test_missing_values_are_not_the_best_ones() -> None:
    table = {"query": ["q1", "q2", "q3"], "a": [5.0, 6.0, 7.0], "b": [5.0, None, 8.0]}
    with pytest.raises(UsageError, match="the best one where lower values are better: use --set scores"):
        Scores.read(table, "latency", missing="zero", lower="latency")
    assert Scores.read(table, "latency", missing="drop", lower="latency").values.shape == (2, 2, 1)


def test_a_measure_that_is_not_asked_for_may_be_lower() -> None:
    table = {"query": ["q1", "q2"], "system": ["a", "a"], "latency": [5, 6], "quality": [0.5, 0.6]}
    assert list(map(str, Scores.read(table, "quality", lower="latency").measures)) == ["quality"]
    with pytest.raises(UsageError, match="lower names 'cost'"):
        Scores.read(table, "quality", lower="cost")
