"""The experiment: judge less, by a design, and see what measures still say of the systems."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple

import numpy as np

from unjudged.errors import UsageError
from unjudged.evaluation import RunsSource
from unjudged.experiments.agreement import STATISTICS
from unjudged.experiments.checkpoint import Checkpoint
from unjudged.experiments.summary import summary_grid
from unjudged.experiments.workers import each
from unjudged.grids.grid import Grid
from unjudged.grids.shown import Shown
from unjudged.judging.pool import REST, Pool
from unjudged.measures.names import MeasureLike, parse_measures
from unjudged.measures.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import Judgments, JudgmentsSource

ITSELF = "itself"
DEFAULT_MEASURES = ("AP", "infAP", "indAP", "subAP", "Bpref", "Bpref10")
SEEDS_APART = 1000
"""So far apart are the samples of two seeds: up to this many repeats they share none."""
SHARES = tuple(p / 100 for p in (1, 2, 3, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100))
DEPTHS = (1, 2, 3, 4, 5, 8, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
LEVELS: dict[str, tuple[float, ...]] = {
    "random": SHARES,
    "depth": DEPTHS,
    "mixed": (1, 2, 3, 4, 5, 10, 20, 30, 40, 50),
    "stratified": SHARES,
}
"""The levels of each design if none are given: those of Yilmaz and Aslam (2008)."""


class Agreement(NamedTuple):
    """One statistic of one measure at one level, over the repeats."""

    design: str
    level: float
    judged: float
    measure: str
    against: str
    statistic: str
    mean: float
    deviation: float
    repeats: int


@dataclass(frozen=True, eq=False, repr=False)
class Robustness(Shown):
    """Every run's mean by each measure, at each level and repeat of a design, and with all judgments.

    `means[l, s, i, k]` is run i's mean by measure k at level l in repeat s; `actual[i, k]` its mean with all
    judgments and `reference[i]` that by the measure `against`. `judged[l, s]` counts the judged documents a
    query, `complete` all of them.
    """

    design: str
    levels: Sequence[float]
    runs: Sequence[str]
    measures: Sequence[Measure]
    against: Measure
    means: Floats
    actual: Floats
    reference: Floats
    judged: Floats
    complete: float

    @cached_property
    def agreement(self) -> list[Agreement]:
        """How far each measure agrees with the actual values of `against`, and with its own.

        Statistics of each repeat, then their mean and standard deviation (not a number for one repeat).
        """
        rows = []
        for (li, level), (k, measure) in product(enumerate(self.levels), enumerate(self.measures)):
            for against, actual in ((str(self.against), self.reference), (ITSELF, self.actual[:, k])):
                for name, statistic in STATISTICS.items():
                    values = np.array([statistic(means, actual) for means in self.means[li, :, :, k]])
                    spread = float(values.std(ddof=1)) if len(values) > 1 else float("nan")
                    judged = float(self.judged[li].mean())
                    place = self.design, float(level), judged, str(measure), against, name
                    rows.append(Agreement(*place, float(values.mean()), spread, len(values)))
        return rows

    def grid(self) -> Grid:
        """One row per measure and level, with the agreement between its means and the actual ones."""
        return summary_grid(self)

    def find(
        self, statistic: str, measure: MeasureLike, level: float, against: str | None = None
    ) -> Agreement:
        """One row of `agreement`."""
        wanted = statistic, str(parse_measures(measure)[0]), level, against or str(self.against)
        for row in self.agreement:
            if (row.statistic, row.measure, row.level, row.against) == wanted:
                return row
        raise UsageError(f"the experiment has no {statistic} of {measure} at level {level:g}")


def experiment(
    qrels: JudgmentsSource | Pool,
    runs: RunsSource | None = None,
    design: str = "random",
    *,
    levels: Iterable[float] | None = None,
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    against: MeasureLike = "AP",
    repeats: int = 10,
    seed: int = 0,
    top: int = 10,
    workers: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    on_step: Callable[[int], None] | None = None,
) -> Robustness:
    """Judge less and see what measures still say: every run's mean at each level against the actual one.

    `design` says what a level is: a share of the judged documents (`random`), the depth of a pool (`depth`,
    or `mixed` with as many documents drawn from the rest), or the share judged below the depth-`top` pool,
    which is judged whole (`stratified`). The sample of repeat s has the seed 1000 `seed` + s, so
    `Pool.random` and the others make it again; within a repeat the larger samples hold the smaller ones, but
    for what is drawn again.

    With several `workers` the samples are shared out to processes; the result does not change. A `checkpoint`
    file keeps what is done: after an interruption the same call goes on from there; delete it when the
    result is safe. `on_step` is told how many samples are done.

    >>> from unjudged import sample
    >>> found = experiment(sample.qrels, sample.runs, levels=[0.1, 0.5], measures=["AP", "infAP"], repeats=3)
    >>> round(found.find("bias", "AP", 0.1).mean, 3), round(found.find("bias", "infAP", 0.1).mean, 3)
    (-0.156, -0.006)
    """
    pool = qrels if isinstance(qrels, Pool) else Pool.of(qrels, runs)
    if len(pool.runs) < 2:
        raise UsageError("an experiment compares runs: give at least two")
    if design not in LEVELS:
        raise UsageError(f"design is {design!r}, expected one of {', '.join(LEVELS)}")
    if repeats < 1:
        raise UsageError(f"repeats is {repeats}, expected at least 1")
    if workers < 1:
        raise UsageError(f"workers is {workers}, expected at least 1")
    chosen, (gold,) = parse_measures(measures), parse_measures(against)
    steps = list(dict.fromkeys(float(level) for level in (LEVELS[design] if levels is None else levels)))
    if not steps:
        raise UsageError("no level given")
    draws = 1 if design == "depth" else repeats
    tasks = [(level, SEEDS_APART * seed + repeat) for level in steps for repeat in range(draws)]
    for level in steps:
        judgments_by(
            pool, design, level, seed, top
        )  # a level that cannot be is refused before anything is done
    work = partial(_sample_means, _bare(pool), design, top, chosen)
    width = 1 + len(pool.runs) * len(chosen)
    with Checkpoint.of(checkpoint, pool, [design, top, *map(str, chosen)], width) as done:
        found = each(work, tasks, workers, done, on_step)
    values = np.array([found[task] for task in tasks]).reshape(len(steps), draws, -1)
    shape = len(steps), draws, len(pool.runs), len(chosen)
    *actual, reference = (_means(pool.rankings, measure) for measure in (*chosen, gold))
    return Robustness(
        design,
        steps,
        pool.runs,
        chosen,
        gold,
        values[:, :, 1:].reshape(shape),
        np.stack(actual, axis=-1),
        reference,
        values[:, :, 0],
        float(pool.judgments.count(0).mean()),
    )


def judgments_by(pool: Pool, design: str, level: float, seed: int, top: int = 10) -> Judgments:
    """The judgments that a design makes at a level."""
    if design == "random":
        return pool.random(level, seed=seed)
    if design == "stratified":
        return pool.stratified({float(top): 1.0, REST: level}, seed=seed)
    if not (np.isfinite(level) and level == int(level)):
        raise UsageError(f"a depth is {level:g}, expected a whole number")
    return pool.depth(int(level)) if design == "depth" else pool.mixed(int(level), seed=seed)


def _sample_means(
    pool: Pool, design: str, top: int, measures: Sequence[Measure], task: tuple[float, int]
) -> list[float]:
    """The judged documents a query, then every run's mean by each measure."""
    level, seed = task
    judgments = judgments_by(pool, design, level, seed, top)
    rankings = pool.rankings.relabelled(judgments)
    means = np.stack([_means(rankings, measure) for measure in measures], axis=-1)
    return [float(judgments.count(0).mean()), *means.ravel().tolist()]


def _means(rankings: JudgedRankings, measure: Measure) -> Floats:
    values = measure.compute(rankings).reshape(-1, len(rankings.judgments.queries))
    return measure.over_queries(values)


def _bare(pool: Pool) -> Pool:
    """The same pool without what it has computed for itself, which need not travel to other processes."""
    return replace(pool, matched=replace(pool.rankings))
