"""The one result type of everything that is uncertain."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan

JUDGMENTS = "judgments"
"""These queries, other judgments: what the unjudged documents could change."""

QUERIES = "queries"
"""These judgments, other queries: what another sample of queries could change."""

BOTH = "judgments and queries"


@dataclass(frozen=True)
class Estimate:
    """A value and its interval.

    `uncertainty` says what the interval covers: the missing judgments ('judgments'), the sample of queries
    ('queries'), or both. `confidence` is the share of cases in which the interval holds under the assumptions
    that `method` states; it is 1 for bounds, which hold for every completion of the judgments. A measure that
    cannot have the interval that was asked for has a value alone: its ends are NaN, and `method` says why.

    >>> print(Estimate(0.2927, 0.2412, 0.4021, 0.95, "given prevalence 0.2", "RBP of bm25"))
    0.2927 [0.2412, 0.4021]
    """

    value: float
    low: float
    high: float
    confidence: float
    method: str
    of: str
    uncertainty: str = JUDGMENTS

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def has_interval(self) -> bool:
        return not isnan(self.low)

    @classmethod
    def without_interval(cls, value: float, reason: str, of: str, uncertainty: str) -> Estimate:
        """A value alone."""
        return cls(value, nan, nan, nan, f"no interval: {reason}", of, uncertainty)

    def __str__(self) -> str:
        return self.text()

    def text(self, decimals: int = 4) -> str:
        """The value, and the interval if there is one."""
        value, low, high = (f"{number:.{decimals}f}" for number in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]" if self.has_interval else value
