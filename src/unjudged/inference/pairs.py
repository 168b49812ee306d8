"""Pairs of systems: differences over queries, with their outcomes, intervals and effect sizes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.choices import check_confidence
from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Ints, Mask
from unjudged.base.wording import shortlist
from unjudged.evidence.contrast import Clusters, independent
from unjudged.evidence.distributions import t_quantile
from unjudged.evidence.mean_intervals import Shape, shape_of, t_half
from unjudged.measures.kernel.measure import ROUNDING, mean_over_queries, without_rounding

CELLS = 1 << 21
"""How many numbers a block of differences or of resampled means may hold, so that memory stays bounded."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Pair k is system `first[k]` minus `second[k]`; `scores[i, j]` is what system i scores on query j.

    Queries in `clusters` are not independent of each other.

    >>> pairs = Pairs.of([[0.1, 0.5, 0.9], [0.2, 0.5, 0.6], [0.3, 0.3, 0.3]])
    >>> [(int(a), int(b)) for a, b in zip(pairs.first, pairs.second)]
    [(0, 1), (0, 2), (1, 2)]
    >>> pairs.difference.round(4).tolist()
    [0.0667, 0.2, 0.1333]
    """

    scores: Floats
    first: Ints
    second: Ints
    clusters: Clusters | None = None

    @classmethod
    def of(cls, scores: Any, baseline: int | None = None) -> Pairs:
        """All pairs of systems, or every other system minus the baseline."""
        values = np.asarray(scores, float)
        if values.ndim != 2 or values.shape[0] < 2 or values.shape[1] < 1:
            raise UsageError(
                f"scores have the shape {values.shape}, expected (systems, queries) with at least two systems"
            )
        if not np.isfinite(values).all():
            system, query = np.argwhere(~np.isfinite(values))[0]
            value = values[system, query]
            raise UsageError(f"the score of system {system} on query {query} is {value}, expected a number")
        systems = len(values)
        if baseline is None:
            return cls(values, *np.triu_indices(systems, 1))
        if not 0 <= baseline < systems:
            raise UsageError(f"baseline is system {baseline}, expected one of 0 to {systems - 1}")
        others = np.delete(np.arange(systems), baseline)
        return cls(values, others, np.full(systems - 1, baseline))

    def __len__(self) -> int:
        return len(self.first)

    @property
    def queries(self) -> int:
        """Number of queries."""
        return int(self.scores.shape[1])

    @property
    def parts(self) -> int:
        """Number of independent parts: clusters, or else queries."""
        return independent(self.queries, self.clusters)

    @cached_property
    def values(self) -> Floats:
        """Pairs x queries: the differences."""
        return self.scores[self.first] - self.scores[self.second]

    @cached_property
    def tolerance(self) -> float:
        """Differences up to this size are rounding errors."""
        return ROUNDING * float(np.abs(self.scores).max())

    @cached_property
    def difference(self) -> Floats:
        """Mean difference of each pair; 0 where it is a rounding error."""
        return without_rounding(mean_over_queries(self.values, exact=False), self.scores)

    @cached_property
    def shape(self) -> Shape:
        """Shape of each pair's differences."""
        return shape_of(self.values, self.clusters)

    @cached_property
    def deviation(self) -> Floats:
        """Standard deviation of each pair's differences over queries; 0 where it is a rounding error."""
        return np.where(self.shape.deviation <= self.tolerance, 0.0, self.shape.deviation)

    @cached_property
    def identical(self) -> Mask:
        """Pairs of systems that score the same on every query."""
        return np.asarray(np.abs(self.values).max(axis=1) <= self.tolerance)


def place_of_baseline(baseline: str | None, systems: Sequence[str]) -> int | None:
    """Return the place of the baseline among at least two systems."""
    if len(systems) < 2:
        raise UsageError("one run cannot be compared: give two or more")
    if baseline is not None and baseline not in systems:
        raise UsageError(f"the baseline {baseline!r} is not among the runs: {shortlist(systems)}")
    return None if baseline is None else list(systems).index(baseline)


def pairs_of(systems: Sequence[object], baseline: str | None = None) -> tuple[Ints, Ints]:
    """Return which systems are compared: each with those given before it, or with the baseline.

    A row is the later one minus the earlier one, or the system minus the baseline.
    """
    if baseline is None:
        earlier, later = np.triu_indices(len(systems), 1)
        return later, earlier
    place = list(systems).index(baseline)
    others = np.delete(np.arange(len(systems)), place)
    return others, np.full(len(others), place)


