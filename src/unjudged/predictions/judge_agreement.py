"""Agreement of two judges on a sample whose documents stand for 1 / pi each: kappa, AUC, confusion."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan, sqrt

import numpy as np

from unjudged.agreement.kappa import by_chance
from unjudged.measures.kernel.estimand import ALL_JUDGED, OTHER, Estimand
from unjudged.predictions.estimators.isotonic import effective_count
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.quantiles import Limits, normal_quantile, t_quantile, within


@dataclass(frozen=True, eq=False)
class Confusion:
    """Documents by human label (rows) and predicted label (columns), as weighted shares and as counts."""

    human: tuple[int, ...]
    predicted: tuple[int, ...]
    share: Floats
    count: Integers

    @classmethod
    def of(cls, human: Integers, predicted: Integers, weight: Floats) -> Confusion:
        rows, i = np.unique(human, return_inverse=True)
        columns, j = np.unique(predicted, return_inverse=True)
        cell, shape = i * len(columns) + j, (len(rows), len(columns))
        count = np.bincount(cell, minlength=len(rows) * len(columns)).reshape(shape)
        share = np.bincount(cell, weight, len(rows) * len(columns)).reshape(shape) / weight.sum()
        return cls(tuple(rows.tolist()), tuple(columns.tolist()), share, count)


@dataclass(frozen=True, eq=False)
class Sample:
    """Documents that both judged: how many documents each stands for, and its query.

    Intervals are linearised: each document's influence on a statistic is added up by query, and queries are
    the independent observations (documents, where there is only one query).
    """

    weight: Floats
    query: Integers
    confidence: float

    def kappa(self, human: Integers, predicted: Integers, of: str) -> Estimate:
        """Estimate Cohen's kappa: agreement beyond chance, (observed - expected) / (1 - expected).

        Not a number where both have a single label, the same.
        """
        observed, expected, each = agreement = by_chance(human, predicted, self.weight)
        if expected == 1:
            return Estimate(nan, nan, nan, self.confidence, "both judges have one label only", _about(of))
        above_chance = (human == predicted) - observed - (1 - agreement.kappa) * (each - 2 * expected)
        influence = self.weight / self.weight.sum() * above_chance / (1 - expected)
        return self._linearised(agreement.kappa, influence, of, (-1.0, 1.0))

    def auc(self, relevant: Mask, score: Floats, of: str) -> Estimate:
        """Estimate the chance that a relevant document has a higher score than another; ties count half.

        Not a number where all documents are relevant, or none.
        """
        if relevant.all() or not relevant.any():
            return Estimate(nan, nan, nan, self.confidence, "one kind of document only", _about(of))
        values, place = np.unique(score, return_inverse=True)
        each = np.where(relevant, self.weight[relevant].sum(), self.weight[~relevant].sum())
        w = self.weight / each
        mass = [np.bincount(place[kind], w[kind], len(values)) for kind in (relevant, ~relevant)]
        below = [np.cumsum(own) - own / 2 for own in mass]
        won = np.where(relevant, below[1][place], 1 - below[0][place])
        value = float(w[relevant] @ won[relevant])
        return self._linearised(value, w * (won - value), of, (0.0, 1.0))

    def _linearised(self, value: float, influence: Floats, of: str, limits: Limits) -> Estimate:
        _, place = np.unique(self.query, return_inverse=True)
        unit = "queries"
        if place.max(initial=0) == 0:
            place, unit = np.arange(len(influence)), "documents"
        totals = np.bincount(place, influence)
        n = len(totals)
        if n < 2:
            return Estimate(value, *limits, self.confidence, "one document only", _about(of))
        half = t_quantile(self.confidence, n - 1) * sqrt(n / (n - 1) * float((totals**2).sum()))
        method = f"linearised over {n} {unit}"
        return Estimate(value, *within(value, half, limits), self.confidence, method, _about(of))


def _about(of: str) -> Estimand:
    """Agreement is estimated for other queries, had both judged every document."""
    return Estimand(of, OTHER, ALL_JUDGED)


def weighted_share(relevant: Mask, weight: Floats, confidence: float, of: str) -> Estimate:
    """Return a share with Wilson's interval, for as many documents as the weights are worth."""
    n = effective_count(weight)
    p, z = float(np.average(relevant, weights=weight)), normal_quantile(confidence)
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    low, high = min(max(middle - half, 0.0), p), max(min(middle + half, 1.0), p)
    return Estimate(p, low, high, confidence, "Wilson, documents taken as independent", Estimand(of))
