"""One grid in every format, with the notes, integers as integers, and nothing from a file run as code."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.in_process import unjudged
from tests.intervals import intervals
from unjudged import UsageError, compare, evaluate, judging, sample
from unjudged.base.notes import Note
from unjudged.base.wording import plain
from unjudged.judging import Pool
from unjudged.results.grid import Column, Grid, grid_of
from unjudged.results.rendering import (
    FORMATS,
    as_html,
    cells_wide,
    escaped_csv,
    escaped_html,
    escaped_latex,
    escaped_markdown,
    format_of,
    render,
    table,
)
from unjudged.results.views import VIEWS
from unjudged.results.words import letters
from unjudged.studies.experimenting import experiment

GRID = Grid(
    [Column("run", "label"), Column("AP"), Column("NumRet", "integer")],
    [["a", 0.25, 1200.0], ["b", 0.5, 7]],
    notes=["b has no ranking for 1 query of 2: q2."],
    stressed=frozenset({(1, 1)}),
)
RECORDS = replace(
    grid_of(("run", "measure", "value"), [("a", "AP", 0.1 + 0.2), ("b", "AP", math.nan)]), notes=GRID.notes
)
HOSTILE = "=cmd|'/c calc'!A1\x1b[31m\n</script><b>&_$%#|`"


def test_table() -> None:
    assert render(GRID, "table", width=80) == (
        "run      AP  NumRet\n"
        "───────────────────\n"
        "a    0.2500   1,200\n"
        "b    0.5000       7\n"
        "\n"
        "b has no ranking for 1 query of 2: q2.\n"
    )


def test_stressed_cells() -> None:
    assert "\x1b[1m0.5000\x1b[0m" in table(GRID, bold=True)
    assert "| **0.5000** |" in str(render(GRID, "markdown"))
    assert r"\textbf{0.5000}" in str(render(GRID, "latex"))
    assert "<b>0.5000</b>" in str(render(GRID, "html"))


def test_for_papers_and_pages() -> None:
    assert render(GRID, "markdown") == (
        "| run | AP | NumRet |\n| --- | ---: | ---: |\n| a | 0.2500 | 1,200 |\n| b | **0.5000** | 7 |\n"
        "\nb has no ranking for 1 query of 2: q2.\n"
    )
    assert render(GRID, "latex") == (
        "% b has no ranking for 1 query of 2: q2.\n\\begin{tabular}{lrr}\n\\toprule\nrun & AP & NumRet \\\\\n"
        "\\midrule\na & 0.2500 & 1,200 \\\\\nb & \\textbf{0.5000} & 7 \\\\\n\\bottomrule\n\\end{tabular}\n"
    )
    assert "<p>b has no ranking for 1 query of 2: q2.</p>" in as_html(GRID)


def test_for_programs() -> None:
    assert render(RECORDS, "csv") == "run,measure,value\na,AP,0.30000000000000004\nb,AP,\n"
    rows = [{"run": "a", "measure": "AP", "value": 0.1 + 0.2}, {"run": "b", "measure": "AP", "value": None}]
    assert json.loads(render(RECORDS, "json")) == {"rows": rows, "notes": [Note(GRID.notes[0]).data()]}
    assert [json.loads(line) for line in str(render(RECORDS, "jsonl")).splitlines()] == rows
    parquet = pytest.importorskip("pyarrow.parquet")
    content = render(RECORDS, "parquet")
    assert isinstance(content, bytes)
    assert parquet.read_table(io.BytesIO(content)).column("run").to_pylist() == ["a", "b"]


@pytest.mark.parametrize("format", ["markdown", "html", "latex"])
def test_the_answer_about_two_systems_comes_first(format: str) -> None:
    found = compare(sample.qrels, {name: sample.runs[name] for name in ("lexical", "dense")})
    (grid,) = found.grids(format=format)
    told = {"latex": found.to_latex()}.get(format) or str(render(grid, format))
    answer = [" ".join(line.split()) for line in found.sentences() if line]
    written = {"markdown": escaped_markdown, "html": escaped_html}.get(format, str)
    table_starts = {"markdown": "| --- |", "html": "<table>", "latex": r"\begin{table}"}[format]
    places = [*(told.index(written(line)) for line in answer), told.index(table_starts)]
    assert len(answer) == 4
    assert places == sorted(places)
    assert not found.grid("pairs").said


def test_a_range_stays_beside_its_mean() -> None:
    """If not even the labels and the two fit, the mean is said again."""
    pair = [Column("AP"), Column("could be", "text", beside=True), Column("estimated", "text", beside=True)]
    columns = [Column("run", "label"), *pair, *(column._replace(name=column.name + "5") for column in pair)]
    grid = Grid(columns, [["a", 0.25, "0.20 - 0.30", "0.21 - 0.29", 0.75, "0.70 - 0.80", "0.71 - 0.79"]])

    def heads(width: int) -> list[list[str]]:
        blocks = table(grid, width=width).split("\n\n")
        return [re.split("  +", block.splitlines()[0].strip()) for block in blocks]

    first, second = ["run", "AP", "could be", "estimated"], ["run", "AP5", "could be5", "estimated5"]
    assert heads(80) == [[*first, *second[1:]]]
    assert heads(50) == [first, second]
    assert heads(30) == [first[:3], [*first[:2], first[3]], second[:3], [*second[:2], second[3]]]
    assert heads(20) == [[*first[:1], name] for name in (*first[1:], *second[1:])]


def test_several_grids() -> None:
    both = [GRID, Grid([Column("depth", "label")], [[1]])]
    assert [t["rows"] for t in json.loads(render(both, "json"))["tables"]][1] == [{"depth": 1}]
    assert str(render(both, "table")).count("─\n") == 2
    with pytest.raises(UsageError, match="csv holds one table, and this output has 2: use json"):
        render(both, "csv")


def test_formats_by_suffix() -> None:
    assert [format_of(Path(f"x{one.suffix.upper()}")) for one in FORMATS.values()] == list(FORMATS)
    assert format_of(None) == format_of(Path("x.out")) == "table"
    with pytest.raises(UsageError, match="format is 'xml', expected one of table, csv"):
        render(GRID, "xml")


@pytest.mark.parametrize("format", FORMATS)
def test_hostile_text_is_harmless(format: str) -> None:
    if format == "parquet":
        pytest.importorskip("pyarrow")
    grid = Grid(
        [Column("run", "label"), Column(HOSTILE)], [[HOSTILE, 1.0]], HOSTILE, [HOSTILE], said=[HOSTILE]
    )
    content = render(grid, format)
    text = content if isinstance(content, str) else content.decode("utf-8", "replace")
    assert "\x1b" not in text
    if format == "html":
        assert "<b>" not in text
        assert "</script>" not in text
    if format == "markdown":
        assert "\\</script\\>" in text
    if format == "csv":
        rows = list(csv.reader(io.StringIO(text)))
        assert [cell[:2] for cell in rows[1]] == ["'=", "1."]


@given(st.text())
def test_csv_text_never_starts_a_formula(text: str) -> None:
    cell = escaped_csv(text)
    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert cell.isprintable()
    assert text.isprintable() <= cell.endswith(text)


@given(st.text())
def test_escaped_text_is_the_text_again(text: str) -> None:
    """A browser shows the escaped text as it is, and nothing is left that LaTeX or Markdown would run."""
    assert unescape(escaped_html(text)) == plain(text)
    assert not set(escaped_html(text)) & set("<>\"'")
    assert escaped_latex(f"-1{text}").startswith(r"\textminus{}1")
    assert not escaped_latex(text).lstrip(" ").startswith(("[", "*"))
    bare = re.sub(r"^ *\{[\[*]\}|\\textbackslash\{\}|\\text\w+\{\}|\\[{}$&#%_]", "", escaped_latex(text))
    assert not set(bare) & set("\\{}$&#%_^~")
    bare = re.sub(r"\\[^a-zA-Z0-9\s]", "", escaped_markdown(text))
    assert not set(bare) & set("`*_[]<>|\\")
    assert plain(text).isprintable()


NAMES = st.text("abcdef\u6f22", max_size=12)


@given(st.lists(NAMES, min_size=1, max_size=12), st.integers(1, 60), st.lists(NAMES, max_size=3))
def test_a_folded_table_has_every_column_once(names: list[str], width: int, runs: list[str]) -> None:
    """No line is wider than asked for, unless the labels and one column already are."""
    columns = [Column("run", "label"), *(Column(name) for name in names)]
    grid = Grid(columns, [[run, *range(len(names))] for run in runs])
    blocks = table(grid, width=width, rule=False).rstrip("\n").split("\n\n")
    shown = [name for block in blocks for name in block.splitlines()[0].split()[1:]]
    assert shown == [name for name in names if name]
    label = max(map(cells_wide, ["run", *runs]))
    number = len(f"{len(names) - 1:.4f}") if runs else 0
    widest = max(max(cells_wide(name), number) for name in names)
    assert all(cells_wide(line) <= max(width, label + 2 + widest) for b in blocks for line in b.splitlines())


def test_long_text_is_wrapped_in_its_column() -> None:
    grid = Grid([Column("name", "label"), Column("what", "text")], [["a", "one two three four five six"]])
    assert table(grid, width=27, rule=False) == ("name  what\na     one two three four\n      five six\n")


def test_results_show_themselves() -> None:
    scores = evaluate(sample.qrels, sample.runs, ["AP", "NumRet"])
    assert "fused     0.3321  0.16 \N{EN DASH} 0.52   1,200" in str(scores)
    for shown in (str(scores), repr(scores), scores._repr_html_()):
        assert "2 notes (missing queries, tied means): see .notes" in shown
    found = experiment(sample.qrels, sample.runs, levels=[0.5], measures="AP", repeats=1)
    assert str(found).startswith("Not enough at any level. At best AP at 50 %")
    assert "<caption>Not enough at any level" in found._repr_html_()
    pool = Pool.of(sample.qrels, sample.runs)
    assert str(pool) == f"Pool(judgments={pool.judgments}, runs={pool.runs})"
    wanted = judging.next(sample.qrels, sample.runs["dense"], n=2, measure="RBP(p=0.8)")
    assert str(wanted).splitlines()[0] == "2 documents to judge"
    assert wanted.wanted[0]["document"] in str(wanted)


def test_a_long_result_is_cut_where_it_shows_itself() -> None:
    wanted = judging.next(sample.qrels, sample.runs["dense"], n=100, measure="RBP(p=0.8)")
    lines = str(wanted).splitlines()
    assert lines[2 + 60 : 2 + 60 + 2] == ["", "40 more rows."]
    assert lines[-1] == "3 notes: see .notes"
    assert any("Estimates from samples will refuse these judgments: infAP" in one for one in wanted.notes)


def test_a_grid_shows_itself_as_a_table() -> None:
    """`Comparison.pairs_grid()` and others return grids; printed, one was the fields of a dataclass."""
    expected = "run      AP  NumRet\na    0.2500   1,200\nb    0.5000       7\n\n"
    assert str(GRID) == repr(GRID) == f"{expected}b has no ranking for 1 query of 2: q2."
    assert GRID._repr_html_() == as_html(GRID)
    long = Grid([Column("n", "integer")], [[n] for n in range(100)])
    assert "40 more rows." in str(long)


def test_a_p_value_is_never_0() -> None:
    column = Column("p", "p value")
    texts = [column.text(p) for p in (0.0, 1e-12, 0.00004999, 0.00005001, 0.05, 1.0)]
    assert texts == ["<0.0001", "<0.0001", "<0.0001", "0.0001", "0.0500", "1.0000"]
    grid = Grid([Column("run", "label"), column], [["a", 1e-12]])
    assert "\\textless{}0.0001" in str(render(grid, "latex"))
    assert "&lt;0.0001" in as_html(grid)
    assert "1e-12" in str(render(grid, "csv"))


def test_rows_of_latex_start_with_no_argument() -> None:
    """After a line's end and a rule, LaTeX reads `[` and `*` as an argument."""
    grid = Grid([Column("[run]", "label"), Column("AP")], [["[a]", 1.0], ["*b", 1.0], [" [c", 1.0]])
    lines = str(render(grid, "latex")).splitlines()
    starts = [line for line in lines if line.endswith(r"\\")]
    assert [line[: line.index("&")] for line in starts] == ["{[}run] ", "{[}a] ", "{*}b ", " {[}c "]


def test_no_cell_is_a_formula_where_semicolons_separate() -> None:
    text = str(render(Grid([Column("a;=1+1", "label")], [["b;=1+1"]]), "csv"))
    for delimiter in ",;":
        assert list(csv.reader(text.splitlines(), delimiter=delimiter)) == [["a;=1+1"], ["b;=1+1"]]


def test_long_names_are_cut_in_the_terminal() -> None:
    grid = Grid([Column("run", "label"), Column("AP")], [["x" * 40_000 + "y", 0.5]])
    shown = str(render(grid, "table", width=80))
    assert len(shown) < 2000
    assert "…" in shown
    assert shown.count("y") == 1
    assert "x" * 40_000 in str(render(grid, "csv"))


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
