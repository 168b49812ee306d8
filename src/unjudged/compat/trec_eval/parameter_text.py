"""The parameters of measures, read from text as trec_eval reads them."""

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
    """The integer at the start of a text, as C's atol reads it: 0 if there is none, limited to a C long."""
    found = _WHOLE.match(text)
    return max(-_LARGEST, min(int(found[1][: _DIGITS + 3]), _LARGEST)) if found else 0


def decimal(text: str) -> float:
    """The number at the start of a text, as C's atof reads it: 0 if there is none."""
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
    """`1=0.5,p=0.8` as names and numbers; if a name is repeated, the first one counts."""
    parts = text.split(",")
    if any(part.count("=") != 1 for part in parts):
        raise cannot_initialize(measure, f"trec_eval: malformed pair parameters in '{text}'")
    found: dict[str, float] = {}
    for part in parts:
        name, _, value = part.partition("=")
        found.setdefault(name, decimal(value))
    return found


def gains(measure: str, given: dict[str, float]) -> dict[int, float]:
    """The pairs whose name is a grade; others, such as p, are parameters."""
    found = {
        int(level): gain for level, gain in given.items() if _LEVEL.fullmatch(level) and len(level) < _DIGITS
    }
    if any(level < 0 for level in found):
        raise cannot_initialize(measure, reason="an unjudged document has no gain: use grades of 0 and above")
    return found


def _refuse_repeated(measure: str, cutoffs: Sequence[float]) -> None:
    if len(set(cutoffs)) < len(cutoffs):
        raise cannot_initialize(measure, "trec_eval: duplicate cutoffs detected")
