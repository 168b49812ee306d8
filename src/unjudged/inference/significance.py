"""Tests of a difference: had other queries been asked, might the two systems be equal?

The *careful* p value is the larger of Student's and Hall's, which `evidence/mean_intervals.py` explains.

A test is one registered function. It gets the differences of many pairs at once, `differences[pair, query]`,
and returns a two-sided p value per pair. Tests that resample use the same resamples of queries for all pairs.

>>> @significance_test("sign test")
... def sign(differences, **_):
...     from scipy.stats import binom
...     wins, losses = (differences > 0).sum(axis=1), (differences < 0).sum(axis=1)
...     return np.minimum(1, 2 * binom.cdf(np.minimum(wins, losses), wins + losses, 0.5))
>>> p_values(Pairs.of([[0.2, 0.4, 0.3, 0.5, 0.8], [0.1, 0.3, 0.1, 0.2, 0.9]]), sign).p.tolist()
[0.375]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.choices import Choices
from unjudged.base.errors import UsageError
from unjudged.base.notes import Note, note
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Clusters, independent
from unjudged.evidence.distributions import upper_tail
from unjudged.evidence.mean_intervals import shape_of
from unjudged.inference.pairs import CELLS, Pairs
from unjudged.measures.kernel.measure import ROUNDING

DRAWS = 20_000
"""How many resamples tests and corrections draw unless another number is given."""

MOST_DRAWS = 100_000_000

TESTS: Choices[SignificanceTest] = Choices("test")
"""Every test by its name."""


@dataclass(frozen=True)
class SignificanceTest:
    """`function(differences, tolerance=, draws=, seed=, clusters=)` returns a p value per row of differences.

    A `studentised` test divides by the standard deviation and never sees a row whose deviation is 0. One that
    is not `clustered` takes queries for independent, and is refused where they are not.
    """

    name: str
    title: str
    function: Callable[..., Floats]
    studentised: bool = False
    resamples: bool = False
    clustered: bool = False
    cite: tuple[str, ...] = ()
    """Keys of the works to cite."""

    @property
    def heading(self) -> str:
        """The title, as a sentence starts."""
        return f"{self.title[0].upper()}{self.title[1:]}"


class PValues(NamedTuple):
    """One p value per pair, never NaN, and what a reader must know about them."""

    p: Floats
    notes: tuple[Note, ...]


def significance_test(title: str, **traits: Any) -> Callable[[Callable[..., Floats]], SignificanceTest]:
    """Register a function as a test under its own name."""

    def register(function: Callable[..., Floats]) -> SignificanceTest:
        name = function.__name__
        return TESTS.add(name, SignificanceTest(name, title, function, **traits))

    return register


def find_test(test: str | SignificanceTest) -> SignificanceTest:
    """Return the test of this name."""
    return test if isinstance(test, SignificanceTest) else TESTS.find(test)


def p_values(
    pairs: Pairs, test: str | SignificanceTest = "t", *, draws: int = DRAWS, seed: int = 0
) -> PValues:
    """Return the p value of every pair before any correction.

    Identical systems have p = 1, and so has every pair when there is only one query. Where all queries have
    the same difference, which is not 0, its deviation is 0 and a studentised test would divide by it: p is
    then 2^(1 - n), the share of the 2^n sign flips in which all signs agree.
    """
    chosen = find_test(test)
    check_draws(draws)
    if pairs.clusters is not None and not chosen.clustered:
        others = " or ".join(name for name, one in TESTS.items() if one.clustered)
        problem = f"the {chosen.title} takes queries for independent, and they are in clusters"
        raise UsageError(f"{problem}: use --test {others} (in Python test=)")
    if pairs.parts == 1:
        return PValues(np.ones(len(pairs)), (note("one-query" if pairs.clusters is None else "one-cluster"),))
    alike = (pairs.deviation == 0) & ~pairs.identical
    constant = alike & chosen.studentised
    p = np.where(constant, 2.0 ** (1 - pairs.parts), 1.0)
    rows = ~(constant | pairs.identical)
    if rows.any():
        how: dict[str, Any] = {"tolerance": pairs.tolerance, "draws": draws, "seed": seed}
        p[rows] = chosen.function(pairs.values[rows], **how, clusters=pairs.clusters)
    if not ((p >= 0) & (p <= 1)).all():
        raise UsageError(f"test {chosen.name} returned a p value outside 0 to 1")
    return PValues(p, tuple(_notes(pairs, chosen, int(alike.sum()), draws)))


def check_draws(draws: int) -> None:
    """Refuse a number of resamples that is not a whole number, or would never end."""
    if not 1 <= draws <= MOST_DRAWS:
        raise UsageError(f"draws is {draws}, expected a whole number from 1 to {MOST_DRAWS:,}")


def _notes(pairs: Pairs, test: SignificanceTest, alike: int, draws: int) -> Iterator[Note]:
    """Say what a reader must know of p values: identical systems, equal differences, draws."""
    if same := int(pairs.identical.sum()):
        yield note("identical", some=_some(same, pairs, "score"))
    if alike:
        if test.studentised:
            yield note("constant", some=_some(alike, pairs, "differ"), power=pairs.parts - 1)
        yield note("alike")
    if test.resamples:
        if test is randomization and 2**pairs.parts <= draws:
            of = "queries" if pairs.clusters is None else "clusters"
            yield note("exact-p", flips=2**pairs.parts, parts=f"{pairs.parts} {of}")
        else:
            yield note("resampled-p", draws=draws, least=draws + 1)


def _some(count: int, pairs: Pairs, verb: str) -> str:
    """Say how many of the pairs do what a verb says."""
    if len(pairs) == 1:
        return f"The two systems {verb}"
    return f"{count:,} of {len(pairs):,} pairs {verb}{'s' if count == 1 else ''}"


@significance_test("paired t test", studentised=True, clustered=True, cite=("student1908",))
def t(differences: Floats, *, clusters: Clusters | None = None, **_: Any) -> Floats:
    """Student's t with n - 1 degrees of freedom, as scipy's `ttest_rel` to thirteen digits.

    Of queries in clusters the variance is CR2's, and the degrees of freedom Satterthwaite's.
    """
    n, mean = differences.shape[1], differences.mean(axis=1)
    gaps = differences - mean[:, None]
    if clusters is not None:
        freedom, error = clusters.worth - 1, np.sqrt(clusters.variance(gaps))
    else:
        freedom, error = n - 1, np.sqrt((gaps**2).mean(axis=1) * (n / (n - 1)) / n)
    return np.asarray(2 * upper_tail(freedom, np.abs(mean / error)), float)


@significance_test("sign-flip randomization test", resamples=True, clustered=True, cite=("smucker2007",))
def randomization(
    differences: Floats, *, tolerance: float, draws: int, seed: int, clusters: Clusters | None = None
) -> Floats:
    """Return the p value (1 + #{|mean of flipped D| >= |mean D|}) / (B + 1), over B random sign flips.

    If the two systems are equal, either might have got either score on any query (Smucker et al., 2007).
    Where there are no more than B sign flips in all, each is taken once and p is their exact share. Clusters
    of queries have one sign each.
    """
    observed = np.abs(differences.sum(axis=1)) - differences.shape[1] * tolerance
    differences = differences if clusters is None else clusters.sums(differences)
    n = differences.shape[1]
    exact = 2**n <= draws
    count = np.full(len(differences), 0 if exact else 1)
    rows = max(1, CELLS // max(n, len(differences)))
    flips = every_flip(n, rows) if exact else random_flips(n, draws, seed, rows)
    for signs in flips:
        count += (np.abs(differences @ signs.T) >= observed[:, None]).sum(axis=1)
    return count / (2**n if exact else draws + 1)


def random_flips(n: int, draws: int, seed: int, rows: int) -> Iterator[Floats]:
    """Random signs, draw by query, in blocks of `rows` rows. The signs do not depend on the blocks."""
    rng = np.random.default_rng(seed)
    for start in range(0, draws, rows):
        yield np.where(rng.random((min(rows, draws - start), n)) < 0.5, -1.0, 1.0)


def every_flip(n: int, rows: int) -> Iterator[Floats]:
    """All 2^n vectors of signs, in blocks of `rows` rows."""
    for start in range(0, 2**n, rows):
        numbers = np.arange(start, min(start + rows, 2**n))[:, None]
        yield np.asarray(1.0 - 2.0 * (numbers >> np.arange(n) & 1), float)


@significance_test("Wilcoxon signed-rank test", cite=("wilcoxon1945",))
def wilcoxon(differences: Floats, *, tolerance: float, **_: Any) -> Floats:
    """Ranks of the differences (scipy's `wilcoxon`); zeros are dropped, equal differences share their rank.

    Exact up to 50 queries without ties and zeros, and up to 13 with them; the Normal approximation otherwise.
    It tests whether the differences are symmetric around 0, which is not a test of the means.
    """
    from scipy.stats import rankdata
    from scipy.stats import wilcoxon as signed_rank

    n = differences.shape[1]
    whole = np.rint(differences / tolerance)  # 0.3 - 0.2 and 0.2 - 0.1 are equal, but for their last bits
    sizes = np.sort(np.abs(whole), axis=1)
    zeros, ties = sizes[:, 0] == 0, (np.diff(sizes, axis=1) == 0).any(axis=1)
    p = np.ones(len(differences))
    few = (ties | zeros) & (n <= 13)
    if few.any():
        ranks = rankdata(np.abs(whole), axis=1) - (whole == 0).sum(axis=1, keepdims=True)
        signed = np.sign(whole) * ranks
        p[few] = randomization.function(signed[few], tolerance=0.0, draws=2**n, seed=0)
    for alike in (zeros & ~few, ties & ~zeros & ~few, ~ties & ~zeros):
        if alike.any():  # scipy takes one method for all rows of a call
            p[alike] = signed_rank(whole[alike], axis=1).pvalue
    return p


@significance_test(
    "studentised bootstrap test", studentised=True, resamples=True, clustered=True, cite=("sakai2006",)
)
def bootstrap(
    differences: Floats, *, draws: int, seed: int, clusters: Clusters | None = None, **_: Any
) -> Floats:
    """Return the p value (1 + #{|t*| >= |t|}) / (B + 1), where t* is the t statistic of a resample.

    The queries are drawn with replacement, and t* is centred at the mean difference, so that it is what t
    would be if the systems were equal (Sakai, 2006). A resample without any variance counts as extreme.
    Of queries in clusters these are drawn, and t* is the ratio of their sums to that ratio's deviation.
    """
    n = differences.shape[1]
    mean, deviation = differences.mean(axis=1, keepdims=True), differences.std(axis=1, keepdims=True)
    if clusters is not None:
        return _of_drawn_clusters(clusters, differences - mean, mean, draws, seed)
    z = (differences - mean) / deviation
    observed = (mean / deviation) ** 2 * (1 - 1e-12)  # t^2 / (n - 1), less what rounding may add
    count = np.ones(len(differences), int)
    for weights in _bootstrap_weights(n, draws, seed, max(1, CELLS // max(n, len(z)))):
        centre, square = z @ weights.T, z**2 @ weights.T
        count += (centre**2 >= observed * (square - centre**2)).sum(axis=1)
    return count / (draws + 1)


def _of_drawn_clusters(clusters: Clusters, gaps: Floats, mean: Floats, draws: int, seed: int) -> Floats:
    """Return the same for clusters: their mean is the ratio of their sums to their sizes."""
    sums, sizes, parts = clusters.sums(gaps), clusters.share * len(clusters), len(clusters)
    scale = np.sqrt((sums**2).mean(axis=1, keepdims=True))
    sums, observed = sums / scale, (mean * gaps.shape[1] / parts / scale) ** 2 * (1 - 1e-12)
    count = np.ones(len(gaps), int)
    for weights in _bootstrap_weights(parts, draws, seed, max(1, CELLS // max(parts, len(gaps)))):
        total, size = sums @ weights.T, weights @ sizes
        shift = total / size
        spread = sums**2 @ weights.T - 2 * shift * ((sums * sizes) @ weights.T)
        spread += shift**2 * (weights @ sizes**2)
        count += (total**2 >= observed * spread).sum(axis=1)
    return count / (draws + 1)


def _bootstrap_weights(n: int, draws: int, seed: int, rows: int) -> Iterator[Floats]:
    """How often each query was drawn, divided by n, in blocks; the blocks do not change the weights."""
    rng = np.random.default_rng(seed)
    for start in range(0, draws, rows):
        drawn = rng.multinomial(n, np.full(n, 1 / n), size=min(rows, draws - start))
        yield np.asarray(drawn / n, float)


LOOKS_FROM, GROWTH = 30, 30.0
"""The sequential test looks from so many queries on, until there are so many times as many."""


@significance_test("t test at every look", cite=("miller1982",))
def sequential(differences: Floats, **_: Any) -> Floats:
    """Test two systems again whenever further queries were asked, as often as one likes.

    Student's and Hall's p value, the larger, as the probability that a random walk is ever that far out while
    the queries grow from 30 to 900 (Miller and Siegmund, 1982). It needs 30 queries, and about twice as many
    as one look. It holds where the same two systems meet further queries, and for nothing else.
    """
    return over_time(careful(differences).both, differences.shape[1])


def over_time(p: Floats, queries: int) -> Floats:
    """Return the probability that p is ever so small, at one of the looks of the sequential test.

    With z the Normal quantile of p it is phi(z) ((z - 1 / z) log(growth) + 4 / z).

    >>> over_time(np.array([0.05, 0.0037, 0.0001]), 50).round(4).tolist()
    [0.4075, 0.0595, 0.0028]
    """
    from scipy.special import ndtri

    if queries < LOOKS_FROM:
        return np.ones(len(p))
    z = np.maximum(-ndtri(np.maximum(p, np.finfo(float).tiny) / 2), 1.0)
    ever = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * ((z - 1 / z) * np.log(GROWTH) + 4 / z)
    return np.where(z > 1, np.minimum(ever, 1.0), 1.0)


@cache
def level_of_one_look(alpha: float) -> float:
    """Return the two-sided level at each look of the sequential test that is wrong `alpha` of the time.

    >>> round(level_of_one_look(0.05), 5)
    0.00298
    """
    low, high = 0.0, alpha
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if over_time(np.array([middle]), LOOKS_FROM)[0] < alpha else (low, middle)
    return low


HUGE = 1e100
"""Larger t change no p value, and their cubes are no numbers."""


class Sides(NamedTuple):
    """P values of rows: small where the mean is surely above, or surely below, minus the margin."""

    above: Floats
    below: Floats

    @property
    def both(self) -> Floats:
        """P values of a mean that is not there, on either side."""
        return np.asarray(np.minimum(2 * np.minimum(self.above, self.below), 1.0), float)


def careful(
    values: Floats, margin: float = 0.0, reach: float = np.inf, clusters: Clusters | None = None
) -> Sides:
    """Test the mean of each row against minus the margin, on both sides; `reach` is the largest value.

    >>> tested = careful(np.array([[0.02, -0.01, 0.03, 0.01, 0.0, 0.02]]), 0.01)
    >>> tested.above.round(4).tolist(), tested.below.round(4).tolist()
    ([0.0171], [0.9923])
    """
    mean, deviation, bend, n = shape_of(values, clusters)
    alike = deviation == 0
    t = np.divide(np.sqrt(n) * (mean + margin), deviation, out=np.zeros(len(values)), where=~alike).clip(
        -HUGE, HUGE
    )
    bent = t + bend * t**2 + bend**2 * t**3 / 3 + bend / 2
    tails = upper_tail(max(n - 1, 1), np.stack([-t, -bent, t, bent]))
    below, above = tails[:2].max(axis=0), tails[2:].max(axis=0)
    if alike.any():
        parts = independent(values.shape[1], clusters)
        above[alike], below[alike] = (
            share_alike(sign * mean[alike], sign * margin, reach) ** parts for sign in (1, -1)
        )
    return Sides(above, below)


def share_alike(value: Floats, margin: float, reach: float) -> Floats:
    """Return the largest share of queries with this difference if the mean is minus the margin or less."""
    value = np.asarray(value, float)
    if not np.isfinite(reach):
        return np.ones(value.shape)
    apart = value + margin > ROUNDING
    share = np.divide(reach - margin, reach + value, out=np.ones(value.shape), where=apart)
    return np.clip(share, 0.0, 1.0)
