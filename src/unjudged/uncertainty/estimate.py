"""A value and its interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan

from unjudged.measures.kernel.estimand import Estimand


@dataclass(frozen=True)
class Estimate:
    """A value and its interval, both of the quantity `of`.

    `confidence` is the share of cases in which the interval holds under the assumptions
    that `method` states; it is 1 for bounds, which hold for every completion of the judgments. A measure that
    cannot have the interval that was asked for has a value alone: its ends are NaN, and `method` says why.

    >>> print(Estimate(0.2927, 0.2412, 0.4021, 0.95, "given prevalence 0.2", Estimand("RBP")))
    0.2927 [0.2412, 0.4021]
    """

    value: float
    low: float
    high: float
    confidence: float
    method: str
    of: Estimand

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def has_interval(self) -> bool:
        return not isnan(self.low)

    @classmethod
    def without_interval(cls, value: float, reason: str, of: Estimand) -> Estimate:
        """A value alone."""
        return cls(value, nan, nan, nan, f"no interval: {reason}", of)

    def __str__(self) -> str:
        value, low, high = (f"{number:.4f}" for number in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]" if self.has_interval else value
