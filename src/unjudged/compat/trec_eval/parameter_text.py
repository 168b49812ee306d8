"""Parameters of measures, read from text as trec_eval reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unjudged.compat.trec_eval import cannot_initialize

_WHOLE = re.compile(r"\s*([+-]?\d+)")
_DECIMAL = re.compile(r"\s*([+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?)")
_LEVEL = re.compile(r"[+-]?\d+")
_DIGITS = 18  # a C long holds any number of so many digits
_LARGEST = 2**63 - 1


def whole(text: str) -> int:
    """Integer at the start of a text, as C's atol reads it: 0 if there is none, limited to a C long."""
    match = _WHOLE.match(text)
    return max(-_LARGEST, min(int(match[1][: _DIGITS + 3]), _LARGEST)) if match else 0


def decimal(text: str) -> float:
    """Return the number at the start of a text, as C's atof reads it: 0 if there is none."""
    match = _DECIMAL.match(text)
    return float(match[1]) if match else 0.0


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
    """`1=0.5,p=0.8` as names and numbers; if a name is repeated, the first one counts."""
    parts = text.split(",")
    if any(part.count("=") != 1 for part in parts):
        raise cannot_initialize(measure, f"trec_eval: malformed pair parameters in '{text}'")
    pairs: dict[str, float] = {}
    for part in parts:
        name, _, value = part.partition("=")
        pairs.setdefault(name, decimal(value))
    return pairs


def gains(measure: str, given: dict[str, float]) -> dict[int, float]:
    """Return the pairs whose name is a grade; others, such as p, are parameters."""
    by_grade = {
        int(level): gain for level, gain in given.items() if _LEVEL.fullmatch(level) and len(level) < _DIGITS
    }
    if any(level < 0 for level in by_grade):
        raise cannot_initialize(measure, reason="an unjudged document has no gain: use grades of 0 and above")
    return by_grade


def _refuse_repeated(measure: str, cutoffs: Sequence[float]) -> None:
    if len(set(cutoffs)) < len(cutoffs):
        raise cannot_initialize(measure, "trec_eval: duplicate cutoffs detected")
