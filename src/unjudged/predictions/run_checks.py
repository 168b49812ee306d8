"""Spot checks: a few random judgments of the unjudged documents of new runs.

A run that was not pooled has unjudged documents, and no model of them is sure to hold for it. If people judge
a small random sample of them, a sum such as RBP, or nDCG@k, has an interval that does not assume that the run
is like the pooled ones. The predictions are the prevalences by rank band that were learnt from the pool.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.choices import checked_int
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted, percent
from unjudged.evaluation.collection import Collection, RunsSource
from unjudged.grids.grid import Cell, Column, Grid, Shown
from unjudged.judging.collecting.drawn_sample import DrawnSample, check_judged
from unjudged.measures.kernel.estimand import ALL_JUDGED, Estimand
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.predictions.checked_ndcg import FirstOrder
from unjudged.predictions.estimators.population import with_retrieved
from unjudged.predictions.estimators.sums import Sum
from unjudged.predictions.poisson_sample import poisson_sample, probabilities
from unjudged.rankings.extension import rows_of, table_of_pool
from unjudged.rankings.judged import Floats, JudgedRankings, Mask
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.uncertainty.bounding.bounds import bounds
from unjudged.uncertainty.calibration import Calibration
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.prevalence import band_of
from unjudged.uncertainty.quantiles import normal_interval

SMALLEST_PREVALENCE = 0.05
"""Lowest prevalence for sampling probabilities: unlikely documents are still looked at."""


PrevalenceByBand = Calibration | Sequence[float]
"""Prevalence at ranks 1, 2, 3-4, 5-8, ...: as learnt by `calibrate`, or given."""


class RunCheck(NamedTuple):
    """Estimate of a run's mean from earlier judgments and a random sample of its unjudged documents."""

    run: str
    measure: str
    estimate: Estimate
    judged: int
    """Documents of the run that were drawn and judged, also those drawn with certainty."""
    relevant: float
    """Gain of the sample, in relevant documents."""
    unjudged: int


@dataclass(frozen=True, eq=False, repr=False)
class SpotCheck(Shown):
    """Checks of runs; `estimate`, `judged`, `relevant` and `unjudged` are those of a single run."""

    checks: Sequence[RunCheck]

    @property
    def estimate(self) -> Estimate:
        return self._only.estimate

    @property
    def judged(self) -> int:
        return self._only.judged

    @property
    def relevant(self) -> float:
        return self._only.relevant

    @property
    def unjudged(self) -> int:
        return self._only.unjudged

    @property
    def _only(self) -> RunCheck:
        if len(self.checks) > 1:
            raise UsageError(f"{len(self.checks)} runs were checked: choose one of `checks`")
        return self.checks[0]

    def grid(self) -> Grid:
        """Return a row per run."""
        names = ("run", "measure", "estimate", "low", "high", "unjudged", "checked", "relevant")
        kinds = ("label", "label", "number", "number", "number", "integer", "integer", "number")
        columns = [Column(name, kind) for name, kind in zip(names, kinds, strict=True)]  # type: ignore[arg-type]
        whole = all(check.relevant == int(check.relevant) for check in self.checks)
        columns[-1] = Column("relevant", decimals=0 if whole else 4)
        rows: list[list[Cell]] = []
        for check in self.checks:
            ends = check.estimate.value, check.estimate.low, check.estimate.high
            rows.append([check.run, check.measure, *ends, check.unjudged, check.judged, check.relevant])
        held = "these queries, whether or not a run is like the pooled ones"
        confidence = percent(self.checks[0].estimate.confidence)
        return Grid(columns, rows, notes=[f"{confidence} interval for {held}."])


