"""`unjudged judge` and `unjudged merge`: a page to judge documents with, and the answers as judgments."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, get_args

from unjudged.base.choices import Conflicts, Form
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.cli.commands import COLLECT, command
from unjudged.cli.options.arguments import File, Header, InputFile, Output
from unjudged.cli.options.judging_folder import check_new, warn_of_missing_queries
from unjudged.cli.options.option import Option
from unjudged.cli.shell.given_arguments import made_by
from unjudged.cli.shell.output import show, terminal_width
from unjudged.cli.shell.standard_streams import warn
from unjudged.formats.writing import FORMS, judgments_text
from unjudged.grids.rendering import render
from unjudged.rankings.judgments import Judgments


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
    output
        Write the page to this file.
    """
    from unjudged.formats.small_files import read_small_text
    from unjudged.judging.collecting.judging_page import judging_page, read_scale
    from unjudged.judging.collecting.texts import Image, read_documents, read_images, read_topics

    scale = read_scale(grades)
    task = Judgments.read(to_judge)
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
        marks=[f"# {mark}" for mark in task.marks("qrels")],
        guidelines=read_small_text(guidelines, "guidelines as text") if guidelines else "",
        images=shown,
        html=html,
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
    conflicts: Annotated[Conflicts, Option(choices=get_args(Conflicts))] = "error",
    allow_missing: bool = False,
    form: Annotated[Form | None, Option("--format", choices=FORMS)] = None,
    header: Header = True,
    output: Output = None,
) -> None:
    """Merge the files of assessors with the design of the sample that they judged.

    A file is one assessor, who is called like the file. The report names documents that are missing, foreign,
    not drawn, judged with different grades or answered with "cannot judge" (-2). It goes to standard output,
    or to standard error if the judgments go there. An output file with other content is not replaced.

    Parameters
    ----------
    design
        The design file of `unjudged sample --to-judge` or `unjudged next --record`.
    judged
        The files of the assessors; the order matters for --conflicts last.
    conflicts
        Which grade counts if a document has several: that of the majority, the highest or the last. error,
        and a tie of the majority, list the documents and stop.
    allow_missing
        Merge although documents have no answer yet. The judged documents of a stratum then stand for them,
        which is right if answers are missing at random.
    form
        qrels; strata, for xinfAP and infNDCG (the default if the design has several strata); prels, for
        statAP (the default if documents of a stratum were drawn with different probabilities). Where a form
        does not tell the probabilities, a comment says so, and estimates refuse the file.
    output
        Write the judgments to this file.
    """
    from unjudged.judging.collecting.merging import merge as merged_with
    from unjudged.judging.collecting.sample_file import read_sample

    if not judged:
        raise UsageError("no judged file given: unjudged merge DESIGN JUDGED...")
    people: dict[str, str] = {}
    for file in judged:
        name = Path(file).stem if Path(file).stem not in people else file
        if name in people:
            raise UsageError(f"the same file is given twice: {file}")
        people[name] = file
    sample = read_sample(design)
    chosen_form = form or sample.form
    if sample.chosen and chosen_form != "qrels":
        raise UsageError(f"--format {form} needs a random sample; these documents were chosen: use qrels")
    merged = merged_with(sample, people, conflicts=conflicts, allow_missing=allow_missing)
    text = judgments_text(merged.judgments, chosen_form, [made_by()] if header else [])
    if output is not None:
        check_new(output, text)
    show(text, output)
    report = render(merged.grids(), "table", width=terminal_width())
    show(report) if output is not None else sys.stderr.write(str(report))
    remedy = f"means leave them out, but not if you evaluate {design} with --judged"
    warn_of_missing_queries(merged.judgments, chosen_form, remedy)
