"""What is predicted of documents that nobody judged: how likely each is to reach a grade.

With a model's labels the probability of a grade rises with the label, as it does among the documents that
people judged. Without a model it comes from the judged documents at the same ranks. Queries differ in how
much is relevant and in how generous people are, so a query's logits are shifted by an effect that is Normal
with mean 0; it is learnt from its own judged documents, whose likelihood counts to the power .3, because they
are not a random sample.

Documents that new systems bring may be relevant more rarely or more often than all of this says. So what was
drawn in the first batch shifts all logits by one effect more. A document is never predicted from itself:
that shift is learnt from the other tenths of the queries, and so is all of it if nothing but drawn documents
was judged. Then wrong predictions give estimates without bias, too, and good ones make them precise.

A curve from labels to grades has the smallest squared error among those that never fall (isotonic
regression). Several judges are combined with weights that are not negative and make the squared error
smallest (Wolpert, "Stacked generalization", 1992; Breiman, "Stacked regressions", 1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.base.segments import Floats, Integers, Mask, sums

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


USUAL = 0.02
"""So much of every prediction is what is usual: no document is sure to have a grade."""
AT_SAME_RANKS = 5.0
"""So many documents of the usual kind count among the documents of each band of rank."""
POWER = 0.3
"""The judged documents of a query are no random sample of it."""
EFFECTS = np.linspace(-4.0, 4.0, 33)
DEVIATIONS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
"""Effects of queries that are tried, and standard deviations of them."""
ENOUGH, FOLDS = 20, 10
"""With fewer documents that were judged before, predictions are learnt from drawn ones, in folds."""


@dataclass(frozen=True, eq=False)
class Learnt:
    """What people judged, and what predictions can be learnt from; a row per document.

    `reached` (rows x steps) says which grades a judged document has at least. `known` were judged before
    anything was drawn, and `drawn` were drawn and judged, each for 1 / `chance` documents. `scores` are those
    of judges x rows, not a number where a judge has none. `band` is the band of the best rank.
    """

    reached: Mask
    known: Mask
    drawn: Mask
    chance: Floats
    scores: Floats
    band: Integers
    query: Integers
    by_strata: bool = False
    """Bands are strata: documents that were drawn say most of those that were not, and all others help."""

    def predicted(self, rows: Integers) -> Floats:
        """Return rows x steps: how likely these documents are to reach each grade."""
        fold = self.query % FOLDS if len(np.unique(self.query[self.drawn])) >= FOLDS else _spread(self.query)
        enough = int(self.known.sum()) >= ENOUGH and not self.by_strata
        if enough or not self.drawn.any():
            return self._corrected(self._from(self.known, np.ones(len(self.known)), rows), rows, fold[rows])
        found = np.zeros((len(rows), self.reached.shape[1]))
        judged, weight = self.known | self.drawn, np.where(self.drawn, 1 / self.chance, 1.0)
        for k in range(FOLDS):
            own = fold[rows] == k
            if own.any():
                others = judged & (fold != k)
                found[own] = self._from(others | self.known if self.by_strata else others, weight, rows[own])
        return found

    def _corrected(self, chance: Floats, rows: Integers, fold: Integers) -> Floats:
        """Return predictions that drawn documents of the other folds have shifted, all by the same effect."""
        found, drawn, reached = chance.copy(), self.drawn[rows], self.reached[rows].astype(float)
        for k in range(FOLDS):
            own, others = fold == k, drawn & (fold != k)
            if own.any() and others.any():
                alike = np.zeros(int(others.sum()), np.int64)
                effects = effects_of(chance[others], reached[others], alike, power=1.0)
                found[own] = shifted(chance[own], np.zeros(int(own.sum()), np.int64), *effects)
        return found

    def _from(self, judged: Mask, weight: Floats, rows: Integers) -> Floats:
        """Return predictions that are learnt from some documents."""
        from_rows, own = np.flatnonzero(judged), weight[judged]
        reached = self.reached[from_rows].astype(float)
        usual = (own @ reached + 0.5) / (own.sum() + 1.0)
        every = np.concatenate([from_rows, rows])
        if len(self.scores):
            chance = self._by_label(from_rows, own, reached, every)
        else:
            chance = self._by_rank(from_rows, own, reached, every, usual)
        chance = (1 - USUAL) * np.minimum.accumulate(chance, axis=1) + USUAL * np.minimum.accumulate(usual)
        at = len(from_rows)
        if not at:
            return chance
        return shifted(
            chance[at:], self.query[rows], *effects_of(chance[:at], reached, self.query[from_rows])
        )

    def _by_label(self, learnt: Integers, weight: Floats, reached: Floats, rows: Integers) -> Floats:
        """Return documents x steps: the chance to reach each grade, learnt from predicted scores."""
        each = []
        for score in self.scores:
            curves = [Curve.fitted(score[learnt], column, weight) for column in reached.T]
            each.append(np.stack([curve(score[rows]) for curve in curves], axis=1))
        at = len(learnt)
        share = joined([own[:at].ravel() for own in each], reached.ravel(), np.repeat(weight, len(reached.T)))
        return np.asarray(np.einsum("j,jds->ds", share, np.stack(each)))

    def _by_rank(
        self, learnt: Integers, weight: Floats, reached: Floats, rows: Integers, usual: Floats
    ) -> Floats:
        """Return documents x steps: the chance to reach each grade, learnt from the same ranks."""
        bands = int(self.band.max(initial=0)) + 1
        of = self.band[learnt]
        total = sums(weight, of, bands) + AT_SAME_RANKS
        found = [
            sums(weight * column, of, bands) + AT_SAME_RANKS * u
            for column, u in zip(reached.T, usual, strict=True)
        ]
        return (np.stack(found, axis=1) / total[:, None])[self.band[rows]]


def _spread(query: Integers) -> Integers:
    """Return folds of documents, where there are too few queries."""
    return np.arange(len(query)) % FOLDS


def effects_of(
    chance: Floats, reached: Floats, query: Integers, power: float = POWER
) -> tuple[Integers, Floats]:
    """Return the queries that have judged documents, and how likely each of the `EFFECTS` is there.

    The deviation of the effects is the one that makes what people judged most likely.
    """
    queries, place = np.unique(query, return_inverse=True)
    logit = np.log(chance / (1 - chance))
    likelihood = np.zeros((len(queries), len(EFFECTS)))
    for k, effect in enumerate(EFFECTS):
        at_least = 1 / (1 + np.exp(-logit - effect))
        steps = np.concatenate([np.ones((len(chance), 1)), at_least, np.zeros((len(chance), 1))], axis=1)
        grade = reached.sum(axis=1).astype(np.int64)
        row = np.arange(len(chance))
        seen = np.maximum(steps[row, grade] - steps[row, grade + 1], 1e-12)
        likelihood[:, k] = power * sums(np.log(seen), place, len(queries))
    best, posterior = -np.inf, np.zeros(0)
    for deviation in DEVIATIONS:
        prior = np.exp(-0.5 * (EFFECTS / deviation) ** 2) if deviation else (EFFECTS == 0).astype(float)
        own = np.exp(likelihood - likelihood.max(axis=1, keepdims=True)) * (prior / prior.sum())
        total = own.sum(axis=1, keepdims=True)
        marginal = float((np.log(np.maximum(total[:, 0], 1e-300)) + likelihood.max(axis=1)).sum())
        if marginal > best + 1e-9:
            best, posterior = marginal, own / np.maximum(total, 1e-300)
    return queries, posterior


def shifted(chance: Floats, query: Integers, queries: Integers, posterior: Floats) -> Floats:
    """Return probabilities with the effects of their queries; a query without any judged has none."""
    place = np.minimum(np.searchsorted(queries, query), len(queries) - 1)
    there = queries[place] == query
    logit, found = np.log(chance / (1 - chance)), np.zeros(chance.shape)
    for k, effect in enumerate(EFFECTS):
        found += posterior[place, k][:, None] / (1 + np.exp(-logit - effect))
    return np.where(there[:, None], found, chance)
