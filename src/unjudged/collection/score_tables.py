"""Tables of scores by query that any tool made, as the values of `Scores`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError, quoted, reason_of
from unjudged.base.wording import shortlist
from unjudged.collection.collection import by_own_names
from unjudged.collection.score_cells import UNNAMED, Cells, Missing, TableOfScores, is_score, not_a_score
from unjudged.collection.score_reading import ROLES, Reading, Wide
from unjudged.data.sources import FILE, FRAME, MAPPING, columns_of_file, kind_of_source, name_in_errors
from unjudged.measures.kernel.names import MeasureLike
from unjudged.measures.kernel.registry import Measure


def table_of_scores(
    source: Any,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    wide: Wide | None = None,
    missing: Missing = "error",
    range: tuple[float, float] | None = None,
    by: str | None = None,
) -> TableOfScores:
    """Read one source, several, or a mapping of names to them; each may hold several systems.

    `by` is the column that has the segment of each query.
    """
    if wide not in (None, "systems", "measures"):
        raise UsageError(f"wide is {wide!r}, expected systems or measures")
    asked = None if measures is None else _names_asked(measures)
    sources = _sources(source)
    parts: list[Cells] = []
    for name, one in sources:
        given = {**columns_of_file(one), **(columns or {})}
        given = {("system" if role == "run" else role): column for role, column in given.items()}
        if unknown := given.keys() - ROLES.keys():
            raise UsageError(f"unknown column {unknown.pop()!r}, expected one of {', '.join(ROLES)}")
        with name_in_errors(one, name):
            meant = "measures" if wide is None and len(sources) > 1 else wide
            parts.append(Cells())
            Reading(parts[-1], name, given, asked, meant, by).add(one)
    return _joined(sources, parts).table(asked, missing, range)


def _sources(source: Any) -> list[tuple[str, Any]]:
    """Return each source with the name of its system, if only one is in it."""
    kind = kind_of_source(source)
    if kind == MAPPING and source and all(kind_of_source(one) in (FILE, FRAME) for one in source.values()):
        return [(str(name), one) for name, one in source.items()]
    several = isinstance(source, list | tuple) and bool(source)
    several = several and all(kind_of_source(one) in (FILE, FRAME) for one in source)
    return list(by_own_names([(None, one) for one in (source if several else [source])]).items())


def _joined(sources: Sequence[tuple[str, Any]], parts: Sequence[Cells]) -> Cells:
    """Return the cells of all sources; where several have one system of the same name, they name it."""
    if len(parts) == 1:
        return parts[0]
    lone = [part.systems[0] if len(part.systems) == 1 else "" for part in parts]
    values = ((cell, repeat) for part in parts for cell, own in part.values.items() for repeat in own)
    twice = {cell[0] for (cell, _), times in Counter(values).items() if times > 1}
    joined = Cells()
    again = [name for name in dict.fromkeys(lone) if name in twice and lone.count(name) > 1]
    for name in again:
        named = shortlist([source for (source, _), own in zip(sources, lone, strict=True) if own == name])
        note = f"{quoted(name)} is the system of several tables, so these are called {named}"
        joined.notes.append(f"{note}; a column `repeat` tells repeats apart.")
    for (source, one), part, name in zip(sources, parts, lone, strict=True):
        if name in again:
            part.rename(name, source)
        with name_in_errors(one, source):
            joined.join(part)
    return joined


def _names_asked(measures: MeasureLike | Iterable[MeasureLike]) -> list[str]:
    names = [measures] if isinstance(measures, str | Measure) else list(measures)
    return list(map(str, names))


def is_array(source: Any) -> bool:
    """Whether this is an array, or a list of arrays or of lists of numbers."""
    depth = 0
    while isinstance(source, list | tuple) and source:
        source, depth = source[0], depth + 1
    if hasattr(source, "__array_interface__"):
        return not hasattr(source, "columns")
    return depth > 1 and isinstance(source, int | float)


def array_of_scores(
    values: Any,
    runs: Sequence[str] | None,
    queries: Sequence[str] | None,
    measures: MeasureLike | Iterable[MeasureLike] | None,
    *,
    missing: Missing,
    limits: tuple[float, float] | None,
) -> TableOfScores:
    """Take an array (runs, queries) or (runs, queries, measures) with the names of its axes."""
    try:
        array = np.asarray(values, float)
    except ValueError as error:
        raise UsageError(f"no array of numbers: {reason_of(error)}") from None
    array = array[:, :, None] if array.ndim == 2 else array
    if array.ndim != 3 or not array.size:
        raise UsageError(f"the array has the shape {np.shape(values)}, expected (runs, queries[, measures])")
    names = None if measures is None else _names_asked(measures)
    unnamed = UNNAMED if array.shape[2] == 1 else f"{UNNAMED} {{}}"
    axes = []
    for size, what, given, default in (
        (array.shape[0], "runs", runs, "run {}"),
        (array.shape[1], "queries", queries, "q{}"),
        (array.shape[2], "measures", names, unnamed),
    ):
        own = [default.format(k + 1) for k in range(size)] if given is None else list(map(str, given))
        if len(own) != size or len(set(own)) < size:
            raise UsageError(f"{what} has {len(set(own))} different names, expected {size}")
        axes.append(own)
    cells = Cells()
    for (run, query, name), value in zip(product(*axes), array.ravel().tolist(), strict=True):
        if not is_score(value):
            raise UsageError(not_a_score((run, query, name), value))
        cells.add((run, query, name), None, value)
    return cells.table(None, missing, limits)
