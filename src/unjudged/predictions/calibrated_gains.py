"""Expected gains from raw scores of judges: rising curves, cross-fitted on what people judged.

Judge j has the curve m_j from its raw scores to expected gains. Several judges together have m = sum of
a_j m_j, with weights a_j >= 0 that make the weighted squared error of m on what people judged smallest
(Wolpert, "Stacked generalization", 1992; Breiman, "Stacked regressions", 1996). Everything is cross-fitted
twice: the documents of a fold get curves and weights from the other folds, and these weights come from curves
that did not see the documents on which they are compared. So the estimate stays unbiased whatever the judges
are, and a judge that adds nothing has a weight near 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unjudged.base.segments import Floats, Integers, Mask
from unjudged.judging.sampling import identities, identities_of, numbers
from unjudged.rankings.judgments import Judgments

FOLDS = 10
PSEUDO_JUDGMENTS = 1.0
LEAST_QUERIES = 10
"""Fewest queries judged by people from which weights of judges are learnt."""


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
    """Return the number of documents of equal weight that are worth as much as these (Kish, 1965)."""
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


class Combined(NamedTuple):
    """Expected gain of each row, and the weight of each judge in each fold (judges x folds)."""

    expected: Floats
    weights: Floats
    alone: Floats
    """Expected gains by each judge alone, judges x rows."""


def combined(
    scores: Sequence[Floats],
    gain: Floats,
    drawn: Mask,
    inclusion: Floats,
    fold: Integers,
) -> Combined:
    """Return the expected gain of each row, from the judged rows of the other folds alone.

    The parameters are those of `cross_fitted`, which a single judge is left to.
    """
    folds = int(fold.max(initial=0)) + 1
    alone = np.stack([cross_fitted(score, gain, drawn, inclusion, fold) for score in scores])
    if len(scores) == 1:
        return Combined(alone[0], np.ones((1, folds)), alone)
    judged = np.flatnonzero(drawn)
    weights = np.stack(
        [
            _weights(columns, gain[judged], 1 / inclusion[judged], fold[judged] != k)
            for k, columns in enumerate(_held_out(scores, gain, judged, inclusion, fold))
        ],
        axis=1,
    )
    return Combined((weights[:, fold] * alone).sum(axis=0), weights, alone)


def _held_out(
    scores: Sequence[Floats], gain: Floats, judged: Integers, inclusion: Floats, fold: Integers
) -> Floats:
    """Return folds x judges x judged rows: gains by curves that saw neither the fold nor the row's own."""
    of, folds = fold[judged], int(fold.max(initial=0)) + 1
    found = np.zeros((folds, len(scores), len(judged)))
    own = [np.flatnonzero(of == k) for k in range(folds)]
    for j, score in enumerate(scores):
        for k in range(folds):
            for other in range(k):
                rest = judged[(of != k) & (of != other)]
                curve = Curve.fitted(score[rest], gain[rest], 1 / inclusion[rest])
                found[k, j, own[other]] = curve(score[judged[own[other]]])
                found[other, j, own[k]] = curve(score[judged[own[k]]])
    return found


def _weights(columns: Floats, gain: Floats, weight: Floats, rows: Mask) -> Floats:
    """Return the non-negative weights of smallest squared error on these rows; equal ones if all are 0."""
    from scipy.optimize import nnls

    root = np.sqrt(weight[rows])
    found: Floats = nnls(root[:, None] * columns[:, rows].T, root * gain[rows])[0]
    return found if found.any() else np.full(len(columns), 1 / len(columns))


class CombinedScores(NamedTuple):
    """Scores of the queries that people judged and of the further ones, by all judges together."""

    predicted: Floats
    further: Floats
    weights: Floats
    """Mean over folds of each judge's weight; they add up to 1."""


def combined_scores(human: Floats, predicted: Floats, further: Floats, fold: Integers) -> CombinedScores:
    """Combine what judges score, judges x queries, to what follows the scores by people best.

    The weights of a fold's queries come from the other folds, by least squares around the means; further
    queries have the mean of the folds' weights, each by its queries. With too few queries to tell, all judges
    weigh the same.
    """
    judges, queries = predicted.shape
    if judges == 1:
        return CombinedScores(predicted[0], further[0], np.ones(1))
    folds = int(fold.max(initial=0)) + 1 if queries >= LEAST_QUERIES else 1
    weights = np.full((judges, folds), 1 / judges)
    of = fold if folds > 1 else np.zeros(queries, np.int64)
    for k in range(folds if folds > 1 else 0):
        rows = of != k
        centred = predicted - predicted[:, rows].mean(axis=1, keepdims=True)
        found = _weights(centred, human - human[rows].mean(), np.ones(queries), rows)
        weights[:, k] = found / found.sum()
    mean = weights[:, of].mean(axis=1)
    return CombinedScores((weights[:, of] * predicted).sum(axis=0), mean @ further, mean)
