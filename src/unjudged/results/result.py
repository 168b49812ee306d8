"""A result: rows, notes and settings, which show themselves as tables and frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

from unjudged.base.errors import UsageError
from unjudged.results.fields import Row
from unjudged.results.frames import Framed, frame_of
from unjudged.results.grid import DECIMALS, Grid, Shown
from unjudged.results.views import VIEWS, View, grid_of_view, records_of_view, together


@dataclass(frozen=True, eq=False, repr=False)
class Result(Shown, Framed):
    """Rows by view, with notes and settings.

    `view` names the one that the result shows itself by; without it, all are shown, one after another.
    """

    rows: Mapping[str, Sequence[Row]]
    notes: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    view: str = ""
    source: Any = None
    """What the rows came from, for pages and figures."""

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
        """Return what must be known of a view; `marks` is whether it has those of tables for people."""
        return list(self.notes)

    def shown(self, view: str) -> tuple[Sequence[Row], View]:
        """Return the rows of a view as people see them."""
        return self.rows[view], VIEWS[view]

    def grid(self, view: str | None = None, decimals: int = DECIMALS) -> Grid:
        """Return a view as a table, the first if none is named."""
        name = view or self.views[0]
        rows, view_of = self.shown(name)
        return grid_of_view(
            rows,
            view_of,
            title=self.title(name),
            notes=self.notes_of(name),
            decimals=decimals,
            written=self.rows[name],
        )

    def grids(self, decimals: int = DECIMALS) -> list[Grid]:
        """Return a table for each view that it shows itself by, the notes below the last one."""
        *first, last = (self.grid(name, decimals) for name in self.views)
        return [*(replace(grid, notes=()) for grid in first), last]

    def records(self, view: str | None = None) -> Grid:
        """Return a view for programs; several in one table have its name in the first column."""
        names = [view] if view else self.views
        rows, view_of = together({name: self.rows[name] for name in names})
        return records_of_view(rows, view_of, self.notes_of(names[0], marks=False))

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows of the view in the kind of frame that went in, or another; pandas if none did."""
        chosen = library or self.settings.get("library") or "pandas"
        return frame_of(self.records().as_columns(), chosen)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.grids()))

    def _repr_html_(self) -> str:
        return "".join(grid._repr_html_() for grid in self.grids())
