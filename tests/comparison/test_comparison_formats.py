"""A comparison as frames, marks beyond z, and names that could break a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.in_process import unjudged
from unjudged import UsageError, compare, evaluate, sample
from unjudged.comparison.comparison_grids import MORE_PAIR_FIELDS, PAIR_FIELDS, letters
from unjudged.comparison.comparison_notes import OF_ALL, OUTSIDE
from unjudged.grids.rendering import render

QRELS = {q: {"x": 1, "y": 0} for q in ("q1", "q2", "q3")}


def test_frames_are_of_the_kind_that_went_in() -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = [("q1", "x", 2.0), ("q1", "y", 1.0), ("q2", "y", 1.0), ("q3", "u", 1.0)]
    columns = dict(zip(("query", "document", "score"), zip(*rows, strict=True), strict=True))
    for library, frame in (("pandas", pandas.DataFrame(columns)), ("polars", polars.DataFrame(columns))):
        found = compare(QRELS, {"one": frame, "two": {"q1": {"y": 1.0}}})
        made = found.to_frame()
        assert type(made).__module__.split(".")[0] == library
        assert list(made.columns) == [*PAIR_FIELDS, *MORE_PAIR_FIELDS]
        assert len(made) == 1
        assert made["verdict"][0] == found.verdict
        assert found.to_frame("pyarrow").num_rows == 1


def test_a_frame_must_be_named_where_none_went_in() -> None:
    found = compare(sample.qrels, {name: sample.runs[name] for name in ("fused", "dense")})
    with pytest.raises(UsageError, match="no frame went in, so say which kind: use pandas, polars"):
        found.to_frame()
    with pytest.raises(UsageError, match="no kind of frame 'excel'"):
        found.to_frame("excel")


def test_marks_never_run_out() -> None:
    marks = [letters(place) for place in range(1000)]
    assert marks[:2] == ["a", "b"]
    assert marks[25:28] == ["z", "aa", "ab"]
    assert len(set(marks)) == 1000


def test_thirty_systems_have_thirty_marks() -> None:
    """The first finds the relevant document at once, the others later and later."""
    runs = {
        f"run{k:02}": {q: {"x": 1.0, **{f"n{i}": 2.0 + i for i in range(k)}} for q in QRELS}
        for k in range(30)
    }
    judged = {q: {"x": 1, **{f"n{i}": 0 for i in range(30)}} for q in QRELS}
    found = compare(judged, runs, "RR", alpha=0.9, correction="none")
    rows = found.systems_grid().rows
    assert [row[0] for row in rows] == [letters(place) for place in range(30)]
    assert str(rows[0][-1]).split() == [letters(place) for place in range(1, 30)]
    assert str(rows[28][-1]).split() == ["ad"]
    assert r"\textsuperscript{b--D}" in found.to_latex()
    assert found.to_latex().count(r"D & run29") == 1


def test_names_cannot_break_a_table() -> None:
    runs = {"a_b & {c}": {"q1": {"x": 1.0}}, "=1+2|\x1b[31m": {"q1": {"y": 1.0}}}
    found = compare(QRELS, runs, "AP")
    assert r"a\_b \& \{c\}" in found.to_latex()
    assert "\x1b" not in found.to_latex()
    assert "'=1+2" in str(render(found.records(), "csv"))
    for kind in ("table", "markdown", "html", "json", "csv"):
        assert "\x1b" not in str(render(found.systems_grid(), kind))
        assert "\x1b" not in str(render(found.pairs_grid(), kind))


def test_bounds_are_those_of_evaluate_over_the_documents_of_all_runs() -> None:
    """`evaluate` looks at one run at a time, and RBP's user goes on after the end of a ranking there."""
    runs = {name: sample.runs[name] for name in ("lexical", "fused", "dense")}
    found = compare(sample.qrels, runs, ["RBP(p=0.8)", "AP"])
    note = "low, high: the mean whatever the unjudged documents of all runs turn out to be."
    assert note in found.systems_grid().notes
    alone = evaluate(sample.qrels, runs, ["RBP(p=0.8)", "AP"])
    bounds = alone.estimate("bounds")
    rbp, ap = (result.judging for result in found.results)
    assert alone.rankings is not None
    tails = [(0.8 ** alone.rankings.run(i).retrieved).mean() for i in range(3)]
    assert rbp.run_high + tails == pytest.approx([bounds[i][0].high for i in range(3)], abs=1e-12)
    assert rbp.run_low == pytest.approx([bounds[i][0].low for i in range(3)], abs=1e-12)
    assert ap.run_high == pytest.approx([bounds[i][1].high for i in range(3)], abs=1e-12)
    pooled = _with_documents_of(sample.qrels, runs)
    together = evaluate(pooled, runs, "AP").estimate("bounds")
    assert ap.run_low == pytest.approx([row[0].low for row in together], abs=1e-12)


def _with_documents_of(qrels: Path, runs: dict[str, Path]) -> dict[str, dict[str, int]]:
    """The judgments, and every retrieved document that they lack as pooled and not judged."""
    pooled: dict[str, dict[str, int]] = {}
    for query, _, document, grade in map(str.split, qrels.read_text().splitlines()):
        pooled.setdefault(query, {})[document] = int(grade)
    for run in runs.values():
        for query, _, document, *_ in map(str.split, run.read_text().splitlines()):
            pooled[query].setdefault(document, -1)
    return pooled


def test_what_does_not_vary_has_neither_interval_nor_effect() -> None:
    """One query had the interval -inf to +inf and the effect size +inf."""
    one = compare({"q": {"x": 1, "y": 0}}, {"a": {"q": ["x"]}, "b": {"q": ["y"]}})
    assert "p = 1.0000; no interval for other queries; no effect size." in str(one)
    same = compare(QRELS, {"a": {q: ["x"] for q in QRELS}, "b": {q: ["y"] for q in QRELS}})
    assert "p = 0.2500; no interval for other queries; no effect size." in str(same)
    assert not {"inf", "-inf"} & set(str(same.pairs_grid()).split())


FORMATS = ["table", "csv", "tsv", "json", "jsonl", "markdown", "latex", "html"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("pairs", [False, True])
def test_every_format_says_which_documents_verdicts_are_about(format: str, pairs: bool) -> None:
    files = [str(sample.qrels), *(str(sample.runs[name]) for name in ("lexical", "fused", "dense"))]
    done = unjudged("compare", *files, "-m", "AP", "--format", format, *(["--pairs"] if pairs else []))
    said = " ".join((done.stdout + done.stderr).decode().split())
    assert said.count(OF_ALL) == said.count(OUTSIDE) == 1


def test_a_page_says_which_documents_verdicts_are_about() -> None:
    pytest.importorskip("jinja2")
    from unjudged.report.page.report_page import report_page

    runs = {name: sample.runs[name] for name in ("lexical", "fused", "dense")}
    page = report_page(sample.qrels, runs, "AP").html
    assert page.count(OF_ALL) == page.count(OUTSIDE) == 1


@pytest.mark.parametrize("format", ["markdown", "latex", "html"])
def test_two_runs_have_p_and_a_verdict_in_every_format(format: str) -> None:
    files = [str(sample.qrels), *(str(sample.runs[name]) for name in ("lexical", "fused"))]
    said = unjudged("compare", *files, "-m", "AP", "RBP", "--format", format).stdout.decode()
    assert said.count("Verdict: ") == said.count("paired t test: p ") == 2
