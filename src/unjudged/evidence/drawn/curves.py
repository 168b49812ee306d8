"""Rising curves from the scores of judges to what people say, and weights of several judges.

A curve has the smallest squared error among those that never fall (isotonic regression). Several judges are
combined with weights that are not negative and make the squared error smallest (Wolpert, "Stacked
generalization", 1992; Breiman, "Stacked regressions", 1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.base.segments import Floats

PSEUDO_JUDGMENTS = 1.0


@dataclass(frozen=True, eq=False)
class Curve:
    """Rising function of the score, through `value` at each `score` and straight in between.

    `without` is what a document has that has no score.
    """

    score: Floats
    value: Floats
    without: float

    @classmethod
    def fitted(cls, score: Floats, value: Floats, weight: Floats) -> Curve:
        """Fit the rising curve of smallest weighted squared error, drawn a little towards the mean.

        The mean counts as one judgment, so no share is exactly 0 or 1 because few were judged. The documents
        without a score (not a number) have their own mean.

        >>> curve = Curve.fitted(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0]), np.ones(3))
        >>> curve(np.array([1.0, 2.0, 9.0])).round(3)
        array([0.083, 0.458, 0.458])
        """
        from scipy.optimize import isotonic_regression

        if not len(score):
            return cls(np.zeros(1), np.zeros(1), 0.0)
        overall = float(np.average(value, weights=weight))
        scored = ~np.isnan(score)
        mean = float(np.average(value[~scored], weights=weight[~scored])) if (~scored).any() else overall
        without = float(_shrunk(mean, overall, weight[~scored]))
        if not scored.any():
            return cls(np.zeros(1), np.full(1, overall), without)
        order = np.argsort(score[scored], kind="stable")
        x, y, w = (column[scored][order] for column in (score, value, weight))
        first = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
        total = np.add.reduceat(w, first)
        rising = isotonic_regression(np.add.reduceat(w * y, first) / total, weights=total).x
        return cls(x[first], _shrunk(rising, overall, w), without)

    def __call__(self, score: Floats) -> Floats:
        value: Floats = np.interp(score, self.score, self.value)
        value[np.isnan(score)] = self.without
        return value


def _shrunk(value: Floats | float, towards: float, weight: Floats) -> Floats:
    """Return a mean of these weights with a few judgments more."""
    count = 0.0
    if len(weight):  # the number of documents of equal weight that are worth as much as these (Kish, 1965)
        share = weight / weight.max()
        count = float(share.sum() ** 2 / (share**2).sum())
    known = count / (count + PSEUDO_JUDGMENTS)
    return known * np.asarray(value, float) + (1 - known) * towards


def stacked(columns: Floats, value: Floats, weight: Floats) -> Floats:
    """Return the non-negative weights of the rows of `columns` that come closest; equal ones if all are 0."""
    from scipy.optimize import nnls

    root = np.sqrt(weight)
    found: Floats = nnls((root * columns).T, root * value)[0]
    return found if found.any() else np.full(len(columns), 1 / len(columns))


def joined(predicted: Sequence[Floats], value: Floats, weight: Floats) -> Floats:
    """Return weights of several judges that add up to 1."""
    if len(predicted) == 1:
        return np.ones(1)
    found = stacked(np.stack(predicted), value, weight)
    share: Floats = found / found.sum()
    return share
