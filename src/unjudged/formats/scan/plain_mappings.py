"""Dicts of rankings, matched against the judged documents and made of rows: `scan`'s way, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.errors import InputError, quoted
from unjudged.formats.scan.plain import to_single
from unjudged.formats.tables import Matched, Table, encode


def match_mapping(
    run: Mapping[str, Mapping[str, Any]],
    queries: Mapping[str, int],
    documents: Sequence[list[str]],
    starts: NDArray[np.int64],
    single: bool,
) -> Matched:
    """The judged documents of each ranking of `run`, `{query: {document: score}}`, whose query is judged.

    `queries` numbers the judged queries; `documents[q]` are the documents of one, its rows from `starts[q]`
    on. `single` rounds scores to single precision.
    """
    query, retrieved, ends, rank, row = [], [], [0], [], []
    for name, ranking in run.items():
        if name not in queries:
            continue
        scores = finite_scores(name, ranking)
        keys = {d: (to_single(score) if single else score, encode(d)) for d, score in scores.items()}
        places = {d: k for k, d in enumerate(sorted(keys, key=keys.__getitem__, reverse=True), 1)}
        query.append(queries[name])
        retrieved.append(len(places))
        judged = enumerate(documents[queries[name]], int(starts[queries[name]]))
        for place, i in sorted((places[document], i) for i, document in judged if document in places):
            rank.append(place)
            row.append(i)
        ends.append(len(row))
    return Matched(
        query=np.array(query, np.int32),
        retrieved=np.array(retrieved, np.int32),
        ends=np.array(ends, np.int64),
        rank=np.array(rank, np.int32),
        row=np.array(row, np.int32),
    )


def nested_rows(table: Table, whole: bool) -> dict[str, dict[str, Any]]:
    """The first numbers of a table as `{query: {document: number}}`; of a document twice the last counts."""
    documents, numbers, ends = list(table.documents), table.numbers[:, 0].tolist(), table.starts.tolist()
    numbers = list(map(int, numbers)) if whole else numbers
    return {
        query: dict(zip(documents[start:stop], numbers[start:stop], strict=True))
        for query, start, stop in zip(table.queries, ends, ends[1:], strict=False)
    }


def finite_scores(query: str, ranking: Any) -> dict[str, float]:
    """The ranking as a dict of plain numbers, none of them nan; an error that says which is not."""
    if not isinstance(ranking, Mapping):
        what = f"query {quoted(str(query))} holds a {type(ranking).__name__}"
        raise TypeError(f"{what}, expected a dict of documents and their scores")
    numbers: dict[str, float] = {}
    for document, score in list(ranking.items()):
        where = f"query {quoted(str(query))}, document {quoted(str(document))}"
        if not isinstance(document, str):
            raise TypeError(f"{where} is a {type(document).__name__}, expected a string")
        if isinstance(score, str | bytes) or not hasattr(score, "__float__"):
            raise TypeError(f"{where}: the score is {quoted(str(score))}, expected a number")
        numbers[document] = float(score)
        if math.isnan(numbers[document]):
            raise InputError(f"{where}: the score is nan, expected a number")
    return numbers
