"""Tests of the same pairs on the same topics, by the grades of the first assessors and of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from unjudged.base.wording import counted, p_text, shortlist
from unjudged.comparison.testing.pairs import Pairs
from unjudged.comparison.testing.significance import SignificanceTest, p_values
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.second_assessors import AssessorShifts


class UnderAssessors(NamedTuple):
    """A pair on the topics that some second assessors judged too, each by one of them.

    `difference` and `p` are by their grades, `first_difference` and `first_p` by the first grades of the same
    documents. The p values are not corrected.
    """

    assessors: tuple[str, ...]
    topics: int
    first_difference: float
    first_p: float
    difference: float
    p: float

    def conclusions(self, alpha: float) -> set[int]:
        """Return who is significantly ahead by each: 1 for a, -1 for b, 0 for neither."""
        tests = (self.first_difference, self.first_p), (self.difference, self.p)
        return {(gap > 0) - (gap < 0) if p <= alpha else 0 for gap, p in tests}

    def sentence(self) -> str:
        """Say what each says, with p values."""
        first = f"{self.first_difference:+.4f}, {p_text(self.first_p)} by the first grades"
        theirs = f"{self.difference:+.4f}, {p_text(self.p)} by those of {shortlist(self.assessors)}"
        return f"On {counted(self.topics, 'topic')} judged twice: {first}; {theirs}."


class PairsUnderAssessors(NamedTuple):
    """The tests of all pairs under one set of second assessors; arrays have one value per pair."""

    assessors: tuple[str, ...]
    topics: int
    first: tuple[Floats, Floats]
    second: tuple[Floats, Floats]

    def of_pair(self, k: int, *, turned: bool = False) -> UnderAssessors:
        """Return what is known of pair k; with `turned`, about second minus first."""
        (first, first_p), (second, p) = ((float(c[k]) for c in each) for each in (self.first, self.second))
        first, second = (-first + 0.0, -second + 0.0) if turned else (first, second)
        return UnderAssessors(self.assessors, self.topics, first, first_p, second, p)


def pairs_under_assessors(
    shifts: AssessorShifts | None, measure: Measure, test: SignificanceTest, place: int | None, **drawn: int
) -> Sequence[PairsUnderAssessors]:
    """Test all pairs, or those with a baseline, under each set of second assessors of several topics."""
    found: list[PairsUnderAssessors] = []
    if shifts is None:
        return found
    for names, columns in shifts.sets().items():
        if len(columns) < 2:
            continue
        tested = []
        first = shifts.first[:, columns]
        for values in (first, first + shifts.shift[:, columns]):
            pairs = Pairs.of(measure.averaged(values), place)
            tested.append((pairs.difference, p_values(pairs, test, **drawn).p))
        found.append(PairsUnderAssessors(names, len(columns), *tested))
    return found
