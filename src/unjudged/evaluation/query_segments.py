"""Segments of queries, such as head and tail: which query is in which."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.evaluation.scores import Scores
from unjudged.formats.columns import NAMES, listed
from unjudged.formats.inputs import FILE, MAPPING, kind_of_source, name_in_errors
from unjudged.formats.named_columns import is_missing, named_columns
from unjudged.formats.small_files import read_small
from unjudged.grids.grid import Cell, Column, Grid, blank, grid_of
from unjudged.rankings.judged import Mask

SegmentsSource = Mapping[str, str] | str | os.PathLike[str] | Any
"""A mapping of queries to segments, or a file or frame with a column of queries and one of segments."""
SEGMENT = ("segment", "group", "category", "class", "type")
TABLES = (b"PAR1", b"ARROW1", b"{", b"[", b"\x1f\x8b")
EVERY = "all"
"""The row of all queries."""


def segments_of(source: SegmentsSource, queries: Sequence[str]) -> dict[str, Mask]:
    """Return which of the queries are in each segment, in the order of the queries; each must be in one."""
    segment_of = {str(query): str(name) for query, name in _read(source).items()}
    lacking = [query for query in queries if query not in segment_of]
    if lacking:
        many = f"{counted(len(lacking), 'query')} of {len(queries)} {'has' if len(lacking) == 1 else 'have'}"
        raise InputError(f"{many} no segment: {shortlist(lacking)}; give each query one")
    own = [segment_of[query] for query in queries]
    numbers = {name: k for k, name in enumerate(dict.fromkeys(own))}
    number = np.array([numbers[name] for name in own])
    return {name: number == k for name, k in numbers.items()}


def several_segments(source: SegmentsSource, queries: Sequence[str]) -> dict[str, Mask]:
    """Return the same if there are two or more: one alone would be all queries once more."""
    segments = segments_of(source, queries)
    if len(segments) < 2:
        raise UsageError(f"all queries are in one segment, {next(iter(segments), '')!r}: give two or more")
    return segments


def _read(source: Any) -> Mapping[Any, Any]:
    kind = kind_of_source(source)
    if kind == MAPPING and not any(isinstance(value, list | tuple) for value in source.values()):
        return dict(source)
    with name_in_errors(source, "segments"):
        if kind == FILE:
            start = read_small(source, "a query and its segment on each line")[:4096]
            header = re.split(r"[\t,;]", start.split(b"\n", 1)[0].decode("utf-8", "replace"))
            if not start.startswith(TABLES) and not {name.strip() for name in header} & set(NAMES["query"]):
                from unjudged.evaluation.groups import read_groups

                return read_groups(source, "query", "segment")
        table = named_columns(source)
        query = table.column("query", {}, NAMES["query"])
        others = [name for name in table.columns if name != query]
        segment = table.column("segment", {}, SEGMENT) or (others[0] if len(others) == 1 else None)
        if query is None or segment is None:
            problem = f"no columns for queries and segments among {listed(list(table.columns))}"
            raise InputError(f"{problem}, expected `query` and `segment`")
        segment_of: dict[str, str] = {}
        for row, (name, label) in enumerate(zip(table.columns[query], table.columns[segment], strict=True)):
            if is_missing(label):
                raise table.error(row, f"query {name!r} has no segment")
            if segment_of.setdefault(str(name), str(label)) != str(label):
                raise table.error(
                    row, f"query {name!r} is in two segments, {segment_of[str(name)]} and {label}"
                )
    return segment_of


def with_every(segments: Mapping[str, Mask], queries: int) -> dict[str, Mask]:
    """Return the segments and all queries, which no segment may be called."""
    if EVERY in segments:
        raise UsageError(f"a segment is called {EVERY!r}, which is the row of all queries: rename it")
    return {**segments, EVERY: np.ones(queries, bool)}


def of_queries(scores: Scores, chosen: Mask) -> Scores:
    """Return the scores of some queries, whose rankings are left out."""
    queries = [query for query, own in zip(scores.queries, chosen, strict=True) if own]
    values, of_a_table = scores.values[:, chosen], scores.of_a_table
    return Scores(values, scores.runs, queries, scores.measures, of_a_table=of_a_table)


def segments_grid(
    scores: Scores, segments: Mapping[str, Mask], confidence: float | None = None, decimals: int = 4
) -> Grid:
    """Return the means by segment, a row per run and segment and one for all, perhaps with intervals.

    The intervals are for other queries of the segment.
    """
    every = with_every(segments, len(scores.queries))
    parts = {name: of_queries(scores, chosen) for name, chosen in every.items()}
    estimates = {}
    if confidence is not None:
        estimates = {name: part.estimate("queries", confidence=confidence) for name, part in parts.items()}
    rows: list[list[Cell]] = []
    for i, run in enumerate(scores.runs):
        for name, part in parts.items():
            cells: list[Cell] = part.means[i].tolist()
            if name in estimates:
                cells = [estimate.text(decimals) for estimate in estimates[name][i]]
            rows.append([run, name, len(part.queries), *cells])
    notes = dict.fromkeys(note for one in estimates.values() for note in one.grid().notes)
    kind = "number" if confidence is None else "text"
    columns = [Column("run", "label"), Column("segment", "label"), Column("queries", "integer")]
    columns += [Column(str(measure), kind) for measure in scores.measures]  # type: ignore[arg-type]

    def records() -> Grid:
        fields = ["run", "segment", "queries", "measure", "value", *(["low", "high"] if estimates else [])]
        each: list[list[Cell]] = []
        for i, run in enumerate(scores.runs):
            for name, part in parts.items():
                for k, measure in enumerate(scores.measures):
                    own: list[Cell] = [run, name, len(part.queries), str(measure), float(part.means[i, k])]
                    if name in estimates:
                        own += [blank(estimates[name][i][k].low), blank(estimates[name][i][k].high)]
                    each.append(own)
        return grid_of(fields, each)

    return Grid(columns, rows, notes=[*scores.notes, *notes], records=records)
