"""Two files of judgments as one, with what they agree on and what they do not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted
from unjudged.grids.grid import Column, Grid
from unjudged.grids.shown import Shown
from unjudged.rankings.extension import rows_of, table_of, updated
from unjudged.rankings.judged import Integers, Mask
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource

DRAWN = -2
"""In the file of a design, the grade of a document that was drawn and waits for its judgment."""
SHOWN = 5

Grades = NDArray[np.int32]


RULES: dict[str, Callable[[Grades, Grades], Grades]] = {
    "first": lambda first, _: first,
    "last": lambda _, last: last,
    "highest": np.maximum,
}
ERROR = "error"


class Conflict(NamedTuple):
    """A document that the two judge differently."""

    query: str
    document: str
    first: int
    last: int


@dataclass(frozen=True, eq=False, repr=False)
class Combined(Shown):
    """The judgments of both, and how many of them agree.

    `undrawn` documents were not drawn by the design although the second file judges them; they stay unjudged.
    """

    judgments: Judgments
    agreements: int
    conflicts: Sequence[Conflict]
    only_first: int
    only_last: int
    undrawn: int
    rule: str

    def notes(self) -> list[str]:
        """What happened to documents that both files judge, or that should not have been judged."""
        found = []
        if not (self.agreements or self.conflicts or self.only_last or self.undrawn):
            found.append("nothing in it is judged: every grade is -1")
        if self.agreements or self.conflicts:
            settled = (
                f", settled by the rule {self.rule!r}: {_listed(self.conflicts)}" if self.conflicts else ""
            )
            alike = f"{counted(self.agreements, 'document')} judged as before"
            found.append(f"{alike}, {len(self.conflicts)} differently{settled}")
        if self.undrawn:
            undrawn = f"{counted(self.undrawn, 'document')} judged but not drawn"
            found.append(f"{undrawn}: left out, because they are no random sample")
        return found

    def grid(self) -> Grid:
        counts = {
            "agreements": self.agreements,
            "conflicts": len(self.conflicts),
            "only in the first": self.only_first,
            "only in the last": self.only_last,
        }
        return Grid([Column(name, "integer") for name in counts], [list(counts.values())], notes=self.notes())


def combine(first: JudgmentsSource, last: JudgmentsSource, conflicts: str = ERROR) -> Combined:
    """All judgments of both; a document that both judge differently is a conflict.

    `conflicts` says what to do with those: 'error' refuses them, 'first' and 'last' keep that grade,
    'highest' the higher one. A document that only one of them judged has that grade, whatever the rule; a
    negative grade judges nothing.

    The first file may be a sample with recorded strata or probabilities, if the last one has no other
    documents. If it is a design, only documents that were drawn count.

    >>> found = combine({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d2": 2, "d3": 1}}, conflicts="first")
    >>> found.agreements, found.conflicts, found.only_last
    (0, [Conflict(query='q1', document='d2', first=0, last=2)], 1)
    """
    if conflicts not in (ERROR, *RULES):
        raise UsageError(f"conflicts is {conflicts!r}, expected one of {', '.join((ERROR, *RULES))}")
    a, b = Judgments.of(first), Judgments.of(last)
    if b.probability is not None or b.stratum is not None:
        problem = "the further judgments are a sample with recorded strata or probabilities"
        raise InputError(f"{problem}, which do not hold for both together: give plain qrels")
    row = rows_of(a, table_of(b))
    before = np.where(row >= 0, a.grade[row], UNSAMPLED)
    undrawn = _undrawn(a, row) & (b.grade >= 0)
    later = np.where(undrawn, UNSAMPLED, b.grade).astype(np.int32)
    both = (before >= 0) & (later >= 0)
    differ = np.flatnonzero(both & (before != later))
    found = _conflicts(b, differ, before)
    if found and conflicts == ERROR:
        some = f"{len(found)} documents are" if len(found) > 1 else "1 document is"
        problem = f"{some} judged differently by the two files ({_listed(found)})"
        raise InputError(f"{problem}: choose which grade counts, --conflicts {', '.join(RULES)}")
    if found:
        later[differ] = RULES[conflicts](before[differ].astype(np.int32), later[differ])
    return Combined(
        judgments=updated(a, b.with_grades(later)),
        agreements=int(both.sum()) - len(differ),
        conflicts=found,
        only_first=int((a.grade >= 0).sum() - both.sum()),
        only_last=int((later >= 0).sum() - both.sum()),
        undrawn=int(undrawn.sum()),
        rule=conflicts,
    )


def _undrawn(design: Judgments, row: Integers) -> Mask:
    """The rows that a design with recorded probabilities could have drawn and did not."""
    if design.probability is None or not (design.grade == DRAWN).any():
        return np.zeros(len(row), bool)
    undrawn: Mask = (row >= 0) & (design.grade[row] == UNSAMPLED)
    return undrawn


def _conflicts(judgments: Judgments, rows: Integers, before: Grades) -> list[Conflict]:
    queries = judgments.query[rows].tolist()
    return [
        Conflict(judgments.queries[q], judgments.documents[r], int(before[r]), int(judgments.grade[r]))
        for r, q in zip(rows.tolist(), queries, strict=True)
    ]


def _listed(found: Sequence[Conflict]) -> str:
    shown = [f"query {c.query!r} document {c.document!r}: {c.first} and {c.last}" for c in found[:SHOWN]]
    return "; ".join(shown) + ("; ..." if len(found) > SHOWN else "")
