"""The tabular door: rows of named columns from any file or frame, and the runs that a column names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.data import arrow_columns, values
from unjudged.data.columns import NAMES, columns_of, no_rows
from unjudged.data.limits import within_memory
from unjudged.data.matching import InPieces, ahead, grouped
from unjudged.data.scan import scanner
from unjudged.data.tables import NO_LINES, Ids, Table

TAG = "tag"


@dataclass(frozen=True, eq=False)
class Block:
    """Some rows of named columns, each in Arrow or as a sequence of Python's values.

    `lines` are the lines of a file of text that they stand on, `before` is how many rows came before.
    """

    columns: Mapping[str, Any]
    lines: NDArray[np.int64] = field(default_factory=lambda: NO_LINES)
    before: int = 0

    def table(self, roles: Mapping[str, str]) -> Table:
        """Return the column of each role."""
        query, document, *numbers = roles
        groups, starts = self._read("groups_of", roles[query], query)
        documents = self.names(roles[document], document)
        self._refuse_empty(groups, query, starts)
        found = [self._read("numbers_of", roles[role], role) for role in numbers]
        columns = found[0][:, None] if len(found) == 1 else np.stack(found, axis=1)
        return Table(groups, starts, documents, columns, self.lines)

    def names(self, column: str, role: str) -> Ids:
        """Return the names in a column, which in a file of text may not be empty."""
        ids: Ids = self._read("ids_of", column, role)
        self._refuse_empty(ids, role, range(len(ids)))
        return ids

    def values(self, column: str) -> Sequence[Any]:
        """Return the values of a column as Python has them."""
        held = self.columns[column]
        return held.to_pylist() if hasattr(held, "chunks") else held  # type: ignore[no-any-return]

    def error(self, row: int, problem: str) -> InputError:
        """Return an error about one row."""
        if len(self.lines):
            return InputError(problem, line=int(self.lines[row]))
        return InputError(f"row {self.before + row} (from 0): {problem}")

    def _read(self, what: str, column: str, role: str) -> Any:
        held = self.columns[column]
        if not hasattr(held, "chunks"):
            return getattr(values, what)(held, role, self.error)
        with arrow_columns.arrow_errors("damaged Arrow data"):
            return getattr(arrow_columns, what)(held, role, self.error)

    def _refuse_empty(self, names: Ids, role: str, rows: Sequence[int] | NDArray[np.int64]) -> None:
        if len(self.lines) and not (sizes := np.diff(names.offsets)).all():
            raise self.error(rows[int(np.argmin(sizes))], f"the {role} is empty")


class Tabular(NamedTuple):
    """The names of columns, and what makes blocks of those that are chosen, as often as they are asked for.

    `on_cores` says that several cores make the blocks faster than one. `whole` makes one block of rows that
    are in memory.
    """

    columns: Sequence[str]
    blocks: Callable[[Sequence[str]], Iterable[Callable[[], Block]]]
    on_cores: bool = True
    whole: Callable[[Sequence[str]], Block] | None = None

    def pieces(self, roles: Mapping[str, str]) -> InPieces:
        """Return the column of each role, to be matched."""

        def tables() -> Iterator[Callable[[], Table]]:
            return (partial(_table, block, roles) for block in self.blocks(_distinct(roles.values())))

        return InPieces(tables, self.on_cores, None if self.whole is None else lambda: self.table(roles))

    def table(self, roles: Mapping[str, str]) -> Table:
        """Return the column of each role, the rows of each query together."""
        return _joined(
            within_memory(
                ahead(partial(_table, roles=roles), self._at_once(roles.values()), on_cores=self.on_cores)
            )
        )

    def runs(self, given: Mapping[str, str], by_tag: bool) -> dict[str, OneRun] | None:
        """Return the runs of the table by the names in a column; None if no column names them."""
        usual = ((TAG,) if by_tag else ()) + NAMES["run"]
        column = given.get("run") or next((name for name in usual if name in self.columns), None)
        if column is None:
            return None
        if column not in self.columns:
            raise InputError(f"no column has the name {quoted(column)}, which is to name the runs")
        roles = columns_of(self.columns, "score", {role: of for role, of in given.items() if role != "run"})
        parts: dict[str, list[Table]] = {}

        def tables() -> Iterator[Table]:
            for make in self._at_once([*roles.values(), column]):
                block = make()
                table, runs = block.table(roles), block.names(column, "run")
                number, first = scanner.number_names(runs)
                for k, run in enumerate(scanner.take_names(runs, first)):
                    parts.setdefault(run, []).append(table.at(np.flatnonzero(number == k)))
                yield table

        for _ in within_memory(tables()):
            pass
        return {run: OneRun(_joined(own)) for run, own in parts.items()}

    def _at_once(self, names: Iterable[str]) -> Iterable[Callable[[], Block]]:
        """Return one block if all rows are in memory, so that what is wrong does not depend on blocks."""
        chosen = _distinct(names)
        return self.blocks(chosen) if self.whole is None else [partial(self.whole, chosen)]


def _distinct(names: Iterable[str]) -> list[str]:
    return [*dict.fromkeys(names)]


def _table(make: Callable[[], Block], roles: Mapping[str, str]) -> Table:
    return make().table(roles)


def _joined(tables: Iterable[Table]) -> Table:
    parts = [table for table in tables if len(table.documents)]
    if not parts:
        raise no_rows()
    return grouped(Table.joined(parts))


@dataclass(frozen=True, eq=False)
class OneRun:
    """The rows of one run among several."""

    table: Table
