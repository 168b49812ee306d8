"""A rehearsal: draw many human samples from complete judgments and see how good the estimates are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unjudged.evidence.drawn.predictions import GRADES, Predictions, PredictionsSource
from unjudged.evidence.intervals.quantiles import normal_quantile
from unjudged.judging import sampling
from unjudged.measures.kernel.names import MeasureLike
from unjudged.predictions.by_document import per_query_estimates
from unjudged.predictions.calibrated_gains import cross_fitted, folds_of
from unjudged.predictions.poisson_sample import probabilities
from unjudged.predictions.population import POISSON, Population
from unjudged.predictions.sums import SamplingError, Sum
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.rankings.pooled import unit
from unjudged.rankings.runs import RunsSource


@dataclass(frozen=True, eq=False)
class Rehearsal:
    """Estimates of the runs' means from many samples, beside the truth.

    `estimates[k, i]` is that of run i from sample k, `errors[k]` what the sample says of its own error.
    """

    runs: tuple[str, ...]
    truth: Floats
    estimates: Floats
    errors: tuple[SamplingError, ...]
    judgments: float
    """Human judgments per sample, on average."""

    def rmse(self, a: str, b: str | None = None) -> float:
        """The root mean squared error of run `a`'s mean, or of its difference to run `b`."""
        return float(np.sqrt(np.mean(self._errors(self._share(a, b)) ** 2)))

    def bias(self, a: str, b: str | None = None) -> float:
        """The mean error of the same."""
        return float(self._errors(self._share(a, b)).mean())

    def coverage(self, a: str, b: str | None = None, confidence: float = 0.95) -> float:
        """How often the interval holds the truth."""
        share = self._share(a, b)
        inside = np.abs(self._errors(share)) <= normal_quantile(confidence) * self._deviations(share)
        return float(inside.mean())

    def width(self, a: str, b: str | None = None, confidence: float = 0.95) -> float:
        """The mean width of the interval."""
        return 2 * normal_quantile(confidence) * float(self._deviations(self._share(a, b)).mean())

    def _deviations(self, share: Floats) -> Floats:
        return np.array([error.deviation(share) for error in self.errors])

    def _errors(self, share: Floats) -> Floats:
        errors: Floats = (self.estimates - self.truth) @ share
        return errors

    def _share(self, a: str, b: str | None) -> Floats:
        share = np.zeros(len(self.runs))
        for run, sign in ((a, 1), (b, -1)):
            if run is not None:
                share[self.runs.index(run)] += sign
        return share


def rehearse(
    qrels: JudgmentsSource,
    runs: RunsSource,
    budget: float,
    predictions: PredictionsSource | None = None,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    size: Floats | None = None,
    floor: float = 0.01,
    calibrate: bool = True,
    repetitions: int = 400,
    seed: int = 0,
) -> Rehearsal:
    """Estimate by document from many Poisson samples of complete judgments, and compare with the truth.

    Documents are drawn with probabilities proportional to `size`, one number per row of the population: their
    mean weight in the runs unless given. Documents that are not judged count as nonrelevant.

    >>> from unjudged import sample
    >>> found = rehearse(sample.qrels, sample.runs, budget=300, repetitions=20)
    >>> found.judgments
    291.15
    """
    chosen = Sum.of(measure)
    whole = Population.of(qrels, runs)
    listed = whole.judgments.grade >= 0
    weight = chosen.weights(whole.rankings.rank)
    gain = np.zeros(len(listed))
    gain[listed] = chosen.gains(whole.judgments.grade[listed])
    if size is None:
        size = np.bincount(whole.rankings.row, weight, len(gain)).astype(float)
    open_ = listed & (size > 0)
    pi = probabilities(np.where(open_, size, 0.0), open_, budget, floor)
    source = None if predictions is None else Predictions.of(predictions)
    value = np.zeros(len(gain)) if source is None else source.aligned(whole.judgments).value
    fold = folds_of(whole.judgments)
    fixed = np.zeros(len(gain)) if source is None or calibrate else np.nan_to_num(value)
    if source is not None and source.kind == GRADES:
        fixed = chosen.gains_where(~np.isnan(value), value)
    identity = sampling.identities(whole.judgments)
    estimates, errors, judged = [], [], 0
    for k in range(repetitions):
        drawn = open_ & (unit(sampling.numbers(identity, seed, k)) < pi)
        population = replace(whole, drawn=drawn, inclusion=np.where(open_, pi, 1.0), design=POISSON)
        expected = fixed
        if source is not None and calibrate:
            expected = np.where(listed, cross_fitted(value, gain, drawn, population.inclusion, fold), 0.0)
        estimates.append(per_query_estimates(population, weight, gain, expected).mean(axis=1))
        errors.append(SamplingError.of(population, weight, gain, expected))
        judged += int(drawn.sum())
    everything = replace(whole, drawn=listed, inclusion=np.ones(len(gain)))
    truth = per_query_estimates(everything, weight, gain, np.zeros(len(gain))).mean(axis=1)
    return Rehearsal(
        runs=whole.runs,
        truth=truth,
        estimates=np.array(estimates),
        errors=tuple(errors),
        judgments=judged / max(repetitions, 1),
    )
