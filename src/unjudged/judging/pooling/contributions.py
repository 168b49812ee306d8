"""What runs or groups contributed to a pool, the pool without them, and whether it judges new runs fairly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unjudged.agreement.orders import tau
from unjudged.base.errors import UsageError
from unjudged.base.segments import numbered
from unjudged.base.wording import shortlist
from unjudged.grids.grid import Cell, Column, Grid, Shown
from unjudged.judging.pooling.designs import DEPTHS
from unjudged.judging.pooling.pool import Pool
from unjudged.measures.kernel.averages import ratio
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.left_out import LeftOut, check_pooled

Groups = Mapping[str, str]
"""The group of each run; a run without an entry forms its own group."""


class PoolSize(NamedTuple):
    """Number of documents in a pool of some depth."""

    depth: int
    documents: int
    per_query: float
    relevant: int


class Contribution(NamedTuple):
    """How many documents of the pool a run or group retrieved, and how many only it retrieved."""

    name: str
    documents: int
    relevant: int
    unique: int
    unique_relevant: int


class LeftOutRun(NamedTuple):
    """A run's means with all judgments, and without the documents that only its group contributed."""

    run: str
    group: str
    actual: Floats
    without: Floats


def sizes(pool: Pool, depths: Iterable[int]) -> list[PoolSize]:
    """Return the size of the pool at each depth (Yilmaz and Aslam, 2008, table 1).

    >>> from unjudged import sample
    >>> [size.per_query for size in sizes(Pool.of(sample.qrels, sample.runs), (1, 10))]
    [5.166666666666667, 41.333333333333336]
    """
    relevant = pool.judgments.grade >= 1
    found = []
    for depth in depths:
        top = pool.best <= depth
        many = int(top.sum())
        found.append(PoolSize(depth, many, many / len(pool.judgments.queries), int((top & relevant).sum())))
    return found


def contributions(pool: Pool, depth: int = 100, groups: Groups | None = None) -> list[Contribution]:
    """What each run or group contributed to the pool of this depth."""
    names, left_out = _groups(pool, depth, groups)
    row, owner = left_out.contributors.nonzero()
    relevant = pool.judgments.grade[row] >= 1
    unique = left_out.only_group[row] >= 0
    counts = [
        np.bincount(owner[chosen], minlength=len(names)).tolist()
        for chosen in (np.ones(len(row), bool), relevant, unique, unique & relevant)
    ]
    return [Contribution(name, *numbers) for name, *numbers in zip(names, *counts, strict=True)]


def without(pool: Pool, left_out: str, depth: int = 100, groups: Groups | None = None) -> Judgments:
    """Return the judgments as if a run or group had not taken part.

    Documents that only it has among its first `depth` documents would not have been pooled; they have no row.
    """
    names, grouped = _groups(pool, depth, groups)
    if left_out not in names:
        raise UsageError(f"no run or group is named {left_out!r}; there are: {shortlist(names)}")
    return chosen_rows(pool.judgments, grouped.only_group != names.index(left_out))


def leave_one_out(
    pool: Pool,
    measures: MeasureLike | Iterable[MeasureLike] = "AP",
    depth: int = 100,
    groups: Groups | None = None,
) -> list[LeftOutRun]:
    """Every run's means with all judgments, and without the documents that only its group contributed.

    >>> from unjudged import sample
    >>> found = leave_one_out(Pool.of(sample.qrels, sample.runs), depth=20)
    >>> [(one.run, round(float(one.actual[0] - one.without[0]), 4)) for one in found][:2]
    [('boolean', 0.0098), ('lexical', 0.0098)]
    """
    chosen = parse_measures(measures)
    names, left_out = _groups(pool, depth, groups)
    found: dict[int, LeftOutRun] = {}
    for g, group in enumerate(names):
        kept = left_out.only_group != g
        judgments, row = chosen_rows(pool.judgments, kept), numbered(np.flatnonzero(kept), len(kept))
        for i in np.flatnonzero(left_out.group == g).tolist():
            own = pool.rankings.run(i)
            pair = own, own.moved(judgments, row)
            means = (np.array([m.over_queries(m.compute(r)) for m in chosen]) for r in pair)
            found[i] = LeftOutRun(pool.runs[i], group, *means)
    return [found[i] for i in sorted(found)]


def _groups(pool: Pool, depth: int, groups: Groups | None) -> tuple[list[str], LeftOut]:
    """Return the names of the groups, and what each of them brought to the pool."""
    known = groups or {}
    for run in pool.runs:
        if run not in known and run in known.values():
            raise UsageError(f"run {run!r} is in no group, and a group has the same name: give it a group")
    group = [known.get(run, run) for run in pool.runs]
    names = list(dict.fromkeys(group))
    return names, LeftOut.of(pool.rankings, [names.index(name) for name in group], depth)


def pool_grids(pool: Pool, depth: int, groups: Groups | None, measures: Sequence[Measure]) -> list[Grid]:
    """Return the size of the pool at each depth, and what each run or group contributed.

    With measures, which need judgments: also how many of these documents are relevant, and every run's score
    with and without the documents that only its own group contributed.
    """
    judged = bool(measures)
    columns = [Column("depth", "integer"), Column("documents", "integer"), Column("per query", decimals=1)]
    columns += [Column("relevant", "integer")] if judged else []
    depths = [*(k for k in DEPTHS if k < depth), depth]
    made = [Grid(columns, [size[: len(columns)] for size in sizes(pool, depths)])]
    names = ["documents", "unique", *(["relevant", "unique relevant"] if judged else [])]
    rows: list[list[Cell]] = [
        [c.name, c.documents, c.unique, *([c.relevant, c.unique_relevant] if judged else [])]
        for c in contributions(pool, depth, groups)
    ]
    label = Column("group" if groups else "run", "label")
    made.append(Grid([label, *(Column(name, "integer") for name in names)], rows))
    return [*made, _left_out(pool, depth, groups, measures)] if judged else made


def _left_out(pool: Pool, depth: int, groups: Groups | None, measures: Sequence[Measure]) -> Grid:
    columns = [Column("run", "label")]
    for name in map(str, measures):
        columns += [Column(name), Column(f"{name} without its own")]
    rows: list[list[Cell]] = [
        [one.run, *np.stack([one.actual, one.without], axis=1).ravel().tolist()]
        for one in leave_one_out(pool, measures, depth, groups)
    ]
    return Grid(columns, rows)


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