class Interval(NamedTuple):
    """A value per pair with the ends of its interval."""

    value: Floats
    low: Floats
    high: Floats


def outcomes(pairs: Pairs) -> dict[str, Floats]:
    """Return on how many queries each first system is better, equal, worse, but for rounding errors.

    >>> outcomes(Pairs.of([[0.3, 0.5, 0.1, 0.9], [0.1 + 0.2, 0.2, 0.4, 0.8]]))
    {'wins': array([2]), 'ties': array([1]), 'losses': array([1])}
    """
    wins, losses = ((sign * pairs.values > pairs.tolerance).sum(axis=1) for sign in (1, -1))
    return {"wins": wins, "ties": pairs.queries - wins - losses, "losses": losses}


def t_interval(pairs: Pairs, confidence: float = 0.95) -> Interval:
    """Mean D +- t_{n-1} sd / sqrt(n): the mean difference had other queries been asked.

    Neither one query nor differences that are all equal show how far others differ: the interval is then the
    whole line.
    """
    check_confidence(confidence)
    value, n = pairs.difference, pairs.shape.n
    half = np.full(len(pairs), np.inf)
    if (varies := pairs.deviation > 0).any():
        half[varies] = t_half(pairs.deviation[varies], n, confidence)
    return Interval(value, value - half, value + half)


def effect_size(pairs: Pairs, confidence: float = 0.95) -> Interval:
    """Return the difference in standard deviations over queries: d = mean D / sd D, d +- t_{n-1} max(s, s').

    s = sqrt((1 + d^2 / 2) / n) is right for Normal differences. s' is the jackknife's standard error, which
    also sees skewed and heavy-tailed ones; the larger of the two is taken. Of queries in clusters, n is as
    many as vary as little in the mean, and the jackknife leaves out clusters.

    Where all differences are equal but not 0, d is infinite; then, and below three queries or clusters, the
    interval is the whole line. Identical systems have d = 0.
    """
    check_confidence(confidence)
    mean, (_, deviation, _, n) = pairs.difference, shape_of(pairs.values)
    deviation = np.where(deviation <= pairs.tolerance, 0.0, deviation)
    constant = np.where(pairs.identical, 0.0, np.copysign(np.inf, mean))
    d = np.divide(mean, deviation, out=constant, where=deviation > 0)
    low, high = np.full(len(pairs), -np.inf), np.full(len(pairs), np.inf)
    if pairs.parts > 2:
        finite = np.isfinite(d)
        share = np.full(len(pairs), 1 / n)
        if pairs.clusters is not None:
            error = pairs.deviation**2 / pairs.shape.n
            share = np.divide(error, deviation**2, out=share, where=deviation > 0)
        error = np.maximum(np.sqrt((1 + d**2 / 2) * share), _jackknife(pairs, deviation))[finite]
        half = t_quantile(confidence, pairs.shape.n - 1) * error
        low[finite], high[finite] = d[finite] - half, d[finite] + half
    return Interval(d, low, high)


def _jackknife(pairs: Pairs, deviation: Floats) -> Floats:
    """Return the standard error of d from leaving out one query or cluster at a time, of three or more.

    With z = (D - mean D) / sd D, whose sum over the m that are left out is S and whose sum of squares is Q,
    the value without them is (d - S / (n - m)) / sqrt((n - 1 - Q - S^2 / (n - m)) / (n - m - 1)).
    """
    n, parts, rows, found = pairs.queries, pairs.parts, deviation > 0, np.zeros(len(pairs))
    z = (pairs.values[rows] - pairs.difference[rows, None]) / deviation[rows, None]
    d, total, squares = (pairs.difference[rows] / deviation[rows])[:, None], z, z**2
    left = np.full(n, n - 1.0)
    if pairs.clusters is not None:
        total, squares = pairs.clusters.sums(z), pairs.clusters.sums(squares)
        left = n * (1 - pairs.clusters.share)
    variance = (n - 1 - squares - total**2 / left) / np.maximum(left - 1, 1)
    top, flat = d - total / left, variance <= ROUNDING  # without these all differences are equal
    without = np.where(flat, 0.0, top / np.sqrt(np.where(flat, 1.0, variance)))
    gaps = without - without.mean(axis=1, keepdims=True)
    found[rows] = np.sqrt((parts - 1) / parts * (gaps**2).sum(axis=1))
    found[np.flatnonzero(rows)[(flat & (np.abs(top) > ROUNDING)).any(axis=1)]] = np.inf
    return found
