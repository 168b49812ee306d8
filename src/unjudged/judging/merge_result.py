"""Merged judgments, and what a reader must know of the answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unjudged.base.wording import counted, shortlist
from unjudged.rankings.judged import Integers
from unjudged.rankings.judgments import CANNOT_JUDGE, UNSAMPLED, Judgments
from unjudged.results.result import Result

BEFORE = "before"
"""In place of a judge: the grades that documents had."""
NAMED = 5
"""A sentence names this many documents."""


Grades = NDArray[np.int32]
Document = tuple[str, str]
"""A query and a document."""


@dataclass(frozen=True, eq=False)
class Merged:
    """The judgments, and all that was odd about the answers.

    `given` has the grade of each of the `judges` for each row of the judgments, -1 where there is none and -2
    for "cannot judge".
    `missing` documents were drawn and not judged, `undrawn` ones are pooled and were not drawn, `foreign`
    ones are not in the pool of the sample; the last two are left out of the judgments. `conflicts` are
    documents with several different grades, settled by `rule`. `origin_note` says why
    the judgments are a sample no more.
    """

    judgments: Judgments
    judges: Sequence[str]
    given: Grades
    missing: Sequence[Document]
    undrawn: Sequence[Document]
    foreign: Sequence[Document]
    conflicts: Sequence[Document]
    rule: str
    scaled: bool = False
    origin_note: str = ""

    @cached_property
    def differing(self) -> Integers:
        """Rows that judges gave different grades."""
        none = np.iinfo(np.int32).max
        lowest = np.where(self.given >= 0, self.given, none).min(axis=0, initial=none)
        return np.flatnonzero(lowest < self.given.max(axis=0, initial=UNSAMPLED))

    @cached_property
    def answers(self) -> Mapping[Document, Mapping[str, int]]:
        """Grade of each judge, for every document that has one."""
        rows = np.flatnonzero((self.given >= 0).any(axis=0))
        columns = zip(self.judgments.pooled.names(rows), self.given[:, rows].T.tolist(), strict=True)
        return {
            name: {judge: grade for judge, grade in zip(self.judges, grades, strict=True) if grade >= 0}
            for name, grades in columns
        }

    @property
    def twice(self) -> list[Document]:
        """Documents that several judges judged."""
        return self.judgments.pooled.names(np.flatnonzero((self.given >= 0).sum(axis=0) > 1))

    @property
    def unable(self) -> list[Document]:
        """Documents that people looked at and could not judge, none of whom gave a grade."""
        return self.judgments.pooled.names(np.flatnonzero(self.judgments.grade == CANNOT_JUDGE))

    @property
    def agreements(self) -> int:
        """Number of documents that several judges judged alike."""
        return len(self.twice) - len(self.conflicts)

    def notes(self) -> list[str]:
        """Return what must be known of the answers, in sentences."""
        sentences = []
        if not (self.given[int(BEFORE in self.judges) :] != UNSAMPLED).any() and not (
            self.undrawn or self.foreign
        ):
            sentences.append("Nothing in the answers is judged: every grade is -1.")
        if BEFORE in self.judges and self.agreements:
            sentences.append(f"{counted(self.agreements, 'document')} judged as before.")
        if self.conflicts:
            listed = shortlist([graded(one, self.answers[one]) for one in self.conflicts], NAMED)
            what = f"judged with different grades, settled by the rule {self.rule!r}"
            sentences.append(f"{counted(len(self.conflicts), 'document')} {what}: {listed}.")
        parts = {
            'answered "cannot judge", which stay unjudged': self.unable,
            "drawn but not judged": self.missing,
            "judged but not drawn, left out": self.undrawn,
            "judged but not in the pool, left out": self.foreign,
        }
        sentences += [
            f"{counted(len(rows), 'document')} {what}: {listed_documents(rows)}."
            for what, rows in parts.items()
            if rows
        ]
        if self.scaled:
            sentences.append(
                "Probabilities were scaled to the judged share of the drawn documents per stratum."
            )
        return [*sentences, self.origin_note] if self.origin_note else sentences

    def result(self) -> Result:
        """Return the counts, the conflicts and the notes."""
        counts = {
            "graded": int((self.given >= 0).any(axis=0).sum()),
            "cannot_judge": len(self.unable),
            "missing": len(self.missing),
            "judged_twice": len(self.twice),
            "conflicts": len(self.conflicts),
            "undrawn": len(self.undrawn),
            "foreign": len(self.foreign),
        }
        conflicts = [
            {"query": one[0], "document": one[1], "grades": _grades(self.answers[one])}
            for one in self.conflicts
        ]
        titles = {"merged": "Merged", "conflicts": "Conflicts"}
        return Result({"merged": [counts], "conflicts": conflicts}, self.notes(), {"titles": titles})

    def __str__(self) -> str:
        return str(self.result())

    def _repr_html_(self) -> str:
        return self.result()._repr_html_()


def graded(document: Document, given: Mapping[str, int]) -> str:
    """Return a document and its grades as a sentence names it."""
    return f"{' '.join(document)} ({_grades(given)})"


def _grades(given: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {grade}" for name, grade in given.items())


def listed_documents(documents: Sequence[Document]) -> str:
    """Return the first documents as a sentence names them, and how many more there are."""
    return shortlist([" ".join(document) for document in documents], NAMED)
