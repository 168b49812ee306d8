"""`unjudged judge`: a page to judge documents with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from unjudged.base.wording import counted, shortlist
from unjudged.cli.commands import COLLECT, command
from unjudged.cli.options.arguments import File, InputFile, Output
from unjudged.cli.options.option import Option
from unjudged.cli.shell.output import show
from unjudged.cli.shell.standard_streams import warn


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
