"""`unjudged judge` and `unjudged merge`: a page to judge documents with, and the answers as judgments."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from unjudged.base.choices import Conflicts, Form, Format
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.cli.commands import COLLECT, command
from unjudged.cli.options.arguments import File, Header, InputFile, Output
from unjudged.cli.options.judging_folder import assignment_beside, check_new, warn_of_missing_queries
from unjudged.cli.options.option import Option
from unjudged.cli.shell.given_arguments import made_by
from unjudged.cli.shell.output import check_output, show, show_grids, terminal_width
from unjudged.cli.shell.standard_streams import warn
from unjudged.formats.writing import FORMS, judgments_text
from unjudged.grids.rendering import FORMATS, WITHOUT_NOTES, render
from unjudged.judging.collecting.merge_rules import RULES

if TYPE_CHECKING:
    from unjudged.judging.collecting.merge_result import Merged

ADJUDICATOR = "(adjudicator)"
"""In place of the assessor of an answer; no assessor can be called so."""


@command(
    "judge", COLLECT, 4, "TO_JUDGE --documents DOCUMENTS", "Make a page on which people judge documents."
)
def judge(
    to_judge: File,
    /,
    *,
    documents: Annotated[str, Option(reads=True)],
    queries: InputFile = None,
    grades: Annotated[str, Option("-g", "--grades", reads=True)] = "0,1",
    guidelines: InputFile = None,
    images: Annotated[Path | None, Option(reads=True)] = None,
    html: bool = False,
    times: bool = False,
    output: Output = None,
) -> None:
    """Make one offline page to judge documents with: keys for grades, saved in the browser, export as qrels.

    Open the page in a browser; it needs no network. The keys are the grades, arrows, n (next unjudged), u
    (undo), c (comment), x (cannot judge, with a reason) and l (later); ? shows all. Answers are saved one by
    one, and several tabs share them. Give the exported file to `unjudged merge`, which refuses it if it was
    cut or damaged, or to --judged.

    Parameters
    ----------
    to_judge
        Documents to judge, from `unjudged sample --to-judge`, `next` or `pool`: qrels with -1 for each.
    documents
        The texts: JSONL (docno, title, text, image), TSV (name, text) or TREC SGML (`<DOC>`), also
        compressed, or irds:ID for a dataset of ir_datasets. They are shown whole.
    queries
        The topics: JSONL (id, title, description, narrative), TSV, TREC topics (`<top>`) or irds:ID. The
        words of their titles are highlighted, which assessors can switch off.
    grades
        The grades that an assessor may give, as 0,1,2, or a file of lines `grade label description`,
        separated by tabs. At most 9.
    guidelines
        A text file with guidelines for assessors, shown on the page.
    images
        A folder with images (PNG, JPEG, GIF, WebP), which become part of the page: those that documents name
        in their field image, or else the one called like the document, as doc1.png.
    html
        Show texts as HTML, without scripts, styles, links and images. By default tags are shown as text.
    times
        Export the seconds that each document was read and judged; the page says so.
    output
        Write the page to this file.
    """
    from unjudged.formats.small_files import read_small_text
    from unjudged.judging.collecting.answers import read_scale, read_task
    from unjudged.judging.collecting.judging_page import judging_page
    from unjudged.judging.collecting.texts import Image, read_documents, read_images, read_topics

    scale = read_scale(grades)
    task, kept = read_task(to_judge)
    names = list(task.queries)
    rows = zip(task.query.tolist(), task.documents, task.waiting.tolist(), strict=True)
    items = [(names[q], document) for q, document, waiting in rows if waiting]
    wanted = {document for _, document in items}
    found = read_documents(documents, wanted)
    topics = read_topics(queries) if queries else {}
    shown: dict[str, list[Image]] = {}
    missing: list[str] = []
    if images is not None:
        shown, missing = read_images(
            images, {name: found[name].images if name in found else () for name in wanted}
        )
    page = judging_page(
        items,
        {name: document.text for name, document in found.items()},
        topics,
        grades=scale,
        name=Path(to_judge).stem,
        marks=[f"# {mark}" for mark in kept],
        guidelines=read_small_text(guidelines, "guidelines as text") if guidelines else "",
        images=shown,
        html=html,
        times=times,
    )
    show(page, output)
    without = [document for _, document in items if document not in found and document not in shown]
    if without:
        have = "has" if len(without) == 1 else "have"
        warn(f"{len(without)} of {len(items)} documents {have} no text in {documents}: {shortlist(without)}.")
    if missing:
        are = "is" if len(missing) == 1 else "are"
        warn(f"{counted(len(missing), 'image')} {are} not in {images}: {shortlist(missing)}.")
    unknown = [query for query in names if query not in topics] if queries else []
    if unknown:
        are = "is" if len(unknown) == 1 else "are"
        warn(f"{len(unknown)} of {len(names)} queries {are} not in {queries}: {shortlist(unknown)}.")


@command(
    "merge", COLLECT, 5, "DESIGN JUDGED...", "Merge the files of assessors with the design of their sample."
)
def merge(
    design: File,
    /,
    *judged: File,
    conflicts: Annotated[Conflicts, Option(choices=RULES)] = "error",
    assignment: InputFile = None,
    adjudicate: Annotated[Path | None, Option(writes=True)] = None,
    adjudicated: InputFile = None,
    grades: Annotated[str | None, Option("-g", "--grades", reads=True)] = None,
    allow_missing: bool = False,
    form: Annotated[Form | None, Option("--format", choices=FORMS)] = None,
    rel: int = 1,
    answers: Annotated[Path | None, Option(writes=True)] = None,
    report: Annotated[Path | None, Option(writes=True)] = None,
    report_format: Annotated[Format | None, Option(choices=FORMATS)] = None,
    header: Header = True,
    output: Output = None,
) -> None:
    """Merge the files of assessors with the design of the sample that they judged.

    An assessor is one person in all files that name them (`# unjudged-assessor ann`, or ann.qrels and
    ann-judged.qrels), also over several rounds. The report names documents that are missing, foreign, not
    drawn, judged with different grades or answered with "cannot judge" (-2), and says how far the judges
    agree. It goes to standard output, or to standard error if the judgments go there. An output file with
    other content is not replaced.

    Parameters
    ----------
    design
        The design file of `unjudged sample --to-judge` or `unjudged next --record`.
    judged
        The files of the assessors; the order matters for --conflicts first and last.
    conflicts
        Which grade counts if a document has several: that of the topic's own assessor (own), of the majority,
        the median (the lower of two), the highest, the lowest, the first or the last. error, and a tie of the
        majority, list the documents and stop.
    assignment
        Who judges which topic, for --conflicts own. Default: assignment.tsv beside the design.
    adjudicate
        Write all documents with different grades to this file, which is a task for `unjudged judge`; comments
        in it say who gave which grade. The page does not show them: the adjudicator judges blind.
    adjudicated
        The judged file of --adjudicate: its grades count before all others.
    grades
        The grades of the scale, as 0,1,2 or the file that `judge --grades` takes. Any other is an error that
        names file and line.
    allow_missing
        Merge although documents have no answer yet. The judged documents of a stratum then stand for them,
        which is right if answers are missing at random.
    form
        qrels; strata, for xinfAP and infNDCG (the default if the design has several strata); prels, for
        statAP (the default if documents of a stratum were drawn with different probabilities). Where a form
        does not tell the probabilities, a comment says so, and estimates refuse the file.
    rel
        The lowest relevant grade, for the agreement of judges.
    answers
        Write every answer to this file (.tsv, .csv, .json, ...): who gave it, also "cannot judge", with
        comments and times.
    report
        Write the report to this file; the suffix is its format. A format that holds one table gets the
        agreement.
    report_format
        The format of the report.
    output
        Write the judgments to this file.
    """
    from unjudged.judging.collecting.answers import answers_grid, read_answer_file, read_answers, read_scale
    from unjudged.judging.collecting.assignment import read_assignment
    from unjudged.judging.collecting.merge_result import ConflictError
    from unjudged.judging.collecting.merging import merge as merged_with
    from unjudged.judging.collecting.sample_file import read_sample

    if not judged:
        raise UsageError("no judged file given: unjudged merge DESIGN JUDGED...")
    if answers is not None:
        check_output(None, answers)
    chosen_report = check_output(report_format, report)
    sample = read_sample(design)
    scale = None if grades is None else list(read_scale(grades))
    people = read_answers(judged, scale)
    settled = None if adjudicated is None else read_answer_file(adjudicated, scale)
    chosen_form = form or sample.form
    if sample.chosen and chosen_form != "qrels":
        raise UsageError(f"--format {form} needs a random sample; these documents were chosen: use qrels")
    try:
        merged = merged_with(
            sample,
            people,
            conflicts=conflicts,
            assignment=read_assignment(assignment) if assignment else assignment_beside(design),
            adjudicated=None if settled is None else settled.judgments,
            allow_missing=allow_missing,
        )
    except ConflictError as error:
        if adjudicate is None:
            raise
        raise InputError(_write_adjudication(adjudicate, error.merged)) from None
    text = judgments_text(merged.judgments, chosen_form, [made_by()] if header else [])
    if output is not None:
        check_new(output, text)
    show(text, output)
    grids = merged.agreement(rel) if chosen_report in WITHOUT_NOTES else merged.grids(rel)
    if report is not None or (output is not None and chosen_report != "table"):
        show_grids(grids, chosen_report, report)
    else:
        printed = render(grids, chosen_report, width=terminal_width())
        show(printed) if output is not None else sys.stderr.write(str(printed))
    if answers is not None:
        last = {} if settled is None else {ADJUDICATOR: [replace(settled, assessor=ADJUDICATOR)]}
        show_grids(answers_grid({**people, **last}, merged.judgments), None, answers)
    if adjudicate is not None:
        sys.stderr.write(f"{_write_adjudication(adjudicate, merged)}\n")
    remedy = f"means leave them out, but not if you evaluate {design} with --judged"
    warn_of_missing_queries(merged.judgments, chosen_form, remedy)


def _write_adjudication(path: Path, merged: Merged) -> str:
    """Write the documents with different grades as a task, and return what to do with it."""
    text = merged.adjudication()
    check_new(path, text)
    show(text, path)
    several = f"{counted(len(merged.to_adjudicate), 'document')} judged with different grades"
    return (
        f"{several}, to adjudicate in {path}: judge it (unjudged judge), and merge again with --adjudicated"
    )
