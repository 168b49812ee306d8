"""CONTRIBUTING.md's list: one of each is added from outside the package and used as if it were built in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed
from unjudged import JudgedRankings, Judgments, compare, evaluate, measure, sample
from unjudged.cli.commands import SCORE, command
from unjudged.cli.options.arguments import Output, OutputFormat
from unjudged.cli.shell.output import show_grids
from unjudged.comparison.testing.corrections import correction
from unjudged.comparison.testing.significance import significance_test
from unjudged.experiments import experiment
from unjudged.formats.columns import QRELS, RUN, Layout
from unjudged.formats.reader import READERS, File, Reader, register
from unjudged.formats.readers.memory.mappings import table_of_rows
from unjudged.formats.tables import Table
from unjudged.grids.grid import grid_of
from unjudged.judging import Pool
from unjudged.judging.pooling.designs import design
from unjudged.measures.kernel.estimand import ALL_JUDGED
from unjudged.measures.kernel.registry import Measure, bounds_of
from unjudged.rankings.judged import Floats, Integers
from unjudged.uncertainty.bounding.bounds import bounds
from unjudged.uncertainty.bounding.filled import Bounds
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import IntervalRequest, interval_method

PAIR = {name: sample.runs[name] for name in ("reranked", "fused")}


def test_a_measure_and_its_bounds() -> None:
    @measure(pointwise=True)
    def FirstIsRelevant(r: JudgedRankings, *, rel: int = 1) -> Floats:
        """1 if the first document is relevant."""
        return r.relevant(rel, 1).counts.astype(float)

    scores = evaluate(sample.qrels, sample.runs, "FirstIsRelevant(rel=2)")
    assert 0 < scores.value("FirstIsRelevant(rel=2)", run="fused") < 1
    estimate = scores.estimate("bounds")[-1][0]
    assert estimate.low < estimate.high

    @bounds_of(FirstIsRelevant)
    def all_or_nothing(_: Measure, r: JudgedRankings, __: Integers, ___: int) -> Bounds:
        return Bounds(np.zeros(len(r)), np.ones(len(r)), exact=False)

    assert scores.rankings is not None
    assert bounds(FirstIsRelevant, scores.rankings).high.tolist() == [1.0] * len(scores.rankings)


def test_an_interval_method() -> None:
    @interval_method("half", "nothing in particular", judgments=ALL_JUDGED)
    def half(request: IntervalRequest) -> list[list[Estimate]]:
        return [
            [Estimate(0.5, 0.25, 0.75, request.confidence, "half", request.of(m)) for m in request.measures]
            for _ in request.runs
        ]

    estimates = evaluate(sample.qrels, PAIR, ["AP", "RR"]).estimate("half", confidence=0.9)  # type: ignore[arg-type]
    assert str(estimates[1][1]) == "0.5000 [0.2500, 0.7500]"


def test_a_test_and_a_correction() -> None:
    @significance_test("always sure")
    def sure(differences: Floats, **_: object) -> Floats:
        return np.full(len(differences), 0.001)

    @correction("twice as careful")
    def double(p: Floats) -> Floats:
        return np.minimum(2 * p, 1)

    pair = compare(sample.qrels, PAIR, test="sure", correction="double").pair("reranked", "fused")  # type: ignore[arg-type]
    assert (pair.p, pair.p_adjusted, pair.verdict) == (0.001, 0.002, "clear")


def test_a_design() -> None:
    @design(level="share", axis="share of the top (%)", levels=(0.5,), runs=True)
    def top_heavy(pool: Pool, level: float, seed: int) -> Judgments:
        return pool.stratified({10: level}, seed=seed)

    found = experiment(sample.qrels, sample.runs, design="top_heavy", measures=["AP"], repeats=2)  # type: ignore[arg-type]
    assert {row.level for row in found.agreement} == {0.5}


def test_a_reader(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """What it recognises and how it reads, registered as one object; nothing else has to know of it."""

    def read_pipes(file: File, number: str) -> tuple[Table, Layout]:
        rows = [line.split("|") for line in Path(file.file).read_text().splitlines()]
        table = table_of_rows([(query, document, float(value)) for query, document, value in rows], (number,))
        return table, QRELS if number == "grade" else RUN

    register(Reader("pipes", lambda start: b"|" in start.data[:100], read_pipes))
    request.addfinalizer(lambda: READERS.pop("pipes"))
    own_qrels, own_run = tmp_path / "qrels", tmp_path / "run"
    own_qrels.write_text("q|a|1\nq|b|0\nr|c|2\n")
    own_run.write_text("q|b|2\nq|a|1\nr|c|1\n")
    expected = evaluate({"q": {"a": 1, "b": 0}, "r": {"c": 2}}, {"q": {"b": 2.0, "a": 1.0}, "r": {"c": 1.0}})
    assert evaluate(own_qrels, own_run).values.tobytes() == expected.values.tobytes()
    twice = compare(own_qrels, {"a": own_run, "b": own_run}, "AP")
    assert twice.pair("a", "b").difference.value == 0
    assert printed("evaluate", str(own_qrels), str(own_run), "-m", "AP").split()[-1] == "0.7500"


def test_a_command(tmp_path: Path) -> None:
    """A function and its declaration; its parameters are its arguments and options."""

    @command("squares", SCORE, 9, "NUMBER...", "Print squares.")
    def squares(*numbers: int, format: OutputFormat = None, output: Output = None) -> None:
        """Print squares."""
        show_grids(grid_of(("number", "square"), [(n, n * n) for n in numbers]), format, output)

    assert printed("squares", "3", "4", "--format", "csv") == "number,square\n3,9\n4,16\n"
    assert printed("squares", "3", "-o", str(tmp_path / "squares.md")) == ""
    assert (tmp_path / "squares.md").read_text().splitlines()[-1] == "| 3 | 9 |"
    assert "Print squares." in printed("--help")
    assert "unjudged squares NUMBER... [OPTIONS]" in printed("squares", "--help")
