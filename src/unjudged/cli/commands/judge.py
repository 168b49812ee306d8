"""The command that makes a page to judge documents on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjudged.cli.options import Option, command

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unjudged.cli.command_line import Given
    from unjudged.judging.texts import Text

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


@command("judge", "TO_JUDGE", DOCUMENTS, QUERIES, GRADES, "output")
def judge(given: Given) -> None:
    """Make one offline page to judge documents with: keys for grades, kept in the browser, saved as qrels.

    Open the page in a browser; it needs no network. The keys are the grades, x (cannot judge), arrows, n
    (next unjudged) and u (undo). Answers are saved one by one, and several tabs share them. Give the saved
    file to `unjudged merge`, which refuses it if it was cut. Without --documents, texts come from the
    collection.toml of this folder or one above.

        unjudged judge to-judge.qrels --documents docs.jsonl -o page.html
        unjudged judge to-judge.qrels --documents d.tsv --queries q.tsv -o page.html
        unjudged judge to-judge.qrels --documents d.tsv --grades 0,1,2 -o page.html
    """
    import shlex
    from pathlib import Path

    from unjudged.base.errors import UsageError
    from unjudged.base.notes import DOUBT, Note
    from unjudged.base.wording import shortlist
    from unjudged.cli.output import on_terminal, wrapped
    from unjudged.cli.standard_streams import show, tell
    from unjudged.collection.description import description_above
    from unjudged.judging.judging_page import judging_page, to_judge_in
    from unjudged.judging.texts import read_documents, read_queries
    from unjudged.rankings.judgments import Judgments

    if on_terminal(given.output):
        raise UsageError("the page needs a file: -o page.html")
    (file,) = given.files()
    scale = [word.strip() for word in given.grades.split(",")]
    if not all(word.isascii() and word.isdecimal() for word in scale):
        raise UsageError(f"--grades is {given.grades!r}, expected whole numbers from 0 to 9, as 0,1,2")
    task = Judgments.read(file)
    items = to_judge_in(task)
    described = description_above()
    texts: list[Mapping[str, Text]] = []
    for place, (what, read) in enumerate((("queries", read_queries), ("documents", read_documents))):
        source = getattr(given, what) or getattr(described, what, None)
        names = {item[place] for item in items} if source else set()
        texts.append(read(source, names) if source else {})
        if missing := sorted(names - texts[-1].keys()):
            has = "has" if len(missing) == 1 else "have"
            few = f"{len(missing)} of {len(names)} {what} {has} no text in {source}"
            tell([Note(f"{few}: {shortlist(missing)}.", weight=DOUBT)])
    words, texts_of = texts
    name, grades = Path(file).stem, [*map(int, scale)]
    show(judging_page(items, texts_of, words, grades=grades, name=name, origin=task.origin), given.output)
    if given.output is not None:
        show(
            wrapped([f"Open {given.output} in a browser, judge, and save the answers: {name}-judged.qrels."])
        )
        labels = described.judgments if described is not None else ()
        if task.drawn is not None or len(labels) == 1:
            first = file if task.drawn is not None else str(labels[0].file)
            merged = shlex.join(["merge", first, f"{name}-judged.qrels", "-o", f"judged{Path(file).suffix}"])
            show(f"\nNext: unjudged {merged}\n")
