"""Difference estimator: predictions for every document, corrected by those that people judged.

For a measure that is a sum over documents, with weight w, gain y (known where people judged), predicted gain
m and probability pi of being judged,

    estimate = sum of w m + sum over the judged of w (y - m) / pi.

It is unbiased whatever the predictions are; good ones make it precise (Cassel, Särndal and Wretman, 1976).
With m = 0 it is Horvitz and Thompson's estimate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from unjudged.base.choices import place_of
from unjudged.base.errors import InputError, UsageError
from unjudged.base.segments import Floats, Ints, Mask
from unjudged.base.wording import counted
from unjudged.evidence.contrast import ALONE, Contrast, Ends
from unjudged.evidence.drawn.predictions import JudgesSource, any_predicted, weights_text
from unjudged.evidence.intervals.quantiles import Estimate, normal_interval
from unjudged.measures.kernel.estimand import ALL_JUDGED, POOL_JUDGED, THESE, Estimand
from unjudged.measures.kernel.measure import ROUNDING, mean_over_queries
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.predictions.calibrated_gains import Combined, combined, folds_of
from unjudged.predictions.labelled_population import (
    ASSUMED,
    STATE_IT,
    Completeness,
    Population,
    PredictedPopulation,
)
from unjudged.predictions.sums import SamplingError, Sum
from unjudged.rankings.coverage import not_random
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.rankings.runs import RunsSource

OUTSIDE = ("error", "nonrelevant")
"""Ways to treat documents that people could not have judged."""


NONE, CALIBRATED = "no predictions", "calibrated predictions"


SAMPLED = "estimated from a sample of judgments; the test over queries allows for it"


@dataclass(frozen=True, eq=False)
class DocumentEvidence:
    """Unbiased estimates by query, from a random sample of documents that people labelled.

    `per_query[i, j]` is the estimate for run i and query j, `error` is that of the runs' means over the
    samples that people might have been given.
    """

    measure: Measure
    systems: Sequence[str]
    queries: Sequence[str]
    per_query: Floats
    error: SamplingError
    design: str
    judged: int
    missing: int
    """Documents that count and have no prediction."""
    outside: int
    """Documents that count and that people could not have judged."""
    predictions: str
    """Use of the predictions, in words."""
    reading: Sequence[str] = ()
    """Notes on how the predictions were read."""
    judges: Mapping[str, float] = field(default_factory=dict)
    """Weight of each judge in the calibrated predictions, the mean over folds."""
    impossible: str = ""
    """Where a uniform sample is assumed: what shows that the judgments are none."""
    possible: Ends | None = None
    """Where a uniform sample is assumed: the lowest and the highest mean of each run that can be true."""

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:  # noqa: ARG002
        """Return these contrasts with their errors over samples that people might have been given."""
        shares = np.eye(len(self.systems))[first]
        if int(second[0]) != ALONE:
            shares = shares - np.eye(len(self.systems))[second]
        return Contrast(
            self.measure,
            self.systems,
            self.queries,
            first,
            second,
            self.measure.sign * self.per_query,
            error=np.array([self.error.deviation(one) for one in shares]),
            possible=self.possible,
            missing=SAMPLED,
        )

    def checked(self) -> DocumentEvidence:
        """Return the estimates, or refuse those that cannot be true."""
        if self.impossible:
            remedy = "draw what people judge (unjudged next --design holes), or use bounds instead"
            raise InputError(f"{self.impossible}: {remedy} (--interval bounds)")
        return self

    def mean(self, a: str, b: str | None = None, *, confidence: float = 0.95) -> Estimate:
        """Estimate the mean of a run on these queries, or its difference to run `b`."""
        places = [place_of("run", name, self.systems) for name in (a, b) if name is not None]
        share = np.zeros(len(self.systems))
        np.add.at(share, places, [1.0, -1.0][: len(places)])
        low, high = self.measure.range
        limits = (low, high) if b is None else (low - high, high - low)
        if b is None and self.possible is not None:
            limits = float(self.possible.low[places[0]]), float(self.possible.high[places[0]])
        judged = POOL_JUDGED if self.outside else ALL_JUDGED
        of = Estimand(str(self.measure), THESE, judged, a if b is None else f"{a} minus {b}")
        value, error = float(mean_over_queries(share @ self.per_query)), self.error.deviation(share)
        found = normal_interval(value, error, confidence, method=self._how, of=of, limits=limits)
        if b is None and self.possible is not None:
            found = replace(found, value=min(max(value, limits[0]), limits[1]))
        return found

    @property
    def _how(self) -> str:
        """Sample and use of the predictions, in words."""
        return f"{self.design} sample of {counted(self.judged, 'human judgment')}, {self.predictions}"

    def notes(self) -> list[str]:
        """Say how the estimates were made and what was missing."""
        notes = [f"{self.measure} by document: {self._how}."]
        if self.predictions != NONE:
            notes.append(f"Documents that count for {self.measure} and have no prediction: {self.missing}.")
        if self.outside:
            what = f"Documents that count for {self.measure} and could not have been judged by people"
            notes.append(f"{what}: {self.outside}, counted as nonrelevant.")
        if len(self.judges) > 1:
            notes.append(f"Weights of the judges for {self.measure}: {weights_text(self.judges)}.")
        return [*notes, *self.reading]


def estimate_by_document(
    qrels: JudgmentsSource,
    runs: RunsSource,
    predictions: JudgesSource | None = None,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    outside: str = "error",
) -> DocumentEvidence:
    """Estimate the runs' means of a sum (P, RBP, DCG) from a human sample and predictions of the rest.

    `qrels` are the human judgments of a random sample, with how it was drawn (see `Population.of`). The
    predictions may be any scores: rising curves fitted to the sample turn them into expected gains, and no
    query's judgments calibrate its own documents. Without predictions it is the plain Horvitz-Thompson
    estimate. Several judges, `{"llama": ..., "clicks": ...}`, are combined with weights that the sample
    decides. `outside` says what to do with retrieved documents that could not have been judged: 'error', or
    'nonrelevant' (as in TREC).

    >>> qrels = {"q1": {"d1": 1, "d2": -1, "d3": 0, "d4": -1}, "q2": {"d1": -1, "d2": 1, "d3": -1, "d4": 0}}
    >>> run = {q: {"d1": 4, "d2": 3, "d3": 2, "d4": 1} for q in qrels}
    >>> predicted = {q: {"d1": 0.9, "d2": 0.6, "d3": 0.2, "d4": 0.1} for q in qrels}
    >>> print(estimate_by_document(qrels, {"mine": run}, predicted, "P@4").mean("mine"))
    0.5068 [0.2500, 0.7500]
    """
    population = Population.of(qrels, runs)
    source = None if predictions is None else population.with_predictions(predictions)
    return estimate_population(population, source, measure, outside=outside).checked()


def estimate_population(
    population: Population,
    predictions: PredictedPopulation | None,
    measure: MeasureLike,
    *,
    outside: str = "error",
) -> DocumentEvidence:
    """Estimate by one measure from runs that were read and matched before."""
    if outside not in OUTSIDE:
        raise UsageError(f"outside is {outside!r}, expected one of {', '.join(OUTSIDE)}")
    chosen = Sum.of(parse_measure(measure).on(population.judgments))
    gain = chosen.gains_where(population.drawn, population.judgments.grade)
    weight = chosen.weights(population.rankings.rank)
    counted = population.counted(weight)
    expected, known, missing = np.zeros(len(gain)), np.zeros(len(gain), bool), 0
    used, reading, judges = NONE, list[str](), dict[str, float]()
    if predictions is not None:
        known = any_predicted(predictions.values)
        missing = int((~known & counted & ~population.unreachable).sum())
        reading = predictions.judges.notes()
        used, (expected, weights, _) = CALIBRATED, calibrated_gains(population, predictions, gain)
        judges = predictions.judges.weighed(weights.mean(axis=1))
    unreachable = population.unreachable & counted
    if unreachable.any() and outside == "error":
        raise InputError(_refusal(population, unreachable))
    if unreachable.any() and not population.is_sample:
        labelled = Completeness.of(chosen.measure, population.rankings, known)
        labelled.check(len(labelled.needed))
    top = float(chosen.gains([chosen.measure.max_grade(population.judgments)]).max(initial=1.0))
    expected = np.where(population.unreachable, 0.0, expected)
    estimates = DocumentEvidence(
        measure=chosen.measure,
        systems=population.runs,
        queries=list(population.judgments.queries),
        per_query=per_query_estimates(population, weight, gain, expected),
        error=SamplingError.of(population, weight, gain, expected),
        design=population.design,
        judged=int(population.drawn.sum()),
        missing=missing,
        outside=int(unreachable.sum()),
        predictions=used,
        reading=reading,
        judges=judges,
    )
    if population.design != ASSUMED:
        return estimates
    most = np.where(population.drawn, gain, top)
    least, most = (mean_over_queries(population.totals(weight, each)) for each in (gain, most))
    rate = np.where(population.stratum >= 0, population.rate, np.nan)
    impossible = not_random(population.rankings, rate) or _impossible(estimates, least, most)
    return replace(estimates, impossible=impossible, possible=Ends(least, most))


def calibrated_gains(population: Population, predictions: PredictedPopulation, gain: Floats) -> Combined:
    """Return the expected gain of each row by the judges, calibrated on the gains that were drawn."""
    fold = folds_of(population.judgments)
    return combined(list(predictions.values), gain, population.drawn, population.inclusion, fold)


def _impossible(estimates: DocumentEvidence, least: Floats, most: Floats) -> str:
    """Say which interval lies outside what the judgments leave possible, if one does."""
    for run, low, high in zip(estimates.systems, least, most, strict=True):
        mean = estimates.mean(run)
        if mean.high < low - ROUNDING or mean.low > high + ROUNDING:
            wrong = f"{run} would have {estimates.measure} {mean}"
            right = f"with every document judged it has from {low:.4f} to {high:.4f}"
            return f"these judgments are no uniform sample of the pool: {wrong}, and {right}"
    return ""


def per_query_estimates(population: Population, weight: Floats, gain: Floats, expected: Floats) -> Floats:
    """Runs x queries: the sum of w (m + I (y - m) / pi).

    Over all samples the mean of the bracket is the gain y, whatever the expected gain m is.
    """
    correction = np.where(population.drawn, (gain - expected) / population.inclusion, 0.0)
    return population.totals(weight, expected + correction)


def _refusal(population: Population, rows: Mask) -> str:
    row = int(np.argmax(rows))
    query = population.judgments.queries[int(population.judgments.query[row])]
    example = f"document {population.judgments.documents[row]!r} of query {query!r}"
    several = f"{counted(int(rows.sum()), 'document')} of those that count"
    remedy = "draw the sample from all documents, or choose nonrelevant as `outside`"
    problem = f"people could not have judged {several}, such as {example}"
    if population.is_sample:
        return f"{problem}: {remedy}"
    return f"{problem}, if these labels are all that there could be. {STATE_IT}; otherwise {remedy}"
