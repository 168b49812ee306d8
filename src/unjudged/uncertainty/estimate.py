"""The one result type of everything that is uncertain."""

from __future__ import annotations

from dataclasses import dataclass

from unjudged.errors import UsageError

EVERY = "every completion of what was retrieved"
"""The method of bounds: documents that were not retrieved count only where it is said how many."""


@dataclass(frozen=True)
class Estimate:
    """A value and the interval it comes with.

    `level` is the share of cases that the interval is made to hold in, 1 where it holds whatever the
    unjudged turn out to be. `method` says what was assumed, `of` what the number is.

    >>> print(Estimate(0.2927, 0.2412, 0.4021, 0.95, "unjudged relevant with probability 0.2", "RBP of bm25"))
    0.2927 [0.2412, 0.4021]
    """

    value: float
    low: float
    high: float
    level: float
    method: str
    of: str

    @property
    def width(self) -> float:
        return self.high - self.low

    def __str__(self) -> str:
        return f"{self.value:.4f} [{self.low:.4f}, {self.high:.4f}]"


def check_level(level: float) -> None:
    """Refuse a level that no interval can have."""
    if not 0 < level < 1:
        raise UsageError(f"level is {level}, expected a number between 0 and 1")
