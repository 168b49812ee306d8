"""How many human labels an interval of a given width needs, from a pilot and the judges' predictions.

`pilot` says what an interval from so many labels will be wide by, on average over studies.
The width of a study varies with the errors that its sample happens to have. Nine of ten studies shall be at
most a tenth wider than promised, so the number is also so large that

    mean width x exp(z r / 2) <= 1.1 x width,    z the 95 % quantile of the normal distribution,

where r^2 is the relative variance of the squared width, over studies and over pilots.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unjudged.base.choices import check_confidence
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted, percent
from unjudged.evaluation.collection import Collection, RunsSource
from unjudged.grids.grid import Cell, Column, Grid, Shown
from unjudged.measures.kernel.estimand import OTHER, THESE
from unjudged.measures.kernel.names import MeasureLike
from unjudged.predictions.estimators.estimates import LEAST
from unjudged.predictions.estimators.population import Population
from unjudged.predictions.pilot import (
    DIFFERENCE,
    MEAN,
    UNIFORM,
    WEIGHTED,
    WHOLE,
    Pilot,
    between,
    variance_by_query,
    varies_by_query,
)
from unjudged.predictions.predictions import JudgesSource
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.uncertainty.quantiles import normal_quantile, t_quantile

SLACK, KEPT = 1.1, 0.95
"""This share of studies is planned to have intervals at most so many times as wide as promised. It is nine of
ten in fact, because few pilots show the rare large errors that make a study's intervals wide."""


def plan_labels(
    qrels: JudgmentsSource | Collection,
    runs: RunsSource | None,
    predictions: JudgesSource,
    width: float,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    outside: str = "error",
    confidence: float = 0.95,
) -> LabelPlan:
    """Plan how many documents people must label for intervals of this width, by design.

    `qrels` are a pilot: human labels of a random sample, with how it was drawn. The numbers are for a sample
    that is drawn afresh. Intervals are so wide on average over the runs, or over all pairs of runs, and at
    most a tenth wider in about nine studies of ten; give two runs to plan for their difference.
    `outside` is as in `estimate_by_document`.

    >>> people = {f"q{i}": {"d1": 1, "d2": -1, "d3": i % 2, "d4": -1, "d5": 0} for i in range(20)}
    >>> model = {q: {"d1": 0.9, "d2": 0.6, "d3": 0.5, "d4": 0.3, "d5": 0.1} for q in people}
    >>> plan = plan_labels(people, {"mine": model}, model, 0.1, "P@5")
    >>> plan.need("a mean", "these queries", "uniform")[3:]
    (69, 88)
    """
    if not 0 < width < 2:
        raise UsageError(f"width is {width:g}, expected a number above 0 and below 2, such as 0.02")
    check_confidence(confidence)
    population = Population.of(Collection.of(qrels, runs))
    pilot = Pilot.of(population, population.with_predictions(predictions), measure, outside)
    targets = (MEAN, DIFFERENCE) if len(population.runs) > 1 else (MEAN,)
    designs = {THESE: (UNIFORM, WEIGHTED), OTHER: (UNIFORM, WEIGHTED, WHOLE)}
    cases = [
        (target, queries, design) for target in targets for queries in designs for design in designs[queries]
    ]
    needs = []
    for case in cases:
        of = Planned(*case, width, confidence)
        needs.append(LabelNeed(*case, of.least(pilot), of.least(pilot, alone=True)))
    return LabelPlan(
        measure=str(pilot.chosen.measure),
        width=width,
        confidence=confidence,
        pilot=int(pilot.population.drawn.sum()),
        documents=int(pilot.open.sum()),
        queries=pilot.population.queries,
        needs=needs,
    )


