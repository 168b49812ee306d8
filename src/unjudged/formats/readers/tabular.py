"""The tabular door: files and frames with named columns, block by block, and the runs that a column names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.formats.columns import NAMES, Layout, columns_of, layout_of, no_rows
from unjudged.formats.limits import within_memory
from unjudged.formats.matching import grouped, match_blocks
from unjudged.formats.reader import File, Reader, Start
from unjudged.formats.readers.values import NO_LINES, ids_of_texts, names_of, table_of_values
from unjudged.formats.scan import scanner
from unjudged.formats.streams import PathLike
from unjudged.formats.tables import Ids, Matched, Table

TAG = "tag"


class Block(Protocol):
    """Some rows of named columns, and the lines of a file that they stand on, if they do."""

    @property
    def lines(self) -> NDArray[np.int64]: ...

    def table(self, columns: Mapping[str, str]) -> Table:
        """Return the column of each role."""

    def names(self, column: str, role: str) -> Ids:
        """Return the names in a column."""

    def values(self, column: str) -> Sequence[Any]:
        """Return the values of a column as Python has them."""


class Rows(NamedTuple):
    """Rows of Python values, and the lines of a file that they stand on."""

    columns: Mapping[str, Sequence[Any]]
    lines: NDArray[np.int64] = NO_LINES

    def table(self, columns: Mapping[str, str]) -> Table:
        return table_of_values({role: self.columns[name] for role, name in columns.items()}, self.lines)

    def names(self, column: str, role: str) -> Ids:
        return ids_of_texts(names_of(self.columns[column], role, self.lines), role, self.lines)

    def values(self, column: str) -> Sequence[Any]:
        return self.columns[column]


class Tabular(NamedTuple):
    """The names of columns, and blocks of those that are chosen, as often as they are asked for."""

    columns: Sequence[str]
    blocks: Callable[[Sequence[str]], Iterator[Block]]

    def tables(self, columns: Mapping[str, str]) -> Iterator[Table]:
        """Yield the column of each role, block by block."""
        return (block.table(columns) for block in self.blocks([*dict.fromkeys(columns.values())]))


def tabular_reader(
    kind: str, recognises: Callable[[Start], bool], opened: Callable[[PathLike], Tabular]
) -> Reader:
    """Return a reader of files with named columns."""

    def read(file: File, number: str) -> tuple[Table, Layout]:
        source = opened(file.file)
        columns = columns_of(source.columns, number, file.columns)
        return _whole(within_memory(source.tables(columns))), layout_of(columns)

    def scan(file: File, judged: scanner.Index) -> Matched:
        source = opened(file.file)
        columns = columns_of(source.columns, "score", file.columns)
        return match_blocks(lambda: source.tables(columns), judged)

    def split(file: File, by_tag: bool) -> dict[str, Any] | None:
        return runs_in(opened(file.file), file.columns, by_tag)

    return Reader(kind, recognises, read, scan, split=split)


def _whole(tables: Iterable[Table]) -> Table:
    parts = list(tables)
    if not parts:
        raise no_rows()
    return grouped(Table.joined(parts))


@dataclass(frozen=True, eq=False)
class OneRun:
    """The rows of one run among several."""

    table: Table


def runs_in(source: Tabular, given: Mapping[str, str], by_tag: bool) -> dict[str, OneRun] | None:
    """Return the runs of a table by the names in a column; None if no column names them."""
    column = given.get("run") or next(
        (name for name in ((TAG,) if by_tag else ()) + NAMES["run"] if name in source.columns), None
    )
    if column is None:
        return None
    if column not in source.columns:
        raise InputError(f"no column has the name {quoted(column)}, which is to name the runs")
    columns = columns_of(source.columns, "score", {role: of for role, of in given.items() if role != "run"})
    parts: dict[str, list[Table]] = {}

    def tables() -> Iterator[Table]:
        for block in source.blocks([*dict.fromkeys([*columns.values(), column])]):
            table, runs = block.table(columns), block.names(column, "run")
            number, first = scanner.number_names(runs)
            for k, run in enumerate(scanner.take_names(runs, first)):
                parts.setdefault(run, []).append(table.at(np.flatnonzero(number == k)))
            yield table

    for _ in within_memory(tables()):
        pass
    return {run: OneRun(_whole(own)) for run, own in parts.items()}
