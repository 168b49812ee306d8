"""How many judgments each design needs for a target, or what it reaches with a budget, from a pilot.

The topics of the pilot are resampled. Errors that are noise shrink with more topics, and those that are bias
do not: resampling tells them apart, which a factor of 1 / sqrt(topics) cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from math import inf, isnan, nan
from typing import Any, NamedTuple

import numpy as np

from unjudged.agreement.orders import tau
from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError
from unjudged.evaluation.collection import RunsSource
from unjudged.experiments.robustness import SEEDS_APART
from unjudged.grids.grid import Cell, Column, Grid, Shown, blank
from unjudged.judging.pooling.designs import DESIGNS, Design, level_for_budget
from unjudged.judging.pooling.pool import Pool
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import JudgmentsSource

ESTIMATORS: Mapping[str, Mapping[str, str]] = {
    "AP": {"random": "infAP", "depth": "AP", "mixed": "xinfAP", "stratified": "xinfAP"},
    "nDCG": {"random": "infNDCG", "mixed": "infNDCG", "stratified": "infNDCG"},
}
"""The estimate that suits a measure and a design; where none is listed, the measure of what was judged."""

FARTHEST = 4
"""A budget is planned for at most this many times the topics of the pilot, unless their number is given."""


@dataclass(frozen=True)
class DesignPlan:
    """A level of a design with a number of topics, and what they reach; no level where none is enough."""

    design: str
    measure: str
    level: float | None
    shown: str
    topics: int
    per_query: float | None = None
    judgments: int | None = None
    tau: float = nan
    tau_low: float = nan
    tau_high: float = nan
    width: float = nan


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentPlan(Shown):
    """Needs of each design, the cheapest first, or with a budget the best; `tried` are all levels.

    The target is a value of `statistic`: tau, width, or the budget.
    """

    designs: list[DesignPlan]
    tried: list[DesignPlan]
    statistic: str
    value: float
    queries: int | None
    cost: float | None
    measure: str = "AP"
    pilot: int = 0

    @property
    def target(self) -> str:
        if self.statistic == "budget":
            return f"{self.value:,.0f} judgments"
        if self.statistic == "tau":
            return f"tau of at least {self.value:g}"
        return f"intervals of width {self.value:g} at most"

    @property
    def plot(self) -> Any:
        """Figures as Altair charts: `designs`."""
        return import_module("unjudged.report.figures.judging_figures").PlanPlots(self)

    def grid(self) -> Grid:
        columns = [
            Column("design", "label"),
            Column("estimate", "label"),
            Column("level", "text"),
            Column("topics", "integer"),
            Column("per topic", decimals=1),
            Column("judgments", "integer"),
            *(Column(name) for name in ("tau", "tau low", "tau high", "width")),
        ]
        rows: list[list[Cell]] = []
        for one in self.designs:
            reached = map(blank, (one.tau, one.tau_low, one.tau_high, one.width))
            plan = one.design, one.measure, one.shown, one.topics, one.per_query, one.judgments
            rows.append([*plan, *reached])
        if self.cost is not None:
            columns.append(Column("cost", decimals=2))
            for row, one in zip(rows, self.designs, strict=True):
                row.append(None if one.judgments is None else one.judgments * self.cost)
        title = f"{'The best use of' if self.statistic == 'budget' else 'Judgments for'} {self.target}"
        return Grid(columns, rows, title, self._notes())

    def _notes(self) -> list[str]:
        against = f"the order of the runs by the estimate against that by their {self.measure}"
        if self.statistic == "budget":
            against += " over all topics like the pilot's, with everything judged"
        else:
            against += " with everything judged, on the same topics"
        interval = "low and high: 95 % for new topics"
        most = f", for at most {FARTHEST} times as many" if self.queries is None else ""
        return [
            f"Planned by resampling {self.pilot} topics{most}. tau: {against}; {interval}.",
            "width: of a 95 % interval of a run's mean, from the RMS error over runs, samples and topics.",
        ]


def plan_judgments(
    qrels: JudgmentsSource,
    runs: RunsSource,
    *,
    tau: float | None = None,
    width: float | None = None,
    budget: float | None = None,
    measure: MeasureLike = "AP",
    designs: Iterable[str] | None = None,
    queries: int | None = None,
    cost: float | None = None,
    repeats: int = 10,
    resamples: int = 200,
    seed: int = 0,
) -> JudgmentPlan:
    """For each design, the fewest judgments that reach a `tau` or a `width`, or the best use of a `budget`.

    Samples of a completely judged collection, a pilot or an earlier one, show how well each level estimates
    the `measure` that will be reported. Its topics are resampled to the number of planned `queries`, so that
    noise shrinks with more topics and bias stays. With a `budget`, deeper judging means fewer topics, unless
    `queries` fixes their number; the level is then the one that meets the budget. `cost` is the price of one
    judgment.

    >>> from unjudged import sample
    >>> plan = plan_judgments(sample.qrels, sample.runs, width=0.05, designs=["depth", "random"], repeats=3)
    >>> [(one.design, one.shown) for one in plan.designs]
    [('depth', 'depth 4'), ('random', 'not reached')]
    """
    statistic, value = _target(tau, width, budget)
    reported, pool = parse_measure(measure), Pool.of(qrels, runs)
    if len(pool.runs) < 2:
        raise UsageError("a plan compares runs: give at least two")
    pilot = len(pool.judgments.queries)
    if queries is not None:
        checked_int("queries", queries, least=1)
    repeats = checked_int("repeats", repeats, least=1)
    resamples = checked_int("resamples", resamples, least=2)
    truth = _values(pool.rankings, reported)
    best, tried = [], []
    for name in designs or DESIGNS:
        design = DESIGNS.find(name)
        estimator = parse_measure(ESTIMATORS.get(str(reported), {}).get(name, reported))
        plans = []
        for level in _levels(design, pool, budget, queries):
            seeds = [SEEDS_APART * seed + repeat for repeat in range(repeats if design.random else 1)]
            estimates, judged = _sampled(pool, design, estimator, level, seeds)
            topics = queries or (pilot if budget is None else int(budget / judged))
            if not 1 <= topics <= (FARTHEST * pilot if queries is None else topics):
                continue
            resampling = TopicResampling(
                truth, topics, population=budget is not None, resamples=resamples, seed=seed
            )
            plan = level, design.level.show(round(level, 4)), topics, judged, round(topics * judged)
            plans.append(DesignPlan(name, str(estimator), *plan, *resampling.reached(estimates)))
        tried += plans
        nothing = DesignPlan(name, str(estimator), None, "not reached", queries or pilot)
        if budget is not None:
            best.append(max(plans, key=lambda one: (one.tau, -one.width), default=nothing))
        else:
            least, most = -inf if tau is None else tau, inf if width is None else width
            reached = (one for one in plans if one.tau >= least and not one.width > most)
            best.append(next(reached, nothing))
    if budget is not None:
        best.sort(key=lambda one: -inf if isnan(one.tau) else one.tau, reverse=True)
    else:
        best.sort(key=lambda one: (one.judgments is None, one.judgments or 0))
    planned = queries if budget is not None else queries or pilot
    return JudgmentPlan(best, tried, statistic, value, planned, cost, str(reported), pilot)


def _target(tau: float | None, width: float | None, budget: float | None) -> tuple[str, float]:
    given = {"tau": tau, "width": width, "budget": budget}
    targets = [(name, value) for name, value in given.items() if value is not None]
    if len(targets) != 1:
        raise UsageError("give one target: tau, width or budget")
    ((name, value),) = targets
    if name == "budget" and not 1 <= value < inf:
        raise UsageError(f"budget is {value:g}, expected a number of judgments of at least 1")
    if name != "budget" and not 0 < value <= 1:
        raise UsageError(f"{name} is {value}, expected a number above 0 and at most 1")
    return name, float(value)


def _levels(design: Design, pool: Pool, budget: float | None, queries: int | None) -> list[float]:
    """Return the levels to try: all of them, or the one that meets a budget for fixed topics."""
    if budget is None or queries is None:
        return sorted(design.levels)
    try:
        return [level_for_budget(design, pool, budget * len(pool.judgments.queries) / queries)]
    except UsageError:
        return []


def _values(rankings: JudgedRankings, measure: Measure) -> Floats:
    """Return what is averaged over topics, runs x topics."""
    return measure.averaged(measure.compute(rankings).reshape(-1, len(rankings.judgments.queries)))


def _sampled(
    pool: Pool, design: Design, measure: Measure, level: float, seeds: list[int]
) -> tuple[Floats, float]:
    """Return estimates from each sample (samples x runs x topics), and the judged documents per topic."""
    drawn = [design.draw(pool, level, seed) for seed in seeds]
    estimates = [_values(pool.rankings.relabelled(judgments), measure) for judgments in drawn]
    return np.stack(estimates), float(np.mean([judgments.count(0).mean() for judgments in drawn]))


NORMAL = 1.96


class Reached(NamedTuple):
    """Expected tau with an interval for new topics, and the width of a 95 % interval of a run's mean."""

    tau: float
    tau_low: float
    tau_high: float
    width: float


