"""Lines that trec_eval prints: a name, a query or `all`, a value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from unjudged.compat.trec_eval.translation import Column
from unjudged.measures.kernel.averages import GEOMETRIC
from unjudged.rankings.judged import Floats, Integers, JudgedRankings


def per_query_lines(
    prefix: str, chosen: Sequence[Column], rankings: JudgedRankings, topics: Integers, table: Floats
) -> Iterator[str]:
    """Yield the values of every query; a geometric mean has none."""
    shown = [k for k, column in enumerate(chosen) if column.of not in ("runid", "num_q")]
    shown = [k for k in shown if chosen[k].summary != GEOMETRIC]
    names = list(rankings.judgments.queries)
    for topic in topics.tolist():
        row = table[topic].tolist()
        for k in shown:
            column = chosen[k]
            if column.of == "relstring":
                yield f"{column.name:<22}\t{names[topic]}\t'{relstring(rankings, topic, column.depth)}'\n"
            else:
                yield f"{prefix}{column.name:<22}\t{names[topic]}\t{_number(column, row[k], prefix)}\n"


def summary_lines(
    prefix: str, chosen: Sequence[Column], runid: str, queries: int, numbers: Sequence[float]
) -> Iterator[str]:
    for column, number in zip(chosen, numbers, strict=True):
        if column.of == "runid":
            yield f"{column.name:<22}\tall\t{runid}\n"
        elif column.of == "num_q":
            yield f"{prefix}{column.name:<22}\tall\t{_number(column, float(queries), prefix)}\n"
        elif column.of != "relstring":
            yield f"{prefix}{column.name:<22}\tall\t{_number(column, number, prefix)}\n"


def relstring(rankings: JudgedRankings, ranking: int, depth: int) -> str:
    """One character per document: its grade, `-` if it is not pooled, `.` if pooled but not judged."""
    own = slice(rankings.offsets[ranking], rankings.offsets[ranking + 1])
    text = ["-"] * min(depth, int(rankings.retrieved[ranking]))
    for rank, label in zip(rankings.rank[own].tolist(), rankings.labels[own].tolist(), strict=True):
        if rank > len(text):
            break
        text[rank - 1] = "." if label < 0 else ">" if label > 9 else str(label)
    return "".join(text)


def _number(column: Column, value: float, prefix: str) -> str:
    """Number as C's printf writes it: counts as integers, others with four decimals, 0/0 as -nan."""
    if (column.summary == "sum" or column.of == "num_q") and not prefix:
        return str(int(value))
    return "  -nan" if np.isnan(value) else f"{value:6.4f}"
