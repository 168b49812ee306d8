"""Extremes of binary preference over the number of unknown documents that turn out relevant.

Bpref sums 1 - min(n, most) / worst over relevant documents, n the nonrelevant ones above. Within a ranking n
never falls with the rank, so the sum of min(n, most) is a sum up to a place and a constant after it: every
number of relevant documents takes a few searches instead of a pass over the ranking.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.base.segments import ends, owners, owners_by_ends, places
from unjudged.measures.kernel.registry import Measure, ratio
from unjudged.rankings.judged import Floats, Integers, JudgedRankings


@dataclass(frozen=True, eq=False)
class Rising:
    """Whole numbers that never fall within a ranking, rankings end to end."""

    values: Integers
    offsets: Integers

    @cached_property
    def highest(self) -> int:
        return int(self.values.max(initial=0)) + 2

    @cached_property
    def keys(self) -> Integers:
        """Numbers that rise from ranking to ranking, and never fall within one."""
        return owners_by_ends(self.offsets) * self.highest + self.values

    @cached_property
    def sums(self) -> Integers:
        return ends(self.values)

    def below(self, ranking: Integers, limit: Integers) -> Integers:
        """Where the values of each ranking reach a limit."""
        place: Integers = np.searchsorted(
            self.keys, ranking * self.highest + np.clip(limit, 0, self.highest - 1)
        )
        return place

    def capped(self, ranking: Integers, start: Integers, stop: Integers, cap: Integers) -> Integers:
        """Sum of min(value, cap) over places start to stop of each ranking; 0 for a negative cap."""
        turn = np.clip(self.below(ranking, cap), start, stop)
        capped: Integers = self.sums[turn] - self.sums[start] + (stop - turn) * np.maximum(cap, 0)
        return capped


def extremes(
    measure: Measure, r: JudgedRankings, unknown: JudgedRankings, *, turn: bool
) -> tuple[Floats, Floats]:
    """Return the lowest and highest value; `turn` is False if no unknown document can be relevant."""
    rel = int(measure.given.get("rel", 1))
    hits, nonrelevant = r.relevant(rel), r.where((r.labels >= 0) & (r.labels < rel))
    above_hits, above_unknown = _above(nonrelevant, hits), _above(nonrelevant, unknown)
    unknown_above = _above(unknown, hits)
    a = Rising(above_hits, hits.offsets)
    b = Rising(above_hits + unknown_above, hits.offsets)
    passed = Rising(unknown_above, hits.offsets)
    u = Rising(above_unknown, unknown.offsets)

    counts = unknown.counts
    size = np.where(turn, counts, 0) + 1
    first, ranking, j = ends(size)[:-1], owners(size), places(size) - 1
    relevant = r.known(rel)[ranking] + j
    most, worst = _most_and_worst(measure, relevant, r.known(0, rel)[ranking] + counts[ranking] - j)
    start, stop = hits.offsets[ranking], hits.offsets[ranking + 1]
    u_start, u_stop = unknown.offsets[ranking], unknown.offsets[ranking + 1]

    def value(lost: Integers) -> Floats:
        return ratio(stop - start + j - ratio(lost, worst), relevant)

    split = passed.below(ranking, j)  # hits above the j-th unknown document have fewer than j of them above
    lost = u.capped(ranking, u_start, u_start + j, most)
    lost = lost + a.capped(ranking, start, split, most)
    lost = lost + b.capped(ranking, split, stop, most + j) - j * (stop - split)
    high = np.maximum.reduceat(value(lost), first)

    z = counts[ranking] - j  # the first z unknown documents are nonrelevant
    split = passed.below(ranking, z + 1)
    cap, shift = np.maximum(most - z, 0), np.minimum(most, z)
    lost = u.capped(ranking, u_start + z, u_stop, cap) + j * shift
    lost = lost + b.capped(ranking, start, split, most)
    lost = lost + a.capped(ranking, split, stop, cap) + (stop - split) * shift
    low = np.minimum.reduceat(value(lost), first)
    return low, high


def _most_and_worst(measure: Measure, relevant: Integers, nonrelevant: Integers) -> tuple[Integers, Integers]:
    if measure.name == "Bpref10":
        return relevant + 10, relevant + 10
    if measure.given.get("form", "trec_eval") == "trec_eval":
        return relevant, np.minimum(relevant, nonrelevant)
    return relevant, relevant


def _above(counted: JudgedRankings, chosen: JudgedRankings) -> Integers:
    """For each chosen document, how many of the counted ones stand above it in its ranking."""
    deepest = int(counted.retrieved.max(initial=0)) + 2
    place = np.searchsorted(
        counted.ranking * deepest + counted.rank, chosen.ranking * deepest + chosen.rank.astype(np.int64)
    )
    above: Integers = place - counted.offsets[chosen.ranking]
    return above
