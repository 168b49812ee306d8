"""A result: rows, notes and settings, which show themselves as tables, sentences, frames and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any, Self

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError, missing_package
from unjudged.base.notes import BELOW, folded
from unjudged.results.fields import Row
from unjudged.results.grid import DECIMALS, Grid
from unjudged.results.rendering import FORMATS, as_latex, escaped_html
from unjudged.results.views import VIEWS, View, grid_of_view, records_of_view, together

MORE = "see .notes"
"""Where a result has all notes."""
LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb")
"""Kinds of frames that are made."""


@dataclass(frozen=True, eq=False, repr=False)
class Result:
    """Rows by view, with notes and settings.

    `view` names the one that the result shows itself by; without it, all are shown, one after another.
    """

    rows: Mapping[str, Sequence[Row]]
    notes: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    view: str = ""
    source: Any = None
    """What the rows came from, for pages and figures."""

    def __getitem__(self, name: str) -> Any:
        """Return the rows of a view."""
        return self.as_view(name).rows[name]

    @property
    def views(self) -> list[str]:
        """Names of the views that it shows itself by."""
        return [self.view] if self.view else [name for name, rows in self.rows.items() if rows]

    @property
    def measures(self) -> Sequence[str]:
        """Names of the measures."""
        return list(dict.fromkeys(row["measure"] for rows in self.rows.values() for row in rows))

    def as_view(self, view: str) -> Self:
        """Return the same, which shows itself by another view."""
        if view not in self.rows:
            raise UsageError(f"no view {view!r} here: use {', '.join(self.rows)}")
        return replace(self, view=view)

    def title(self, view: str) -> str:
        """Return the title of a table."""
        return str(self.settings.get("titles", {}).get(view, ""))

    def notes_of(self, view: str, *, marks: bool = True) -> list[str]:  # noqa: ARG002 (of some views)
        """Return what must be known of a view; `marks` is whether it has the marks of tables for people."""
        return list(self.notes)

    def shown(self, view: str) -> tuple[Sequence[Row], View]:
        """Return the rows of a view as people see them."""
        return self.rows[view], VIEWS[view]

    def sentences(self) -> list[str]:
        """Return what people read instead of a table, if they do."""
        return []

    def grid(self, view: str | None = None, decimals: int | None = None) -> Grid:
        """Return a view as a table, the first if none is named."""
        name = view or self.views[0]
        made = grid_of_view(*self.shown(name), decimals)
        return replace(made, title=self.title(name), notes=self.notes_of(name))

    def grids(self, decimals: int | None = None, *, format: str = "table", view: str = "") -> list[Grid]:
        """Return the tables that a format has: of each view, or of all in one; notes are below the last."""
        if FORMATS.find(format).single:
            return [self.records(view)]
        names, programs = [view] if view else self.views, FORMATS.find(format).exact
        made = [self.records(name) if programs else self.grid(name, decimals) for name in names]
        notes = list(dict.fromkeys(note for grid in made for note in grid.notes))
        return [*(replace(grid, notes=()) for grid in made[:-1]), replace(made[-1], notes=notes)]

    def records(self, view: str | None = None) -> Grid:
        """Return a view for programs; several in one table have its name in the first column."""
        names = [view] if view else self.views
        made = records_of_view(*together({name: self.rows[name] for name in names}))
        return replace(made, title=self.title(names[0]), notes=self.notes_of(names[0], marks=False))

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows of the view in the kind of frame that went in, or another; pandas if none did."""
        return frame_of(self.records().as_columns(), library or self.settings.get("library") or "pandas")

    def to_latex(
        self,
        decimals: int = DECIMALS,
        *,
        caption: str = "",
        label: str | None = None,
        names: Mapping[str, str] | None = None,
    ) -> str:
        """Return a LaTeX table for a paper, best system first; of packages it needs booktabs only.

        `names` maps systems to the names to show.
        """
        grid = self.for_paper(checked_int("decimals", decimals))
        return as_latex(grid.named(names or {}), caption, label)

    def for_paper(self, decimals: int) -> Grid:
        """Return the table that a paper has."""
        return self.grid(decimals=decimals)

    @property
    def plot(self) -> Any:
        """Figures: `intervals`, `differences` of two systems, and `judged_by_rank`."""
        return import_module("unjudged.report.result_plots").ResultPlots(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_frame("pyarrow").__arrow_c_stream__(requested_schema)

    def __str__(self) -> str:
        if said := self.sentences():
            return "\n".join([*said, *folded(self.notes, MORE)])
        return "\n\n".join(map(str, self._on_screen()))

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        if self.sentences():
            return "".join(f"<p>{escaped_html(line)}</p>\n" for line in str(self).split("\n") if line)
        return "".join(grid._repr_html_() for grid in self._on_screen())

    def _on_screen(self) -> list[Grid]:
        """Return its tables, whose notes are folded: warnings have said them."""
        *first, last = self.grids()
        return [*first, replace(last, notes=folded(last.notes, MORE, BELOW))]


def frame_of(columns: Mapping[str, Sequence[Any]], library: str) -> Any:
    """Make a frame of these columns; `library` is one of LIBRARIES."""
    if library not in LIBRARIES:
        raise UsageError(f"no kind of frame {library!r}: use {', '.join(LIBRARIES)}")
    try:
        if library == "duckdb":
            import duckdb

            return duckdb.from_arrow(frame_of(columns, "pyarrow"))
        import narwhals

        lists = {name: list(values) for name, values in columns.items()}
        return narwhals.from_dict(lists, backend=library).to_native()  # type: ignore[arg-type]
    except ModuleNotFoundError:
        raise missing_package(library, "this kind of frame") from None
