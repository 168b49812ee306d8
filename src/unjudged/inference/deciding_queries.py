"""Which queries decide: the fewest whose removal changes what a paired t test says, and their influence.

Let k of n differences be removed and m = n - k be kept, with sum S and sum of squares Q. With q the quantile
of t with m - 1 degrees of freedom, the kept ones are significant exactly if Q <= a S^2, where
a = (1 + (m - 1) / q^2) / m.

To make a pair significant, minimise Q - a S^2. It is concave in (S, Q), so that some kept set minimises
Q - l S for a number l: those nearest to l / 2. They are neighbours in order; all k + 1 such sets are tried.

To make a pair not significant, maximise Q - a S^2. For every number x it is at most Q - 2 a x S + a x^2,
which those farthest from a x maximise: the removed ones are neighbours. All n - k + 1 such sets are tried; if
none will do and the smallest of these limits over x is below 0, no set of k will do, which is the proof.

Equal differences have no t, and Q <= a S^2 always holds. Their p is 2^(1 - m), as in `significance`, so that
too few of them are not significant.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.base.wording import counted, shortlist
from unjudged.measures.kernel.averages import ROUNDING
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.uncertainty.quantiles import t_quantile

MOST_NAMED = 10


@dataclass(frozen=True)
class DecidingQueries:
    """The fewest queries without which the t test says the opposite, and without which the order turns.

    None where no number of them will do. `proved` is whether no smaller set exists.
    """

    significant: bool
    level: float
    changing: Sequence[str] | None
    proved: bool
    turning: Sequence[str] | None
    queries: int

    def sentences(self) -> list[str]:
        """Say it in words."""
        now = "no longer significant" if self.significant else "significant"
        test = f"paired t test, alpha = {self.level:.2g}"
        if self.changing is None:
            said = [f"Whichever queries are removed, the difference does not become {now} ({test})."]
        else:
            fewest = "the fewest" if self.proved else "fewer may do"
            said = [f"Without {_named(self.changing)} the difference is {now} ({test}; {fewest})."]
        if self.turning is not None:
            said.append(f"Without {_named(self.turning)} the order turns or ties (the fewest).")
        return said


def _named(queries: Sequence[str]) -> str:
    return f"{counted(len(queries), 'query')} ({shortlist(list(queries), MOST_NAMED)})"


def deciding_queries(differences: Floats, queries: Sequence[str], level: float = 0.05) -> DecidingQueries:
    """Find the queries that decide about one pair from its differences by query.

    >>> found = deciding_queries(np.array([0.1, 0.2, 0.15, 0.1, 0.9, 0.2]), list("abcdef"))
    >>> print(*found.sentences(), sep=chr(10))
    Without 1 query (e) the difference is significant (paired t test, alpha = 0.05; the fewest).
    Without 6 queries (e, b, f, c, a, d) the order turns or ties (the fewest).
    """
    n = len(differences)
    order = np.argsort(differences, kind="stable")
    values = differences[order]
    significant = n > 1 and is_significant(values, level)
    changing: list[str] | None = None
    proved = True
    for k in range(1, n - 1):
        removed, ruled_out = (_hiding if significant else _showing)(values, k, level)
        if removed is not None:
            changing = [queries[order[i]] for i in removed]
            break
        proved &= ruled_out
    return DecidingQueries(significant, level, changing, proved, _turning(differences, queries), n)


def influences(differences: Floats) -> tuple[Floats, Floats]:
    """What each query adds to the mean difference, and the p value of the t test without it.

    The influence is mean - mean without it = (D_i - mean) / (n - 1). NaN below three queries.
    """
    from scipy.special import stdtr

    n = len(differences)
    if n < 3:
        return np.full(n, np.nan), np.full(n, np.nan)
    influence = (differences - differences.mean()) / (n - 1)
    p = np.ones(n)
    for i in range(n):
        rest = np.delete(differences, i)
        deviation = rest.std(ddof=1)
        if deviation > ROUNDING * max(np.abs(rest).max(), 1e-300):
            t = rest.mean() / deviation * np.sqrt(n - 1)
            p[i] = 2 * float(stdtr(n - 2, -abs(t)))
        elif rest.mean():
            p[i] = 2.0 ** (2 - n)
    return influence, p


def is_significant(values: Floats, level: float) -> bool:
    """Whether the paired t test rejects at this level; the differences are sorted."""
    if _few(len(values), level) and _equal(values, np.zeros(1, int), len(values))[0]:
        return False
    return bool(_excess(values.sum(), (values**2).sum(), len(values), level) <= 0 and values.any())


def _few(kept: int, level: float) -> bool:
    """Whether so many equal differences are not significant."""
    return 2.0 ** (1 - kept) > level


def _equal(values: Floats, start: Integers, width: int) -> Mask:
    """Return which neighbours among sorted values are equal."""
    return np.asarray(
        np.ptp(values[start[:, None] + [0, width - 1]], axis=1) <= ROUNDING * np.abs(values).max()
    )


def _excess(total: Floats, squares: Floats, kept: int, level: float) -> Floats:
    """Q - a S^2: at most 0 if the kept differences are significant."""
    return squares - _factor(kept, level) * total**2 - 1e-12 * squares


def _factor(kept: int, level: float) -> float:
    return float((1 + (kept - 1) / t_quantile(1 - level, kept - 1) ** 2) / kept)


def _showing(values: Floats, k: int, level: float) -> tuple[list[int] | None, bool]:
    """Return k of the sorted values without which the others are significant, else whether none exist."""
    n, m = len(values), len(values) - k
    start = np.arange(k + 1)
    total, squares = (_windows(one, start, m) for one in (values, values**2))
    equal = _equal(values, start, m) & _few(m, level)  # others may be as good, but are no neighbours
    excess = np.where((squares > 0) & ~equal, _excess(total, squares, m, level), np.inf)
    best = int(excess.argmin())
    if excess[best] > 0:
        return None, not equal.any()
    return [*range(best), *range(best + m, n)], True


def _hiding(values: Floats, k: int, level: float) -> tuple[list[int] | None, bool]:
    """Return k of the sorted values without which the others are not significant, else whether none exist."""
    n, m = len(values), len(values) - k
    alike = np.flatnonzero(_equal(values, np.arange(k + 1), m) & _few(m, level))
    if len(alike):
        first = int(alike[0])
        return [*range(first), *range(first + m, n)], True
    start = np.arange(n - k + 1)
    total = values.sum() - _windows(values, start, k)
    squares = (values**2).sum() - _windows(values**2, start, k)
    excess = _excess(total, squares, m, level)
    best = int(excess.argmax())
    if excess[best] > 0 or squares[best] <= 0:
        return list(range(best, best + k)), True
    a = _factor(m, level)
    middles = (values[: n - k] + values[k:]) / 2  # between them a window of removed values is the nearest
    low, high = np.append(-np.inf, middles) / a, np.append(middles, np.inf) / a
    x = np.clip(total, low, high)
    limit = squares - 2 * a * x * total + a * x**2
    return None, bool(limit.min() < 1e-12 * squares.max())


def _windows(values: Floats, start: Integers, width: int) -> Floats:
    """Return the sums of neighbours."""
    summed = np.append(0.0, np.cumsum(values))
    found: Floats = summed[start + width] - summed[start]
    return found


def _turning(differences: Floats, queries: Sequence[str]) -> list[str] | None:
    """Return the fewest queries without which the sum has no longer its sign: the largest of that sign."""
    total = differences.sum()
    if not total:
        return None
    signed = differences * np.sign(total)
    order = np.argsort(-signed, kind="stable")
    left = abs(total) - np.cumsum(signed[order])
    enough = np.flatnonzero(left <= 1e-12 * np.abs(differences).max())
    return None if not len(enough) else [queries[i] for i in order[: enough[0] + 1].tolist()]
