"""Two files of judgments as one, with what they agree on and what they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import InputError, UsageError
from unjudged.predictions.source import Predictions
from unjudged.rankings.extension import extended, rows_of
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource

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


@dataclass(frozen=True, eq=False)
class Combined:
    """Judgments of both, and how they met."""

    judgments: Judgments
    agreements: int
    conflicts: tuple[Conflict, ...]
    only_first: int
    only_last: int
    rule: str

    def __str__(self) -> str:
        settled = f", settled by the rule {self.rule!r}" if self.conflicts else ""
        only = f"judged only in the first: {self.only_first}, only in the last: {self.only_last}"
        return f"agreements: {self.agreements}; conflicts: {len(self.conflicts)}{settled}; {only}"


def combine(first: JudgmentsSource, last: JudgmentsSource, conflicts: str = ERROR) -> Combined:
    """All judgments of both; a document that both judge differently is a conflict.

    `conflicts` says what to do with those: 'error' refuses, 'first' and 'last' keep that grade, 'highest' the
    higher one. A document that only one of them judged has that grade, whatever the rule; -1 judges nothing.

    >>> found = combine({"q1": {"d1": 1, "d2": 0}}, {"q1": {"d2": 2, "d3": 1}}, conflicts="first")
    >>> print(found)
    agreements: 0; conflicts: 1, settled by the rule 'first'; judged only in the first: 1, only in the last: 1
    """
    if conflicts not in (ERROR, *RULES):
        raise UsageError(f"conflicts is {conflicts!r}, expected one of {', '.join((ERROR, *RULES))}")
    a, b = Judgments.of(first), Judgments.of(last)
    for judgments in (a, b):
        if judgments.probability is not None or judgments.stratum is not None:
            problem = "one of the files is a sample with recorded strata or probabilities"
            raise InputError(f"{problem}, which do not hold for both together; expected plain judgments")
    tables = Predictions.of(a).table, Predictions.of(b).table
    pool = extended(a, [tables[1]], new_queries=True)
    grades = [np.full(len(pool.grade), UNSAMPLED, np.int32) for _ in tables]
    for grade, table, source in zip(grades, tables, (a, b), strict=True):
        grade[rows_of(pool, table)] = source.grade
    judged = [grade >= 0 for grade in grades]
    both = judged[0] & judged[1]
    differ = np.flatnonzero(both & (grades[0] != grades[1]))
    found = tuple(
        Conflict(pool.queries[q], pool.documents[row], x, y)
        for row, q, x, y in zip(
            differ.tolist(),
            pool.query[differ].tolist(),
            grades[0][differ].tolist(),
            grades[1][differ].tolist(),
            strict=True,
        )
    )
    if found and conflicts == ERROR:
        raise InputError(_refusal(found))
    grade = np.where(judged[0], grades[0], grades[1])
    if len(differ):
        grade[differ] = RULES[conflicts](grades[0][differ], grades[1][differ])
    return Combined(
        pool.with_grades(grade),
        int(both.sum()) - len(differ),
        found,
        int((judged[0] & ~judged[1]).sum()),
        int((judged[1] & ~judged[0]).sum()),
        conflicts,
    )


def _refusal(found: tuple[Conflict, ...]) -> str:
    shown = [f"query {c.query!r} document {c.document!r}: {c.first} and {c.last}" for c in found[:SHOWN]]
    more = "; ..." if len(found) > SHOWN else ""
    problem = f"{len(found)} documents are judged differently ({'; '.join(shown)}{more})"
    return f"{problem}: choose a rule for conflicts, {', '.join(RULES)}"