@dataclass(frozen=True)
class Planned:
    """Intervals that are planned for: of what, for which queries, by which design, and how wide."""

    target: str
    queries: str
    design: str
    width: float
    confidence: float

    def least(self, pilot: Pilot, *, alone: bool = False) -> int | None:
        """Return the fewest labels with which intervals are no wider on average, None if there are none."""
        queries, shares = pilot.population.queries, list(pilot.shares(self.target))
        if self.design == WHOLE:
            whole = _first(LEAST, queries, lambda n: self._kept(*self._of_queries(pilot, shares, n, alone)))
            return None if whole is None else round(whole * int(pilot.open.sum()) / queries)
        quantile = normal_quantile(self.confidence)
        spread = [0.0] * len(shares)
        if self.queries == OTHER:
            quantile = t_quantile(self.confidence, queries - 1)
            spread = [between(pilot, share) / queries for share in shares]

        def reached(labels: int) -> bool:
            sampled, varies = pilot.sampling(self.design, labels, alone, self.target)
            noise = np.array([share @ sampled @ share for share in shares])
            variance = np.maximum(noise + spread, 0.0)
            width = 2 * quantile * float(np.sqrt(variance).mean())
            if self.queries == OTHER:
                varies *= float(noise.mean() / max(variance.mean(), np.finfo(float).tiny)) ** 2
            return self._kept(width, varies)

        return _first(1, int(pilot.open.sum()), reached)

    def _kept(self, width: float, varies: float) -> bool:
        """Whether the promise is kept by this mean width, if its variance varies so much, relatively."""
        wide = float(np.exp(normal_quantile(2 * KEPT - 1) * np.sqrt(varies) / 2))
        return width <= self.width and width * wide <= SLACK * self.width

    def _of_queries(self, pilot: Pilot, shares: list[Floats], n: int, alone: bool) -> tuple[float, float]:
        """Return the mean width with n queries judged completely, and how much its square varies."""
        found = [variance_by_query(pilot, share, n, alone) for share in shares]
        variance, weight = (np.array(part) for part in zip(*found, strict=True))
        quantile = t_quantile(self.confidence, n - (1 if alone else 2))
        varies = varies_by_query(pilot, self.target, n, float(weight.mean()), float(variance.mean()))
        return 2 * quantile * float(np.sqrt(variance).mean()), varies


def _first(low: int, high: int, reached: Callable[[int], bool]) -> int | None:
    """Return the smallest number from which on `reached` is true, None if it is not true of the highest."""
    if high < low or not reached(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle + 1, high)
    return low


class LabelNeed(NamedTuple):
    """Labels that a design needs for one target; None where these queries cannot give it."""

    target: str
    """A mean or a difference."""
    queries: str
    """These queries or other ones."""
    design: str
    labels: int | None
    """With the predictions."""
    alone: int | None
    """By people alone."""


@dataclass(frozen=True, eq=False, repr=False)
class LabelPlan(Shown):
    """How many documents people must label for intervals of one width, by target and design."""

    measure: str
    width: float
    confidence: float
    pilot: int
    documents: int
    """Documents that could be labelled."""
    queries: int
    needs: Sequence[LabelNeed]

    def need(self, target: str, queries: str, design: str) -> LabelNeed:
        """Return one row by its first three columns."""
        return next(n for n in self.needs if (n.target, n.queries, n.design) == (target, queries, design))

    def grid(self) -> Grid:
        """Return a row per target, interval and design."""
        columns = [Column(name, "label") for name in ("interval of", "for", "design")]
        columns += [Column("labels", "integer"), Column("people alone", "integer")]
        rows: list[list[Cell]] = [list(need) for need in self.needs]
        title = f"Labels for {percent(self.confidence)} intervals of {self.measure} {self.width:g} wide"
        pilot = (
            f"From a pilot of {counted(self.pilot, 'label')}; {self.documents:,} documents could be labelled"
        )
        drawn = (
            "uniform, weighted: documents drawn afresh, all with the same probability or by weight and doubt"
        )
        notes = [
            f"{pilot}. Intervals are so wide on average over the runs, or over all pairs of runs.",
            "Promised of every design: about nine studies of ten have intervals at most a tenth wider.",
            f"{drawn} (unjudged sample --for predictions). whole queries: all documents of some queries.",
        ]
        if any(None in need for need in self.needs):
            short = f"not with these {counted(self.queries, 'query')}, however many labels"
            notes.append(f"No number: {short} (unjudged plan queries).")
        return Grid(columns, rows, title, notes)
