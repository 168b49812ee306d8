"""What each parameter of a measure may be; a parameter means the same in every measure that has it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any

from unjudged.errors import UsageError


def _whole(value: Any) -> int | None:
    return int(value) if isinstance(value, Integral) and int(value) >= 1 else None


def _up_to_fifty(value: Any) -> int | None:
    number = _whole(value)
    return number if number is not None and number <= 50 else None


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _anything(value: Any) -> Any:
    return value


def _seed(value: Any) -> int | None:
    return int(value) if isinstance(value, Integral) and int(value) >= 0 else None


def _stop(value: Any) -> Any:
    if callable(value) or (isinstance(value, str) and value in ("uniform", "first", "geometric", "power")):
        return value
    if isinstance(value, tuple | list) and all(
        isinstance(v, Real) and 0 <= float(v) < math.inf for v in value
    ):
        return tuple(map(float, value)) if any(value) else None
    return None


def _between(low: float, high: float, ends: bool) -> Callable[[Any], float | None]:
    def check(value: Any) -> float | None:
        try:
            number = float(value) if isinstance(value, Real) else math.nan
        except OverflowError:
            return None
        inside = low <= number <= high if ends else low < number < high
        return number if inside and math.isfinite(number) else None

    return check


def _numbers(low: float, high: float) -> Callable[[Any], tuple[float, ...] | None]:
    def check(value: Any) -> tuple[float, ...] | None:
        inside = _between(low, high, ends=True)
        if not isinstance(value, tuple | list) or any(inside(number) is None for number in value):
            return None
        return tuple(map(float, value)) or None

    return check


def _four(value: Any) -> tuple[float, ...] | None:
    numbers = _numbers(-math.inf, math.inf)(value)
    return numbers if numbers is not None and len(numbers) == 4 else None


def _share(value: Any) -> float | None:
    number = _between(0, 1, ends=True)(value)
    return number or None


def _one_of(*choices: str) -> Callable[[Any], str | None]:
    return lambda value: value if isinstance(value, str) and value in choices else None


def _gains(value: Any) -> Mapping[int, float] | None:
    if not isinstance(value, Mapping):
        return None
    good = all(
        isinstance(g, Integral) and isinstance(v, Real) and 0 <= float(v) < math.inf for g, v in value.items()
    )
    return _Gains(value) if good else None


class _Gains(dict[int, float]):
    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


PARAMETERS: Mapping[str, tuple[Callable[[Any], Any], str]] = MappingProxyType(
    {
        "rel": (_whole, "a whole number of at least 1, the lowest grade that counts as relevant"),
        "cutoff": (_whole, "a whole number of at least 1"),
        "recall": (_between(0, 1, ends=True), "a number from 0 to 1"),
        "recalls": (_numbers(0, 1), "numbers from 0 to 1, such as (0.2, 0.5, 0.8)"),
        "multiple": (_between(0, math.inf, ends=False), "a number above 0"),
        "weights": (_four, "four numbers, such as (1, -1, 0, 0)"),
        "documents": (_seed, "a whole number of at least 0"),
        "p": (_between(0, 1, ends=False), "a number between 0 and 1"),
        "beta": (_between(0, math.inf, ends=False), "a number above 0"),
        "square": (_between(0, math.inf, ends=True), "a number of at least 0"),
        "c": (_between(0, math.inf, ends=False), "a number above 0"),
        "eps": (_between(0, 1, ends=False), "a number between 0 and 1"),
        "dcg": (_one_of("log2", "exp-log2"), "'log2' or 'exp-log2'"),
        "gains": (_gains, "gains of at least 0 by grade, such as {1: 1, 2: 3}"),
        "max_grade": (_up_to_fifty, "a whole number from 1 to 50, the highest grade of the scale"),
        "scale": (_one_of("none", "query"), "'none' or 'query'"),
        "form": (_one_of("trec_eval", "paper"), "'trec_eval' or 'paper'"),
        "pool": (_truth, "True or False"),
        "actual": (_anything, "complete judgments"),
        "unpooled": (_one_of("nonrelevant", "removed"), "'nonrelevant' or 'removed'"),
        "share": (_share, "a number above 0 and up to 1"),
        "seed": (_seed, "a whole number of at least 0"),
        "stop": (_stop, "'uniform', 'first', 'geometric', 'power', a table of weights, or a function"),
        "decay": (_between(0, 1, ends=False), "a number between 0 and 1"),
        "exponent": (_between(0, math.inf, ends=False), "a number above 0"),
        "dialect": (_one_of("trec", "trecvid"), "'trec' or 'trecvid'"),
        "unjudged": (_one_of("condensed", "nonrelevant"), "'condensed' or 'nonrelevant'"),
        "chance": (_whole, "a whole number of at least 1, the documents of the collection"),
        "pairs": (_one_of("independent", "joint"), "'independent' or 'joint'"),
        "rounding": (_one_of("up", "nearest"), "'up' or 'nearest'"),
    }
)


def checked(measure: str, parameter: str, value: Any) -> Any:
    """The value as the measure takes it; an error that says what it may be."""
    if parameter not in PARAMETERS:  # a measure of the user's own
        return value
    check, expected = PARAMETERS[parameter]
    result = check(value)
    if result is None:
        raise UsageError(f"{measure}: {parameter} is {value!r}, expected {expected}")
    return result
