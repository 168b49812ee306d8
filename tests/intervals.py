"""Intervals of an evaluation, for tests: by run and measure, whatever their fields are called."""

from __future__ import annotations

from math import isnan, nan
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from unjudged import Calibration, Evaluation, Scores, evaluate

ENDS = {"bounds": "", "queries": "query_", "calibrated": "calibrated_"}


class Found(NamedTuple):
    """An interval with the value that it is of, the mean if there is no other."""

    value: float
    low: float
    high: float
    confidence: float
    method: str

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def has_interval(self) -> bool:
        return not isnan(self.low)


def intervals(
    found: Evaluation | Scores, interval: str = "bounds", calibration: Calibration | None = None, **given: Any
) -> list[list[Found]]:
    """Runs x measures."""
    if calibration is not None:
        with TemporaryDirectory() as folder:
            calibration.save(file := f"{folder}/calibration.json")
            return intervals(found, interval, file=file, **given)
    named = ", ".join(f"{name}={value!r}" for name, value in given.items())
    evaluated = evaluate(found) if isinstance(found, Scores) else found
    asked = evaluated.with_interval(f"{interval}({named})")
    return [
        [_found(asked.row(run, m), ENDS.get(interval, "estimate_")) for m in asked.measures]
        for run in asked.runs
    ]


def _found(row: dict[str, Any], prefix: str) -> Found:
    low, high = (row.get(f"{prefix}{end}", nan) for end in ("low", "high"))
    value = row.get("estimate", row["mean"])
    return Found(value, low, high, row.get("confidence", nan), row.get("method", ""))
