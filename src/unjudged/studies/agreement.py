"""How far two judges, or two orders of systems, agree, with intervals for other sets of as many queries.

Coefficients of judges are of counts of pairs of grades; leading axes are other samples. Those of orders are
tau, tau_AP, correlation, errors, and rank-biased overlap (RBO). The order of systems jumps where two of them
are close, so the queries of leaderboards are drawn again. Grades of documents are summed over queries:
coefficients of sums are smooth, and each query is left out in turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import nan, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import Choices, check_confidence, check_probability, checked_int
from unjudged.base.errors import InputError
from unjudged.base.segments import Floats, Integers
from unjudged.base.wording import counted, percent
from unjudged.evidence.distributions import t_quantile
from unjudged.evidence.mean_intervals import within
from unjudged.results.fields import Row, known

MANY = 1000
"""With more systems than this, scipy counts pairs in less time and memory than we would."""


def tau(estimate: Floats, actual: Floats) -> float:
    """Kendall's tau-b: the share of pairs in the same order, from -1 to 1.

    tau-b = (concordant - discordant) / sqrt((n - ties of one) (n - ties of the other)), of n pairs. Not a
    number if all are tied in either order.

    >>> tau(np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0]))
    0.6666666666666669
    """
    if undefined(estimate, actual):
        return float("nan")
    if len(estimate) > MANY:
        from scipy.stats import kendalltau

        return float(kendalltau(estimate, actual).statistic)
    first, second = estimate[:, None] < estimate, actual[:, None] < actual  # each untied pair once
    untied = np.count_nonzero(first), np.count_nonzero(second)
    if not all(untied):
        return float("nan")
    surplus = np.count_nonzero(first & second) - np.count_nonzero(first & second.T)
    return float(np.clip(surplus / np.sqrt(untied[0]) / np.sqrt(untied[1]), -1, 1))


def tau_ap(estimate: Floats, actual: Floats) -> float:
    """tau_AP (Yilmaz, Aslam and Robertson, 2008): like tau, with more weight on the best systems.

    2 / (n - 1) times the sum over ranks i > 1 of the estimated order of C(i) / (i - 1), minus 1, where C(i)
    counts the systems above rank i that the actual values place above it too. Our tie rule: a tie in either
    order counts as half concordant, and tied estimates are averaged over all orders of the tied systems.

    >>> tau_ap(np.array([4.0, 3.0, 2.0, 1.0]), np.array([3.0, 4.0, 2.0, 1.0]))
    0.33333333333333326
    """
    n = len(estimate)
    if undefined(estimate, actual):
        return float("nan")
    above = estimate[:, None] < estimate  # row i: the systems above i
    halves = (actual[:, None] < actual).view(np.int8) + (actual[:, None] <= actual)
    right = (above * halves).sum(axis=1) / 2
    ascending = np.sort(estimate)
    up_to = ascending.searchsorted(estimate, "right")
    before, tied = n - up_to, up_to - ascending.searchsorted(estimate)
    harmonic = np.concatenate([[0.0], np.cumsum(1 / np.arange(1, n))])
    # A system tied at ranks before + 1 .. before + tied is at each of them equally often.
    inverse = harmonic[before + tied - 1] - harmonic[np.maximum(before - 1, 0)]
    ranks_below_first = tied - (before == 0)
    among_tied = (ranks_below_first - before * inverse) / 2
    correct = (right * inverse + among_tied) / tied
    return float(2 / (n - 1) * correct.sum() - 1)


def rho(estimate: Floats, actual: Floats) -> float:
    """Return the linear correlation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.corrcoef(estimate, actual)[0, 1])


def undefined(estimate: Floats, actual: Floats) -> bool:
    """Whether there are too few values to order, or one is not a number."""
    return len(estimate) < 2 or bool(np.isnan(estimate).any() or np.isnan(actual).any())


def rms(estimate: Floats, actual: Floats) -> float:
    """Return the root of the mean squared error."""
    return float(np.sqrt(np.mean((estimate - actual) ** 2)))


