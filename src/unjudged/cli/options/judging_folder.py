"""Samples for judging in a folder, where nothing is overwritten, and judgments as a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from unjudged.base.errors import InputError
from unjudged.base.wording import shortlist
from unjudged.cli.options.arguments import InputFile, Output
from unjudged.cli.options.option import OptionGroup
from unjudged.cli.shell.given_arguments import made_by
from unjudged.cli.shell.output import make_folder, show
from unjudged.cli.shell.standard_streams import warn
from unjudged.formats.tables import encode
from unjudged.formats.writing import judgments_text, queries_without_lines
from unjudged.judging.collecting.assignment import Assignment, assign, read_assignment
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.judging.collecting.handing_out import Task, hand_out, task_texts
from unjudged.judging.collecting.sample_file import sample_text
from unjudged.judging.pooling.sampling import SHARE
from unjudged.rankings.judgments import Judgments

DESIGN, ASSIGNMENT = "design.txt", "assignment.tsv"


@dataclass(frozen=True)
class HandingOut(OptionGroup, title="Assessors"):
    """Who judges what.

    Parameters
    ----------
    assessors
        With --to-judge: write one file for each assessor, who judges whole topics: their number, or their
        names as ann,bob. Who judges which topic is written to assignment.tsv.
    twice
        With --to-judge: the share of a topic's documents that a second assessor judges too, as 10%. It is one
        of all documents drawn so far, so it means the same in every round.
    twice_topics
        With --to-judge: only this many topics have a second assessor, who judges all of their documents, or
        the share that --twice says.
    assignment
        With --to-judge: a file of topics, assessors and roles (own or second), such as an edited
        assignment.tsv. Topics in it keep their assessors. By default the one beside --since is read.
    """

    assessors: str | None = None
    twice: str | None = None
    twice_topics: int | None = None
    assignment: InputFile = None

    def tasks(
        self, sample: DrawnSample, since: Path | None, assessors: str | None = None
    ) -> tuple[dict[str, Task], dict[str, str]]:
        """Return what each file asks, and the text of every file that the folder gets.

        `assessors` is for commands that hand out by assessor unless told otherwise.
        """
        share = SHARE.read(self.twice) if self.twice else None
        earlier = self._earlier(since)
        given = self.assessors or (assessors if earlier is None else None)
        texts = {DESIGN: sample_text(sample)}
        if given is None and earlier is None:
            tasks = hand_out(sample, twice=share, twice_topics=self.twice_topics)
            return tasks, texts | task_texts(tasks, sample.marks())
        words = [word.strip() for word in (given or "").split(",")]
        people = None if given is None else int(given) if given.isdecimal() else words
        made = assign(sample, people, twice=share, twice_topics=self.twice_topics, since=earlier)
        tasks = hand_out(sample, assignment=made)
        texts[ASSIGNMENT] = made.text()
        return tasks, texts | task_texts(tasks, sample.marks(), named=True)

    def _earlier(self, since: Path | None) -> Assignment | None:
        """Return the assignment that was given, else the one beside the earlier design."""
        if self.assignment is not None:
            return read_assignment(self.assignment)
        return None if since is None else assignment_beside(since)


def assignment_beside(design: str | Path) -> Assignment | None:
    """Return the assignment in the folder of a design, if there is one."""
    beside = Path(design).parent / ASSIGNMENT
    return read_assignment(beside) if beside.is_file() else None


def write_new(folder: Path, texts: Mapping[str, str]) -> None:
    """Write these files into the folder; if one of them would be overwritten, none is written."""
    for name, text in texts.items():
        check_new(folder / name, text)
    make_folder(folder)
    for name, text in texts.items():
        show(text, folder / name)


def check_new(path: Path, text: str) -> None:
    """Refuse to replace a file that has other content."""
    if path.is_file() and path.read_bytes() != encode(text):
        problem = "exists and has other content: move it away or choose another name"
        raise InputError(problem, source=str(path))


def show_judgments(judgments: Judgments, form: str, output: Output, *, header: bool) -> None:
    """Write the judgments, with a header of comments if asked for, and say which queries have no line."""
    show(judgments_text(judgments, form, [made_by()] if header else None), output)
    warn_of_missing_queries(judgments, form)


def warn_of_missing_queries(judgments: Judgments, form: str, remedy: str = "") -> None:
    """Say which queries a reader of the file will not know of."""
    missing = queries_without_lines(judgments, form)
    if missing:
        have = "has" if len(missing) == 1 else "have"
        queries = f"{len(missing)} of {len(judgments.queries)} queries"
        more = f" ({remedy})" if remedy else ""
        warn(f"{queries} {have} no line in the file{more}: {shortlist(missing)}.")
