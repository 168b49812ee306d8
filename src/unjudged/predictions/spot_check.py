"""A spot check: a few random judgments of a new run's own unjudged documents.

A run that was not pooled has unjudged documents, and no model of them is sure to hold for it. If people judge
a small random sample of them, a sum such as RBP has an interval that does not assume that the run is like the
pooled ones. The predictions are the prevalences by rank band that were learnt from the pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.choices import checked_int
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted, percent
from unjudged.evaluation.collection import judged_rankings
from unjudged.grids.grid import Cell, Column, Grid
from unjudged.grids.shown import Shown
from unjudged.judging.collecting.drawn_sample import DrawnSample, check_judged
from unjudged.measures.kernel.estimand import ALL_JUDGED, Estimand
from unjudged.measures.kernel.names import MeasureLike
from unjudged.predictions.estimators.sums import Sum
from unjudged.predictions.poisson_sample import poisson_sample, probabilities
from unjudged.rankings.extension import extended
from unjudged.rankings.judged import Floats, JudgedRankings, Mask
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.runs import Run, RunSource
from unjudged.uncertainty.calibration import Calibration
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.prevalence import band_of
from unjudged.uncertainty.quantiles import normal_interval

SMALLEST_PREVALENCE = 0.05
"""For the sampling probabilities alone: what is thought hopeless is still looked at."""


PrevalenceByBand = Calibration | Sequence[float]
"""The prevalence at ranks 1, 2, 3-4, 5-8, ...: as learnt by `calibrate`, or given."""


@dataclass(frozen=True, repr=False)
class SpotCheck(Shown):
    """A run's mean, from the judgments there were and a random sample of its unjudged documents."""

    run: str
    measure: str
    estimate: Estimate
    judged: int
    relevant: float
    """The gain that the sample found, in relevant documents."""
    unjudged: int

    def grid(self) -> Grid:
        names = ("run", "measure", "estimate", "low", "high", "unjudged", "checked", "relevant")
        kinds = ("label", "label", "number", "number", "number", "integer", "integer", "number")
        columns = [Column(name, kind) for name, kind in zip(names, kinds, strict=True)]  # type: ignore[arg-type]
        columns[-1] = Column("relevant", decimals=0 if self.relevant == int(self.relevant) else 4)
        found = self.estimate
        ends = (found.value, found.low, found.high)
        row: list[Cell] = [self.run, self.measure, *ends, self.unjudged, self.judged, self.relevant]
        held = "these queries, whether or not the run is like the pooled ones"
        note = f"{percent(found.confidence)} interval for {held}."
        return Grid(columns, [row], notes=[note])


def prevalence_at(rank: ArrayLike, prevalence_by_band: PrevalenceByBand) -> Floats:
    """The prevalence of the band of each rank: 1, 2, 3-4, 5-8, 9-16, ...; the last band has no end.

    >>> prevalence_at([1, 2, 3, 4, 5, 1000], [0.5, 0.4, 0.3, 0.2])
    array([0.5, 0.4, 0.3, 0.3, 0.2, 0.2])
    """
    given = (
        prevalence_by_band.prevalence if isinstance(prevalence_by_band, Calibration) else prevalence_by_band
    )
    known = np.asarray(given, float)
    if known.ndim != 1 or not len(known) or not ((known >= 0) & (known <= 1)).all():
        raise UsageError(f"prevalence by band is {given}, expected numbers from 0 to 1")
    prevalence: Floats = known[np.minimum(band_of(rank), len(known) - 1)]
    return prevalence


def spot_check_design(
    qrels: JudgmentsSource,
    run: RunSource,
    prevalence_by_band: PrevalenceByBand,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    budget: float = 30,
    seed: int = 0,
) -> DrawnSample:
    """Draw which of the run's unjudged documents people should judge, about `budget` in all.

    Probabilities are proportional to weight x sqrt(m (1 - m)), with m the prevalence of the document's rank
    band, taken as 0.05 at least. `merge` the answers, and hand the judgments to `spot_check`.
    """
    chosen, seed = Sum.of(measure), checked_int("seed", seed)
    pool, rankings = _pool(Judgments.of(qrels), run)
    weight, m = _by_row(rankings, chosen, prevalence_by_band, len(pool.grade))
    open_ = (pool.grade < 0) & (weight > 0)
    if not open_.any():
        raise InputError("every document of the run that counts is judged, so there is nothing to check")
    method = "proportional to weight x doubt by the prevalence of the rank"
    odds = probabilities(doubt(weight, m), open_, budget)
    return poisson_sample(pool, open_, odds, seed=seed, method=method)


