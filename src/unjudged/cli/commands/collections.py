"""`unjudged collections`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from unjudged.base.errors import UsageError
from unjudged.cli.commands import SCORE, command
from unjudged.cli.options.arguments import Baseline, Load, OneMeasure, Output, OutputFormat, Plot
from unjudged.cli.options.option import Option
from unjudged.cli.options.paper_options import FigureOptions
from unjudged.cli.options.significance_options import SignificanceOptions
from unjudged.cli.shell.given_arguments import check_not_read, reads
from unjudged.cli.shell.output import check_decimals, check_output, show, show_grids
from unjudged.comparison.several_collections import compare_collections, listed_collections
from unjudged.evaluation.collection import name_runs
from unjudged.formats.small_files import read_small_text
from unjudged.grids.grid import DECIMALS


@command(
    "collections", SCORE, 8, "NAME=QRELS:RUNS...", "Compare systems over several collections and their mean."
)
def collections(
    *collection: str,
    listed: Annotated[str | None, Option("--list", reads=True)] = None,
    measure: OneMeasure = "nDCG@10",
    _load: Load = None,
    baseline: Baseline = None,
    tests: SignificanceOptions = SignificanceOptions(),
    pairs: bool = False,
    format: OutputFormat = None,
    output: Output = None,
    decimals: int = DECIMALS,
    plot: Plot = None,
    figure: FigureOptions = FigureOptions(),
) -> None:
    """Compare systems over several collections: a column each, and the mean over them with its interval.

    Runs are named after their files, and each collection needs the same names. Tests are within collections,
    corrected over all of them (not by tukey or maxt, which look at one collection); the interval and the test
    of the mean resample the queries of each collection. Ranks are tied where nothing separates systems.

    Parameters
    ----------
    collection
        A collection, NAME=QRELS:RUN,RUN or NAME=QRELS:'RUNS/*'; two or more.
    listed
        A file of such collections, one per line; file names in it are relative to it.
    measure
        The measure.
    pairs
        Show a row per pair and collection instead of the table of systems.
    decimals
        The digits after the decimal point in tables.
    plot
        Draw the means of each collection, and their mean, to this file (.svg, .png, .pdf or .html).
    """
    chosen = check_output(format, output)
    check_decimals(decimals, chosen)
    figure.check(plot)
    given = listed_collections(collection)
    if listed is not None:
        given |= _in_file(listed, given)
    if not given:
        raise UsageError("no collection given: unjudged collections NAME=QRELS:RUN,RUN NAME=QRELS:RUN,RUN")
    reads(file for qrels, runs in given.values() for file in (qrels, *runs))
    for path in (output, plot):
        if path is not None:
            check_not_read(path)
    sources = {name: (qrels, name_runs(list(runs))) for name, (qrels, runs) in given.items()}
    found = compare_collections(sources, measure, baseline=baseline, **vars(tests))
    if chosen == "latex" and not pairs:
        show(found.to_latex(decimals), output)
    else:
        grid = found.pairs_grid() if pairs else found.grid()
        show_grids(grid.rounded(decimals), format, output)
    if plot is not None:
        figure.show(found.plot(), plot)


def _in_file(file: str, given: dict[str, tuple[str, list[str]]]) -> dict[str, tuple[str, list[str]]]:
    """Return the collections that a file lists; empty lines and comments are ignored."""
    lines = (line.strip() for line in read_small_text(file, "lines NAME=QRELS:RUN,RUN").splitlines())
    found = listed_collections(line for line in lines if line and not line.startswith("#"))
    if twice := found.keys() & given.keys():
        raise UsageError(f"collection {twice.pop()!r} is given twice")
    folder = Path(file).parent
    return {
        name: (
            qrels if qrels.startswith("irds:") else str(folder / qrels),
            [str(folder / run) for run in runs],
        )
        for name, (qrels, runs) in found.items()
    }
