"""One verdict on two systems: would other queries say the same, and could more judging change it?

The share seen s* is what may be expected of the unjudged documents that favour the system behind. A result
that holds as judged and at s* is `better`. Each word of the output has one function here, on arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.base.segments import Floats, Integers, Mask
from unjudged.evidence.contrast import Ends
from unjudged.measures.kernel.measure import ROUNDING

HOLD, MAY_DIFFER = "hold", "may differ"
CANNOT, UNLIKELY = "cannot change it", "is unlikely to change it"
BLUR, FLIP, UNKNOWN = "could blur it", "could flip it", "unknown"
BETTER, NEEDS_JUDGING, NEEDS_QUERIES = "better", "needs judging", "needs queries"
NEEDS_BOTH, FEW_QUERIES = "needs both", "few queries"
HEADLINES = (BETTER, NEEDS_JUDGING, NEEDS_QUERIES, NEEDS_BOTH, FEW_QUERIES)
MORE_JUDGING = (CANNOT, UNLIKELY, BLUR, FLIP, UNKNOWN)
OTHER_QUERIES = (HOLD, MAY_DIFFER)
ENOUGH_QUERIES = 10
"""With fewer queries no system is called better."""

TRIED = (0.01, 0.03, 0.1, 0.3, 1.0)
STEPS, PRECISION = 100, 1e-12
PRECISION_OF_DRAWN = 1e-6
"""Shares from random completions are steps, and no more exact than this."""


@dataclass(frozen=True, eq=False)
class Judging:
    """What is known of judging: does the order of each pair stay, and does the test hold, at s* and at worst?

    `known` is where something says what judging could change. `excluded` is where bounds exclude that the
    order changes. The careful p values, as judged, at s* and at worst, are for other queries.
    """

    p: Floats
    known: Mask
    excluded: Mask
    leads: Mask
    p_seen: Floats
    p_worst: Floats

    @classmethod
    def nothing(cls, p: Floats) -> Judging:
        """Return what is known without any judgments."""
        none, ones = np.zeros(len(p), bool), np.ones(len(p))
        return cls(p, none, none, none, ones, ones)

    @classmethod
    def of(
        cls, p: Floats, known: Mask, ends: Ends | None, seen: tuple[Mask, Floats], worst: tuple[Mask, Floats]
    ) -> Judging:
        """Return what judging leaves open, by where leads stay at s* and at worst, and their p values."""
        excluded = np.zeros(len(seen[0]), bool) if ends is None else excludes_change(ends)
        return cls(p, known, excluded, *seen, worst[1])


def verdicts(holds: Mask, seen: Mask, worst: Mask, judging: Judging, queries: int) -> dict[str, Any]:
    """Return the answers as columns of words, and whether it is better in the worst case too.

    `holds`, `seen` and `worst` say where the test holds as judged, at s* and at worst.

    >>> yes, no = np.array([True]), np.array([False])
    >>> p = np.ones(1)
    >>> verdicts(yes, yes, no, Judging(p, yes, no, yes, p, p), 50)["headline"].tolist()
    ['better']
    """
    other = np.where(holds, HOLD, MAY_DIFFER).astype(object)
    stays = judging.excluded | judging.leads
    more = np.full(len(holds), UNLIKELY, object)
    more[judging.excluded & (~holds | worst)] = CANNOT
    more[holds & stays & ~seen] = BLUR
    more[~stays] = FLIP
    more[~judging.known] = UNKNOWN
    turned = (more == BLUR) | (more == FLIP)
    headline = np.select(
        [holds & ~turned, holds, ~turned], [BETTER, NEEDS_JUDGING, NEEDS_QUERIES], NEEDS_BOTH
    ).astype(object)
    if queries < ENOUGH_QUERIES:
        headline[:] = FEW_QUERIES
    sure = holds & worst & judging.known
    return {"other_queries": other, "more_judging": more, "headline": headline, "sure": sure}


def other_headline(headline: np.ndarray, others: Sequence[np.ndarray]) -> np.ndarray:
    """Return the headline that another order of tied documents gives, None where it is the same."""
    found = np.full(len(headline), None, object)
    for other in others:
        found = np.where(other != headline, other, found)
    return found


def excludes_change(ends: Ends) -> Mask:
    """Return where the ends of a difference have the same sign, or are both 0."""
    same = (np.abs(ends.low) <= ROUNDING) & (np.abs(ends.high) <= ROUNDING)
    return (ends.low > ROUNDING) | (ends.high < -ROUNDING) | same


def lowest_share(
    turned: Callable[[Floats, Integers], Floats], pairs: int, chosen: Integers, precision: float = PRECISION
) -> Floats:
    """Return the lowest share in [0, 1] at which `turned` is not negative, infinite if it always is.

    Only the `chosen` pairs are asked about. Shares of TRIED are tried one after another. The first that turns
    a pair is narrowed down by the rule of false position (Illinois), which finds the share of a straight line
    at once.
    """
    low, high = np.zeros(pairs), np.full(pairs, np.inf)
    at_low, at_high = np.full(pairs, np.nan), np.full(pairs, np.nan)
    if not len(chosen):
        return high
    at_low[chosen] = turned(np.zeros(len(chosen)), chosen)
    at_once = chosen[at_low[chosen] >= 0]
    high[at_once] = 0.0
    some = chosen[at_low[chosen] < 0]
    for tried in TRIED:
        if not len(some):
            break
        now = turned(np.full(len(some), tried), some)
        turns = now >= -ROUNDING
        high[some[turns]], at_high[some[turns]] = tried, now[turns]
        some = some[~turns]
        low[some], at_low[some] = tried, now[~turns]
    some, before = np.flatnonzero(np.isfinite(high)), np.full(pairs, -1)
    for _ in range(STEPS):
        some = some[high[some] - low[some] > precision]
        if not len(some):
            break
        left, right, down, up = low[some], high[some], at_low[some], at_high[some]
        rise = np.maximum(up, 0) - down
        middle = left + (right - left) * -down / np.where(rise > 0, rise, 1.0)
        middle = np.clip(middle, left + precision / 4, right - precision / 4)  # so that both ends close in
        now = turned(middle, some)
        turns = now >= 0
        again = np.where(before[some] == turns, 0.5, 1.0)  # an end that stays twice counts half
        high[some], at_high[some] = np.where(turns, middle, right), np.where(turns, now, up * again)
        low[some], at_low[some] = np.where(turns, left, middle), np.where(turns, down * again, now)
        before[some] = turns
    return high
