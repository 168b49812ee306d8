"""Several judges together: each one's calibrated curve, weighted by what the human judgments say of it.

Judge j has the curve m_j from its raw scores to expected gains. The combination is m = sum of a_j m_j, with
weights a_j >= 0 that make the weighted squared error of m on what people judged smallest (Wolpert, "Stacked
generalization", 1992; Breiman, "Stacked regressions", 1996). Everything is cross-fitted twice: the documents
of a fold get curves and weights from the other folds, and these weights come from curves that did not see the
documents on which they are compared. So the estimate stays unbiased whatever the judges are, and a judge that
adds nothing has a weight near 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from unjudged.predictions.estimators.isotonic import Curve, cross_fitted
from unjudged.rankings.judged import Floats, Integers, Mask

LEAST_QUERIES = 10
"""Fewest queries judged by people from which weights of judges are learnt."""


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
