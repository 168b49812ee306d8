"""Differences by segment of the queries, and whether the segments differ from each other."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import NamedTuple

import numpy as np

from unjudged.base.wording import counted, p_text, percent, shortlist
from unjudged.comparison.by_measure import MeasureComparison, finite_or_none
from unjudged.comparison.testing.corrections import Correction, find_correction
from unjudged.comparison.testing.interaction import PERMUTATIONS, interaction_p
from unjudged.comparison.testing.pairwise import PairTests, corrected_together
from unjudged.comparison.testing.power import first_level, smallest_difference
from unjudged.evaluation.query_segments import with_every
from unjudged.grids.grid import Cell, Column, Grid, Shown, grid_of
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.rankings.judged import Floats, Mask

POWER = 0.8
PROMISING, MOST_PERMUTATIONS = 0.001, 99_999
SAME_SIGN = "the difference is not the same in all segments"
UNTESTED = "Whether segments differ is not tested: that takes two segments of more than one query each."


class SegmentDifference(NamedTuple):
    """A minus B over the queries of a segment, or of all.

    `low` and `high` are its t interval for other queries of the segment. `p_adjusted` is corrected over
    segments and pairs, and over measures if the comparison is; that of all queries is as in the comparison.
    Both are NaN for one query. `detectable` is the difference that the paired t test shows with power .8 if
    so many queries vary as these do and no other test is significant. `verdict` is that on all queries.
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
    verdict: str | None


class Interaction(NamedTuple):
    """Whether the segments differ from each other in the difference of two systems.

    `p_adjusted` is corrected over pairs, and over measures if the comparison is. Both are NaN if fewer than
    two segments have more than one query.
    """

    measure: str
    a: str
    b: str
    p: float
    p_adjusted: float


@dataclass(frozen=True, eq=False, repr=False)
class SegmentComparison(Shown):
    """Differences by segment, a row each and one for all; `interactions` has a test per pair and measure.

    `method` says which tests and corrections were made, and at which levels a difference is detectable.
    """

    rows: Sequence[SegmentDifference]
    interactions: Sequence[Interaction]
    method: str
    alpha: float
    lower: Container[str] = ()
    """Measures whose lower values are better."""

    def sentences(self) -> list[str]:
        """Say for each pair and measure whether segments differ, and where the total misleads."""
        said = [line for found in self.interactions for line in self._about(found)]
        return list(dict.fromkeys(said))

    def _about(self, found: Interaction) -> Iterator[str]:
        own = [row for row in self.rows if row[:3] == found[:3]]
        *parts, total = own
        several = len({row[:3] for row in self.rows}) > 1
        subject = f"{found.a} minus {found.b}, {found.measure}: " if several else ""
        if np.isnan(found.p):
            yield UNTESTED
        elif found.p_adjusted > self.alpha:
            yield f"{subject}No difference between segments is shown ({p_text(found.p_adjusted)})."
        else:
            signs = {np.sign(row.difference) for row in parts if row.queries > 1}
            so = "the mean alone misleads" if signs >= {-1, 1} else SAME_SIGN
            yield f"{subject}Segments differ from each other ({p_text(found.p_adjusted)}): {so}."
        turned = [row for row in parts if row.difference * total.difference < 0]
        if 2 * len(turned) > len(parts):
            higher, other = (found.a, found.b) if total.difference > 0 else (found.b, found.a)
            ahead, other = (other, higher) if found.measure in self.lower else (higher, other)
            largest = max(parts, key=lambda row: row.queries * row.difference * np.sign(total.difference))
            yield (
                f"{subject}The mean over all queries says the opposite of most segments: {ahead} is ahead "
                f"because of {largest.segment} ({counted(largest.queries, 'query')}), but behind {other} in "
                f"{shortlist([row.segment for row in turned])}."
            )
        unclear = [row for row in parts if row.p_adjusted > self.alpha and row.detectable is not None]
        if unclear:
            least = shortlist([f"{row.segment} {row.detectable:.3g}" for row in unclear])
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
            rows.append([*row, *map(finite_or_none, (r.low, r.high, r.p, r.p_adjusted)), r.detectable])
        level, what = percent(1 - self.alpha), "a minus b" if paired else f"{first.a} minus {first.b}"
        notes = [
            *self.sentences(),
            f"difference: {what}; low, high: {level} t interval for other queries of the segment.",
            self.method,
        ]
        return Grid(columns, rows, "By segment", notes, records=self.records)

    def records(self) -> Grid:
        """Return a row per segment for programs."""
        p = {found[:3]: [*map(finite_or_none, found[3:])] for found in self.interactions}
        rows = [[*row[:8], *map(finite_or_none, row[8:12]), *row[12:], *p[row[:3]]] for row in self.rows]
        fields = [*SegmentDifference._fields, "interaction_p", "interaction_p_adjusted"]
        return grid_of(fields, rows, [*self.sentences(), self.method])


