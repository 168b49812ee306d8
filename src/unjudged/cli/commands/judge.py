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

from typing import TYPE_CHECKING, Any

from unjudged.cli.options import Option, options

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

USAGE = "TO_JUDGE"
DOCUMENTS = Option(
    "--documents",
    reads=True,
    metavar="FILE",
    help="The texts of the documents: JSONL (name, title, text), TSV (name, text) or irds:ID for a "
    "dataset of ir_datasets. They are shown whole, as they are.",
)
QUERIES = Option(
    "--queries",
    reads=True,
    metavar="FILE",
    help="The queries in words: JSONL (name, title, description, narrative), TSV or irds:ID.",
)
GRADES = Option(
    "-g",
    "--grades",
    default="0,1",
    metavar="LIST",
    help="The grades that can be given, whole numbers from 0 to 9.",
)
OPTIONS = options(DOCUMENTS, QUERIES, GRADES, "output")


def run(given: Given) -> None:
    """Write the page."""
    from pathlib import Path

    from unjudged.base.errors import UsageError
    from unjudged.base.wording import shortlist
    from unjudged.cli.output import show
    from unjudged.cli.standard_streams import warn
    from unjudged.collection.finding import description_above
    from unjudged.judging.judging_page import judging_page, to_judge_in
    from unjudged.judging.texts import read_documents, read_queries
    from unjudged.rankings.judgments import Judgments

    (file,) = given.files()
    scale = [word.strip() for word in given.grades.split(",")]
    if not all(word.isascii() and word.isdecimal() for word in scale):
        raise UsageError(f"--grades is {given.grades!r}, expected whole numbers from 0 to 9, as 0,1,2")
    task = Judgments.read(file)
    items = to_judge_in(task)
    described = None if given.documents and given.queries else description_above()
    texts: dict[str, dict[str, Any]] = {}
    sayings = []
    for place, (what, read) in enumerate({"queries": read_queries, "documents": read_documents}.items()):
        source = getattr(given, what) or getattr(described, what, None)
        names = {item[place] for item in items}
        texts[what] = read(source, names) if source else {}
        missing = sorted(names - texts[what].keys()) if source else []
        if missing:
            have = "has" if len(missing) == 1 else "have"
            few = f"{len(missing)} of {len(names)} {what} {have} no text in {source}"
            sayings.append(f"{few}: {shortlist(missing)}.")
    page = judging_page(
        items,
        texts["documents"],
        texts["queries"],
        grades=[*map(int, scale)],
        name=Path(file).stem,
        origin=task.origin,
    )
    show(page, given.output)
    for one in sayings:
        warn(one)
