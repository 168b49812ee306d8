"""Differences of two systems query by query, and which queries decide what the test says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.comparison.testing.deciding_queries import DecidingQueries, deciding_queries, influences
from unjudged.evidence.contrast import Contrast, Turning
from unjudged.inference.rows import Row


@dataclass(frozen=True)
class QueryAnswer:
    """Rows of queries, the largest difference first, of documents, and the queries that decide."""

    queries: list[Row]
    documents: list[Row]
    deciding: DecidingQueries


def query_answer(contrast: Contrast, level: float) -> QueryAnswer:
    """Return everything by query about the only pair of a contrast; queries decide at `level`."""
    measure, sign = contrast.measure, contrast.measure.sign
    two = int(contrast.first[0]), int(contrast.second[0])
    a, b = (contrast.systems[k] for k in two)
    first, second = (sign * contrast.scores[k] for k in two)
    gap = first - second
    ends = contrast.ends_by_query
    low = high = None
    if ends is not None:
        low, high = (ends.low[0], ends.high[0]) if sign > 0 else (-ends.high[0], -ends.low[0])
    turning: Sequence[Turning] = contrast.turning() if contrast.turning is not None else ()
    most = {one.query: one for one in reversed(turning)}
    order = np.argsort(-np.abs(gap), kind="stable")
    influence, p_without = influences(gap[order])
    named = {"measure": str(measure), "a": a, "b": b}
    rows: list[Row] = []
    for k, q in enumerate(order.tolist()):
        name = contrast.queries[q]
        row: Row = {**named, "query": name, "value_a": float(first[q]), "value_b": float(second[q])}
        row["difference"] = float(gap[q])
        if low is not None and high is not None:
            row |= {"low": float(low[q]), "high": float(high[q])}
        if name in most:
            row |= {"document": most[name].document, "document_effect": most[name].effect}
        rows.append(row | {"influence": float(influence[k]), "p_without": float(p_without[k])})
    documents = [
        {**named, "query": t.query, "document": t.document, "document_effect": t.effect}
        | {"favours": a if t.effect > 0 else b}
        for t in turning
    ]
    deciding = deciding_queries(gap[order], [row["query"] for row in rows], level)
    return QueryAnswer(rows, documents, deciding)
