"""`unjudged collections`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from unjudged.base.errors import UsageError
from unjudged.cli.arguments import (
    Baseline,
    Depth,
    Load,
    Measures,
    Output,
    OutputFormat,
    Rel,
    measures_with_rel,
)
from unjudged.cli.files import check_not_read, reads
from unjudged.cli.input_options import InputOptions
from unjudged.cli.option import Option
from unjudged.cli.output import (
    check_decimals,
    check_output,
    grid_in,
    show,
    show_grids,
)
from unjudged.cli.table_options import SignificanceOptions, TableOptions
from unjudged.evaluation.collection import name_runs
from unjudged.evaluation.default_measures import DEFAULT
from unjudged.formats.streams import read_small_text
from unjudged.measures.kernel.names import MeasureLike
from unjudged.questions.collections import compare_collections, listed_collections
from unjudged.results.grid import DECIMALS


def collections(
    *collection: str,
    listed: Annotated[str | None, Option("--list", reads=True)] = None,
    measures: Measures = None,
    _load: Load = None,
    rel: Rel = None,
    depth: Depth = None,
    baseline: Baseline = None,
    tests: SignificanceOptions = SignificanceOptions(),
    tables: TableOptions = TableOptions(),
    pairs: bool = False,
    format: OutputFormat = None,
    output: Output = None,
    decimals: int = DECIMALS,
) -> None:
    """Compare systems over several collections: a column each, and the mean over them with its interval.

    Runs are named after their files, and each collection needs the same names. Tests are within collections,
    corrected over all of them (not by tukey, which looks at one collection). The mean has a t test
    with the queries of each collection as a sample of its own. Its interval resamples the queries of a
    collection, or is Student's t from 100 queries on. Ranks are tied where nothing separates systems.

    Parameters
    ----------
    collection
        A collection, NAME=QRELS:RUN,RUN or NAME=QRELS:'RUNS/*', or with --scores NAME=TABLE; two or more.
    listed
        A file of such collections, one per line; file names in it are relative to it. Tabs may separate name
        and files, NAME QRELS RUN RUN; then file names may have colons and commas.
    measures
        One measure. The default is nDCG@10, or of tables of scores the one that they have.
    pairs
        Show a row per pair and collection instead of the table of systems.
    decimals
        The digits after the decimal point in tables.

    Examples
    --------
    unjudged collections one=qrels.txt:*.run two=model.qrels:*.run
    unjudged collections --list collections.txt --baseline dense
    unjudged collections --list collections.txt -m AP --format latex -o table.tex
    """
    chosen = check_output(format, output)
    check_decimals(decimals, chosen)
    from_tables = tables.check(InputOptions(), rel=rel, depth=depth)
    given = listed_collections(collection, tables=from_tables)
    if listed is not None:
        given |= _in_file(listed, given, tables=from_tables)
    if not given:
        words = "NAME=TABLE NAME=TABLE" if from_tables else "NAME=QRELS:RUN,RUN NAME=QRELS:RUN,RUN"
        raise UsageError(f"no collection given: unjudged collections {words}")
    if measures and len(measures) > 1:
        raise UsageError(f"{len(measures)} measures are given: collections are compared by one at a time")
    reads(file for files in given.values() for file in files)
    if output is not None:
        check_not_read(output)
    measure: MeasureLike | None = measures[0] if measures else None
    sources: dict[str, Any]
    if from_tables:
        sources = {name: tables.read(files, InputOptions(), measures) for name, files in given.items()}
    else:
        sources = {name: (files[0], name_runs([*files[1:]])) for name, files in given.items()}
        measure = measures_with_rel([measure or DEFAULT], rel)[0]
    found = compare_collections(sources, measure, depth=depth, baseline=baseline, **vars(tests))
    if chosen == "latex" and not pairs:
        show(found.to_latex(decimals), output)
    else:
        show_grids(grid_in(found, "collections" if pairs else "systems", chosen, decimals), format, output)


def _in_file(file: str, given: dict[str, list[str]], *, tables: bool) -> dict[str, list[str]]:
    """Return the collections that a file lists; empty lines and comments are ignored."""
    expected = f"lines {'NAME=TABLE' if tables else 'NAME=QRELS:RUN,RUN'}"
    lines = (line.strip() for line in read_small_text(file, expected).splitlines())
    found = listed_collections((line for line in lines if line and not line.startswith("#")), tables=tables)
    if twice := found.keys() & given.keys():
        raise UsageError(f"collection {twice.pop()!r} is given twice")
    folder = Path(file).parent
    return {
        name: [one if one.startswith("irds:") else str(folder / one) for one in files]
        for name, files in found.items()
    }
