"""Spot checks: a few random judgments of the unjudged documents of new runs.

A run that was not pooled has unjudged documents, and no model of them is sure to hold for it. If people judge
a small random sample of them, a sum such as RBP, or nDCG@k, has an interval that does not assume that the run
is like the pooled ones. The predictions are the prevalences by rank band that were learnt from the pool.

nDCG@k is a sum in each query, to first order around what is expected. With DCG N and best DCG I, nDCG = N / I
depends on the gain y of an unjudged document through both. Around the expected gains m, one more unit of gain
at a document of discount w changes it by

    h = (w - (N / I) (I(+1) - I) / top) / I

where I(+1) is the best DCG with one more document of the highest gain, top. So nDCG is estimated as the sum
of these changes, like RBP as the sum of its weights. What is left out, of second order, is small: a query has
few unjudged documents in its first k. Documents that the run has below k count as judged before or not
relevant.
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
from unjudged.measures.kernel.registry import MEASURES, Measure, ratio
from unjudged.predictions.estimators.population import with_retrieved
from unjudged.predictions.estimators.sums import Sum
from unjudged.predictions.poisson_sample import poisson_sample, probabilities
from unjudged.rankings.extension import rows_of, table_of_pool
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.uncertainty.bounding.bounds import bounds
from unjudged.uncertainty.calibration import Calibration
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.prevalence import band_of
from unjudged.uncertainty.quantiles import normal_interval
from unjudged.uncertainty.sampled_means import denominator_of

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
        whole = all(check.relevant == int(check.relevant) for check in self.checks)
        columns = [Column("run", "label"), Column("measure", "label")]
        columns += [Column("estimate"), Column("low"), Column("high"), Column("unjudged", "integer")]
        columns += [Column("checked", "integer"), Column("relevant", decimals=0 if whole else 4)]
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
    (_, chosen), seed = checked_measure(measure), checked_int("seed", seed)
    rankings = with_retrieved(Collection.of(qrels, runs))
    pool = rankings.judgments
    weight, m = _by_row(rankings, chosen, prevalence_by_band)
    open_ = pool.waiting & (weight > 0).any(axis=0)
    if not open_.any():
        raise InputError("every document of the run that counts is judged, so there is nothing to check")
    method = "proportional to weight x doubt by the prevalence of the rank"
    odds = probabilities(np.sqrt((doubt(weight, m) ** 2).sum(axis=0)), open_, budget)
    return poisson_sample(pool, open_, odds, seed=seed, method=method)


def checked_measure(measure: MeasureLike) -> tuple[Measure, Sum]:
    """Return P, RBP, DCG or nDCG@k and the sum that it is, or divides by the best one; refuse others."""
    chosen = parse_measure(measure)
    if chosen.name != "nDCG":
        return chosen, Sum.of(chosen)
    if "cutoff" not in chosen.given:
        raise UsageError(f"{chosen} needs a cutoff in a spot check, such as nDCG@10")
    return chosen, Sum.of(MEASURES["DCG"](**chosen.own))


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
    judged, pi, queries = checked.grade >= 0, checked.probability, len(checked.queries)
    sure, gain = judged & (pi >= 1), chosen.gains_where(judged, checked.grade)
    top, counts = max(1.0, float(gain.max(initial=0.0))), weights > 0
    if asked.name == "nDCG":
        near = FirstOrder.of(asked, weights, prevalences, gain, known=sure, query=checked.query)
        expected = np.where(sure, 0.0, near.change * prevalences).sum(axis=1)
        base, weights = (near.value.sum(axis=1) - expected) / queries, near.change
        ends = bounds(asked, collection.rankings)
        least, most = np.stack([ends.low, ends.high]).reshape(2, len(names), -1).mean(axis=2)
    else:
        base, least = (np.array([w[rows] @ gain[rows] for w in weights]) / queries for rows in (sure, judged))
        most = least + np.array([w[~judged].sum() for w in weights]) * top / queries
    checks = []
    for i, run in enumerate(names):
        open_, sample = ~sure & counts[i], judged & ~earlier & counts[i]
        share, m = weights[i, open_] * top / queries, prevalences[i, open_] / top
        rest, variance = checked_sum(share, m, pi[open_], judged[open_], gain[open_] / top)
        low, high = float(least[i]), float(most[i])
        estimate = normal_interval(
            min(max(rest + float(base[i]), low), high),
            sqrt(variance),
            confidence,
            method=f"spot check of {counted(int(sample.sum()), 'random judgment')}",
            of=Estimand(str(asked), judgments=ALL_JUDGED, subject=run),
            limits=(low, high),
        )
        drawn, unjudged = int(sample.sum()), int((~earlier & counts[i]).sum())
        checks.append(RunCheck(run, str(asked), estimate, drawn, float(gain[sample].sum()), unjudged))
    return SpotCheck(checks)


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


@dataclass(frozen=True, eq=False)
class FirstOrder:
    """Values at the expected gains, runs x queries, and the change per unit of gain, runs x rows."""

    value: Floats
    change: Floats

    @classmethod
    def of(
        cls, measure: Measure, weight: Floats, m: Floats, gain: Floats, *, known: Mask, query: Integers
    ) -> FirstOrder:
        """`weight` (DCG's discounts) and `m` are runs x rows; `gain` is of each row, where it is `known`."""
        queries = int(query.max(initial=-1)) + 1
        top = max(1.0, float(gain[known].max(initial=0.0)))
        gains = np.unique(np.append(gain[known & (gain > 0)], top))[::-1]
        counts = np.zeros((queries, len(gains)))
        for level, own in enumerate(gains.tolist()):
            counts[:, level] = np.bincount(query[known & (gain == own)], minlength=queries)
        values, changes = [], []
        best = denominator_of(measure, gains)
        for w, expected in zip(weight, m, strict=True):
            y = np.where(known, gain, expected)
            here = counts.copy()
            here[:, 0] += np.bincount(query, np.where(known | (w == 0), 0.0, expected / top), queries)
            one_more = here.copy()
            one_more[:, 0] += 1
            ideal = best(here)
            value = ratio(np.bincount(query, w * y, queries), ideal)
            slope = value * (best(one_more) - ideal) / top
            changes.append(np.where(w > 0, ratio(w - slope[query], ideal[query]), 0.0))
            values.append(value)
        return cls(np.array(values), np.array(changes))
