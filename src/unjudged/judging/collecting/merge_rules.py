"""Rules by which a document with several grades gets one. Each is one registered function."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import Choices
from unjudged.rankings.judgments import UNSAMPLED

Grades = NDArray[np.int32]


class MergeRule(NamedTuple):
    """A rule, and in a few words which grade counts.

    It gets grades of judges x documents in the order of the files, -1 where a judge gave none, and returns
    one for each document, -1 where it cannot decide.
    """

    name: str
    words: str
    settle: Callable[[Grades], Grades]


RULES: Choices[MergeRule] = Choices("conflicts")
"""Every rule by name."""


def merge_rule(name: str, words: str) -> Callable[[Callable[[Grades], Grades]], Callable[[Grades], Grades]]:
    """Register a function as the rule `name`."""

    def register(settle: Callable[[Grades], Grades]) -> Callable[[Grades], Grades]:
        RULES.add(name, MergeRule(name, words, settle))
        return settle

    return register


@merge_rule("error", "none: different grades are an error")
def undecided(given: Grades) -> Grades:
    """Decide nothing."""
    return np.full(given.shape[1], UNSAMPLED, np.int32)


@merge_rule("majority", "the grade that most judges gave; a tie is an error")
def majority(given: Grades) -> Grades:
    """Take the most frequent grade; undecided where two are equally frequent."""
    best = np.full(given.shape[1], UNSAMPLED, np.int32)
    most = np.zeros(len(best), np.int64)
    for grade in np.unique(given[given >= 0]).tolist():
        votes = (given == grade).sum(axis=0)
        best = np.where(votes > most, grade, np.where((votes == most) & (votes > 0), UNSAMPLED, best))
        most = np.maximum(most, votes)
    return best.astype(np.int32)


@merge_rule("median", "the median, the lower one of an even number of grades")
def median(given: Grades) -> Grades:
    """Take the grade in the middle, the lower of two."""
    ordered, judges = np.sort(given, axis=0), (given >= 0).sum(axis=0)
    middle = len(given) - judges + np.maximum(judges - 1, 0) // 2
    found: Grades = np.take_along_axis(ordered, np.minimum(middle, len(ordered) - 1)[None], axis=0)[0]
    return found


@merge_rule("highest", "the highest grade")
def highest(given: Grades) -> Grades:
    """Take the highest grade."""
    found: Grades = given.max(axis=0)
    return found


@merge_rule("lowest", "the lowest grade")
def lowest(given: Grades) -> Grades:
    """Take the lowest grade."""
    above = np.where(given >= 0, given, np.iinfo(np.int32).max).min(axis=0)
    return np.where((given >= 0).any(axis=0), above, UNSAMPLED).astype(np.int32)


@merge_rule("first", "the grade of the first file")
def first(given: Grades) -> Grades:
    """Take the first grade in the order of the files."""
    judged = np.argmax(given >= 0, axis=0)
    found: Grades = np.take_along_axis(given, judged[None], axis=0)[0]
    return found


@merge_rule("last", "the grade of the last file")
def last(given: Grades) -> Grades:
    """Take the last grade in the order of the files."""
    return first(given[::-1])
