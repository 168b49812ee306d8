"""The list in docs/architecture.md: one of each is added from outside and used as if it were built in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed
from tests.intervals import intervals
from unjudged import (
    Comparison,
    JudgedRankings,
    Judgments,
    Scores,
    compare,
    compare_collections,
    evaluate,
    experiment,
    judging,
    measure,
    sample,
)
from unjudged.base.segments import Floats, Integers
from unjudged.cli.command_line import Given
from unjudged.cli.options import REGISTERED, command
from unjudged.cli.output import show_tables
from unjudged.data.sources import READERS, Reader, register
from unjudged.data.streams import PathLike
from unjudged.data.tabular import Tabular, TabularBlock
from unjudged.evidence.contrast import Contrast
from unjudged.evidence.filled import Bounds
from unjudged.evidence.intervals import Columns, How, interval
from unjudged.evidence.value_bounds import bounds
from unjudged.inference.corrections import correction
from unjudged.inference.pair_rows import better_first
from unjudged.inference.pair_tests import Settings
from unjudged.inference.significance import significance_test
from unjudged.judging import Pool
from unjudged.judging.designs import design
from unjudged.measures.kernel.permitted import ALL_JUDGED
from unjudged.measures.kernel.registry import Measure, bounds_of, reported_measure
from unjudged.questions.comparing import compare_gathered
from unjudged.questions.gathering import Gathered
from unjudged.report.figure import Figure, colour_of, dot
from unjudged.results.fields import FIELDS, Row, field
from unjudged.results.grid import Grid, grid_of
from unjudged.results.rendering import FORMATS, OutputFormat, render
from unjudged.results.views import VIEWS, View

PAIR = {name: sample.runs[name] for name in ("reranked", "fused")}
GUESSES: dict[str, dict[str, float]] = {}
for file in PAIR.values():
    for query, _, document, *_rest in map(str.split, file.read_text().splitlines()):
        GUESSES.setdefault(query, {})[document] = int(document[1:]) % 5 / 5


def test_a_measure_and_its_bounds() -> None:
    @measure(pointwise=True)
    def FirstIsRelevant(r: JudgedRankings, *, rel: int = 1) -> Floats:
        """1 if the first document is relevant."""
        return r.relevant(rel, 1).counts.astype(float)

    scores = evaluate(sample.qrels, sample.runs, "FirstIsRelevant(rel=2)")
    assert 0 < scores.value("FirstIsRelevant(rel=2)", run="fused") < 1
    estimate = intervals(scores, "bounds")[-1][0]
    assert estimate.low < estimate.high

    @bounds_of(FirstIsRelevant)
    def all_or_nothing(_: Measure, r: JudgedRankings, __: Integers, ___: int) -> Bounds:
        return Bounds(np.zeros(len(r)), np.ones(len(r)), exact=False)

    assert scores.rankings is not None
    assert bounds(FirstIsRelevant, scores.rankings).high.tolist() == [1.0] * len(scores.rankings)


def test_an_interval_method() -> None:
    """One function over a contrast, seen wherever systems are: it asks no source what it is."""

    @interval("half", "nothing in particular", judgments=ALL_JUDGED)
    def half(contrast: Contrast, how: How, *, share: float = 0.5) -> Columns:
        ends = np.full(len(contrast), share / 2)
        return {"estimate_low": ends, "estimate_high": how.confidence - ends, "method": "by halves"}

    asked, by = "half(share=0.5, confidence=0.95)", {f"q{k:02}": str(k % 2) for k in range(1, 31)}
    found = evaluate(sample.qrels, PAIR, ["AP", "RR"], segments=by, interval=asked)
    table = evaluate(Scores.read(found.as_view("queries").to_frame("pandas")), segments=by, interval=asked)
    for one, view in ((one, view) for one in (found, table) for view in ("systems", "segments")):
        rows = one.rows[view]
        assert {(row["estimate_low"], row["estimate_high"], row["method"]) for row in rows} == {
            (0.25, 0.7, "by halves")
        }
        for kind in ("table", "csv", "json", "jsonl", "markdown", "html", "latex"):
            assert "0.25" in str(render(one.grids(format=kind, view=view), kind)), (view, kind)
        assert set(one.as_view(view).to_frame()["estimate_low"]) == {0.25}
    assert "0.25" in found.to_latex()
    assert "95 % intervals: by halves." in found.notes
    files = [str(sample.qrels), *map(str, PAIR.values()), "-m", "AP", "--interval", asked]
    assert "0.25 \N{EN DASH} 0.70" in printed("evaluate", *files)
    assert '"estimate_low": 0.25' in printed("evaluate", *files, "--format", "json")


def test_a_test_and_a_correction() -> None:
    @significance_test("always sure")
    def sure(differences: Floats, **_: object) -> Floats:
        return np.full(len(differences), 0.001)

    @correction("twice as careful")
    def double(p: Floats) -> Floats:
        return np.minimum(2 * p, 1)

    pair = compare(sample.qrels, PAIR, test="sure", correction="double").pair("reranked", "fused")  # type: ignore[arg-type]
    assert (pair["p"], pair["p_adjusted"], pair["headline"]) == (0.001, 0.002, "better")


@pytest.fixture
def balance() -> Iterator[None]:
    """One field, made of others, and an entry in each view."""
    field("balance", kind="text", means="whether the number of queries is even", of=_balance)
    views = dict(VIEWS)
    for name, view in views.items():
        VIEWS[name] = replace(view, shown=[*view.shown, "balance"])
    yield
    VIEWS.update(views)
    del FIELDS["balance"]


def _balance(row: Row) -> str:
    return "odd" if row["queries"] % 2 else "even"


@pytest.mark.usefixtures("balance")
@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
def test_a_field_is_seen_in_all_sources_views_and_formats() -> None:
    """A column takes one field and an entry per view: no source, question or format knows of it."""
    scores = evaluate(sample.qrels, PAIR, "P@10")
    halves = {query: str(k % 2) for k, query in enumerate(scores.queries)}
    table = Scores.read(scores.values, "P@10", runs=scores.runs, queries=scores.queries)
    people = judging.next(None, PAIR, design="uniform(60%)", seed=1).sample
    assert people is not None
    drawn = judging.merge(
        people, {"them": {q: dict.fromkeys(own, 1) for q, own in GUESSES.items()}}
    ).judgments
    results = [
        compare(sample.qrels, PAIR, "P@10", segments=halves),
        compare(table, segments=halves),
        compare(drawn, PAIR, "P@10", predictions=GUESSES),
    ]
    several = compare_collections({"one": (sample.qrels, PAIR), "two": (sample.qrels, PAIR)}, "P@10")
    seen = [(found, view) for found in results for view in found.rows]
    for found, view in [*seen, (several, "collections")]:
        rows = found.rows[view]
        grid = found.grid(view)
        assert grid.columns[-1].name == "balance", view
        assert [line[-1] for line in grid.rows] == [_balance(row) for row in shown_rows(found, view)]
        assert found.records(view).as_columns()["balance"] == [_balance(row) for row in rows]
        for kind in ("table", "csv", "json", "jsonl", "markdown", "html", "latex"):
            assert "balance" in str(render(found.grids(format=kind, view=view), kind)), (view, kind)
        assert "balance" in found.as_view(view).to_frame().columns
    files = [str(sample.qrels), *map(str, PAIR.values()), "-m", "P@10"]
    assert '"balance"' in printed("compare", *files, "--format", "json")
    assert "balance" in printed("compare", *files, "--view", "pairs")


def shown_rows(found: Comparison, view: str) -> Sequence[Row]:
    """Rows as people see them: pairs have the better system first."""
    return [better_first(dict(row)) for row in found.rows[view]] if view == "pairs" else found.rows[view]


@dataclass
class Clicks:
    """A source of evidence: shares of clicks by system and query."""

    measure: Measure
    systems: Sequence[str]
    queries: Sequence[str]
    shares: Floats

    def contrast(self, first: Integers, second: Integers, *, by_query: bool = False) -> Contrast:  # noqa: ARG002
        known = (self.measure, self.systems, self.queries)
        return Contrast(*known, first, second, self.shares, missing="clicks are no judgments")


def test_a_source_of_evidence() -> None:
    """A class that makes contrasts: everything after it works, and says why judging is not asked about."""
    queries = [f"q{k}" for k in range(20)]
    shares = np.stack([np.linspace(0.1, 0.2, 20), np.linspace(0.15, 0.35, 20)])
    clicks = Clicks(reported_measure("clicks", (0, 1)), ["old", "new"], queries, shares)
    found = compare_gathered(Gathered([clicks]), Settings())
    pair = found.pair("new", "old")
    assert (pair["headline"], pair["more_judging"]) == ("better", "unknown")
    assert round(pair["difference"], 6) == 0.1
    assert "clicks are no judgments" in " ".join(found.sentences())
    assert found.to_frame()["system"].tolist() == ["new", "old"]


def test_a_view() -> None:
    """A list of fields; every format shows it."""
    VIEWS["short"] = View(["system", "mean"])
    try:
        found = compare(sample.qrels, PAIR, "AP")
        short = replace(found, rows={**found.rows, "short": found.rows["systems"]})
        assert [column.name for column in short.grid("short").columns] == ["system", "mean"]
        assert str(render(short.grids(format="csv", view="short"), "csv")).startswith("system,mean\n")
    finally:
        del VIEWS["short"]


def test_a_format() -> None:
    """A function from a table to text, with the suffix of its files: commands offer it, too."""

    def as_org(grid: Grid) -> str:
        lines = [
            [column.name for column in grid.columns],
            *([str(cell) for cell in row] for row in grid.rows),
        ]
        return "".join(f"| {' | '.join(line)} |\n" for line in lines)

    FORMATS.add("org", OutputFormat(as_org, ".org"))
    try:
        printed_one = printed(
            "evaluate", str(sample.qrels), str(PAIR["fused"]), "-m", "RR", "--format", "org"
        )
        assert printed_one.startswith("| system |")
        assert "parquet, org" in " ".join(printed("evaluate", "--help").split())
    finally:
        del FORMATS["org"]


def test_a_figure(tmp_path: Path) -> None:
    """A function from rows to marks under a title that says what they show."""
    rows = compare(sample.qrels, PAIR, "AP").rows["systems"]
    figure = Figure(40, f"{rows[0]['system']} has the highest mean")
    figure.add(dot(600 * row["mean"], 20, colour_of(k)) for k, row in enumerate(rows))
    figure.save(tmp_path / "means.svg")
    drawn = (tmp_path / "means.svg").read_text()
    assert "reranked has the highest mean" in drawn
    assert drawn.count("<circle") == len(rows)


def test_a_design() -> None:
    @design(level="share", axis="share of the top (%)", levels=(0.5,))
    def top_heavy(pool: Pool, level: float, seed: int) -> Judgments:
        return pool.stratified({10: level}, seed=seed)

    found = experiment(sample.qrels, sample.runs, design="top_heavy", measures=["AP"], repeats=2)
    assert {row["level"] for row in found.rows["experiment"]} == {0.5}


def test_a_reader(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """What it recognises and how it reads, registered as one object; nothing else has to know of it."""

    def open_pipes(file: PathLike) -> Tabular:
        columns = zip(*(line.split("|") for line in Path(file).read_text().splitlines()), strict=True)
        block = TabularBlock(dict(zip(("query", "document", "score"), columns, strict=True)))
        return Tabular([*block.columns], lambda _: [lambda: block])

    register(Reader("pipes", lambda start: b"|" in start.data[:100], open_pipes))
    request.addfinalizer(lambda: READERS.pop("pipes"))
    own_qrels, own_run = tmp_path / "qrels", tmp_path / "run"
    own_qrels.write_text("q|a|1\nq|b|0\nr|c|2\n")
    own_run.write_text("q|b|2\nq|a|1\nr|c|1\n")
    expected = evaluate({"q": {"a": 1, "b": 0}, "r": {"c": 2}}, {"q": {"b": 2.0, "a": 1.0}, "r": {"c": 1.0}})
    assert evaluate(own_qrels, own_run).values.tobytes() == expected.values.tobytes()
    twice = compare(own_qrels, {"a": own_run, "b": own_run}, "AP")
    assert twice["difference"] == 0
    assert printed("evaluate", str(own_qrels), str(own_run), "-m", "AP").split()[-4] == "0.7500"


@pytest.fixture
def squares() -> Iterator[None]:
    @command("squares", "NUMBER...", "format output")
    def squares(given: Given) -> None:
        """Print squares.

        unjudged squares 3 4
        """
        numbers = map(int, given.files())
        show_tables(grid_of(("number", "square"), [(n, n * n) for n in numbers]), given)

    yield
    del REGISTERED["squares"]


@pytest.mark.usefixtures("squares")
def test_a_command(tmp_path: Path) -> None:
    """A function: its docstring is its help, and its options are parsed."""
    assert printed("squares", "3", "4", "--format", "csv") == "number,square\n3,9\n4,16\n"
    assert printed("squares", "3", "-o", str(tmp_path / "squares.md")) == ""
    assert (tmp_path / "squares.md").read_text().splitlines()[-1] == "| 3 | 9 |"
    assert "usage: unjudged squares NUMBER... [OPTION...]" in printed("squares", "-h")
