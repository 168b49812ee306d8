"""The command that merges answers with judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjudged.cli.options import Option, command

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

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
    after another: it waits for those that are missing.

        unjudged merge qrels.txt to-judge.qrels -o judged.qrels
        unjudged merge to-judge.sample ann.qrels bob.qrels -o judged.sample
        unjudged merge qrels.txt ann.qrels bob.qrels --conflicts last -o judged.qrels
    """
    from pathlib import Path

    import unjudged
    from unjudged.base.errors import UsageError
    from unjudged.base.wording import counted
    from unjudged.cli.output import wrapped
    from unjudged.cli.standard_streams import show, tell
    from unjudged.judging.merging import merge

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
        judged = int((merged.judgments.grade >= 0).sum())
        show(wrapped([f"{counted(judged, 'document')} judged.", *merged.notes]))
