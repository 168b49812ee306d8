"""Sums over relevant documents (RBP, P) when each unjudged document is relevant with some probability.

Park (2016) derives mean, variance and distribution for RBP; they hold for every measure in which a relevant
document adds the weight of its rank.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.base.segments import numbered, sums
from unjudged.evidence.completions import Completions
from unjudged.evidence.draws import drawn_relevant
from unjudged.evidence.prevalence import Prevalence
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Integers

FEW_QUERIES = 30
MOST_ATOMS = 1 << 15
DRAWS, DRAWN_AT_ONCE = 5000, 1 << 20
NEAR_NORMAL = 0.1
"""From this ratio of third moments to the cube of the deviation down, a sum is as good as Normal."""
LEAST = 1e-22
"""Values of a sum that are less likely than this are left out."""
NEGLIGIBLE = 1e-6
"""Documents that together could change a sum by less than this share of its deviation are left out."""


def is_sum(measure: Measure) -> bool:
    """Whether every relevant document adds the weight of its rank alone."""
    return measure.traits.weight is not None and not measure.given.keys() & {"max_grade", "gains", "scale"}


@dataclass(frozen=True, eq=False)
class UnjudgedSum:
    """Sum that the unjudged documents of each ranking add to its value, as a random variable v.

    Each unjudged document at rank k adds its weight w, in RBP (1 - p) p^(k-1), with probability q: E[v] = sum
    of q w, Var[v] = sum of q (1 - q) w^2.
    """

    value: Floats
    mean: Floats
    variance: Floats
    weight: Floats
    ranking: Integers
    identity: np.ndarray
    prevalence: Prevalence

    @classmethod
    def of(cls, completions: Completions, measure: Measure) -> UnjudgedSum:
        r = completions.rankings
        place = numbered(completions.row, len(r.judgments.grade))
        unknown = r.where(place[r.row] >= 0)
        document = place[unknown.row]
        weight = measure.weights(unknown.rank)
        counts = weight > 0
        document, weight, ranking = document[counts], weight[counts], unknown.ranking[counts]
        prevalence = completions.prevalence.at(completions.prevalence.cell[document])
        q = prevalence.chance
        return cls(
            value=measure.compute(r),
            mean=sums(q * weight, ranking, len(r)),
            variance=sums(q * (1 - q) * weight**2, ranking, len(r)),
            weight=weight,
            ranking=ranking,
            identity=completions.identity[document],
            prevalence=prevalence,
        )

    @property
    def expected(self) -> Floats:
        return self.value + self.mean

    @property
    def limits(self) -> tuple[float, float]:
        """Lowest and highest mean over rankings: no unjudged document relevant, or all."""
        low = float(self.value.mean())
        return low, low + float(self.weight.sum()) / len(self.value)

    def interval(self, confidence: float, seed: int = 0) -> tuple[float, float, str]:
        """Return the interval of the mean over rankings, and how it was found.

        From 30 rankings on it is Normal (Park's eq. 8, each ranking with its own unjudged documents), and
        below wherever so many documents count that no quantile could tell. Otherwise the quantiles of the
        exact distribution where it has at most 32,768 values, or else of random draws.
        """
        rankings, tail = len(self.value), (1 - confidence) / 2
        mean = float(self.expected.mean())
        if rankings >= FEW_QUERIES or self._near_normal:
            from scipy.special import ndtri

            half = float(-ndtri(tail)) * np.sqrt(float(self.variance.sum()) / rankings**2)
            return mean - half, mean + half, "Normal"
        start, share = float(self.value.mean()), self.weight / rankings
        exact = sum_of_independent(share, self.prevalence.chance)
        if exact is not None:
            low, high = quantiles(*exact, tail)
            return start + low, start + high, "exact distribution"
        low, high = np.quantile(self._drawn_totals(share, seed), [tail, 1 - tail])
        return start + float(low), start + float(high), f"{DRAWS} draws"

    @property
    def _near_normal(self) -> bool:
        """Lyapunov's ratio: the third absolute moments over the cube of the deviation."""
        q, variance = self.prevalence.chance, float(self.variance.sum())
        third = float((q * (1 - q) * (q**2 + (1 - q) ** 2) * self.weight**3).sum())
        return bool(0 < third < NEAR_NORMAL * variance**1.5)

    def _drawn_totals(self, share: Floats, seed: int) -> Floats:
        """Random sums of the weights; documents that cannot be noticed count with their expected weight."""
        order = np.argsort(share, kind="stable")
        deviation = float(np.sqrt(self.variance.sum())) / len(self.value)
        few = int(np.searchsorted(np.cumsum(share[order]), NEGLIGIBLE * deviation))
        kept = np.sort(order[few:])
        chance = self.prevalence.chance
        batch = int(np.clip(DRAWN_AT_ONCE / max(float(chance[kept].sum()), 1e-9), 1, DRAWS))
        totals = np.full(DRAWS, float(share[order[:few]] @ chance[order[:few]]))
        prevalence = self.prevalence.at(self.prevalence.cell[kept])
        for drawn in drawn_relevant(self.identity[kept], prevalence, DRAWS, batch, seed):
            totals += sums(share[kept[drawn.document]], drawn.completion, DRAWS)
        return totals


def sum_of_independent(weight: Floats, q: Floats) -> tuple[Floats, Floats] | None:
    """Distribution of a sum of weights, each present with its own probability: values and probabilities.

    None where it has more than 32,768 values. Equal values, up to rounding, are one.
    """
    support, probability = np.zeros(1), np.ones(1)
    order = np.argsort(-weight, kind="stable")
    step = 1e-12 * max(float(weight.sum()), 1e-300)
    for w, chance in zip(weight[order].tolist(), q[order].tolist(), strict=True):
        if w == 0 or chance == 0:
            continue
        values = np.concatenate([support, support + w])
        chances = np.concatenate([probability * (1 - chance), probability * chance])
        arranged = np.argsort(values, kind="stable")
        values, chances = values[arranged], chances[arranged]
        first = np.concatenate([[True], np.diff(values) > step])
        support, probability = values[first], sums(chances, np.cumsum(first) - 1, int(first.sum()))
        likely = probability > LEAST
        if not likely.all():
            support, probability = support[likely], probability[likely]
        if len(support) > MOST_ATOMS:
            return None
    return support, probability


def quantiles(support: Floats, probability: Floats, tail: float) -> tuple[float, float]:
    """Return the values with at most `tail` of the probability below and above them."""
    below = np.cumsum(probability)
    low = int(np.searchsorted(below, tail, "right"))
    high = int(np.searchsorted(below, 1 - tail, "left"))
    last = len(support) - 1
    return float(support[min(low, last)]), float(support[min(high, last)])
