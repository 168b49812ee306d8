"""`unjudged doctor`."""

from __future__ import annotations

from unjudged.cli.commands import LOOK_UP, command
from unjudged.cli.options.arguments import File, Output, OutputFormat
from unjudged.cli.shell.output import check_output, show, show_grids
from unjudged.diagnosis.questions import doctor as diagnose
from unjudged.grids.rendering import WITHOUT_NOTES


@command("doctor", LOOK_UP, 5, "FILE...", "Tell what files are, how they match, and what to ask of them.")
def doctor(*files: File, format: OutputFormat = None, output: Output = None) -> None:
    """Tell what each file is, how the files match, and which commands answer which questions from them.

    Files may come in any order: judgments, runs, tables of scores, predictions, designs, calibrations,
    groups, texts and topics. What the judgments do not allow is listed with its reason.

    Parameters
    ----------
    files
        The files that you have.
    format
        The output format. By default the suffix of the output file decides, or else text is printed.
        csv, tsv, jsonl and parquet hold the table of files alone.
    """
    chosen = check_output(format, output)
    found = diagnose(*files)
    if chosen == "table":
        show(f"{found}\n", output)
    else:
        show_grids(found.grid() if chosen in WITHOUT_NOTES else found.grids(), format, output)