def doubt(weight: Floats, m: Floats) -> Floats:
    """What the probability of being checked is proportional to."""
    size: Floats = weight * np.sqrt(np.maximum(m, SMALLEST_PREVALENCE) * (1 - m))
    return size


def spot_check(
    checked: Judgments,
    run: RunSource,
    prevalence_by_band: PrevalenceByBand,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    name: str = "the run",
    confidence: float = 0.95,
) -> SpotCheck:
    """The run's mean with an interval, from a design whose documents people have judged.

    `checked` are the judgments of the sample of `spot_check_design`, merged with the answers.
    """
    chosen = Sum.of(measure)
    if checked.probability is None:
        raise InputError("the judgments have no recorded probabilities, expected those of spot_check_design")
    check_judged(checked)
    rankings = judged_rankings(checked, {name: Run.of(run)})
    weight, m = _by_row(rankings, chosen, prevalence_by_band, len(checked.grade))
    judged, certain = checked.grade >= 0, checked.probability >= 1
    known = judged & certain
    gain = np.zeros(len(judged))
    gain[judged] = chosen.gains(checked.grade[judged])
    top = max(1.0, float(gain.max(initial=0.0)))
    open_ = ~known & (weight > 0)
    value, variance = checked_sum(
        weight[open_] * top / len(checked.queries),
        m[open_] / top,
        checked.probability[open_],
        judged[open_],
        gain[open_] / top,
    )
    value += float(weight[known] @ gain[known]) / len(checked.queries)
    sample = judged & open_
    method = f"spot check of {counted(int(sample.sum()), 'random judgment')}"
    of = Estimand(str(chosen.measure), judgments=ALL_JUDGED, subject=name)
    limits = chosen.measure.traits.range
    found = normal_interval(value, sqrt(variance), confidence, method=method, of=of, limits=limits)
    gained, measure_name = float(gain[sample].sum()), str(chosen.measure)
    return SpotCheck(name, measure_name, found, int(sample.sum()), gained, int(open_.sum()))


def checked_sum(weight: Floats, m: Floats, pi: Floats, drawn: Mask, gain: Floats) -> tuple[float, float]:
    """The sum of weight x gain over all documents, from those drawn with probability `pi`, and its variance.

    With few judgments the usual variance is too small whenever none of the rare relevant documents was drawn.
    So it is the variance to expect over all documents if a share p = (gain drawn + 1) / (drawn + 2) is
    relevant:

        sum of (1 - pi)/pi w^2 (p (1 - m)^2 + (1 - p) m^2).

    `gain` is from 0 to 1; for gains between, this is the largest variance with their mean.
    """
    total = float(weight @ m + (weight * (gain - m) / pi)[drawn].sum())
    p = (float(gain[drawn].sum()) + 1) / (int(drawn.sum()) + 2)
    anticipated = p * (1 - m) ** 2 + (1 - p) * m**2
    return total, float(((1 - pi) / pi * weight**2 * anticipated).sum())


def _pool(judgments: Judgments, run: RunSource) -> tuple[Judgments, JudgedRankings]:
    made = Run.of(run)
    pool = extended(judgments, [made.table])
    return pool, judged_rankings(pool, {"the run": made})


def _by_row(
    rankings: JudgedRankings, chosen: Sum, prevalence_by_band: PrevalenceByBand, rows: int
) -> tuple[Floats, Floats]:
    """The weight and the prevalence of each row; 0 for what the run does not retrieve."""
    weight, m = np.zeros(rows), np.zeros(rows)
    weight[rankings.row] = chosen.weights(rankings.rank)
    m[rankings.row] = prevalence_at(rankings.rank, prevalence_by_band)
    return weight, m
