"""Differences by segment of the queries, and whether the segments differ from each other."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import NamedTuple

import numpy as np

from unjudged.base.wording import counted, p_text, percent, shortlist
from unjudged.comparison.by_measure import MeasureComparison, finite_or_none
from unjudged.comparison.testing.corrections import Correction, find_correction
from unjudged.comparison.testing.pairs import CELLS
from unjudged.comparison.testing.pairwise import PairTests
from unjudged.comparison.testing.power import smallest_difference
from unjudged.evaluation.query_segments import with_every
from unjudged.grids.grid import Cell, Column, Grid, Shown, grid_of
from unjudged.rankings.judged import Floats, Integers, Mask

POWER = 0.8
PERMUTATIONS = 9_999
LEAST_VARIANCE = 1e-12
ROUNDING = 1e-9


class SegmentDifference(NamedTuple):
    """A minus B over the queries of a segment, or of all.

    `low` and `high` are its t interval for other queries of the segment. `p_adjusted` is corrected over
    segments and pairs; that of all queries is as in the comparison. `detectable` is the difference that this
    number of queries would have shown with power .8.
    """

    measure: str
    a: str
    b: str
    segment: str
    queries: int
    mean_a: float
    mean_b: float
    difference: float
    low: float
    high: float
    p: float
    p_adjusted: float
    detectable: float | None


class Interaction(NamedTuple):
    """Whether the segments differ from each other in the difference of two systems: a p value."""

    measure: str
    a: str
    b: str
    p: float


@dataclass(frozen=True, eq=False, repr=False)
class SegmentComparison(Shown):
    """Differences by segment, a row each and one for all; `interactions` has a test per pair and measure."""

    rows: Sequence[SegmentDifference]
    interactions: Sequence[Interaction]
    method: str
    alpha: float
    lower: Container[str] = ()
    """Measures whose lower values are better."""

    def sentences(self) -> list[str]:
        """Say for each pair and measure whether segments differ, and where the total misleads."""
        return [line for found in self.interactions for line in self._about(found)]

    def _about(self, found: Interaction) -> Iterator[str]:
        own = [row for row in self.rows if row[:3] == found[:3]]
        *parts, total = own
        several = len({row[:3] for row in self.rows}) > 1
        subject = f"{found.a} minus {found.b}, {found.measure}: " if several else ""
        if found.p <= self.alpha:
            yield f"{subject}Segments differ from each other ({p_text(found.p)}): the mean alone misleads."
        elif np.isfinite(found.p):
            yield f"{subject}No difference between segments is shown ({p_text(found.p)})."
        turned = [row for row in parts if row.difference * total.difference < 0]
        if 2 * len(turned) > len(parts):
            higher, other = (found.a, found.b) if total.difference > 0 else (found.b, found.a)
            ahead, other = (other, higher) if found.measure in self.lower else (higher, other)
            largest = max((row for row in parts if row not in turned), key=lambda row: row.queries)
            yield (
                f"{subject}The mean over all queries says the opposite of most segments: {ahead} is ahead "
                f"because of {largest.segment} ({counted(largest.queries, 'query')}), but behind {other} in "
                f"{shortlist([row.segment for row in turned])}."
            )
        unclear = [row for row in parts if row.p_adjusted > self.alpha and row.detectable is not None]
        if unclear:
            least = "; ".join(f"{row.segment} {row.detectable:.3f}" for row in unclear[:5])
            yield f"{subject}Not significant; what would have been, with power {POWER}: {least}."

    def grid(self) -> Grid:
        """Return a row per segment and one for all."""
        named = len({row.measure for row in self.rows}) > 1
        paired = len({row[1:3] for row in self.rows}) > 1
        first = self.rows[0]
        columns = [Column("measure", "label")] if named else []
        columns += [Column("a", "label"), Column("b", "label")] if paired else []
        columns += [Column("segment", "label"), Column("queries", "integer")]
        columns += [] if paired else [Column(first.a), Column(first.b)]
        columns += [Column("difference"), Column("low"), Column("high")]
        columns += [Column("p", "p value"), Column("adjusted", "p value"), Column("detectable")]
        rows: list[list[Cell]] = []
        for r in self.rows:
            row: list[Cell] = [*([r.measure] if named else []), *([r.a, r.b] if paired else [])]
            row += [r.segment, r.queries, *([] if paired else [r.mean_a, r.mean_b]), r.difference]
            rows.append(
                [*row, finite_or_none(r.low), finite_or_none(r.high), r.p, r.p_adjusted, r.detectable]
            )
        level, what = percent(1 - self.alpha), "a minus b" if paired else f"{first.a} minus {first.b}"
        notes = [
            *self.sentences(),
            f"difference: {what}; low, high: {level} t interval for other queries of the segment.",
            f"detectable: what these queries would have shown with power {POWER}. {self.method}",
        ]
        return Grid(columns, rows, "By segment", notes, records=self.records)

    def records(self) -> Grid:
        """Return a row per segment for programs."""
        p = {found[:3]: finite_or_none(found.p) for found in self.interactions}
        rows = [
            [*row[:8], finite_or_none(row.low), finite_or_none(row.high), *row[10:], p[row[:3]]]
            for row in self.rows
        ]
        return grid_of([*SegmentDifference._fields, "interaction_p"], rows, self.sentences())


def compare_segments(results: Sequence[MeasureComparison], segments: Mapping[str, Mask]) -> SegmentComparison:
    """Test every pair within each segment, and whether segments differ.

    Rows of all queries are those of the comparison. Tests of segments are corrected together, per measure.
    """
    tests = results[0].tests
    correction = find_correction("holm") if tests.correction.joint else tests.correction
    every = with_every(segments, tests.pairs.queries)
    rows: list[SegmentDifference] = []
    interactions: list[Interaction] = []
    for result in results:
        found = [result.tests.over(own) for own in segments.values()]
        corrected = correction.function(np.concatenate([part.p for part in found]))
        found = [
            replace(part, p_adjusted=after)
            for part, after in zip(found, np.split(corrected, len(found)), strict=True)
        ]
        differences = (one for _, block in result.tests.pairs.blocks() for one in block)
        for k, difference in enumerate(differences):
            parts = [difference[own] for own in segments.values()]
            spread = _spread(parts)
            rows += [
                _row(result, name, part, k, spread)
                for name, part in zip(every, [*found, result.tests], strict=True)
            ]
            interactions.append(Interaction(*rows[-1][:3], interaction_p(parts)))
    lower = {str(result.measure) for result in results if result.measure.traits.lower}
    method = _method(tests, correction, len(segments))
    return SegmentComparison(rows, interactions, method, tests.alpha, lower)


def _method(tests: PairTests, correction: Correction, segments: int) -> str:
    """Say which tests are corrected together."""
    pairs = len(tests.pairs)
    if correction.name == "none":
        return f"{tests.test.heading}, {correction.title}."
    over = f"over {counted(segments, 'segment')}"
    if pairs > 1:
        over = f"over {segments * pairs} tests: {counted(segments, 'segment')} of {pairs} pairs"
    whole = f"; all: {tests.correction.title} {tests.family}".rstrip()
    told = whole if pairs > 1 or tests.correction.joint else ""
    return f"{tests.test.heading}, {correction.title} {over}{told}."


def _spread(parts: Sequence[Floats]) -> float:
    """Return the standard deviation within segments."""
    freedom = sum(map(len, parts)) - len(parts)
    within = sum(float(((part - part.mean()) ** 2).sum()) for part in parts)
    return float(np.sqrt(within / freedom)) if freedom > 0 else 0.0


def _row(
    result: MeasureComparison, segment: str, tests: PairTests, k: int, spread: float
) -> SegmentDifference:
    a, b = int(tests.pairs.first[k]), int(tests.pairs.second[k])
    queries, mean_of = tests.pairs.queries, result.measure.mean_of
    value, low, high = (float(end[k]) for end in tests.difference)
    able = queries > 1 and spread > 0
    return SegmentDifference(
        str(result.measure),
        result.runs[a],
        result.runs[b],
        segment,
        queries,
        float(mean_of(tests.pairs.scores[a].mean())),
        float(mean_of(tests.pairs.scores[b].mean())),
        value,
        low,
        high,
        float(tests.p[k]),
        float(tests.p_adjusted[k]),
        smallest_difference(spread, queries, power=POWER, alpha=tests.alpha) if able else None,
    )


def interaction_p(parts: Sequence[Floats], *, draws: int = PERMUTATIONS, seed: int = 0) -> float:
    """Return the p value that segments have one mean: Welch's F with its queries assigned at random.

    The share of assignments of queries to segments with an F (Welch, 1951) as large is exact if segments are
    alike, and holds for many queries if their variances differ (Janssen, 1997). Two segments of few queries
    have all assignments, others so many random ones. With three or more segments of few queries each that
    share is too small where variances differ, and the p value is the larger of it and of Welch's own.
    Segments of one query are left out; NaN if fewer than two are left.

    >>> rng = np.random.default_rng(1)
    >>> head, tail = rng.normal(0.1, 0.1, 30), rng.normal(-0.1, 0.1, 30)
    >>> interaction_p([head, tail])
    0.0001
    """
    from scipy.special import fdtrc

    parts = [part for part in parts if len(part) > 1]
    if len(parts) < 2:
        return float("nan")
    values = np.concatenate(parts)
    if np.ptp(values) == 0:
        return 1.0
    sizes = np.array([len(part) for part in parts])
    statistic, freedom = _welch(values[None], sizes)
    p = _share_as_large(values, sizes, float(statistic[0]) * (1 - ROUNDING), draws, seed)
    return p if len(parts) == 2 else max(p, float(fdtrc(len(parts) - 1, freedom[0], statistic[0])))


def _share_as_large(values: Floats, sizes: Integers, least: float, draws: int, seed: int) -> float:
    """Return the share of assignments with at least this F; the one that was observed counts among them."""
    if len(sizes) == 2 and comb(len(values), int(sizes[0])) <= draws:
        firsts = np.array(list(combinations(range(len(values)), int(sizes[0]))))
        rests = np.nonzero(~(firsts[:, :, None] == np.arange(len(values))).any(axis=1))[1]
        every = values[np.concatenate([firsts, rests.reshape(len(firsts), -1)], axis=1)]
        return float((_welch(every, sizes)[0] >= least).mean())
    rng, reached = np.random.default_rng(seed), 1
    block = max(1, CELLS // len(values))
    for start in range(0, draws, block):
        drawn = rng.permuted(np.tile(values, (min(block, draws - start), 1)), axis=1)
        reached += int((_welch(drawn, sizes)[0] >= least).sum())
    return reached / (draws + 1)


def _welch(values: Floats, sizes: Integers) -> tuple[Floats, Floats]:
    """Return F and its second degrees of freedom for each row of values, segment after segment."""
    k, ends = len(sizes), np.cumsum(sizes)
    parts = np.split(values, ends[:-1], axis=1)
    means = np.stack([part.mean(axis=1) for part in parts], axis=1)
    variances = np.stack([part.var(axis=1, ddof=1) for part in parts], axis=1)
    weights = sizes / np.maximum(variances, LEAST_VARIANCE * np.ptp(values, axis=1, keepdims=True) ** 2)
    total = weights.sum(axis=1, keepdims=True)
    centre = (weights * means).sum(axis=1, keepdims=True) / total
    spread = ((1 - weights / total) ** 2 / (sizes - 1)).sum(axis=1)
    between = (weights * (means - centre) ** 2).sum(axis=1) / (k - 1)
    return between / (1 + 2 * (k - 2) / (k**2 - 1) * spread), (k**2 - 1) / (3 * spread)
