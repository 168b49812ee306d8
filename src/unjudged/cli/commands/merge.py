"""`unjudged merge`: the answers of assessors and the design of the sample, as judgments."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

from unjudged.base.choices import Conflicts, Form
from unjudged.base.errors import UsageError
from unjudged.cli.commands import COLLECT, command
from unjudged.cli.options.arguments import File, Header, Output
from unjudged.cli.options.judging_folder import check_new, warn_of_missing_queries
from unjudged.cli.options.option import Option
from unjudged.cli.shell.output import command_line, show, terminal_width
from unjudged.formats.writing import FORMS, judgments_text
from unjudged.grids.rendering import render
from unjudged.judging.collecting.merging import RULES


@command(
    "merge", COLLECT, 5, "DESIGN JUDGED...", "Merge the files of assessors with the design of their sample."
)
def merge(
    design: File,
    /,
    *judged: File,
    conflicts: Annotated[Conflicts, Option(choices=RULES)] = "error",
    allow_missing: bool = False,
    form: Annotated[Form | None, Option("--format", choices=FORMS)] = None,
    rel: int = 1,
    header: Header = True,
    output: Output = None,
) -> None:
    """Merge the files of assessors with the design of the sample that they judged.

    The report names documents that are missing, foreign, not drawn or judged with different grades, and says
    how far the judges agree. It goes to standard output, or to standard error if the judgments go there. An
    output file with other content is not replaced.

    Parameters
    ----------
    design
        The design file of `unjudged sample --to-judge` or `unjudged next --record`.
    judged
        The files of the assessors; the order matters for --conflicts first and last.
    conflicts
        Which grade counts if a document has several; error lists the documents and stops.
    allow_missing
        Merge although documents have no answer yet. The judged documents of a stratum then stand for them,
        which is right if answers are missing at random.
    form
        qrels; strata, for xinfAP and infNDCG (the default if the design has several strata); prels, for
        statAP (the default if documents of a stratum were drawn with different probabilities). Where a form
        does not tell the probabilities, a comment says so, and estimates refuse the file.
    rel
        The lowest relevant grade, for the agreement of judges.
    output
        Write the judgments to this file.
    """
    from unjudged.judging.collecting.merging import merge as merged_with
    from unjudged.judging.collecting.sample_file import read_sample

    if not judged:
        raise UsageError("no judged file given: unjudged merge DESIGN JUDGED...")
    sample = read_sample(design)
    merged = merged_with(sample, _named(judged), conflicts=conflicts, allow_missing=allow_missing)
    chosen_form = form or sample.form
    if sample.chosen and chosen_form != "qrels":
        raise UsageError(f"--format {form} needs a random sample; these documents were chosen: use qrels")
    options = {"conflicts": conflicts, "format": chosen_form}
    further = " --allow-missing" if allow_missing else ""
    comments = [command_line("merge", [design, *judged], options) + further] if header else []
    text = judgments_text(merged.judgments, chosen_form, comments)
    if output is not None:
        check_new(output, text)
    report = str(render(merged.grids(rel), "table", width=terminal_width()))
    show(text, output)
    if output is None:
        sys.stderr.write(report)
    else:
        show(report)
    remedy = f"means leave them out, but not if you evaluate {design} with --judged"
    warn_of_missing_queries(merged.judgments, chosen_form, remedy)


def _named(files: tuple[str, ...]) -> dict[str, str]:
    """Return the files by short names: the stem, or the whole path where stems are equal."""
    stems = [Path(file).stem for file in files]
    names = [stem if stems.count(stem) == 1 else file for stem, file in zip(stems, files, strict=True)]
    if len(set(names)) < len(names):
        raise UsageError("the same file is given twice")
    return dict(zip(names, files, strict=True))
