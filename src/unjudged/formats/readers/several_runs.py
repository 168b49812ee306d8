"""Frames and files that hold several runs: a column names the run of each row."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unjudged.base.errors import InputError, quoted
from unjudged.formats.columns import NAMES, columns_of
from unjudged.formats.grouping import grouped
from unjudged.formats.readers.arrow.frames import library_errors, library_of
from unjudged.formats.readers.memory.query_dicts import identifier
from unjudged.formats.streams import PathLike
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
        return _named(
            (run, eager.filter(narwhals.col(column) == run).to_native()) for run in runs if not _missing(run)
        )


def split_columnar(file: PathLike, given: Mapping[str, str], by_tag: bool) -> dict[str, Any] | None:
    """The same for Parquet and Arrow files."""
    from unjudged.formats.readers.arrow import columnar

    column = column_of_runs(columnar.names_in(Path(file)), given, by_tag)
    return (
        None
        if column is None
        else split_frame(columnar.rows_with(Path(file), _others(given), column), {"run": column})
    )


def split_delimited(file: PathLike, given: Mapping[str, str], by_tag: bool) -> dict[str, Any] | None:
    """The same for CSV and TSV."""
    from unjudged.formats.readers.text import delimited

    header, blocks = delimited.header_and_blocks(file, _others(given))
    column = column_of_runs(header, given, by_tag)
    if column is None:
        return None
    columns = columns_of(header, "score", _others(given))
    places = {role: header.index(name) for role, name in columns.items()}
    own = header.index(column)
    tables: dict[str, list[Table]] = {}
    for block in blocks:
        by_run: dict[str, list[tuple[int, list[str]]]] = {}
        for line, row in block:
            by_run.setdefault(row[own] if own < len(row) else "", []).append((line, row))
        for run, rows in by_run.items():
            tables.setdefault(run, []).append(delimited.table_of_lines(rows, places, len(header)))
    return _named((run, OneRun(grouped(Table.joined(parts)))) for run, parts in tables.items())


def split_json_lines(file: PathLike, given: Mapping[str, str], by_tag: bool) -> dict[str, Any] | None:
    """The same for JSON lines."""
    from unjudged.formats.readers.memory.records import fields_of, table_of_records
    from unjudged.formats.readers.text import json_lines
    from unjudged.formats.readers.text.json_dicts import BYTES_OF_JSON

    first = next(json_lines.objects(file))[1]
    column = column_of_runs(list(first), given, by_tag) if isinstance(first, dict) else None
    if column is None:
        return None
    by_run: dict[str, list[tuple[str, Any]]] = {}
    for where, record in json_lines.objects(file, BYTES_OF_JSON):
        if not isinstance(record, dict) or not isinstance(identifier(record.get(column)), str):
            raise InputError(f"{where}: {quoted(column)} names no run, expected text")
        by_run.setdefault(identifier(record[column]), []).append((where, record))
    fields = fields_of(first, "score", _others(given))
    return _named((run, OneRun(table_of_records(records, fields))) for run, records in by_run.items())


def _others(given: Mapping[str, str]) -> dict[str, str]:
    return {role: name for role, name in given.items() if role != "run"}


def _missing(run: Any) -> bool:
    if run is None or isinstance(run, float):
        raise InputError("a row names no run, expected a name in every row")
    return False


def _named(runs: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    return {str(identifier(run)): rows for run, rows in runs}
