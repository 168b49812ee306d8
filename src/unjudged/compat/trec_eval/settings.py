"""Numbers and lists of them as trec_eval reads them from its command line."""

from __future__ import annotations

import re
from collections.abc import Sequence

_WHOLE = re.compile(r"\s*([+-]?\d+)")
_DECIMAL = re.compile(r"\s*([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)")
_LEVEL = re.compile(r"[+-]?\d+")
_DIGITS = 18  # as many as a C long holds for certain
_LARGEST = 2**63 - 1


class Stop(Exception):
    """What trec_eval says before it ends, and its exit code; `reason` is ours."""

    def __init__(self, code: int, *messages: str, reason: str = "") -> None:
        super().__init__(*messages)
        self.code = code
        self.messages = messages
        self.reason = reason


def whole(text: str) -> int:
    """The whole number that a text begins with, as C's atol: 0 where there is none, the largest if larger."""
    found = _WHOLE.match(text)
    return max(-_LARGEST, min(int(found[1][: _DIGITS + 3]), _LARGEST)) if found else 0


def decimal(text: str) -> float:
    """The number that a text begins with, as C's atof: 0 where there is none."""
    found = _DECIMAL.match(text)
    return float(found[1]) if found else 0.0


def whole_cutoffs(measure: str, text: str) -> list[int]:
    cutoffs = sorted(whole(part) for part in text.split(","))
    if cutoffs[0] <= 0:
        raise cannot_initialize(measure, "trec_eval: Negative cutoff detected")
    _refuse_repeated(measure, cutoffs)
    return cutoffs


def decimal_cutoffs(measure: str, text: str) -> list[float]:
    cutoffs = sorted(decimals(text))
    _refuse_repeated(measure, cutoffs)
    return cutoffs


def decimals(text: str) -> list[float]:
    return [decimal(part) for part in text.split(",")]


def pairs(measure: str, text: str) -> dict[str, float]:
    """`1=0.5,p=0.8` as names and numbers; of a name twice the first counts."""
    parts = text.split(",")
    if any(part.count("=") != 1 for part in parts):
        raise cannot_initialize(measure, f"trec_eval: malformed pair parameters in '{text}'")
    found: dict[str, float] = {}
    for part in parts:
        name, _, value = part.partition("=")
        found.setdefault(name, decimal(value))
    return found


def gains(measure: str, given: dict[str, float]) -> dict[int, float]:
    """Those of the pairs whose name is a level; others, such as p, mean something else."""
    found = {
        int(level): gain for level, gain in given.items() if _LEVEL.fullmatch(level) and len(level) < _DIGITS
    }
    if any(level < 0 for level in found):
        raise cannot_initialize(
            measure, reason="a document that is not judged has no gain: give levels from 0 on"
        )
    return found


def cannot_initialize(measure: str, *messages: str, reason: str = "") -> Stop:
    return Stop(2, *messages, f"trec_eval: Cannot initialize measure '{measure}'", reason=reason)


def _refuse_repeated(measure: str, cutoffs: Sequence[float]) -> None:
    if len(set(cutoffs)) < len(cutoffs):
        raise cannot_initialize(measure, "trec_eval: duplicate cutoffs detected")
