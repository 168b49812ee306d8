"""How many judgments each design needs for a target, from a collection like the planned one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from math import inf, isnan, nan
from typing import Any

from unjudged.base.errors import UsageError
from unjudged.evaluation.collection import RunsSource
from unjudged.experiments.robustness import experiment
from unjudged.grids.grid import Column, Grid, Shown
from unjudged.judging.pooling.designs import DESIGNS
from unjudged.judging.pooling.pool import Pool
from unjudged.rankings.judgments import JudgmentsSource

ESTIMATORS: Mapping[str, str] = {"random": "infAP", "depth": "AP", "mixed": "xinfAP", "stratified": "xinfAP"}
"""The estimate of AP that suits each design; AP for designs that are not listed."""

NORMAL = 1.96


@dataclass(frozen=True)
class DesignPlan:
    """Smallest tested level of a design that reaches the target, if any does."""

    design: str
    measure: str
    level: float | None
    shown: str
    per_query: float | None
    judgments: int | None
    tau: float
    width: float


@dataclass(frozen=True, eq=False, repr=False)
class JudgmentPlan(Shown):
    """Needs of each design, the cheapest first; `tried` are all levels, with what they reach.

    The target is a value of `statistic`, tau or width.
    """

    designs: list[DesignPlan]
    tried: list[DesignPlan]
    statistic: str
    value: float
    queries: int
    cost: float | None

    @property
    def target(self) -> str:
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
            Column("per topic", decimals=1),
            Column("judgments", "integer"),
            Column("tau"),
            Column("width"),
            *([Column("cost", decimals=2)] if self.cost is not None else []),
        ]
        rows = []
        for one in self.designs:
            cost = None if one.judgments is None or self.cost is None else one.judgments * self.cost
            reached = [None if isnan(value) else value for value in (one.tau, one.width)]
            row = [one.design, one.measure, one.shown, one.per_query, one.judgments, *reached]
            rows.append([*row, *([cost] if self.cost is not None else [])])
        notes = [
            f"For {self.queries} topics like these. tau: order of the runs against all judgments.",
            "width: of a 95 % interval of a run's mean, from the RMS error over runs and samples.",
        ]
        return Grid(columns, rows, f"Judgments for {self.target}", notes)


def plan_judgments(
    qrels: JudgmentsSource,
    runs: RunsSource,
    *,
    tau: float | None = None,
    width: float | None = None,
    designs: Iterable[str] | None = None,
    queries: int | None = None,
    cost: float | None = None,
    repeats: int = 10,
    seed: int = 0,
    workers: int = 1,
) -> JudgmentPlan:
    """For each design, the fewest judgments that reach a `tau` or a `width`.

    Samples of a completely judged collection, a pilot or an earlier one, show how tau and the error of the
    estimates depend on the level. `queries` is the number of planned topics, if it is not that of the pilot:
    the error then shrinks with its root, while tau is taken as it is. `cost` is the price of one judgment.

    >>> from unjudged import sample
    >>> plan = plan_judgments(sample.qrels, sample.runs, width=0.05, designs=["depth", "random"], repeats=3)
    >>> [(one.design, one.shown) for one in plan.designs]
    [('depth', 'depth 4'), ('random', 'not reached')]
    """
    if (tau is None) == (width is None):
        raise UsageError("give one target: tau or width")
    if tau is not None and not 0 < tau <= 1:
        raise UsageError(f"tau is {tau}, expected a number above 0 and at most 1")
    if width is not None and not 0 < width <= 1:
        raise UsageError(f"width is {width}, expected a number above 0 and at most 1")
    pool = Pool.of(qrels, runs)
    pilot = len(pool.judgments.queries)
    planned = pilot if queries is None else queries
    if planned < 1:
        raise UsageError(f"queries is {planned}, expected a whole number of at least 1")
    cheapest, levels = [], []
    for name in designs or DESIGNS:
        design, measure = DESIGNS.find(name), ESTIMATORS.get(name, "AP")
        tried = experiment(
            pool,
            design=name,  # type: ignore[arg-type]
            measures=measure,
            statistics=["tau", "rms"],
            repeats=repeats,
            seed=seed,
            workers=workers,
        )
        plans = []
        for level in sorted(tried.levels):
            order, error = tried.find("tau", measure, level), tried.find("rms", measure, level)
            broad = 2 * NORMAL * error.mean * (pilot / planned) ** 0.5
            judgments, shown = round(order.judged * planned), design.level.show(level)
            plans.append(DesignPlan(name, measure, level, shown, order.judged, judgments, order.mean, broad))
        levels += plans
        nothing = DesignPlan(name, measure, None, "not reached", None, None, nan, nan)
        least, most = -inf if tau is None else tau, inf if width is None else width
        reached = (plan for plan in plans if plan.tau >= least and not plan.width > most)
        cheapest.append(next(reached, nothing))
    cheapest.sort(key=lambda one: (one.judgments is None, one.judgments or 0))
    statistic, value = ("tau", tau) if tau is not None else ("width", width)
    return JudgmentPlan(cheapest, levels, statistic, float(value or 0), planned, cost)