def compare_segments(results: Sequence[MeasureComparison], segments: Mapping[str, Mask]) -> SegmentComparison:
    """Test every pair within each segment, and whether segments differ.

    Rows of all queries are those of the comparison. Tests of segments are corrected together, and so are
    tests between segments: per measure, or over measures if the comparison is. One query cannot be tested.
    """
    tests = results[0].tests
    correction = find_correction("holm") if tests.correction.joint else tests.correction
    every = with_every(segments, tests.pairs.queries)
    rows: list[SegmentDifference] = []
    interactions: list[Interaction] = []
    for family in [results] if tests.measures > 1 else [[result] for result in results]:
        parts = [result.tests.over(own, correction) for result in family for own in segments.values()]
        parts = _corrected(parts)
        between = _between(family, segments, correction)
        for place, result in enumerate(family):
            own = parts[place * len(segments) :][: len(segments)]
            for k in range(len(result.tests.pairs)):
                rows += [_row(result, *part, k) for part in zip(every, [*own, result.tests], strict=True)]
                interactions.append(Interaction(*rows[-1][:3], *next(between)))
    per_measure = len(results) > 1 and tests.measures == 1
    method = _method(tests, parts, len(segments), " per measure" * per_measure)
    lower = {str(result.measure) for result in results if result.measure.traits.lower}
    return SegmentComparison(rows, interactions, method, tests.alpha, lower)


def _corrected(parts: Sequence[PairTests]) -> list[PairTests]:
    """Correct the tests of all segments together; those of one query cannot be made and do not count."""
    made = [part for part in parts if part.pairs.queries > 1]
    after = iter(corrected_together(made) if made else [])
    none = np.full(len(parts[0].pairs), np.nan)
    return [
        next(after) if part.pairs.queries > 1 else replace(part, p=none, p_adjusted=none) for part in parts
    ]


def _between(
    family: Sequence[MeasureComparison], segments: Mapping[str, Mask], correction: Correction
) -> Iterator[tuple[float, float]]:
    """Yield p values that segments have one mean, before and after correction, for each pair by each measure.

    Where p is small there are so many draws that a pair which alone differs can be significant.
    """
    tests = family[0].tests
    more = min(ceil(tests.together / tests.alpha), MOST_PERMUTATIONS)

    def tested(difference: Floats) -> float:
        parts = [difference[own] for own in segments.values()]
        found = interaction_p(parts)
        return interaction_p(parts, draws=more) if found <= PROMISING and more > PERMUTATIONS else found

    p = np.array(
        [tested(one) for result in family for _, block in result.tests.pairs.blocks() for one in block]
    )
    after = p if np.isnan(p).any() else correction.function(p)
    return zip(p.tolist(), after.tolist(), strict=True)


def _method(tests: PairTests, parts: Sequence[PairTests], segments: int, per: str) -> str:
    """Say what is detectable, which tests are corrected together, and which cannot be made."""
    made, pairs = [part for part in parts if part.pairs.queries > 1], len(tests.pairs)
    part, tested = (made or parts)[0], len(made) * segments // len(parts)
    level, method = "alpha", f"{tests.test.heading}, {part.correction.title}"
    if part.correction.name != "none":
        each = f"{counted(tested, 'segment')}{f' of {pairs} pairs' if pairs > 1 else ''}"
        each += f" by {tests.measures} measures" if tests.measures > 1 else ""
        method += f" over {each if part.together == tested else f'{part.together} tests: {each}'}{per}"
        method += f"; between segments {tests.family}{per}" if tests.family else ""
        whole = f"; all: {tests.correction.title} {tests.family}{per}".rstrip()
        method += whole if tests.family or tests.correction.joint else ""
        whole = f"; all: alpha / {tests.together}" if tests.family else "; all: alpha"
        level = f"alpha / {part.together}{whole}" if part.together > 1 else level
    found = (
        f"detectable: what so many queries would show with power {POWER} if they vary as these do (paired "
    )
    found += f"t test at {level}). {method}."
    if tested < segments:
        found += f" {counted(segments - tested, 'segment')} of one query cannot be tested: not counted."
    if part.correction.name != "none" and tests.together / tests.alpha > MOST_PERMUTATIONS + 1:
        found += f" {MOST_PERMUTATIONS:,} draws cannot show that segments differ among so many tests."
    return found


def _row(result: MeasureComparison, segment: str, tests: PairTests, k: int) -> SegmentDifference:
    a, b = int(tests.pairs.first[k]), int(tests.pairs.second[k])
    mean_of = result.measure.mean_of
    value, low, high = (float(end[k]) for end in tests.difference)
    return SegmentDifference(
        str(result.measure),
        result.runs[a],
        result.runs[b],
        segment,
        tests.pairs.queries,
        float(mean_of(mean_over_queries(tests.pairs.scores[a]))),
        float(mean_of(mean_over_queries(tests.pairs.scores[b]))),
        value,
        low,
        high,
        float(tests.p[k]),
        float(tests.p_adjusted[k]),
        _detectable(tests, k),
        result.verdicts[k] if tests is result.tests else None,
    )


def _detectable(tests: PairTests, k: int) -> float | None:
    """Return the difference that so many queries show, if they vary as these do; None if nobody knows."""
    deviation, queries = float(tests.pairs.deviation[k]), tests.pairs.queries
    correction = "none" if tests.together == 1 else tests.correction.name
    level = first_level(tests.alpha, correction, tests.together)
    if deviation == 0 or level is None or level >= POWER:
        return None
    return smallest_difference(deviation, queries, power=POWER, alpha=level)
