"""`unjudged agree`."""

from __future__ import annotations

from typing import Annotated

from unjudged.agreement.agreeing import agree as agreement_of
from unjudged.agreement.resampling import DRAWS
from unjudged.base.errors import UsageError
from unjudged.cli.arguments import File, Load, Measures, Output, OutputFormat, named_files
from unjudged.cli.given_arguments import usage
from unjudged.cli.input_options import InputOptions
from unjudged.cli.option import Option
from unjudged.cli.output import check_output, show_result
from unjudged.cli.standard_streams import progress
from unjudged.cli.table_options import TableOptions


def agree(
    *sources: File,
    runs: Annotated[list[str] | None, Option("-r", "--runs", reads=True, words=True)] = None,
    measures: Measures = None,
    _load: Load = None,
    p: float = 0.9,
    alpha: float = 0.05,
    confidence: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
    inputs: InputOptions = InputOptions(),
    tables: TableOptions = TableOptions(),
    format: OutputFormat = None,
    output: Output = None,
) -> None:
    """Tell how far two or more sources agree on documents, and on the order of systems.

    Sources are judgments of people or models. With --runs the runs are scored by each of them, and the
    leaderboards are compared too. With --scores the sources are tables of scores, and only the leaderboards
    are compared. Intervals are for other sets of as many queries.

    Parameters
    ----------
    sources
        Two or more files of judgments, or tables of scores; NAME=FILE gives a source its name.
    runs
        Runs that are scored by each source: --runs a.run b.run.
    measures
        The measures of the leaderboards. Default: nDCG@10.
    p
        The persistence of rank-biased overlap: how far down the leaderboard counts.
    alpha
        The level at which a difference between two systems is significant.
    confidence
        The confidence level of the intervals.
    draws
        How often the queries are drawn again for the intervals of leaderboards.
    seed
        The seed of these draws.

    Examples
    --------
    unjudged agree qrels.txt model.qrels
    unjudged agree people=qrels.txt model=model.qrels --runs *.run -m AP
    unjudged agree qrels.txt model.qrels -o agreement.json
    """
    check_output(format, output)
    named = named_files(sources)
    if len(named) < 2:
        raise UsageError(f"two sources or more are needed: {usage()}")
    wanted = measures or ["nDCG@10"]
    if tables.check(inputs, runs=runs):
        given = {name: tables.read([file], inputs, measures) for name, file in named.items()}
    else:
        given = {name: inputs.judgments(file) for name, file in named.items()}  # type: ignore[misc]
    scored = None if runs is None else inputs.runs(runs, least=2)
    if measures and scored is None and not tables.scores:
        raise UsageError("--measure is for leaderboards: add --runs RUN...")
    with progress("comparing"):
        agreement = agreement_of(
            given, scored, wanted, p=p, alpha=alpha, confidence=confidence, draws=draws, seed=seed
        )
    show_result(agreement, format, output)
