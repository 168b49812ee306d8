"""Commands to collect judgments: what to judge next, a page to judge on, and merging the answers."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import unjudged
from unjudged.base.errors import InputError, UnjudgedError, UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.cli.options import Option, command, reads
from unjudged.cli.output import form_of, on_terminal, progress, show, show_result, tell, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from unjudged.cli.command_line import Given
    from unjudged.collection.collection import Collection
    from unjudged.collection.description import Description
    from unjudged.judging.judging_page import Text
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


MOST_WORDS = 4, 20
"""A command with more words is not repeated: one that asks what follows, and one that goes on."""


def _check_no_answers(path: Path, found: NextDocuments) -> None:
    """Refuse to replace a list in which somebody has put grades that the new one does not have."""
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
    file, page = str(given.output), given.output.with_suffix(".html")
    first, judged = file, f"judged{given.output.suffix}"
    if found.sample is None:
        first, judged = _people_in(collection.described, given.output.suffix) or (first, judged)
    lines = [
        ["judge", file, "-o", str(page)],
        ["merge", first, *([] if first == file else [file]), "-o", judged],
        *_again(given, collection, judged),
    ]
    return _following(lines)


def _following(commands: Iterable[Sequence[str]]) -> str:
    """Say which commands come next."""
    return "\nNext: " + "      ".join(f"{shlex.join(['unjudged', *words])}\n" for words in commands)


def _people_in(described: Description, suffix: str) -> tuple[str, str] | None:
    """Return the last file of people's judgments in a description, and a new file for more."""
    people = [str(one.file) for one in described.judgments if one.by != "model"]
    new = f"judged{suffix}" if len(people) < 2 else f"judged-{len(people)}{suffix}"
    return (people[-1], new) if people else None


def _again(given: Given, collection: Collection, judged: str) -> Iterator[list[str]]:
    """Yield the command that asks again, of the judgments after merging."""
    words, settings = (
        list(given.words),
        [text for text in given.set if not text.startswith("judgments.file=")],
    )
    labels = [one for one in collection.described.judgments if one.by != "model"]
    entered = collection.described.found and not given.set
    if len(labels) == 1 and str(labels[0].file) in words:
        words[words.index(str(labels[0].file))] = judged
    elif not entered:
        settings.append(f"judgments.file={judged}")
    if not (entered or len(labels) == 1) or len(words) > MOST_WORDS[given.until is not None]:
        return
    words += [part for text in settings for part in ("--set", text)]
    words += ["-m", *given.measure] if given.measure else []
    words += ["-n", str(given.number)] if given.number and given.until else []
    if given.until is not None:
        yield ["next", *words, "--until", given.until, "-o", str(given.output)]
    else:
        yield ["compare" if len(collection.runs) > 1 else "evaluate", *words]


GRADES = Option(
    "-g",
    "--grades",
    default="0,1",
    metavar="LIST",
    help="The grades that can be given, whole numbers from 0 to 9.",
)


@command("judge", "TO_JUDGE", "set", GRADES, "output")
def judge(given: Given) -> None:
    """Make one offline page to judge documents with: keys for grades, kept in the browser, saved as qrels.

    Open the page in a browser; it needs no network. The keys are the grades, x (cannot judge), arrows, n
    (next unjudged) and u (undo). Answers are saved one by one, and several tabs share them. Give the saved
    file to `unjudged merge`, which refuses it if it was cut. The texts of documents and queries are those of
    the collection.toml of this folder or one above, or of files that are set: JSONL (name, title, text), TSV
    (name, text) or irds:ID for a dataset of ir_datasets. They are shown whole, as they are.

        unjudged judge to-judge.qrels -o page.html
        unjudged judge to-judge.qrels --grades 0,1,2 -o page.html
        unjudged judge to-judge.qrels --set documents=docs.jsonl -o page.html
    """
    from unjudged.base.notes import DOUBT, Note
    from unjudged.cli.opening import files_in
    from unjudged.collection.description import Description, description_above
    from unjudged.judging.judging_page import judging_page, read_documents, read_queries, to_judge_in
    from unjudged.rankings.judgments import Judgments

    if on_terminal(given.output):
        raise UsageError("the page needs a file: -o page.html")
    (file,) = given.files()
    scale = [word.strip() for word in given.grades.split(",")]
    if not all(word.isascii() and word.isdecimal() for word in scale):
        raise UsageError(f"--grades is {given.grades!r}, expected whole numbers from 0 to 9, as 0,1,2")
    task = Judgments.read(file)
    items = to_judge_in(task)
    described = (description_above() or Description()).override(*given.set)
    reads(files_in(described))
    texts: list[Mapping[str, Text]] = []
    for place, (what, read) in enumerate((("queries", read_queries), ("documents", read_documents))):
        source = getattr(described, what)
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
        suffix = Path(file).suffix
        whole = task.drawn is not None
        if (known := (file, f"judged{suffix}") if whole else _people_in(described, suffix)) is not None:
            show(_following([["merge", known[0], f"{name}-judged.qrels", "-o", known[1]]]))


CONFLICTS = Option(
    "--conflicts",
    known="judging.merging.RULES",
    default="error",
    help="Which grade counts if a document has several. error: none, it is an error, as is a tie of "
    "the majority; else the majority's, the highest or the last.",
)


@command("merge", "QRELS [ANSWERS...]", CONFLICTS, "output")
def merge(given: Given) -> None:
    """Merge answers with earlier judgments, or with the sample that `next` drew.

    A file of answers is one person, who is called like the file. Grade -2 is the answer "cannot judge". The
    documents that were judged differently, or not drawn, are reported. Of a sample, answers may come one
    after another: it waits for those that are missing. If -o writes what extends the judgments of the
    collection.toml of that folder, or of one above, it is entered there, and further commands use it.

        unjudged merge qrels.txt to-judge.qrels -o judged.qrels
        unjudged merge to-judge.sample ann.qrels bob.qrels -o judged.sample
        unjudged merge qrels.txt ann.qrels bob.qrels --conflicts last -o judged.qrels
    """
    from unjudged.judging.merging import entered, merge

    first, *answers = given.files()
    people: dict[str, str] = {}
    for file in answers:
        name = Path(file).stem if Path(file).stem not in people else file
        if name in people:
            raise UsageError(f"the same file is given twice: {file}")
        people[name] = file
    merged = merge(first, people, conflicts=given.conflicts)
    show(merged.text([f"unjudged {unjudged.__version__}: {given.line}"]), given.output)
    if given.output is None:
        tell(merged.notes)
    else:
        judged, file = int((merged.judgments.grade >= 0).sum()), str(given.output)
        show(wrapped([f"{counted(judged, 'document')} judged.", *merged.notes]))
        if merged.rows["merged"][0]["missing"]:
            show(_following([["judge", file, "-o", str(given.output.with_suffix(".html"))]]))
        elif (description := entered(merged.judgments, given.output)) is not None:
            show(f"{description} has {file} among its judgments.\n")
            show(_following([["compare", *([] if Path(description).parent == Path() else [description])]]))
