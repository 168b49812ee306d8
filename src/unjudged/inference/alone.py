"""Rows of systems alone: means with their ranges and any interval, over all queries and by segment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from unjudged.collection.query_segments import EVERY
from unjudged.evidence.contrast import ALONE, Contrast, Evidence
from unjudged.evidence.intervals.methods import Asked, Columns, How, NoIntervalError
from unjudged.inference.means import means_of_systems
from unjudged.measures.kernel.averages import sum_over_queries
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.judged import Floats, Mask

Row = dict[str, Any]
SUMMED = (
    *("low", "high", "estimate", "estimate_low", "estimate_high", "calibrated_low", "calibrated_high"),
    *("query_low", "query_high"),
)
"""Columns of means, which are sums for counts."""


def alone(evidence: Evidence, *, by_query: bool = False) -> Contrast:
    """Return each system alone."""
    systems = np.arange(len(evidence.systems))
    return evidence.contrast(systems, np.full(len(systems), ALONE), by_query=by_query)


def rows_alone(evidence: Sequence[Evidence], asked: Asked | None, alpha: float) -> list[Row]:
    """Return a row per measure and system, the best first; an error if no measure can have the interval."""
    return _rows([(alone(one), "") for one in evidence], asked, alpha)


def rows_by_segment(
    evidence: Sequence[Evidence], asked: Asked | None, alpha: float, parts: Mapping[str, Mask]
) -> list[Row]:
    """Return a row per measure, system and segment, and one of all queries."""
    contrasts = [alone(one, by_query=True) for one in evidence]
    every = np.ones(len(evidence[0].queries), bool)
    named = [*parts.items(), (EVERY, every)]
    rows = _rows([(one.over(own), name) for one in contrasts for name, own in named], asked, alpha)
    place = {name: k for k, name in enumerate(evidence[0].systems)}
    return sorted(rows, key=lambda row: place[row["system"]])


def _rows(contrasts: Sequence[tuple[Contrast, str]], asked: Asked | None, alpha: float) -> list[Row]:
    found = [None if asked is None else asked.columns(contrast) for contrast, _ in contrasts]
    refused = [one for one in found if isinstance(one, Refusal)]
    if refused and len(refused) == len(found):
        raise NoIntervalError(str(refused[0]))
    rows: list[Row] = []
    for (contrast, segment), own in zip(contrasts, found, strict=True):
        columns = {**means_of_systems(contrast, alpha), **contrast.facts}
        if own is None and contrast.error is not None:
            over_queries = Asked.of("queries", How(1 - alpha)).columns(contrast)
            columns |= {} if isinstance(over_queries, Refusal) else over_queries
            columns.pop("method", None)
        if isinstance(own, Refusal):
            columns["method"] = f"no interval: {own.reason.partition(';')[0]}"
        else:
            columns |= own or {}
        columns = _summed(contrast, columns)
        rows += list(_of_systems(contrast, columns, {"segment": segment} if segment else {}))
    return rows


def _summed(contrast: Contrast, columns: Columns) -> Columns:
    """Return sums over queries for counts."""
    if contrast.measure.traits.summary != "sum":
        return columns
    queries = contrast.scores.shape[1]
    more = {name: queries * np.asarray(columns[name]) for name in SUMMED if name in columns}
    return {**columns, **more, "mean": sum_over_queries(contrast.measure.sign * contrast.values)}


def _of_systems(contrast: Contrast, columns: Columns, more: Row) -> Iterator[Row]:
    measure, count = contrast.measure, len(contrast)
    known: Row = {"measure": str(measure), "lower_is_better": measure.traits.lower}
    known |= {"quality": measure.traits.quality, "count": measure.traits.summary == "sum"}
    lists = {name: _of_each(column, count) for name, column in columns.items()}
    for k in measure.best_first(np.asarray(columns["mean"])):
        row = {name: column[k] for name, column in lists.items()}
        yield {**more, "system": contrast.systems[int(contrast.first[k])], **known, **row}


def _of_each(column: Any, count: int) -> list[Any]:
    if isinstance(column, np.ndarray):
        return list(column.tolist())
    return column if isinstance(column, list) else [column] * count


def query_rows(evidence: Evidence, values: Floats) -> Iterator[Row]:
    """Yield a row per system and query with the value, systems x queries, and its range if it is known."""
    contrast, measure = alone(evidence, by_query=True), evidence.measure
    columns, count = {"value": values}, measure.traits.summary == "sum"
    if contrast.ends_by_query is not None:
        low, high = contrast.ends_by_query
        low, high = (low, high) if measure.sign > 0 else (-high, -low)
        columns |= {"low": measure.mean_of(low), "high": measure.mean_of(high)}
    lists = {name: column.tolist() for name, column in columns.items()}
    for i, system in enumerate(evidence.systems):
        for j, query in enumerate(evidence.queries):
            own = {name: column[i][j] for name, column in lists.items()}
            yield {"measure": str(measure), "system": system, "query": query, "count": count, **own}
