"""Rows of a table of scores that are means of the others, not a query."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal

import numpy as np

from unjudged.base.errors import quoted
from unjudged.evaluation.score_cells import Cells

MEANS = frozenset({"all", "amean", "mean", "average", "avg", "macro avg", "overall", "total"})
"""Names of rows of means or sums, in upper or lower case."""


def leave_out_means(cells: Cells) -> None:
    """Remove rows with names of means that are means or sums of the other queries; ask about others."""
    for query in dict.fromkeys(query for _, query, _ in cells.values if query.lower() in MEANS):
        if _is_mean(cells, query):
            for cell in [cell for cell in cells.values if cell[1] == query]:
                del cells.values[cell]
            cells.segments.pop(query, None)
            cells.notes.append(f"The row {quoted(query)} has means or sums of the others and is left out.")
        else:
            asked = "if it is not one, remove its row"
            cells.notes.append(
                f"{quoted(query)} counts as a query, for it has no means of the others; {asked}."
            )


def _is_mean(cells: Cells, query: str) -> bool:
    """Whether every value of a query is, as far as it is rounded, the mean or the sum of the others."""
    found = list(_beside_others(cells, query))
    written = [max((_decimals(value) for value, _ in found), default=0)]
    written += [min(max(map(_decimals, others)), 3) for _, others in found]
    decimals = max(written)
    for value, others in found:
        rounding = 10.0**-decimals + 1e-9 * max(1.0, abs(value))
        near = (
            abs(value - others.mean()) <= rounding,
            abs(value - others.sum()) <= rounding * (len(others) + 1),
        )
        if not any(near):
            return False
    return bool(found)


def _beside_others(cells: Cells, query: str) -> Iterator[tuple[float, np.ndarray]]:
    """Yield each value of a query with those of queries by the same system, measure and repeat."""
    others = defaultdict(list)
    for (run, other, measure), each in cells.values.items():
        if other.lower() not in MEANS:
            others[run, measure].append(each)
    for (run, _, measure), own in [item for item in cells.values.items() if item[0][1] == query]:
        for repeat, value in own.items():
            numbers = np.array([each[repeat] for each in others[run, measure] if repeat in each])
            numbers = numbers[~np.isnan(numbers)]
            if not np.isnan(value) and len(numbers):
                yield value, numbers


def _decimals(value: float) -> int:
    """Return the number of decimals that a number is written with."""
    return max(0, -int(Decimal(repr(float(value))).as_tuple().exponent))
