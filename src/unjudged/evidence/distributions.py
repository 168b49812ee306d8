"""Student's, the Normal and the gamma distribution, and quantiles of the first two.

`scipy.special` has them, and takes longer to import than most comparisons. With x = v / (v + t^2) the upper
tail of Student's distribution with v degrees of freedom is half of the regularised incomplete beta function
I_x(v / 2, 1 / 2). Far from 0 that is a continued fraction; near 0 the tail is 1/2 less a power series.
"""

from __future__ import annotations

from math import erfc, inf, lgamma, nan, pi, sqrt
from typing import Any

import numpy as np

from unjudged.base.choices import check_confidence

FAR = 4.0
"""The continued fraction is used from this square of t on, and earlier with fewer degrees of freedom. A half
minus a series would lose digits there. Near 0 the fraction converges slowly."""
TERMS, MORE = 48, 4.5
"""Terms of the series, and of the fraction for each root of the degrees of freedom, in steps of 16."""
SHIFTED = 20
STEPS, NEAR = 100, 1e-12


def upper_tail(freedom: Any, t: Any) -> Any:
    """Return P(T > t) of Student's distribution.

    >>> upper_tail(9, [-2.262157, 0.0, 2.262157]).round(6).tolist()
    [0.975, 0.5, 0.025]
    """
    v, t = np.asarray(freedom, float), np.asarray(t, float)
    with np.errstate(over="ignore"):
        square = t * t / v
    far, tail = square * v >= np.minimum(FAR, v), np.empty(square.shape)
    for chosen, of in ((far, _fraction), (~far, _half_less_series)):
        if chosen.any():
            own = float(v) if v.ndim == 0 else np.broadcast_to(v, square.shape)[chosen]
            tail[chosen] = of(own / 2, square[chosen])
    return np.where(t < 0, 1 - tail, tail)


def _fraction(a: Any, square: Any) -> Any:
    """Return the tail by the continued fraction of the incomplete beta function, from its end."""
    x, found = 1 / (1 + square), np.ones(square.shape)
    for m in reversed(range(16 + 16 * int(MORE * sqrt(2 * np.max(a)) / 16))):
        found = 1 - (m + 1) * (m + 0.5) / ((a + 2 * m + 1) * (a + 2 * m + 2)) * x / found
        found = 1 - (a + m) * (a + 0.5 + m) / ((a + 2 * m) * (a + 2 * m + 1)) * x / found
    return _height(a) * np.exp(-a * np.log1p(square)) * np.sqrt(1 - x) / (2 * a) / found


def _half_less_series(a: Any, square: Any) -> Any:
    """Return the tail as half less a series in t^2 / (v + t^2) with no term below 0, from its end."""
    y, found = square / (1 + square), np.ones(square.shape)
    for n in reversed(range(TERMS)):
        found = 1 + (a + 0.5 + n) / (1.5 + n) * y * found
    return 0.5 - _height(a) * np.sqrt(y) * np.exp(-a * np.log1p(square)) * found


def _height(a: Any) -> Any:
    """Return 1 / B(a, 1/2), from the asymptotic series of gamma(a + 1/2) / gamma(a) for a larger a."""
    ratio = 1.0
    for _ in range(max(0, SHIFTED - int(np.min(a)))):
        ratio, a = ratio * (a / (a + 0.5)), a + 1
    inverse = 1 / a
    square = inverse * inverse
    logarithm = inverse * (-1 / 8 + square * (1 / 192 - square * (1 / 640 - square * 17 / 14336)))
    return ratio * np.sqrt(a / pi) * np.exp(logarithm)


def student_quantile(share: float, freedom: Any) -> Any:
    """Return the t that T is at most with this probability.

    >>> round(float(student_quantile(0.975, 9)), 9)
    2.262157163
    """
    freedom = np.asarray(freedom, float)
    if not 0 < share < 1 or share == 0.5:
        return np.full(freedom.shape, {0: -inf, 0.5: 0.0, 1: inf}.get(share, nan))
    wanted, sign = (share, -1) if share < 0.5 else (1 - share, 1)
    height = _height(freedom / 2) / np.sqrt(freedom)
    t = np.full(freedom.shape, -normal_quantile(wanted))
    for _ in range(STEPS):  # Newton's rule for log P over log t, which is nearly straight far from 0
        tail = upper_tail(freedom, t)
        density = height * np.exp(-(freedom + 1) / 2 * np.log1p(t * t / freedom))
        step = tail * np.log(tail / wanted) / (t * density)
        t = t * np.exp(step)
        if np.abs(step).max(initial=0) < NEAR:  # the next is about its square
            break
    return sign * t


def t_quantile(confidence: float, freedom: float) -> float:
    """Return how many standard errors reach so far to either side, by Student's distribution."""
    check_confidence(confidence)
    return float(student_quantile((1 + confidence) / 2, freedom))


def normal_quantile(share: float) -> float:
    """Return the value that a Normal variable is at most with this probability."""
    from statistics import NormalDist

    return NormalDist().inv_cdf(share)


def normal_share(values: Any) -> Any:
    """Return the probabilities that a Normal variable is at most these values.

    >>> normal_share([0.0, 1.959964]).round(6).tolist()
    [0.5, 0.975]
    """
    return np.array([erfc(-value / sqrt(2)) / 2 for value in np.asarray(values, float).tolist()])


def gamma_share(shape: float, values: Any) -> Any:
    """Return the probabilities that a gamma variable of this shape is at most these values.

    With g the shape it is x^g e^-x / gamma(g + 1) times a series with no term below 0, from its end.

    >>> gamma_share(1.0, [0.0, 1.0, 1000.0]).round(6).tolist()
    [0.0, 0.632121, 1.0]
    """
    highest = shape + 12 * sqrt(shape) + 60  # from where on the probability is 1
    x, found = np.minimum(np.asarray(values, float), highest), np.ones(np.shape(values))
    for n in reversed(range(int(highest + 12 * sqrt(highest)))):
        found = 1 + x / (shape + 1 + n) * found
    with np.errstate(divide="ignore"):
        return np.exp(shape * np.log(x) - x - lgamma(shape + 1)) * found
