"""Make one offline page to judge documents with: keys for grades, saved in the browser, export as qrels.

Open the page in a browser; it needs no network. The keys are the grades, x (cannot judge), arrows, n (next
unjudged) and u (undo). Answers are saved one by one, and several tabs share them. Give the exported file to
`unjudged merge`, which refuses it if it was cut. Without --documents, texts are those of the collection.toml
of this folder or one above.

    unjudged judge to-judge.qrels --documents docs.jsonl -o page.html
    unjudged judge to-judge.qrels --documents d.tsv --queries q.tsv -o page.html
    unjudged judge to-judge.qrels --documents d.tsv --grades 0,1,2 -o page.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjudged.cli.options import OUTPUT, VERBOSE, Option

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

USAGE = "TO_JUDGE"
OPTIONS = (
    Option(
        "--documents",
        reads=True,
        metavar="FILE",
        help="The texts of the documents: JSONL (name, title, text), TSV (name, text) or irds:ID for a "
        "dataset of ir_datasets. They are shown whole, as they are.",
    ),
    Option(
        "--queries",
        reads=True,
        metavar="FILE",
        help="The queries in words: JSONL (name, title, description, narrative), TSV or irds:ID.",
    ),
    Option(
        "-g",
        "--grades",
        default="0,1",
        metavar="LIST",
        help="The grades that can be given, whole numbers from 0 to 9.",
    ),
    OUTPUT,
    VERBOSE,
)


def run(given: Given) -> None:
    """Write the page."""
    from pathlib import Path

    from unjudged.base.errors import UsageError
    from unjudged.cli.output import show
    from unjudged.collection.finding import description_above
    from unjudged.judging.judging_page import judging_page, to_judge_in
    from unjudged.judging.texts import read_documents, read_queries
    from unjudged.rankings.judgments import Judgments

    (file,) = given.files("TO_JUDGE")
    scale = [word.strip() for word in given.grades.split(",")]
    if not all(word.isascii() and word.isdecimal() for word in scale):
        raise UsageError(f"--grades is {given.grades!r}, expected whole numbers from 0 to 9, as 0,1,2")
    task = Judgments.read(file)
    items = to_judge_in(task)
    described = None if given.documents and given.queries else description_above()
    documents = given.documents or getattr(described, "documents", None)
    queries = given.queries or getattr(described, "queries", None)
    names = {document for _, document in items}
    topics = {query for query, _ in items}
    texts = read_documents(documents, names) if documents else {}
    words = read_queries(queries, topics) if queries else {}
    page = judging_page(
        items, texts, words, grades=[*map(int, scale)], name=Path(file).stem, origin=task.origin
    )
    show(page, given.output)
    _tell_missing("documents", names - texts.keys(), len(names), documents)
    _tell_missing("queries", topics - words.keys(), len(topics), queries)


def _tell_missing(what: str, missing: set[str], count: int, file: str | None) -> None:
    """Say which documents or queries have no text."""
    from unjudged.base.wording import shortlist
    from unjudged.cli.standard_streams import warn

    if file and missing:
        have = "has" if len(missing) == 1 else "have"
        warn(f"{len(missing)} of {count} {what} {have} no text in {file}: {shortlist(sorted(missing))}.")
