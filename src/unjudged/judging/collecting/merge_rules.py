"""Rules by which a document with several grades gets one. Each is one registered function."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import Choices
from unjudged.base.segments import Integers
from unjudged.rankings.judgments import UNSAMPLED

Grades = NDArray[np.int32]


class Given(NamedTuple):
    """Grades of some documents: judges x documents in the order of the files, -1 where a judge gave none.

    `own` is the row of each topic's own assessor, -1 where that is nobody of the judges.
    """

    grades: Grades
    own: Integers


class MergeRule(NamedTuple):
    """A rule, and in a few words which grade counts. A document that it cannot decide gets -1."""

    name: str
    words: str
    settle: Callable[[Given], Grades]
    needs_assignment: bool = False


RULES: Choices[MergeRule] = Choices("conflicts")
"""Every rule by name."""


def merge_rule(
    name: str, words: str, *, needs_assignment: bool = False
) -> Callable[[Callable[[Given], Grades]], Callable[[Given], Grades]]:
    """Register a function as the rule `name`."""

    def register(settle: Callable[[Given], Grades]) -> Callable[[Given], Grades]:
        RULES.add(name, MergeRule(name, words, settle, needs_assignment))
        return settle

    return register


@merge_rule("error", "none: different grades are an error")
def undecided(given: Given) -> Grades:
    """Decide nothing."""
    return np.full(given.grades.shape[1], UNSAMPLED, np.int32)


@merge_rule("own", "the grade of the topic's own assessor", needs_assignment=True)
def own_assessor(given: Given) -> Grades:
    """Take the grade of the topic's own assessor; undecided where they gave none."""
    found = np.take_along_axis(given.grades, np.maximum(given.own, 0)[None], axis=0)[0]
    return np.where(given.own >= 0, found, UNSAMPLED).astype(np.int32)


@merge_rule("majority", "the grade that most judges gave; a tie is an error")
def majority(given: Given) -> Grades:
    """Take the most frequent grade; undecided where two are equally frequent."""
    best = np.full(given.grades.shape[1], UNSAMPLED, np.int32)
    most = np.zeros(len(best), np.int64)
    for grade in np.unique(given.grades[given.grades >= 0]).tolist():
        votes = (given.grades == grade).sum(axis=0)
        best = np.where(votes > most, grade, np.where((votes == most) & (votes > 0), UNSAMPLED, best))
        most = np.maximum(most, votes)
    return best.astype(np.int32)


@merge_rule("median", "the median, the lower one of an even number of grades")
def median(given: Given) -> Grades:
    """Take the grade in the middle, the lower of two."""
    ordered, judges = np.sort(given.grades, axis=0), (given.grades >= 0).sum(axis=0)
    middle = len(given.grades) - judges + np.maximum(judges - 1, 0) // 2
    found: Grades = np.take_along_axis(ordered, np.minimum(middle, len(ordered) - 1)[None], axis=0)[0]
    return found


@merge_rule("highest", "the highest grade")
def highest(given: Given) -> Grades:
    """Take the highest grade."""
    found: Grades = given.grades.max(axis=0)
    return found


@merge_rule("lowest", "the lowest grade")
def lowest(given: Given) -> Grades:
    """Take the lowest grade."""
    above = np.where(given.grades >= 0, given.grades, np.iinfo(np.int32).max).min(axis=0)
    return np.where((given.grades >= 0).any(axis=0), above, UNSAMPLED).astype(np.int32)


@merge_rule("first", "the grade of the first file")
def first(given: Given) -> Grades:
    """Take the first grade in the order of the files."""
    judged = np.argmax(given.grades >= 0, axis=0)
    found: Grades = np.take_along_axis(given.grades, judged[None], axis=0)[0]
    return found


@merge_rule("last", "the grade of the last file")
def last(given: Given) -> Grades:
    """Take the last grade in the order of the files."""
    return first(Given(given.grades[::-1], given.own))