@dataclass(frozen=True, eq=False)
class TopicResampling:
    """Resampled topics of a pilot; the same ones for every level, so that levels compare fairly.

    `truth` has the values with everything judged, runs x topics. With `population`, estimates are compared
    with the means over all topics of the pilot instead of the resampled ones: the error of having few
    topics counts too.
    """

    truth: Floats
    topics: int
    population: bool = False
    resamples: int = 200
    seed: int = 0

    def reached(self, estimates: Floats) -> Reached:
        """Return what estimates reach, samples x runs x topics."""
        pilot = self.truth.shape[1]
        again = self.topics > pilot or self.population
        taus, errors = self._resampled(estimates, self.topics, again)
        spread = self._resampled(estimates, self.topics, True)[0] if not again else taus
        own = self._resampled(estimates, pilot, True)[0]
        # New topics differ from those of the pilot, which are a sample too.
        half = NORMAL * float(np.sqrt(np.nanvar(spread) + np.nanvar(own)))
        mean = float(np.nanmean(taus)) if np.isfinite(taus).any() else float("nan")
        width = 2 * NORMAL * float(np.sqrt((errors**2).mean()))
        return Reached(mean, max(mean - half, -1.0), min(mean + half, 1.0), width)

    def _resampled(self, estimates: Floats, topics: int, again: bool) -> tuple[Floats, Floats]:
        """Return tau of each resample, and the error of each run's mean in each."""
        samples, runs, pilot = estimates.shape
        weights = self._weights(samples, pilot, topics, again)
        by_topic = weights.reshape(self.resamples, samples, pilot).sum(axis=1)
        estimated = weights @ estimates.transpose(0, 2, 1).reshape(samples * pilot, runs)
        actual = (np.full_like(by_topic, 1 / pilot) if self.population else by_topic) @ self.truth.T
        taus = np.array([tau(one, other) for one, other in zip(estimated, actual, strict=True)])
        return taus, estimated - actual

    def _weights(self, samples: int, pilot: int, topics: int, again: bool) -> Floats:
        """Return the share of each (sample, topic) in each resample; each topic takes a sample at random."""
        rng = np.random.default_rng([self.seed, samples, topics, again])
        weights = np.zeros((self.resamples, samples * pilot))
        for row in weights:
            chosen = rng.integers(pilot, size=topics) if again else rng.permutation(pilot)[:topics]
            np.add.at(row, rng.integers(samples, size=topics) * pilot + chosen, 1 / topics)
        return weights
