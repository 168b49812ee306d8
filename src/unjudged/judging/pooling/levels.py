"""What the level of a design may be: a share of the documents, or the depth of a pool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

from unjudged.base.choices import checked_int, shown
from unjudged.base.errors import UsageError, quoted

DEEPEST = 2**31 - 2
"""No ranking is deeper: ranks have 32 bits, and the last one stands for documents that no run retrieves."""


def share(value: float, lowest: float = 1e-300) -> float:
    """Return a share of the documents: above 0 and at most 1."""
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = float("nan")
    if not lowest <= number <= 1:
        raise UsageError(f"share is {shown(value)}, expected a number above 0 and at most 1 (0.1 for 10 %)")
    return number


def depth(value: float) -> int:
    """Return the depth of a pool: a whole number of at least 1."""
    return min(checked_int("depth", value, least=1), DEEPEST)


def share_of_text(text: str) -> float:
    """`10%` and `0.1` are the same; `10` is refused, because it could mean either."""
    number, percent, rest = text.partition("%")
    try:
        value = float(number) / (100 if percent else 1)
    except ValueError:
        value = -1.0
    if rest or not (isfinite(value) and 0 <= value <= 1):
        raise UsageError(f"invalid share {quoted(text)}: use 10% or 0.1")
    return value


def depth_of_text(text: str) -> float:
    if not text.isdecimal() or len(text) > len(str(DEEPEST)):
        raise UsageError(f"invalid depth {quoted(text)}: use a whole number such as 10")
    return float(depth(int(text)))


@dataclass(frozen=True)
class Level:
    """A kind of level. `name` is also the option of the command line that gives one."""

    name: str
    check: Callable[[float], float]
    read: Callable[[str], float]
    pattern: str
    factor: float
    example: str

    def show(self, level: float) -> str:
        """`5 %` for a share, `depth 5` for a depth."""
        return self.pattern.format(self.on_axis(level))

    def on_axis(self, level: float) -> float:
        """Return the level as figures show it: shares in percent."""
        return self.factor * level


SHARE = Level("share", share, share_of_text, "{:g} %", 100, "5%,10%,30%")
DEPTH = Level("depth", depth, depth_of_text, "depth {:g}", 1, "4,8,30")
LEVELS = {level.name: level for level in (SHARE, DEPTH)}