def prevalence_at(rank: ArrayLike, prevalence_by_band: PrevalenceByBand) -> Floats:
    """Return the prevalence of the band of each rank: 1, 2, 3-4, 5-8, 9-16, ...; the last band has no end.

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
    runs: RunsSource,
    prevalence_by_band: PrevalenceByBand,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    budget: float = 30,
    seed: int = 0,
) -> DrawnSample:
    """Draw which of the runs' unjudged documents people should judge, about `budget` in all.

    Probabilities are proportional to weight x sqrt(m (1 - m)), with m the prevalence of the document's rank
    band, taken as 0.05 at least; of several runs, to the root of the sum of their squares. `merge` the
    answers, and hand the judgments to `spot_check`.
    """
    chosen, seed = checked_measure(measure).sum, checked_int("seed", seed)
    rankings = with_retrieved(Collection.of(qrels, runs))
    pool = rankings.judgments
    weight, m = _by_row(rankings, chosen, prevalence_by_band)
    open_ = pool.waiting & (weight > 0).any(axis=0)
    if not open_.any():
        raise InputError("every document of the run that counts is judged, so there is nothing to check")
    method = "proportional to weight x doubt by the prevalence of the rank"
    odds = probabilities(np.sqrt((doubt(weight, m) ** 2).sum(axis=0)), open_, budget)
    return poisson_sample(pool, open_, odds, seed=seed, method=method)


class CheckedMeasure(NamedTuple):
    """Measure of a spot check, and the sum that it is or, for nDCG, that it divides by the best one."""

    measure: Measure
    sum: Sum


def checked_measure(measure: MeasureLike) -> CheckedMeasure:
    """Return P, RBP, DCG or another sum, or nDCG@k; raise UsageError for others."""
    chosen = parse_measure(measure)
    if chosen.name != "nDCG":
        return CheckedMeasure(chosen, Sum.of(chosen))
    if "cutoff" not in chosen.given:
        raise UsageError(f"{chosen} needs a cutoff in a spot check, such as nDCG@10")
    return CheckedMeasure(chosen, Sum.of(MEASURES["DCG"](**chosen.own)))


def doubt(weight: Floats, m: Floats) -> Floats:
    """Return sizes that the probabilities of being checked are proportional to."""
    size: Floats = weight * np.sqrt(np.maximum(m, SMALLEST_PREVALENCE) * (1 - m))
    return size


def spot_check(
    checked: Judgments,
    runs: RunsSource,
    prevalence_by_band: PrevalenceByBand,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    before: JudgmentsSource | None = None,
    name: str | None = None,
    confidence: float = 0.95,
) -> SpotCheck:
    """Estimate the runs' means with intervals, from a design whose documents people have judged.

    `checked` are the judgments of the sample of `spot_check_design`, merged with the answers, and `before`
    those that there were before it; without them, documents that were certain to be drawn count as judged
    before. `name` is that of a single run. Intervals are cut to what the judgments leave possible.
    """
    asked, chosen = checked_measure(measure)
    if checked.probability is None:
        raise InputError("the judgments have no recorded probabilities, expected those of spot_check_design")
    check_judged(checked)
    collection = Collection.of(checked, runs)
    names = list(collection.runs) if name is None else [name]
    weights, prevalences = _by_row(collection.rankings, chosen, prevalence_by_band)
    earlier = checked.probability >= 1
    if before is not None:
        known = Judgments.of(before)
        row = rows_of(known, table_of_pool(checked.pooled))
        earlier = (row >= 0) & (known.grade[row] >= 0)
    gain = np.zeros(len(checked.grade))
    gain[checked.grade >= 0] = chosen.gains(checked.grade[checked.grade >= 0])
    counts, base, limits = weights > 0, None, None
    if asked.name == "nDCG":
        sure = (checked.grade >= 0) & (checked.probability >= 1)
        near = FirstOrder.of(asked, weights, prevalences, gain, known=sure, query=checked.query)
        open_ = np.where(sure, 0.0, near.change * prevalences).sum(axis=1)
        base, weights = (near.value.sum(axis=1) - open_) / len(checked.queries), near.change
        ends = bounds(asked, collection.rankings)
        limits = np.stack([ends.low, ends.high]).reshape(2, len(names), -1).mean(axis=2).T
    checks = [
        _checked_run(
            Estimand(str(asked), judgments=ALL_JUDGED, subject=run),
            checked,
            earlier,
            weight=weights[i],
            counts=counts[i],
            m=prevalences[i],
            gain=gain,
            confidence=confidence,
            base=None if base is None else float(base[i]),
            limits=None if limits is None else (float(limits[i, 0]), float(limits[i, 1])),
        )
        for i, run in enumerate(names)
    ]
    return SpotCheck(checks)


def _checked_run(
    of: Estimand,
    checked: Judgments,
    earlier: Mask,
    *,
    weight: Floats,
    counts: Mask,
    m: Floats,
    gain: Floats,
    confidence: float,
    base: float | None = None,
    limits: tuple[float, float] | None = None,
) -> RunCheck:
    """Estimate one run's mean; `weight`, `m` and `gain` are of each row, `earlier` what was judged before.

    `counts` are the documents that count. `base` is what the value is without those that were not judged
    before, and `limits` what the judgments leave possible, where they do not follow from the weights.
    """
    judged, pi, queries = checked.grade >= 0, np.asarray(checked.probability), len(checked.queries)
    known = judged & (pi >= 1)
    top = max(1.0, float(gain.max(initial=0.0)))
    open_ = ~known & counts
    rest, variance = checked_sum(
        weight[open_] * top / queries, m[open_] / top, pi[open_], judged[open_], gain[open_] / top
    )
    value = rest + (float(weight[known] @ gain[known]) / queries if base is None else base)
    least = float(weight[judged] @ gain[judged]) / queries
    most = least + float(weight[~judged].sum()) * top / queries
    least, most = (least, most) if limits is None else limits
    sample = judged & ~earlier & counts
    method = f"spot check of {counted(int(sample.sum()), 'random judgment')}"
    possible = min(max(value, least), most)
    estimate = normal_interval(
        possible, sqrt(variance), confidence, method=method, of=of, limits=(least, most)
    )
    unjudged = int((~earlier & counts).sum())
    return RunCheck(of.subject, of.measure, estimate, int(sample.sum()), float(gain[sample].sum()), unjudged)


def checked_sum(weight: Floats, m: Floats, pi: Floats, drawn: Mask, gain: Floats) -> tuple[float, float]:
    """Estimate the sum of weight x gain over all documents from those drawn with probability `pi`.

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


def _by_row(
    rankings: JudgedRankings, chosen: Sum, prevalence_by_band: PrevalenceByBand
) -> tuple[Floats, Floats]:
    """Return the weight and the prevalence of each row in each run; 0 for what a run does not retrieve."""
    queries, rows = len(rankings.judgments.queries), len(rankings.judgments.grade)
    place = rankings.ranking // queries, rankings.row
    weight, m = np.zeros((2, len(rankings) // queries, rows))
    weight[place] = chosen.weights(rankings.rank)
    m[place] = prevalence_at(rankings.rank, prevalence_by_band)
    return weight, m
