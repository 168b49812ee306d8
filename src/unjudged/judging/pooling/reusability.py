"""What a collection holds, topic by topic, and whether it judges a new run as fairly as the pooled ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.agreement.orders import tau
from unjudged.base.errors import UsageError
from unjudged.grids.grid import Cell, Column, Grid, Shown
from unjudged.judging.pooling.contributions import Groups, leave_one_out
from unjudged.judging.pooling.pool import Pool
from unjudged.measures.kernel.averages import ratio
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.left_out import check_pooled

SMALL, NOTABLE = 0.01, 0.05
"""Mean changes below 1 % are small; a single change above 5 % is worth a warning."""


def topic_statistics(pool: Pool, measure: MeasureLike = "AP") -> Grid:
    """Per topic: pooled, judged, relevant by grade, and the best, median and worst run.

    >>> from unjudged import sample
    >>> topic_statistics(Pool.of(sample.qrels, sample.runs)).rows[0][:5]
    ['q01', 77, 58, 5, 7]
    """
    (chosen,) = parse_measures(measure)
    judgments = pool.judgments
    grades = [g for g in np.unique(judgments.grade).tolist() if g > 0]
    columns = [Column("query", "label"), Column("pooled", "integer"), Column("judged", "integer")]
    columns += [Column(f"grade {grade}", "integer") for grade in grades]
    columns += [Column(f"{chosen} best"), Column("median"), Column("worst"), Column("best run", "text")]
    values = chosen.compute(pool.rankings).reshape(len(pool.runs), len(judgments.queries))
    best = np.argmax(values, axis=0)
    parts = [np.diff(judgments.offsets), judgments.count(0)]
    parts += [judgments.count(grade, grade + 1) for grade in grades]
    rows: list[list[Cell]] = []
    for q, query in enumerate(judgments.queries):
        own = values[:, q]
        spread = float(own.max()), float(np.median(own)), float(own.min())
        rows.append([query, *(int(part[q]) for part in parts), *spread, pool.runs[int(best[q])]])
    return Grid(columns, rows, f"Topics, by {chosen}")


@dataclass(frozen=True, eq=False, repr=False)
class Reusability(Shown):
    """Every run's mean with all judgments, without those that only its group contributed, and adjusted.

    The adjustment of Webber and Park (2009) adds to a run that was not pooled the mean of what the runs of
    the other groups lost when their group was left out.
    """

    measure: str
    runs: Sequence[str]
    groups: Sequence[str]
    actual: Floats
    without: Floats
    adjusted: Floats

    @property
    def change(self) -> Floats:
        """Relative change of each run's mean, 0 for runs whose mean is 0."""
        return np.where(self.actual > 0, ratio(np.abs(self.actual - self.without), self.actual), 0.0)

    def tau(self, estimate: Floats) -> float:
        """Kendall's tau-b with the order by all judgments."""
        return tau(estimate, self.actual)

    def verdict(self) -> str:
        """Say in words what this means for new runs."""
        if not (self.actual > 0).any():
            return f"Unknown: no mean {self.measure} is above 0, so there is nothing to lose."
        mean, most = float(self.change.mean()), int(np.argmax(self.change))
        largest = float(self.change[most])
        shown = f"left out, a run's {self.measure} changes by {mean:.2%} on average, {largest:.2%} at most"
        if mean <= SMALL and largest <= NOTABLE:
            return f"Reusable: {shown}. A new run like the pooled ones is judged nearly as fairly."
        if mean <= SMALL:
            return (
                f"Reusable on average: {shown} ({self.runs[most]}). A new run that finds other documents "
                "than the pooled ones may be underrated: look at its share of unjudged documents."
            )
        return (
            f"Not reusable as it is: {shown} ({self.runs[most]}). Give new runs with bounds or calibrated "
            "intervals, or judge what only they retrieve."
        )

    def grid(self) -> Grid:
        columns = [Column("run", "label"), Column("group", "label"), Column(self.measure)]
        columns += [Column("left out"), Column("adjusted"), Column("change (%)", decimals=2)]
        numbers = np.stack([self.actual, self.without, self.adjusted, 100 * self.change], axis=1).tolist()
        rows = [[*row[:2], *row[2]] for row in zip(self.runs, self.groups, numbers, strict=True)]
        taus = [self.tau(estimate) for estimate in (self.without, self.adjusted)]
        errors = [float(np.abs(v - self.actual).mean()) for v in (self.without, self.adjusted)]
        notes = [
            self.verdict(),
            f"tau with all judgments: {taus[0]:.4f} left out, {taus[1]:.4f} adjusted.",
            f"Mean error: {errors[0]:.4f} left out, {errors[1]:.4f} adjusted (Webber and Park, 2009).",
        ]
        return Grid(columns, rows, "Reusability", notes)


def reusability(
    pool: Pool, measure: MeasureLike = "AP", *, depth: int = 100, groups: Groups | None = None
) -> Reusability:
    """Leave each group out of the pool, and see how far its runs' means change.

    >>> from unjudged import sample
    >>> found = reusability(Pool.of(sample.qrels, sample.runs), depth=20)
    >>> found.verdict().split(":")[0]
    'Not reusable as it is'
    """
    (chosen,) = parse_measures(measure)
    if not chosen.traits.estimates:  # an estimate from samples asks for itself
        check_pooled([chosen], pool.rankings)
    found = leave_one_out(pool, [chosen], depth, groups)
    names = [one.group for one in found]
    if len(set(names)) < 2:
        raise UsageError("one group only: nothing can be left out")
    actual = np.array([float(one.actual[0]) for one in found])
    rest = np.array([float(one.without[0]) for one in found])
    lost, group = actual - rest, np.array(names)
    adjusted = rest + np.array([lost[group != own].mean() for own in names])
    return Reusability(str(chosen), [one.run for one in found], names, actual, rest, adjusted)
