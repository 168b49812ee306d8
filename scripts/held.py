"""What was promised and how often it held, as rows of the CSV files in docs/evidence."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from math import isnan, nan, sqrt
from pathlib import Path
from typing import NamedTuple

from unjudged.data.writing import write_whole

EVIDENCE = Path(__file__).parents[1] / "docs" / "evidence"


class Held(NamedTuple):
    """How often the intervals, or the tests, of one setting were right; NaN if nothing could be measured."""

    collection: str
    setting: str
    measure: str
    promised: float
    held: float
    trials: int
    width: float = nan
    refused: float = 0.0
    """Share of the intervals that were not given."""

    @property
    def error(self) -> float:
        """The standard error of what was measured, if trials are independent and the promise is kept."""
        return sqrt(self.promised * (1 - self.promised) / max(self.trials, 1))

    @property
    def off(self) -> int:
        """Return -1 if it held less often than promised by more than two standard errors, 1 if more often."""
        if not self.trials:
            return 0
        return (self.held > self.promised + 2 * self.error) - (self.held < self.promised - 2 * self.error)


def write_held(claim: str, found: Iterable[Held]) -> None:
    """Write the rows of a claim."""
    rows = [[cell(value) for value in row] for row in found]
    write_rows(claim, Held._fields, rows)


def write_rows(claim: str, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Write a table."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([head, *rows])
    EVIDENCE.mkdir(exist_ok=True)
    write_whole(EVIDENCE / f"{claim}.csv", text.getvalue())


def read_rows(claim: str) -> list[dict[str, str]]:
    """Read a table."""
    with (EVIDENCE / f"{claim}.csv").open() as file:
        return list(csv.DictReader(file))


def read_held(claim: str) -> list[Held]:
    """Read the rows of a claim."""
    return [
        Held(
            row["collection"],
            row["setting"],
            row["measure"],
            float(row["promised"]),
            _value(row["held"]),
            int(row["trials"]),
            _value(row["width"]),
            _value(row["refused"]),
        )
        for row in read_rows(claim)
    ]


def cell(value: str | float) -> str:
    """Return a value as tables have it."""
    if isinstance(value, float):
        return "" if isnan(value) else f"{value:.4g}"
    return str(value)


def _value(text: str) -> float:
    return float(text) if text else nan
