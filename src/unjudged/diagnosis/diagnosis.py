"""Diagnosis of files: what `doctor` found, as lines and tables."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import astuple, dataclass

from unjudged.base.errors import UnjudgedError
from unjudged.base.wording import counted
from unjudged.diagnosis.recognised_files import UNKNOWN, RecognisedFile
from unjudged.grids.grid import Column, Grid, Shown, grid_of, in_paragraphs


@dataclass(frozen=True)
class Match:
    """Two files that belong together, and what they have in common."""

    first: str
    second: str
    common: str


@dataclass(frozen=True)
class Question:
    """A question that files answer by a command, or why they do not."""

    question: str
    command: str
    refusal: str = ""


def asked(question: str, *words: str) -> Question:
    """Return a question that the words of a command answer."""
    return Question(question, shlex.join(["unjudged", *words]))


def tried(attempt: Callable[[], object], question: str, *words: str) -> Question:
    """Return the question, refused for the reason for which an attempt to answer it fails."""
    try:
        attempt()
    except UnjudgedError as error:
        return Question(question, "", f"{error}.")
    return asked(question, *words)


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Shown):
    """What files are, how they match, and what can be asked of them."""

    files: Sequence[RecognisedFile]
    matches: Sequence[Match]
    questions: Sequence[Question]

    @property
    def recognised(self) -> bool:
        """Whether at least one file was recognised."""
        return any(one.kind != UNKNOWN for one in self.files)

    def grid(self) -> Grid:
        """Return a row per file."""
        rows = [(f.file, f.kind, f.queries, f.documents, f.description) for f in self.files]
        counts = Column("queries", "integer"), Column("rows", "integer")
        return Grid([Column("file"), Column("kind"), *counts, Column("description")], rows)

    def grids(self) -> list[Grid]:
        """Return the files, what they have in common, and the questions."""
        matches = grid_of(["file", "with", "common"], list(map(astuple, self.matches)))
        questions = grid_of(["question", "command", "refusal"], list(map(astuple, self.questions)))
        return [self.grid(), matches, questions]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return in_paragraphs(str(self))

    def _lines(self) -> Iterator[str]:
        for one in self.files:
            counts = [counted(one.queries, "query")] if one.queries is not None else []
            counts += [f"{one.documents:,} rows"] if one.documents is not None else []
            size = f" ({', '.join(counts)})" if counts else ""
            yield f"{one.file}: {one.kind}{size}" if one.kind != UNKNOWN else f"{one.file}: unknown"
            yield f"  {one.description}"
        if self.matches:
            yield "\nHow they match"
            yield from (f"  {m.second} with {m.first}: {m.common}" for m in self.matches)
        if answered := [q for q in self.questions if not q.refusal]:
            yield "\nWhat you can ask"
            yield from (f"  {q.question}\n    {q.command}" for q in answered)
        if refused := [q for q in self.questions if q.refusal]:
            yield "\nWhat these files do not answer"
            yield from (f"  {q.question} {q.refusal}" for q in refused)
