"""Prediction-powered inference: means over queries that predictions of more queries make more precise.

Prediction-powered inference is for queries: n of them have a score H by human judgments and L by predicted
ones; N further queries have L only. With

    lambda = Cov(H, L) / ((1 + n/N) Var(L)), clipped to [0, 1],

the estimate lambda mean_N(L) + mean_n(H - lambda L) is right however bad the predictions are, and lambda
gives them the weight that they deserve (Angelopoulos, Duchi and Zrnic, "PPI++", 2023). It takes any measure.

Estimate and lambda are as in ppi_py. Its Normal interval is too narrow for few queries: here lambda and
the mean cost two degrees of freedom, so that the variance is

    sum of squared residuals of H - lambda L / ((n - 2) n) + lambda^2 Var_N(L) / N,

and the quantile is Student's with n - 2 degrees of freedom.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Contrast
from unjudged.evidence.distributions import t_quantile, upper_tail
from unjudged.measures.kernel.measure import without_rounding

LEAST = 3
"""Fewest queries that people judged completely, for an interval over queries."""


@dataclass(frozen=True)
class Powered:
    """Mean with its standard error and the weight that the predictions were given."""

    value: float
    error: float
    weight: float
    """lambda: 0 where the predictions say nothing, 1 where they may be added as they are."""
    queries: int
    """Queries that people judged."""

    def interval(self, confidence: float) -> tuple[float, float]:
        """Return the ends of the mean over other queries, by Student's t."""
        half = t_quantile(confidence, self.queries - 2) * self.error
        return self.value - half, self.value + half

    def sides(self, margin: float) -> tuple[float, float]:
        """P values that the mean is above, and that it is below, minus the margin."""
        gap = self.value + margin
        t = gap / self.error if self.error > 0 else float(np.copysign(np.inf, gap)) if gap else 0.0
        return float(upper_tail(self.queries - 2, t)), float(upper_tail(self.queries - 2, -t))

    @property
    def p(self) -> float:
        """P value of a mean of 0."""
        if self.error == 0:
            return 1.0 if self.value == 0 else 0.0
        return float(2 * upper_tail(self.queries - 2, abs(self.value) / self.error))


def prediction_powered(human: ArrayLike, predicted: ArrayLike, further: ArrayLike) -> Powered:
    """Estimate the mean of `human`, with `predicted` of the same queries and `further` of others.

    >>> powered = prediction_powered([0.2, 0.4, 0.9], [0.3, 0.4, 0.8], [0.5, 0.7, 0.6, 0.4])
    >>> round(powered.value, 4), round(powered.weight, 4)
    (0.55, 1.0)
    """
    known, guessed, more = (np.asarray(values, float) for values in (human, predicted, further))
    n = len(known)
    if known.shape != guessed.shape or known.ndim != 1 or more.ndim != 1:
        raise UsageError(
            f"{known.shape} human and {guessed.shape} predicted scores, expected one each per query"
        )
    if n < LEAST:
        raise UsageError(f"people judged {n} of the queries, expected {LEAST} or more")
    weight, spread = 0.0, float(np.var(np.concatenate([guessed, more]), ddof=1))
    if len(more) and spread > 0:
        together = float(np.mean((known - known.mean()) * (guessed - guessed.mean())))
        weight = min(max(together / ((1 + n / len(more)) * spread), 0.0), 1.0)
    rest = known - weight * guessed
    value, variance = float(rest.mean()), float(rest.var()) / (n - 2)
    if len(more):
        value += weight * float(more.mean())
        variance += weight**2 * float(more.var()) / len(more)
    return Powered(value, sqrt(variance), weight, n)


def powered_means(contrast: Contrast, alpha: float) -> tuple[list[Powered], tuple[Floats, Floats, Floats]]:
    """Return the means of people's scores with predicted ones; and these and their ends as shown."""
    values, sign = contrast.values, contrast.measure.sign
    predicted, further = contrast.surrogate or (values, values)
    powered = [prediction_powered(*one) for one in zip(values, predicted, further, strict=True)]
    means = without_rounding(np.array([one.value for one in powered]), contrast.scores)
    powered = [replace(one, value=mean) for one, mean in zip(powered, means.tolist(), strict=True)]
    means = sign * means + 0.0
    half = np.array([t_quantile(1 - alpha, one.queries - 2) * one.error for one in powered])
    return powered, (means, means - half, means + half)


def powered_queries(contrast: Contrast) -> Floats:
    """Return k x q: scores by query with the mean and the standard error that predictions give.

    Residuals of the predictions are scaled until their spread gives this error. Without predictions for
    further queries these are the scores.
    """
    if contrast.surrogate is None:
        return contrast.values
    (powered, _), values = powered_means(contrast, 0.05), contrast.values
    weight, value, error = (
        np.array([getattr(one, name) for one in powered])[:, None] for name in ("weight", "value", "error")
    )
    rest = values - weight * contrast.surrogate[0]
    rest = rest - rest.mean(axis=1, keepdims=True)
    spread = rest.std(axis=1, ddof=1, keepdims=True)
    stretched: Floats = rest * error * rest.shape[1] ** 0.5 / np.where(spread > 0, spread, np.inf)
    return value + stretched
