"""Judgments by subtopic, `query subtopic document grade`, as one row for each document.

The grade of a row is a set: bit s is 1 if the document is relevant to the s-th subtopic of its query, counted
from 0 among those that have a relevant document, as ndeval counts them. So what gives documents other grades,
or leaves some out, needs to know nothing of subtopics. Documents are in the order of their names, by which
ndeval resolves ties of the ideal ranking.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.base.segments import Integers, ends, owners, places
from unjudged.formats.columns import seen_before, seen_twice
from unjudged.formats.readers.memory.mappings import ids_of_texts, table_of_rows
from unjudged.formats.readers.memory.query_dicts import identifier
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Ids, Table

MOST = 31
"""Subtopics of a query: a grade has 31 bits."""


def ordinals(names: Ids) -> NDArray[np.int64]:
    """Return the place of each name among the distinct ones: numbers by their value, then others by bytes."""
    number, first = scanner.number_names(names)
    distinct = names.take(first).tolist()
    order = sorted(range(len(distinct)), key=lambda i: _by_value(distinct[i]))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return place[number]


def _by_value(name: bytes) -> tuple[bool, int, bytes]:
    digits = name.isdigit() and len(name) < 19
    return not digits, int(name) if digits else 0, name


def has_subtopics(table: Table, subtopics: Ids) -> bool:
    """Whether some document of a query is there with two subtopics."""
    document, subtopic = _documents(table)[0], scanner.number_names(subtopics)[0]
    first = np.full(int(document.max(initial=-1)) + 1, -1, np.int64)
    first[document[::-1]] = subtopic[::-1]
    return bool((first[document] != subtopic).any())


def _documents(table: Table) -> tuple[Integers, Integers]:
    """Return the number of each row's document, by query and name, and the first row of each number."""
    number, first = scanner.number_names(table.documents)
    names = table.documents.take(first).tolist()
    place = np.empty(len(names), np.int64)
    place[sorted(range(len(names)), key=names.__getitem__)] = np.arange(len(names))
    key = owners(np.diff(table.starts)) * len(names) + place[number]
    _, rows, document = np.unique(key, return_index=True, return_inverse=True)
    return document, rows


def one_row_each(table: Table, subtopic: Integers) -> Table:
    """Return one row for each document, its grade the set of subtopics that it is relevant to.

    A document is judged if it has a grade of 0 or more for some subtopic; subtopics without one then count
    as not relevant. `subtopic` has the place of each row's subtopic among all.
    """
    document, rows = _documents(table)
    grade, query = table.numbers[:, 0], owners(np.diff(table.starts))
    _check(table, document, subtopic)
    if (fraction := grade % 1 > 0).any():
        row = int(fraction.argmax())
        problem = f"the grade is {quoted(f'{grade[row]:g}')}, expected a whole number for each subtopic"
        raise InputError(problem, line=int(table.lines[row]) if len(table.lines) else None)
    best = np.full(len(rows), -np.inf)
    np.maximum.at(best, document, grade)
    relevant = grade > 0
    key = query[relevant] * (int(subtopic.max(initial=0)) + 1) + subtopic[relevant]
    covered, which = np.unique(key, return_inverse=True)
    counts = np.bincount(covered // (int(subtopic.max(initial=0)) + 1), minlength=len(table.queries))
    if counts.max(initial=0) > MOST:
        q = int(counts.argmax())
        what = f"query {quoted(table.queries.raw(q))} has {counts[q]} subtopics with relevant documents"
        raise InputError(f"{what}, expected at most {MOST}: judge some of them together")
    sets = np.zeros(len(rows), np.int64)
    np.bitwise_or.at(sets, document[relevant], np.int64(1) << (places(counts)[which] - 1))
    grades = np.where(best < 0, best, sets)
    return Table(
        queries=table.queries,
        starts=ends(np.bincount(query[rows], minlength=len(table.queries))),
        documents=scanner.take_names(table.documents, rows),
        numbers=grades[:, None].astype(float),
        lines=table.lines[rows] if len(table.lines) else table.lines,
        extent=(int(grades.min(initial=0)), int(grades.max(initial=0))),
    )


def _check(table: Table, document: Integers, subtopic: Integers) -> None:
    """Refuse a document that is there twice for one subtopic."""
    key = document * (int(subtopic.max(initial=0)) + 1) + subtopic
    order = np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[order]) == 0)
    if len(again):
        at = again[np.argmin(order[again + 1])]
        first, second = int(order[at]), int(order[at + 1])
        query, name = table.query_of(second), table.documents.raw(second)
        if len(table.lines):
            raise seen_before(int(table.lines[second]), int(table.lines[first]), query, name)
        raise seen_twice(query, name)


def table_of_subtopics(rows: Iterable[Any]) -> Table:
    """Return rows of (query, subtopic, document, grade) as a table with one row for each document."""
    given = [tuple(row) if hasattr(row, "__iter__") and not isinstance(row, str) else (row,) for row in rows]
    short = next((i for i, row in enumerate(given) if len(row) != 4), None)
    if short is not None:
        expected = "expected (query, subtopic, document, grade)"
        raise InputError(f"row {short} (from 0) has {len(given[short])} fields, {expected}")
    place = ordinals(ids_of_texts([identifier(row[1]) for row in given], "subtopic"))
    judged = [(identifier(q), identifier(d), g, p) for (q, _, d, g), p in zip(given, place, strict=True)]
    table = table_of_rows(judged, ("grade", "stratum"))
    return one_row_each(table, table.numbers[:, 1].astype(np.int64))
