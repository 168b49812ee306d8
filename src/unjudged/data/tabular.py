"""The tabular door: rows of named columns from any file or frame, and the one place that gives them roles."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import InputError, quoted
from unjudged.data import values
from unjudged.data.columns import NAMES, Layout, columns_of, first_of, given_column
from unjudged.data.limits import check, within_memory
from unjudged.data.matching import NEVER, InPieces, grouped, match_rows
from unjudged.data.scan import scanner
from unjudged.data.tables import NO_LINES, Ids, Matched, Table

Made = TypeVar("Made")
BYTES_OF_A_ROW = 180
"""Memory of a row of Python's values besides them: its place in each column, and the number of its line."""


@dataclass(eq=False, repr=False)  # not frozen: that takes as long as to load a module
class TabularBlock:
    """Some rows of named columns, each in Arrow or as a sequence of Python's values.

    `lines` are the lines of a file of text that they stand on, `before` is how many rows came before.
    """

    columns: Mapping[str, Any]
    lines: NDArray[np.int64] = field(default_factory=lambda: NO_LINES)
    before: int = 0

    def __len__(self) -> int:
        return max(map(len, self.columns.values()), default=0)

    def error(self, row: int, problem: str) -> InputError:
        """Return an error about one row, which names its line or its number."""
        if len(self.lines):
            return InputError(problem, line=int(self.lines[row]))
        return InputError(f"row {self.before + row} (from 0): {problem}")

    def table(self, roles: Mapping[str, str]) -> Table:
        """Return the rows as a table, by the name of the column that has each role."""
        query, document, *numbers = roles
        groups, starts = self._read(values.groups_of, roles[query], query)
        documents = self.names(roles[document], document)
        self._refuse_empty(groups, query, starts)
        found = [self._read(values.numbers_of, roles[role], role) for role in numbers]
        columns = found[0][:, None] if len(found) == 1 else np.stack(found, axis=1)
        return Table(groups, starts, documents, columns, self.lines)

    def rows(self, start: int, stop: int) -> TabularBlock:
        """Return the rows from `start` to `stop`, the latter not included."""
        columns = {
            name: own.slice(start, stop - start) if values.in_arrow(own) else own[start:stop]
            for name, own in self.columns.items()
        }
        return TabularBlock(columns, self.lines[start:stop], self.before + start)

    def read(self, work: Callable[[TabularBlock], Made]) -> Made:
        """Return what `work` makes of the rows. If some are wrong, the error is of the first of them."""
        try:
            return work(self)
        except InputError:
            if len(self) > 1:
                for half in (0, len(self) // 2), (len(self) // 2, len(self)):
                    self.rows(*half).read(work)
            raise

    def names(self, column: str, role: str) -> Ids:
        """Return the names in a column, which in a file of text may not be empty."""
        ids = self._read(values.ids_of, column, role)
        self._refuse_empty(ids, role, range(len(ids)))
        return ids

    def _refuse_empty(self, names: Ids, role: str, rows: Sequence[int] | NDArray[np.int64]) -> None:
        """Refuse an empty name in a file of text."""
        if len(self.lines) and not (sizes := np.diff(names.offsets)).all():
            raise self.error(rows[int(np.argmin(sizes))], f"the {role} is empty")

    def _read(self, convert: Callable[[Any, str, values.Wrong], Made], column: str, role: str) -> Made:
        """Return a column as `convert` makes it; damage of an Arrow column is an error of the input."""
        held = self.columns[column]
        if not values.in_arrow(held):
            return convert(held, role, self.error)
        with values.arrow_errors("damaged Arrow data"):
            return convert(held, role, self.error)

    def values(self) -> Mapping[str, Sequence[Any]]:
        """Return the values of each column as Python has them."""
        return {name: values.python_values(own) for name, own in self.columns.items()}

    def column(self, role: str, given: Mapping[str, str], names: Sequence[str]) -> str | None:
        """Return the name of the column for a role: as `given`, else the first of `names` that it has."""
        return given_column(given[role], [*self.columns]) if role in given else first_of(names, self.columns)

    def label(self, row: int, role: str, column: str) -> str:
        """Return the name in a cell of the table: what has the role, in this column. It may not be empty."""
        value = self.columns[column][row]
        if values.is_missing(value):
            raise self.error(row, f"the {role} is empty")
        return values.text_of_name(value)

    def labels(
        self,
        of: tuple[str, str],
        by: tuple[str, str],
        left_out: Callable[[str, Any], bool] = lambda _, __: False,
    ) -> dict[str, str]:
        """Return the label of each name, each a role and its column; `left_out` finds the others."""
        (role, column), (kind, own) = of, by
        found: dict[str, str] = {}
        for row, value in enumerate(self.columns[own]):
            name = self.label(row, role, column)
            if left_out(name, value):
                continue
            if values.is_missing(value):
                raise self.error(row, f"{role} {name!r} has no {kind}, found {value!r}: give it one")
            label = values.text_of_name(value)
            add_label(found, name, label, of=role, kind=kind, error=partial(self.error, row))
        return found


def add_label(
    labels: dict[str, str],
    name: str,
    label: str,
    *,
    of: str = "query",
    kind: str = "segment",
    error: Callable[[str], InputError] = InputError,
) -> None:
    """Add the label of a name, which may not have another."""
    if (before := labels.setdefault(name, label)) != label:
        raise error(f"{of} {name!r} is in two {kind}s, {before} and {label}")


class Tabular(NamedTuple):
    """Names of columns, and a function that gives blocks of the chosen ones, as often as it is called.

    The blocks are a list if the rows are in memory. `on_cores` says that several cores make them faster.
    """

    columns: Sequence[str]
    blocks: Callable[[Sequence[str]], Iterable[Callable[[], TabularBlock]]]
    on_cores: bool = True

    def table(self, number: str, given: Mapping[str, str]) -> tuple[Table, Layout]:
        """Return all rows, query by query, and the columns.

        `number` is "score" for a run and "grade" for judgments; `given` are names of columns by role.
        """
        roles = columns_of(self.columns, number, given)
        return grouped(self._rows(roles).table()), Layout(tuple(roles))

    def match(self, judged: scanner.Index, given: Mapping[str, str], _: Event = NEVER) -> Matched:
        """Match a run, block by block."""
        return match_rows(self._rows(columns_of(self.columns, "score", given)), judged)

    def held(self, clean: Callable[[Any], Any] | None = None) -> TabularBlock:
        """Return all rows, as far as memory allows, with what `clean` makes of each value."""
        columns: dict[str, list[Any]] = {name: [] for name in self.columns}
        lines, taken = [NO_LINES], 0
        for make in self.blocks([*columns]):
            block = make()
            for name, own in block.values().items():
                columns[name].extend(own if clean is None else map(clean, own))
                taken += sum(map(sys.getsizeof, own))
            lines.append(block.lines)
            taken += BYTES_OF_A_ROW * len(block)
            check("MEMORY", taken)
        return TabularBlock(columns, np.concatenate(lines))

    def _rows(self, roles: Mapping[str, str]) -> InPieces:
        """Return the rows as tables, piece by piece."""

        def pieces() -> Iterable[Callable[[], Table]]:
            blocks = self.blocks(_distinct(roles.values()))
            own = (partial(_table, block, roles) for block in blocks)
            return list(own) if isinstance(blocks, list) else own

        return InPieces(pieces, self.on_cores)

    def runs(self, given: Mapping[str, str]) -> dict[str, Any] | None:
        """Return the runs of the table by the names in a column; None if no column names them."""
        column = given.get("run") or next((name for name in NAMES["run"] if name in self.columns), None)
        if column is None:
            return None
        if column not in self.columns:
            raise InputError(f"no column has the name {quoted(column)}, which is to name the runs")
        roles = columns_of(self.columns, "score", {role: of for role, of in given.items() if role != "run"})
        parts: dict[str, list[Table]] = {}

        def tables() -> Iterator[Table]:
            for make in self.blocks(_distinct([*roles.values(), column])):
                table, runs = make().read(lambda block: (block.table(roles), block.names(column, "run")))
                number, first = scanner.number_names(runs)
                for k, run in enumerate(scanner.take_names(runs, first)):
                    parts.setdefault(run, []).append(table.at(np.flatnonzero(number == k)))
                yield table

        for _ in within_memory(tables()):
            pass
        return {run: grouped(Table.joined(own)) for run, own in parts.items()}


def _distinct(names: Iterable[str]) -> list[str]:
    """Return names of columns, each once."""
    return [*dict.fromkeys(names)]


def _table(make: Callable[[], TabularBlock], roles: Mapping[str, str]) -> Table:
    """Return a block of rows as a table; an error is that of its first wrong row."""
    return make().read(lambda block: block.table(roles))