def bias(estimate: Floats, actual: Floats) -> float:
    """Return the mean error: above 0 where the estimates are too high."""
    return float(np.mean(estimate - actual))


def rank_overlap(estimate: Floats, actual: Floats, p: float = 0.9) -> float:
    """Return RBO = (1 - p) sum over depths d of p^(d - 1) A_d, with A_d the agreement of the first d systems.

    The order of tied systems is unknown, so that agreement is the mean over all orders. Below the last system
    it is extrapolated (RBO_ext of Corsi and Urbano, 2024).

    >>> round(rank_overlap(np.array([3.0, 2.0, 2.0]), np.array([3.0, 2.0, 1.0]), p=0.5), 4)
    0.9375
    """
    check_probability("p", p, 0.9)
    depth = np.arange(1, len(estimate) + 1)
    first, second = (_within(scores, depth) for scores in (estimate, actual))
    overlap = (first * second).sum(axis=1)
    seen = (1 - p) * p ** (depth - 1.0) @ (overlap / depth)
    return float(seen + p ** len(depth) * overlap[-1] / len(depth))


def _within(scores: Floats, depth: Integers) -> Floats:
    """Return the share of each system that is within each depth: depths x systems."""
    first = 1 + (scores[:, None] < scores).sum(axis=1)
    last = (scores[:, None] <= scores).sum(axis=1)
    return np.asarray(np.clip((depth[:, None] - first + 1) / (last - first + 1), 0, 1), float)


class Coefficient(NamedTuple):
    """A coefficient: its title, its function, and the values it can have.

    The function is of estimated and actual means of systems, or of counts of documents and their grades.
    """

    title: str
    function: Callable[[Floats, Floats], Any]
    limits: tuple[float, float] = (-1.0, 1.0)


STATISTICS: Choices[Coefficient] = Choices(
    "statistic",
    tau=Coefficient("tau", tau),
    tau_ap=Coefficient("tau_AP", tau_ap),
    rho=Coefficient("rho", rho),
    rms=Coefficient("RMS error", rms, (0.0, np.inf)),
    bias=Coefficient("bias", bias, (-np.inf, np.inf)),
    rbo=Coefficient("RBO", rank_overlap, (0.0, 1.0)),
)


MOST_GRADES = 64
Counts = Floats
"""`counts[..., i, j]`: documents with grade i by the first judge and grade j by the second."""


def same_grade(counts: Counts, grades: Floats) -> Floats:
    """Return the share of documents with the same grade."""
    return 1 - _mean_distance(counts, grades, 0)


def mean_error(counts: Counts, grades: Floats) -> Floats:
    """Return the mean distance of the two grades."""
    return _mean_distance(counts, grades, 1)


def _mean_distance(counts: Counts, grades: Floats, power: int) -> Floats:
    return _ratio((counts * _distance(grades, power)).sum((-2, -1)), counts.sum((-2, -1)))


def weighted_kappa(power: int) -> Callable[[Counts, Floats], Floats]:
    """Cohen's kappa (1960; weighted, 1968): 1 - observed / expected mean distance |i - j|^power.

    Power 0 counts every difference as one. Expected is the mean distance of independent judges who use
    each grade as often as these do.
    """

    def kappa(counts: Counts, grades: Floats) -> Floats:
        distance = _distance(grades, power)
        observed = (counts * distance).sum((-2, -1))
        expected = np.einsum("...i,ij,...j->...", counts.sum(-1), distance, counts.sum(-2))
        return 1 - _ratio(observed * counts.sum((-2, -1)), expected)

    return kappa


