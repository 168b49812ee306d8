"""A comparison as frames, marks beyond z, and names that could break a table."""

from __future__ import annotations

import pytest

from tests.cli.in_process import unjudged
from tests.intervals import intervals
from unjudged import compare, evaluate, sample
from unjudged.results.rendering import render
from unjudged.results.views import VIEWS
from unjudged.results.words import letters

QRELS = {q: {"x": 1, "y": 0} for q in ("q1", "q2", "q3")}


def test_frames_are_of_the_kind_that_went_in() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = [("q1", "x", 2.0), ("q1", "y", 1.0), ("q2", "y", 1.0), ("q3", "u", 1.0)]
    columns = dict(zip(("query", "document", "score"), zip(*rows, strict=True), strict=True))
    for library, frame in (("pandas", pandas.DataFrame(columns)), ("polars", polars.DataFrame(columns))):
        found = compare(QRELS, {"one": frame, "two": {"q1": {"y": 1.0}}})
        made = found.as_view("pairs").to_frame()
        assert type(made).__module__.split(".")[0] == library
        assert list(made.columns) == [name for name in VIEWS["pairs"].written if name in made.columns]
        assert {"a", "b", "difference", "p", "headline", "low", "high"} <= {*made.columns}
        assert len(made) == 1
        assert made["headline"][0] == found.headline
        assert found.as_view("pairs").to_frame("pyarrow").num_rows == 1
        assert len(found.to_frame()) == 2


def test_frames_of_files_are_pandas_unless_named() -> None:
    found = compare(sample.qrels, {name: sample.runs[name] for name in ("fused", "dense")})
    assert type(found.to_frame()).__module__.split(".")[0] == "pandas"


def test_marks_never_run_out() -> None:
    marks = [letters(place) for place in range(1000)]
    assert marks[:2] == ["a", "b"]
    assert marks[25:28] == ["z", "aa", "ab"]
    assert len(set(marks)) == 1000


def test_thirty_systems_have_thirty_marks() -> None:
    """The first finds the relevant document at once, the others later and later."""
    ten = [f"q{k}" for k in range(10)]
    runs = {
        f"run{k:02}": {q: {"x": 1.0, **{f"n{i}": 2.0 + i for i in range(k)}} for q in ten} for k in range(30)
    }
    judged = {q: {"x": 1, **{f"n{i}": 0 for i in range(30)}} for q in ten}
    found = compare(judged, runs, "RR", alpha=0.9, correction="none")
    rows = found.grid().rows
    assert [row[0] for row in rows] == [letters(place) for place in range(30)]
    beaten = [len(row["better_than"]) for row in found.systems]
    assert beaten[0] == 29
    assert [row[-1] for row in rows] == [str(many) if many else None for many in beaten]  # not letters
    assert r"\textsuperscript{b--D}" in found.to_latex()
    assert found.to_latex().count(r"D & run29") == 1


def test_names_cannot_break_a_table() -> None:
    runs = {"a_b & {c}": {"q1": {"x": 1.0}}, "=1+2|\x1b[31m": {"q1": {"y": 1.0}}}
    found = compare(QRELS, runs, "AP")
    assert r"a\_b \& \{c\}" in found.to_latex()
    assert "\x1b" not in found.to_latex()
    assert "'=1+2" in str(render(found.records(), "csv"))
    for kind in ("table", "markdown", "html", "json", "csv"):
        assert "\x1b" not in str(render(found.grid(), kind))
        assert "\x1b" not in str(render(found.grid("pairs"), kind))


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "AP", "nDCG@10"])
def test_ranges_are_the_bounds_of_evaluate(measure: str) -> None:
    """A system's range is of its own documents, whatever stands beside it."""
    runs = {name: sample.runs[name] for name in ("lexical", "fused", "dense")}
    found = {row["system"]: row for row in compare(sample.qrels, runs, measure).systems}
    for name, (bounds,) in zip(runs, intervals(evaluate(sample.qrels, runs, measure), "bounds"), strict=True):
        assert (found[name]["low"], found[name]["high"]) == pytest.approx(
            (bounds.low, bounds.high), abs=1e-12
        )
    alone = compare(sample.qrels, {name: runs[name] for name in ("lexical", "dense")}, measure)
    for row in alone.systems:
        assert (row["low"], row["high"]) == (found[row["system"]]["low"], found[row["system"]]["high"])


def test_what_does_not_vary_has_neither_interval_nor_effect() -> None:
    """One query had the interval -inf to +inf and the effect size +inf."""
    one = compare({"q": {"x": 1, "y": 0}}, {"a": {"q": ["x"]}, "b": {"q": ["y"]}})
    assert "may differ: no interval, p = 1.0000" in str(one)
    same = compare(QRELS, {"a": {q: ["x"] for q in QRELS}, "b": {q: ["y"] for q in QRELS}})
    assert "may differ: no interval, p = 0.2500" in str(same)
    assert not {"inf", "-inf"} & set(str(same.grid("pairs")).split())


@pytest.mark.parametrize("format", ["markdown", "latex", "html"])
def test_two_runs_have_means_and_marks_in_every_format(format: str) -> None:
    files = [str(sample.qrels), *(str(sample.runs[name]) for name in ("lexical", "fused"))]
    said = unjudged("compare", *files, "-m", "AP", "RBP", "--format", format).stdout.decode()
    assert said.count("aired t test") == 1
    assert all(name in said for name in ("lexical", "fused", "AP", "RBP"))
