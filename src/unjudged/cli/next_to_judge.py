"""`unjudged next`."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from unjudged import to_judge
from unjudged.cli.arguments import Conflicts, File, Judged, Output, check_files, one_measure, read_judgments
from unjudged.cli.output import show, show_grids
from unjudged.cli.progress import progress
from unjudged.errors import InputError, UsageError
from unjudged.formats.writing import qrels_text
from unjudged.grids.rendering import format_of

UNJUDGED = -1


def next_to_judge(
    qrels: File,
    /,
    *runs: File,
    budget: Annotated[int, Parameter(("-b", "--budget"))] = 100,
    measure: Annotated[str, Parameter(("-m", "--measure"))] = "RBP(p=0.8)",
    difference: Annotated[bool, Parameter(negative="")] = False,
    judged: Judged = None,
    conflicts: Conflicts = "error",
    format: Literal["qrels", "table", "csv", "json", "jsonl", "markdown", "latex", "html", "parquet"]
    | None = None,
    output: Output = None,
) -> None:
    """List the documents to judge next: those whose judgment narrows the interval most.

    The output is a qrels file with -1 instead of each grade. Fill in the grades and give it to the other
    commands as --judged FILE.

    Parameters
    ----------
    qrels
        The judgments so far.
    runs
        The runs to learn more about.
    budget
        How many documents to list.
    measure
        RBP or P, with any parameters.
    difference
        Narrow the interval of the difference between two runs, not those of their means.
    judged
        A file of further judgments; may be repeated.
    conflicts
        Which grade counts if a file of --judged judges a document differently: the first, the last or the
        highest. By default that is an error.
    format
        The output format: qrels, or one that also has the gain of each document. By default the suffix of the
        output file decides, or else it is qrels.
    output
        Write to this file.
    """
    check_files([qrels, *runs, *(judged or ())])
    if not runs:
        raise UsageError("no run given: unjudged next QRELS RUN...")
    chosen = one_measure(measure)
    with progress("choosing documents"):
        judgments = read_judgments(qrels, judged, conflicts)
        wanted = to_judge(judgments, list(runs), budget, chosen, difference=difference)
    if not wanted:
        raise InputError("nothing is left to judge: every document that counts is judged")
    by_suffix = format_of(output, "qrels")
    chosen_format = format or ("qrels" if by_suffix == "table" else by_suffix)
    if chosen_format != "qrels":
        show_grids(wanted.grid(), chosen_format, output)
        return
    narrowed, what = sum(one.gain for one in wanted), "difference" if difference else "mean"
    comments = [
        f"{len(wanted)} documents to judge: replace each -1 by a grade.",
        f"Together they narrow the interval of the {what} {chosen} by {narrowed:.6f}.",
    ]
    show(qrels_text([(one.query, one.document, UNJUDGED) for one in wanted], comments), output)
