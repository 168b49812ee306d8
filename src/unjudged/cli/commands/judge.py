"""`unjudged judge`: a page to judge documents with."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from unjudged.base.errors import UsageError
from unjudged.base.wording import shortlist
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
    grades: Annotated[str, Option("-g", "--grades")] = "0,1",
    output: Output = None,
) -> None:
    """Make one offline page to judge documents with: keys for grades, saved in the browser, export as qrels.

    Open the page in a browser; it needs no network. The keys are the grades, arrows, n (next unjudged), u
    (undo) and c (comment). Give the exported file to `unjudged merge` or to --judged.

    Parameters
    ----------
    to_judge
        Documents to judge, from `unjudged sample --to-judge`, `next` or `pool`: qrels with -1 for each.
    documents
        The texts: JSONL (docno, title, text), TSV (name, text) or TREC SGML (`<DOC>`), also compressed, or
        irds:ID for a dataset of ir_datasets.
    queries
        The topics: JSONL (id, title, description, narrative), TSV, TREC topics (`<top>`) or irds:ID.
    grades
        The grades that an assessor may give, as 0,1,2; at most 9.
    output
        Write the page to this file.
    """
    from unjudged.judging.collecting.answers import read_task
    from unjudged.judging.collecting.handing_out import judging_page
    from unjudged.judging.collecting.texts import read_texts, read_topics

    numbers = [word.strip() for word in grades.split(",")]
    if not all(word.isdecimal() and len(word) == 1 for word in numbers):
        raise UsageError(f"grades are {grades!r}: use whole numbers from 0 to 9, as 0,1,2")
    task, kept = read_task(to_judge)
    names = list(task.queries)
    rows = zip(task.query.tolist(), task.documents, task.waiting.tolist(), strict=True)
    items = [(names[q], document) for q, document, waiting in rows if waiting]
    texts = read_texts(documents, {document for _, document in items})
    topics = read_topics(queries) if queries else {}
    marks = [f"# {mark}" for mark in kept]
    stem = Path(to_judge).stem
    page = judging_page(items, texts, topics, grades=[int(word) for word in numbers], name=stem, marks=marks)
    show(page, output)
    without = [document for _, document in items if document not in texts]
    if without:
        have = "has" if len(without) == 1 else "have"
        warn(f"{len(without)} of {len(items)} documents {have} no text in {documents}: {shortlist(without)}.")
    unknown = [query for query in names if query not in topics] if queries else []
    if unknown:
        are = "is" if len(unknown) == 1 else "are"
        warn(f"{len(unknown)} of {len(names)} queries {are} not in {queries}: {shortlist(unknown)}.")
