"""Isotonic regression from raw scores to expected gains, cross-fitted on what people judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.judging.pooling.sampling import identities, identities_of, numbers
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.rankings.judgments import Judgments

FOLDS = 10
PSEUDO_JUDGMENTS = 1.0


@dataclass(frozen=True, eq=False)
class Curve:
    """Rising function of the score, through `gain` at each `score` and straight in between.

    `without` is what a document has that has no score.
    """

    score: Floats
    gain: Floats
    without: float

    @classmethod
    def fitted(cls, score: Floats, gain: Floats, weight: Floats) -> Curve:
        """Fit the rising curve of smallest weighted squared error, drawn a little towards the mean gain.

        The mean counts as one judgment, so no share is exactly 0 or 1 because few were judged. The documents
        without a score (not a number) have their own mean.

        >>> curve = Curve.fitted(np.array([1.0, 2.0, 3.0]), np.array([0.0, 1.0, 0.0]), np.ones(3))
        >>> curve(np.array([1.0, 2.0, 9.0])).round(3)
        array([0.083, 0.458, 0.458])
        """
        from scipy.optimize import isotonic_regression

        if not len(score):
            return cls(np.zeros(1), np.zeros(1), 0.0)
        overall = _mean(gain, weight, 0.0)
        scored = ~np.isnan(score)
        without = _shrunk(_mean(gain[~scored], weight[~scored], overall), overall, weight[~scored])
        if not scored.any():
            return cls(np.zeros(1), np.full(1, overall), float(without))
        order = np.argsort(score[scored], kind="stable")
        x, y, w = (column[scored][order] for column in (score, gain, weight))
        first = np.flatnonzero(np.concatenate([[True], x[1:] != x[:-1]]))
        total = np.add.reduceat(w, first)
        rising = isotonic_regression(np.add.reduceat(w * y, first) / total, weights=total).x
        return cls(x[first], _shrunk(rising, overall, w), float(without))

    def __call__(self, score: Floats) -> Floats:
        gain: Floats = np.interp(score, self.score, self.gain)
        gain[np.isnan(score)] = self.without
        return gain


def cross_fitted(score: Floats, gain: Floats, drawn: Mask, inclusion: Floats, fold: Integers) -> Floats:
    """Return the expected gain of each row, from the judged rows of the other folds alone.

    `gain` counts where `drawn`; each judged row stands for 1 / `inclusion` rows.
    """
    judged = np.flatnonzero(drawn)
    expected = np.zeros(len(score))
    for k in range(int(fold.max(initial=0)) + 1):
        others = judged[fold[judged] != k]
        own = np.flatnonzero(fold == k)
        expected[own] = Curve.fitted(score[others], gain[others], 1 / inclusion[others])(score[own])
    return expected


def folds_of(judgments: Judgments, folds: int = FOLDS) -> Integers:
    """Return a fold for each row: whole queries where there are enough, else documents, by their names.

    Samples of different queries are independent, so the curve that a fold of whole queries is given does not
    depend on what was drawn there: the estimate stays unbiased, for stratified samples too.
    """
    if len(judgments.queries) >= folds:
        return np.repeat(folds_of_queries(judgments.queries.tolist(), folds), np.diff(judgments.offsets))
    return (numbers(identities(judgments), "fold") % np.uint64(folds)).astype(np.int64)


def folds_of_queries(queries: Sequence[bytes], folds: int = FOLDS) -> Integers:
    """Return a fold for each query, by its name; folds differ in size by one query at most."""
    number = numbers(identities_of(list(queries)), "fold")
    place = np.empty(len(number), np.int64)
    place[np.argsort(number, kind="stable")] = np.arange(len(number)) % folds
    return place


def effective_count(weight: Floats) -> float:
    """Return the number of documents of equal weight that tell as much as these (Kish, 1965)."""
    if not len(weight):
        return 0.0
    share = weight / weight.max()
    return float(share.sum() ** 2 / (share**2).sum())


def _mean(value: Floats, weight: Floats, default: float) -> float:
    return float(np.average(value, weights=weight)) if len(value) else default


def _shrunk(value: Floats | float, towards: float, weight: Floats) -> Floats:
    """Return a mean of these weights with a few judgments more."""
    count = effective_count(weight)
    share = count / (count + PSEUDO_JUDGMENTS)
    return share * np.asarray(value, float) + (1 - share) * towards