def krippendorff_alpha(ordinal: bool) -> Callable[[Counts, Floats], Floats]:
    """Krippendorff's alpha (1980): 1 - observed / expected squared distance, of labels without their judges.

    Nominal grades differ by one. The ordinal distance of two grades is the number of labels between them,
    half of the documents of either grade included.
    """

    def alpha(counts: Counts, grades: Floats) -> Floats:
        counts = counts + np.swapaxes(counts, -1, -2)
        labels = counts.sum(-1)
        if ordinal:
            middle = labels.cumsum(-1) - labels / 2
            distance = (middle[..., :, None] - middle[..., None, :]) ** 2
        else:
            distance = np.broadcast_to(_distance(grades, 0), counts.shape)
        n = labels.sum(-1)
        observed = (counts * distance).sum((-2, -1))
        expected = (labels[..., :, None] * labels[..., None, :] * distance).sum((-2, -1))
        return 1 - _ratio(observed * (n - 1), expected)

    return alpha


def _distance(grades: Floats, power: int) -> Floats:
    apart = np.abs(grades[:, None] - grades)
    return np.asarray(apart**power if power else apart > 0, float)


def _ratio(top: Floats, bottom: Floats) -> Floats:
    """Return the quotient, not a number where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(bottom == 0, np.nan, top / bottom)


COEFFICIENTS: Choices[Coefficient] = Choices(
    "coefficient",
    same=Coefficient("same grade", same_grade, limits=(0.0, 1.0)),
    kappa=Coefficient("kappa", weighted_kappa(0)),
    linear=Coefficient("linear kappa", weighted_kappa(1)),
    quadratic=Coefficient("quadratic kappa", weighted_kappa(2)),
    mae=Coefficient("mean error", mean_error, limits=(0.0, np.inf)),
    alpha=Coefficient("alpha", krippendorff_alpha(ordinal=False)),
    ordinal_alpha=Coefficient("ordinal alpha", krippendorff_alpha(ordinal=True)),
)


def grades_of(*labels: NDArray[Any]) -> Floats:
    """Return the grades that occur, sorted; too many are no scale, and a table of them would have no end."""
    grades = np.unique(np.concatenate([np.unique(own) for own in labels]))
    if len(grades) > MOST_GRADES:
        problem = f"{counted(len(grades), 'different grade')}, expected at most {MOST_GRADES}"
        raise InputError(f"{problem}: predictions of many values are scores (kind='scores')")
    return grades.astype(float)


def tables(
    query: Integers, first: Integers, second: Integers, shape: tuple[int, int], weight: Floats | None = None
) -> Counts:
    """Count documents by query and by the places of two grades; `shape` is queries and grades."""
    queries, n = shape
    weights: Any = weight
    counts = np.bincount((query * n + first) * n + second, weights, queries * n * n)
    return counts.reshape(queries, n, n).astype(float)


DRAWS = 1000
BLOCK = 1 << 22
"""Weights, or counts without a query, that are in memory at once."""
LEAST_DEFINED = 0.9
"""Where fewer sets of queries than this share have a value, there is no interval."""


class Estimate(NamedTuple):
    """A value and the ends of its interval, NaN where there is none, and how they were made."""

    value: float
    low: float
    high: float
    method: str

    @classmethod
    def without_interval(cls, value: float, reason: str) -> Estimate:
        """Return a value alone."""
        return cls(value, nan, nan, f"no interval: {reason}")

    @property
    def has_interval(self) -> bool:
        """Whether it has an interval."""
        return not np.isnan(self.low)


class QueryDraws:
    """Draws of as many queries as there are, with replacement, and the intervals that follow from them.

    The interval is value +- t_{n-1} sqrt(n / (n - 1)) times the standard deviation over the draws. It is of
    the mean value over other sets of as many queries. A limit for infinitely many queries is another
    quantity: systems that differ by less than the noise of n queries lower the agreement of any n.
    """

    def __init__(self, queries: int, *, confidence: float, draws: int = DRAWS, seed: int = 0) -> None:
        check_confidence(confidence)
        self.queries, self.confidence = queries, confidence
        self.draws, self.seed = checked_int("draws", draws, 2), checked_int("seed", seed)

    def weights(self) -> Iterator[Floats]:
        """Yield how often each query is drawn, in blocks of draws x queries; always the same."""
        rng = np.random.default_rng(self.seed)
        step = max(1, BLOCK // max(self.queries, 1))
        share = np.full(self.queries, 1 / self.queries)
        for start in range(0, self.draws, step):
            size = min(step, self.draws - start)
            yield rng.multinomial(self.queries, share, size=size).astype(float)

    def estimates(
        self,
        whole: dict[str, float],
        drawn: Callable[[Floats], dict[str, Floats]],
        limits: dict[str, tuple[float, float]],
    ) -> dict[str, Estimate]:
        """Estimate each coefficient from its value and its values under weights of the queries."""
        n = self.queries
        return _intervals(
            whole,
            [drawn(weights) for weights in self.weights()] if n > 1 else [],
            limits,
            error_of=lambda known: sqrt(n / (n - 1)) * float(np.std(known, ddof=1)),
            freedom=n - 1,
            confidence=self.confidence,
            method=f"{self.draws:,} draws of {n} queries",
        )


def left_out_estimates(
    counts: Floats,
    values: Callable[[Floats], dict[str, Floats]],
    limits: dict[str, tuple[float, float]],
    confidence: float,
) -> dict[str, Estimate]:
    """Estimate coefficients of sums over queries, leaving out each query in turn.

    `counts` has one table per query, and `values` are coefficients of tables, the last two axes. With v(-i)
    the value without query i, the interval is value +- t_f sqrt((n - 1) / n sum of (v(-i) - their mean)^2).
    Queries of different size m vary differently, so that few of them tell the spread: as if query effects
    were alike, their deviations grow with m, and Satterthwaite's f + 1 = (sum m^2)^2 / sum m^4, which is n
    where sizes are alike.
    """
    check_confidence(confidence)
    counts = counts[counts.any((-2, -1))]
    total, n = counts.sum(0), len(counts)
    step = max(1, BLOCK // max(total.size, 1))
    size = counts.sum((-2, -1)) / total.sum() if n > 1 else np.ones(1)
    return _intervals(
        {name: float(value) for name, value in values(total).items()},
        [values(total - counts[start : start + step]) for start in range(0, n, step)] if n > 1 else [],
        limits,
        error_of=lambda known: sqrt((n - 1) * float(np.var(known))),
        freedom=max(1.0, float((size**2).sum() ** 2 / (size**4).sum()) - 1),
        confidence=confidence,
        method=f"each of {n} queries left out in turn",
    )


def _intervals(
    whole: dict[str, float],
    parts: Sequence[dict[str, Floats]],
    limits: dict[str, tuple[float, float]],
    *,
    error_of: Callable[[Floats], float],
    freedom: float,
    confidence: float,
    method: str,
) -> dict[str, Estimate]:
    """Return intervals by Student's t from the values of other sets of queries, or values with the reason.

    One query has no `parts`.
    """
    found = {}
    for name, value in whole.items():
        others = np.concatenate([part[name] for part in parts]) if parts else np.zeros(0)
        known = others[~np.isnan(others)]
        enough = len(known) > 1 and len(known) >= LEAST_DEFINED * len(others)
        error = error_of(known) if enough else nan
        if not parts:
            found[name] = Estimate.without_interval(value, "one query says nothing about others")
        elif np.isnan(value) or np.isnan(error):
            found[name] = Estimate.without_interval(value, "not defined in many draws")
        elif error == 0:
            found[name] = Estimate.without_interval(value, "all draws of queries are alike")
        else:
            ends = within(value, t_quantile(confidence, freedom) * error, limits[name])
            found[name] = Estimate(value, *ends, method)
    return found


def note_on_intervals(confidence: float, how: str = "each query left out in turn") -> str:
    """Sentence that says what the intervals are of."""
    return f"{percent(confidence)} intervals for the mean over as many other queries ({how})."


def row_of(estimate: Estimate, coefficient: str, **more: Any) -> Row:
    """Return a coefficient as a row."""
    ends = {"query_low": known(estimate.low), "query_high": known(estimate.high), "method": estimate.method}
    return {"coefficient": coefficient, "value": known(estimate.value), **ends, **more}
