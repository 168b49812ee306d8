"""Say what files are, what is wrong with them, and which questions they answer by which command.

Files may come in any order: judgments, runs, tables of scores, groups, texts and topics, or a description.
With groups and the pooled runs it says how far off runs of a new group would be, in score and in place.
`-o collection.toml` writes a description of the files, and never over another. The exit code is 1 if no file
is recognised.

    unjudged check qrels.txt *.run
    unjudged check qrels.txt *.run groups.txt
    unjudged check qrels.txt *.run -o collection.toml
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjudged.cli.options import options
from unjudged.cli.output import form_of, show_result
from unjudged.cli.standard_streams import show, warn

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

USAGE = "FILE..."
OPTIONS = options("format output")


def run(given: Given) -> int:
    """Check the files, or describe them."""
    from unjudged.diagnosis.checking import check
    from unjudged.diagnosis.describing import write_description

    files = given.files()
    if given.output is not None and given.output.suffix == ".toml":
        write_description(files, given.output)
        warn(f"Wrote {given.output}.")
        return 0
    form = form_of(given)
    found = check(*files)
    if form == "table":
        show(f"{found}\n", given.output)
    else:
        show_result(found, given)
    return 0 if found.recognised else 1
