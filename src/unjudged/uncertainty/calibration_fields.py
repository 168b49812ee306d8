"""What the fields of a calibration file may hold; anything else is refused."""

from __future__ import annotations

import math


def count_of(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value < 1 << 31:
        raise ValueError("not a number of things")
    return value


def numbers_of(values: object) -> tuple[float, ...]:
    if not isinstance(values, list) or not all(isinstance(value, float | int) for value in values):
        raise TypeError("not a list of numbers")
    if not all(math.isfinite(number) and number >= 0 for number in values):
        raise ValueError("a score is not a number from 0")
    return tuple(map(float, values))


def numbers_by_measure(scores: dict[str, object]) -> dict[str, tuple[float, ...]]:
    if not all(name.isprintable() for name in scores):
        raise ValueError("not the name of a measure")
    return {name: numbers_of(own) for name, own in scores.items()}
