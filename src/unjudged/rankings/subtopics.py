"""Subtopics that documents are relevant to: the grades of judgments by subtopic are sets, bit by bit."""

from __future__ import annotations

import numpy as np

from unjudged.base.segments import Integers
from unjudged.rankings.judgments import UNSAMPLED, Judgments
from unjudged.rankings.origin import BY_SUBTOPIC


def subtopics_of(judgments: Judgments) -> Integers:
    """Return the set of subtopics that each row is relevant to, -1 for a row that is not judged.

    Without subtopics, everything relevant is relevant to one.

    >>> subtopics_of(Judgments.by_subtopic([("q", 1, "a", 1), ("q", 2, "a", 1), ("q", 2, "b", 1)]))
    array([3, 2])
    """
    most = np.iinfo(np.int32).max if judgments.origin.kind == BY_SUBTOPIC else 1
    return np.clip(judgments.grade, UNSAMPLED, most).astype(np.int64)


def every_subtopic(judgments: Judgments) -> Integers:
    """Return for each query the set of the subtopics that have a relevant document, one if none has."""
    found = np.zeros(len(judgments.queries), np.int64)
    np.bitwise_or.at(found, judgments.query, np.maximum(subtopics_of(judgments), 0))
    return np.maximum(found, 1)
