"""Frames and files that hold several runs: a column names the run of each row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from unjudged.base.errors import InputError, quoted
from unjudged.formats.columns import NAMES
from unjudged.formats.readers.frames import library_errors, library_of
from unjudged.formats.readers.mappings import identifier
from unjudged.formats.tables import Table

TAG = "tag"


@dataclass(frozen=True, eq=False)
class OneRun:
    """The rows of one run among several."""

    table: Table


def column_of_runs(header: Sequence[str], given: Mapping[str, str], by_tag: bool) -> str | None:
    """The column that names the run of each row; None if there is none."""
    if "run" in given:
        if given["run"] not in header:
            raise InputError(f"no column has the name {quoted(given['run'])}, which is to name the runs")
        return given["run"]
    names = (TAG, *NAMES["run"]) if by_tag else NAMES["run"]
    return next((name for name in names if name in header), None)


def split_frame(frame: Any, given: Mapping[str, str], by_tag: bool = False) -> dict[str, Any] | None:
    """The runs of a frame by their names; None if no column names them."""
    import narwhals

    if library_of(frame) == "pyspark":  # it stays on its cluster
        return None
    with library_errors():
        known = narwhals.from_native(frame, pass_through=True)
        if not isinstance(known, narwhals.DataFrame | narwhals.LazyFrame):
            return None
        column = column_of_runs(known.collect_schema().names(), given, by_tag)
        if column is None:
            return None
        eager = known.collect() if isinstance(known, narwhals.LazyFrame) else known
        runs = eager[column].unique(maintain_order=True).to_list()
        if any(run is None or isinstance(run, float) for run in runs):
            raise InputError("a row names no run, expected a name in every row")
        return by_name((run, eager.filter(narwhals.col(column) == run).to_native()) for run in runs)


def without_run(given: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of each role but the one that names runs."""
    return {role: name for role, name in given.items() if role != "run"}


def by_name(runs: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """Return runs by their names, which may have been whole numbers."""
    return {str(identifier(run)): rows for run, rows in runs}
