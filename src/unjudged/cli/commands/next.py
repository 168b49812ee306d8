"""The command that lists or draws documents to judge."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from unjudged.cli.options import Option, command

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from unjudged.cli.command_line import Given
    from unjudged.collection.collection import Collection
    from unjudged.judging.next_documents import NextDocuments

DESIGN = Option(
    "-d",
    "--design",
    known="judging.next_documents.every_design",
    default="most telling",
    help="How documents are chosen. most telling: what says most about open pairs, or about one run; "
    '"pool(100)": the first 100 of every run; "uniform(10%)", '
    '"mixed(5)", "stratified(10:100%, rest:10%)": a random sample of what the judgments list; '
    '"holes(50)": 50 unjudged documents of the runs, drawn by what each could change, so that every later '
    "estimate and its interval hold.",
)
NUMBER = Option(
    "-n",
    "--number",
    type=int,
    metavar="N",
    help="How many documents, if the design does not say so, or in a batch. By default 100, or 20.",
)
UNTIL = Option(
    "--until",
    metavar="better",
    help="Draw a batch of holes, and after each merge the next one, until no pair needs judging. At 95 % "
    "however often you look, or, narrower, at most so often: better(batches=5).",
)


@command("next", "[SOURCE...]", DESIGN, NUMBER, UNTIL, "measure set seed format output")
def list_next(given: Given) -> None:
    """List or draw the documents to judge next: a file for `judge`, or for an editor, and then for `merge`.

    By default they are the documents that say most about the pairs of runs that more judging could change;
    there are none if there is no such pair. Replace each -1 in the file by a grade, or by -2 for "cannot
    judge". The list promises nothing: with --until the documents are drawn at random, and an order that is
    decided is wrong in at most one case of twenty, however often you look. A random sample is a file of its
    own, which all commands take as judgments once its documents have grades. Runs alone, without judgments,
    are for designs that go by no judgments, such as "pool(100)".

        unjudged next qrels.txt *.run -n 100 -o to-judge.qrels
        unjudged next qrels.txt *.run --design "holes(50)" -o to-judge.sample
        unjudged next qrels.txt a.run b.run --until better -o to-judge.sample
    """
    from unjudged.cli.opening import opened
    from unjudged.cli.output import form_of, on_terminal, show_result, wrapped
    from unjudged.cli.standard_streams import progress, show
    from unjudged.judging.next_documents import next_documents

    in_table = given.format is not None
    if in_table:
        form_of(given)
    with opened(given) as collection, progress("choosing documents"):
        asked = {"design": given.design, "n": given.number, "measure": given.measure, "seed": given.seed}
        found = next_documents(collection, until=given.until, **asked)
        if given.output is not None and found.wanted and not in_table:
            _check_no_answers(given.output, found)
    if in_table:
        show_result(found, given)
        return
    said = wrapped(found.notes if given.verbose or found.answers else found.notes[:2])
    if not found.wanted:
        show(said)
    elif given.output is not None:
        show(found.text(), given.output)
        show(said + _then(given, collection, found))
    elif found.sample is not None and on_terminal(None):  # nobody reads the whole frame there
        show(f"{said}\nTo judge them, write a file: add -o to-judge.sample\n")
    else:
        show(found.text())


def _check_no_answers(path: Path, found: NextDocuments) -> None:
    """Refuse to replace a list in which somebody has put grades that the new one does not have."""
    from unjudged.base.errors import InputError, UnjudgedError
    from unjudged.rankings.judgments import Judgments

    try:
        judged = path.is_file() and found.would_lose(Judgments.read(path))
    except UnjudgedError:  # something else, which `-o` replaces
        return
    if judged:
        problem = "it has grades, which would be lost: merge it, or write to another file"
        raise InputError(problem, source=str(path))


def _then(given: Given, collection: Collection, found: NextDocuments) -> str:
    """Say which commands follow the file that was written."""
    file, labels = str(given.output), collection.described.judgments
    page, judged = given.output.with_suffix(".html"), f"judged{given.output.suffix}"
    first = file if found.sample is not None or not labels else str(labels[0].file)
    lines = [
        ["judge", file, "-o", str(page)],
        ["merge", first, *([] if first == file else [file]), "-o", judged],
        *_again(given, collection, judged),
    ]
    return "\nNext: " + "      ".join(f"{shlex.join(['unjudged', *words])}\n" for words in lines)


def _again(given: Given, collection: Collection, judged: str) -> Iterator[list[str]]:
    """Yield the command that asks again, of the judgments after merging."""
    from unjudged.cli.commands.scoring import MOST_WORDS

    words, settings = (
        list(given.words),
        [text for text in given.set if not text.startswith("judgments.file=")],
    )
    labels = [one for one in collection.described.judgments if one.by != "model"]
    if len(labels) == 1 and str(labels[0].file) in words:
        words[words.index(str(labels[0].file))] = judged
    else:
        settings.append(f"judgments.file={judged}")
    if len(labels) != 1 or len(words) > MOST_WORDS:
        return
    words += [part for text in settings for part in ("--set", text)]
    words += ["-m", *given.measure] if given.measure else []
    words += ["-n", str(given.number)] if given.number and given.until else []
    if given.until is not None:
        yield ["next", *words, "--until", given.until, "-o", str(given.output)]
    else:
        yield ["compare" if len(collection.runs) > 1 else "evaluate", *words]
