"""A result: rows, notes and settings, which show themselves as tables, sentences and frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np

from unjudged.base.choices import place_of
from unjudged.base.errors import UsageError
from unjudged.grids.grid import DECIMALS, Framed, Grid, Shown, frame_of, in_paragraphs
from unjudged.inference.macro import MACRO
from unjudged.inference.rows import Row, better_first, query_answer, turned
from unjudged.measures.kernel.names import place_of_measure
from unjudged.results.paper import paper_table
from unjudged.results.views import VIEWS, View, grid_of_view, pivoted, records_of_view
from unjudged.results.words import letters, notes_of_view, sentences_of_pair, title_of

DOCUMENTS = 10
"""A table shows this many of the documents that matter most."""


@dataclass(frozen=True, eq=False, repr=False)
class Result(Shown, Framed):
    """Rows by view: `systems`, `pairs`, `segments`, `gate`, `collections`.

    `view` names the one that the result shows itself by. With two systems and one measure, `headline`,
    `better` and `ahead` are those of the pair.
    """

    rows: Mapping[str, Sequence[Row]]
    notes: Sequence[str] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    view: str = "systems"
    source: Any = None
    """What the rows came from, for pages and figures."""

    @property
    def systems(self) -> Sequence[Row]:
        """Rows of the systems, the best first by each measure."""
        return self.rows.get("systems", ())

    @property
    def pairs(self) -> Sequence[Row]:
        """Rows of the pairs, the later system minus the earlier one, or the system minus the baseline."""
        return self.rows.get("pairs", ())

    @property
    def segments(self) -> Sequence[Row]:
        """Rows of the pairs by segment."""
        return self.rows.get("segments", ())

    @property
    def measures(self) -> Sequence[str]:
        """Names of the measures."""
        return list(dict.fromkeys(row["measure"] for rows in self.rows.values() for row in rows))

    @property
    def runs(self) -> Sequence[str]:
        """Names of the systems, as they were given."""
        return list(self.settings["systems"])

    def as_view(self, view: str) -> Result:
        """Return the same, which shows itself by another view."""
        if view not in self.rows:
            raise UsageError(f"no view {view!r} here: use {', '.join(self.rows)}")
        return replace(self, view=view)

    def pair(self, a: str | None = None, b: str | None = None, measure: Any = None) -> Row:
        """Return the row of system a minus system b; names may be left out if there are only two."""
        names = list(self.runs)
        if (a is None) != (b is None) or (a is None and len(names) != 2):
            raise UsageError(f"name two systems of {', '.join(names)}")
        two = (names[1], names[0]) if a is None or b is None else (a, b)
        for name in two:
            place_of("system", name, names)
        if two[0] == two[1]:
            raise UsageError(f"{two[0]} was not compared with itself: name two systems")
        measures = list(dict.fromkeys(row["measure"] for row in self.pairs))
        if measure is None and len(measures) > 1:
            raise UsageError(f"several measures were compared: name one of {', '.join(measures)}")
        own = measures[0] if measure is None else measures[place_of_measure(measure, measures)]
        for row in self.pairs:
            if row["measure"] == own and {row["a"], row["b"]} == set(two):
                return row if row["a"] == two[0] else turned(row)
        raise UsageError(f"{two[0]} and {two[1]} were not compared: leave out the baseline")

    def __getitem__(self, name: str) -> Any:
        """Return a field of the only pair."""
        return self.pair()[name]

    @property
    def headline(self) -> str:
        """The headline of the only pair."""
        return str(self.pair()["headline"])

    @property
    def better(self) -> str | None:
        """The better system of the only pair, None if neither is."""
        found: str | None = self.pair()["better"]
        return found

    @property
    def ahead(self) -> str | None:
        """The system of the only pair with the better mean, None if they are equal."""
        found: str | None = self.pair()["ahead"]
        return found

    def by_query(self, a: str | None = None, b: str | None = None, measure: Any = None) -> Result:
        """Return two systems query by query, and the unjudged documents that move their difference."""
        row = self.pair(a, b, measure)
        names = [str(one.measure) for one in self.source.evidence]
        evidence = self.source.evidence[names.index(row["measure"])]
        first, second = (np.array([list(evidence.systems).index(row[k])]) for k in ("a", "b"))
        found = query_answer(evidence.contrast(first, second, by_query=True), self.level(row))
        rows = {"queries": found.queries, "documents": found.documents}
        settings = {**self.settings, "deciding": found.deciding}
        return Result(rows, found.deciding.sentences(), settings, "queries", self.source)

    def level(self, row: Row) -> float:
        """Return the level at which a pair's own p value is significant; the correction's factor is kept."""
        alpha, p, after = float(self.settings["alpha"]), row["p"], row["p_adjusted"]
        return alpha * (p / after if 0 < p < after < 1 else 1.0)

    def grid(self, view: str | None = None, decimals: int = DECIMALS) -> Grid:
        """Return a view as a table."""
        name = view or self.view
        rows: Sequence[Row] = self.rows[name]
        if name == "pairs":
            rows = [better_first(row) for row in rows]
        view_of: View = VIEWS[name]
        if name == "systems":
            rows = self._lettered(rows)
        if name == "systems" and "collections" in self.settings:
            rows, view_of = pivoted(rows, MACRO)
        notes = [*notes_of_view(self, name), *self.notes]
        if name == "documents":
            rows, notes = rows[:DOCUMENTS], []
        title = title_of(self, name)
        named = _named_after_two(rows)
        return grid_of_view(
            rows,
            view_of,
            title=title,
            notes=notes,
            decimals=decimals,
            headings=named,
            written=self.rows[name],
        )

    def records(self, view: str | None = None) -> Grid:
        """Return a view for programs."""
        name = view or self.view
        notes = [*notes_of_view(self, name, marks=False), *self.notes]
        return records_of_view(self.rows[name], VIEWS[name], notes)

    @property
    def plot(self) -> Any:
        """Figures as Altair charts, such as `plot.intervals()` and `plot.differences()`."""
        return import_module("unjudged.report.score_plots").ResultPlots(self)

    def to_latex(
        self,
        decimals: int = DECIMALS,
        *,
        caption: str | None = None,
        label: str | None = None,
        names: Mapping[str, str] | None = None,
    ) -> str:
        """Return the systems by measures as a LaTeX table for a paper; of packages it needs booktabs only."""
        return paper_table(self, decimals, caption, label, names).latex()

    def to_markdown(self, decimals: int = DECIMALS) -> str:
        """Return the table of `to_latex` as Markdown."""
        return paper_table(self, decimals, None, None, None).markdown()

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows of the view in the kind of frame that went in, or another; pandas if none did."""
        chosen = library or self.settings.get("library") or "pandas"
        return frame_of(self.records().as_columns(), chosen)

    def sentences(self) -> list[str]:
        """Return the answer about two systems in sentences, for each measure."""
        each = [["", *sentences_of_pair(row, self.settings)] for row in self.pairs]
        return [line for lines in each for line in lines][1:]

    def _lettered(self, rows: Sequence[Row]) -> list[Row]:
        """Give each system a letter, and say by letters which systems it is better than."""
        order = list(dict.fromkeys(row["system"] for row in rows))
        mark = {name: letters(k) for k, name in enumerate(order)}
        few = len(order) <= 12

        def shown(row: Row) -> Any:
            better = row.get("better_than", ())
            if not few:
                return str(len(better)) if better else None
            sure = [(mark[name], "") for name in better]
            asked = [(mark[name], "?") for name in row.get("doubtful", ())]
            return " ".join(letter + what for letter, what in sorted(sure + asked)) or None

        return [row | {"letter": mark[row["system"]], "better_than": shown(row)} for row in rows]

    def __str__(self) -> str:
        if self.view == "systems" and len(self.runs) == 2:
            return "\n".join([*self.sentences(), *self.notes])
        return str(self.grid())

    def _repr_html_(self) -> str:
        if self.view == "systems" and len(self.runs) == 2:
            return in_paragraphs(str(self))
        return self.grid()._repr_html_()


def _named_after_two(rows: Sequence[Row]) -> dict[str, str]:
    """Return headings of what belongs to either system, if all rows are of the same two."""
    two = {(row["a"], row["b"]) for row in rows if "a" in row}
    if len(two) != 1:
        return {}
    ((a, b),) = two
    return {"mean_a": a, "mean_b": b, "value_a": a, "value_b": b}
