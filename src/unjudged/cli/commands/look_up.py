"""`unjudged measures` and `doctor`: commands that look things up."""

from __future__ import annotations

import sys

from unjudged.base.errors import UsageError
from unjudged.cli.arguments import File, Load, Output, OutputFormat
from unjudged.cli.output import check_output, show, show_grids
from unjudged.measures.kernel.names import parse
from unjudged.report.measure_pages import measures_grid, page
from unjudged.results.rendering import WITHOUT_NOTES


def measures(
    name: str | None = None, /, *, _load: Load = None, format: OutputFormat = None, output: Output = None
) -> None:
    """List the measures, or explain one.

    Parameters
    ----------
    name
        A measure, such as AP or nDCG@10, or trec_eval's name for it; its page has the formula and a citation.

    Examples
    --------
    unjudged measures
    unjudged measures nDCG@10
    unjudged measures --format json -o measures.json
    """
    if name is None:
        show_grids(measures_grid(), format, output)
    elif format is not None:
        raise UsageError("--format is for the list of measures; the page of a measure is text")
    else:
        show(page(parse(name)[0]), output)


def doctor(*files: File, format: OutputFormat = None, output: Output = None) -> None:
    """Tell what each file is, how the files match, and which commands answer which questions from them.

    Files may come in any order: judgments, runs, tables of scores, predictions, designs, calibrations,
    groups, texts and topics. What the judgments do not allow is listed with its reason. The exit code is 1 if
    no file is recognised.

    Parameters
    ----------
    files
        The files that you have.
    format
        The output format. By default the suffix of the output file decides, or else text is printed.
        csv, tsv, jsonl and parquet hold the table of files alone.

    Examples
    --------
    unjudged doctor qrels.txt *.run
    unjudged doctor model.qrels
    unjudged doctor qrels.txt dense.run -o files.json
    """
    from unjudged.diagnosis.questions import doctor as diagnose

    chosen = check_output(format, output)
    found = diagnose(*files)
    if chosen == "table":
        show(f"{found}\n", output)
    else:
        show_grids(found.grid() if chosen in WITHOUT_NOTES else found.grids(), format, output)
    if not found.recognised:
        sys.exit(1)
