"""Uncertainty of RBP when each unjudged document is relevant with some probability (Park, 2016).

What Park derives for RBP holds for every measure that is a sum over relevant documents, such as P@k.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.measures.rank_biased import RBP
from unjudged.measures.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings, sums
from unjudged.uncertainty.completions import Completions
from unjudged.uncertainty.estimate import Estimate, check_level
from unjudged.uncertainty.prevalence import Relevance, relevance

FEW_QUERIES = 30
MOST_ATOMS = 1 << 15


@dataclass(frozen=True, eq=False)
class Unjudged:
    """What the unjudged documents of each ranking add to the value, as a random variable v.

    Each unjudged document at rank k adds its weight w, in RBP (1 - p) p^(k-1), with probability q: E[v] = sum
    of q w, Var[v] = sum of q (1 - q) w^2. The documents behind the end of the ranking are not among them.
    """

    measure: Measure
    value: Floats
    mean: Floats
    variance: Floats
    ranking: np.ndarray
    weight: Floats
    q: Floats
    assumption: str

    def distribution(self, ranking: int) -> tuple[Floats, Floats]:
        """The values that v can take for one ranking, and their probabilities."""
        own = self.ranking == ranking
        return sum_of_independent(self.weight[own], self.q[own])

    def interval(self, level: float = 0.95) -> Estimate:
        """Of the mean over rankings of value + v, at any level.

        From 30 rankings on it is Normal (Park's eq. 8, each ranking with its own unjudged set); below, the
        quantiles of the exact distribution.
        """
        check_level(level)
        queries = len(self.value)
        mean, tail = float((self.value + self.mean).mean()), (1 - level) / 2
        if queries >= FEW_QUERIES:
            from scipy.special import ndtri

            half = float(-ndtri(tail)) * float(np.sqrt(self.variance.sum())) / queries
            low, high, how = mean - half, mean + half, "Normal"
        else:
            support, probability = sum_of_independent(self.weight / queries, self.q)
            low, high = (float(self.value.mean()) + x for x in quantiles(support, probability, tail))
            how = "exact distribution"
        return Estimate(mean, low, high, level, f"{how}; {self.assumption}", f"mean {self.measure}")


def unjudged_part(rankings: JudgedRankings, measure: Measure = RBP, q: float | str = "all") -> Unjudged:
    """What the unjudged leave open of a sum over relevant documents; `q` as in `relevance`."""
    completions = Completions.of(rankings)
    model: Relevance = relevance(rankings, q, rel=measure.given.get("rel", 1))
    weight = measure.weights(completions.rank)
    chance = model.at(completions.ranking, completions.rank)
    return Unjudged(
        measure=measure,
        value=measure.compute(rankings),
        mean=completions.weights(chance * weight),
        variance=completions.weights(chance * (1 - chance) * weight**2),
        ranking=completions.ranking,
        weight=weight,
        q=chance,
        assumption=model.assumption,
    )


def sum_of_independent(weight: Floats, q: Floats) -> tuple[Floats, Floats]:
    """The distribution of a sum of weights, each there with its own probability: values and probabilities.

    One weight after another, the largest first: exact while there are at most 32,768 values; from then on
    values are put on a lattice of half as many points, each split between its two neighbours so that the
    mean stays exact and the error of a value below the width of a step. Of the smallest weights, which
    together make up a millionth of all, only the mean is added.
    """
    order = np.argsort(-weight, kind="stable")
    weight, q = weight[order], q[order]
    left = weight.sum() - np.cumsum(weight)
    large = int(np.searchsorted(-left, -1e-6 * weight.sum(), "right")) + 1
    support, probability = np.full(1, float(weight[large:] @ q[large:])), np.ones(1)
    total = float(weight[:large].sum() + support[0])
    for w, chance in zip(weight[:large].tolist(), q[:large].tolist(), strict=True):
        if w == 0:
            break
        support = np.concatenate([support, support + w])
        probability = np.concatenate([probability * (1 - chance), probability * chance])
        if len(support) > MOST_ATOMS:
            support, probability = _on_lattice(support, probability, total)
    order = np.argsort(support, kind="stable")
    return support[order], probability[order]


def _on_lattice(support: Floats, probability: Floats, total: float) -> tuple[Floats, Floats]:
    points = MOST_ATOMS // 2
    position = support / total * (points - 1)
    below = np.minimum(np.floor(position).astype(np.int64), points - 2)
    above_share = position - below
    on_points = sums(probability * (1 - above_share), below, points)
    on_points += sums(probability * above_share, below + 1, points)
    return np.linspace(0.0, total, points), on_points


def quantiles(support: Floats, probability: Floats, tail: float) -> tuple[float, float]:
    """The values with at most `tail` of the probability below and above them."""
    below = np.cumsum(probability)
    low = int(np.searchsorted(below, tail, "right"))
    high = int(np.searchsorted(below, 1 - tail, "left"))
    last = len(support) - 1
    return float(support[min(low, last)]), float(support[min(high, last)])
