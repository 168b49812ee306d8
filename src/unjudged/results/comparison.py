"""Comparisons: rows of systems, pairs and queries, and what follows from them in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from unjudged.base.choices import place_of
from unjudged.base.errors import UsageError
from unjudged.inference.macro import MACRO
from unjudged.inference.rows import Row, better_first, query_answer, turned
from unjudged.measures.kernel.names import place_of_measure
from unjudged.results.grid import DECIMALS, in_paragraphs
from unjudged.results.paper import paper_grid
from unjudged.results.rendering import as_latex
from unjudged.results.result import Result
from unjudged.results.views import VIEWS, View
from unjudged.results.words import letters, notes_of_view, sentences_of_pair, title_of

DOCUMENTS = 10
"""A table shows this many of the documents that matter most."""


OVER_COLLECTIONS = View(
    [
        *("measure", "letter", "system", "collection", "mean", "other queries would give", "place"),
        "better_than",
    ],
    VIEWS["systems"].written,
    best=("mean",),
    across="collection",
    cells=("mean",),
    rest=MACRO,
)
"""Systems by collections, with what is known of the mean."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Rows by view: `systems`, `pairs`, `segments`, `collections`, and `queries` and `documents` of a pair.

    With two systems and one measure, `headline`, `better` and `ahead` are those of the pair.
    """

    view: str = "systems"

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
    def runs(self) -> Sequence[str]:
        """Names of the systems, as they were given."""
        return list(self.settings["systems"])

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

    def by_query(self, a: str | None = None, b: str | None = None, measure: Any = None) -> Comparison:
        """Return two systems query by query, and the unjudged documents that move their difference."""
        row = self.pair(a, b, measure)
        names = [str(one.measure) for one in self.source.evidence]
        evidence = self.source.evidence[names.index(row["measure"])]
        first, second = (np.array([list(evidence.systems).index(row[k])]) for k in ("a", "b"))
        found = query_answer(evidence.contrast(first, second, by_query=True))
        rows = {"queries": found.queries, "documents": found.documents}
        return Comparison(rows, (), self.settings, "queries", self.source)

    def shown(self, view: str) -> tuple[Sequence[Row], View]:
        """Return the rows of a view as people see them: the better system first, with letters."""
        rows, view_of = super().shown(view)
        if view == "pairs":
            rows = [better_first(row) for row in rows]
        if view == "documents":
            rows = rows[:DOCUMENTS]
        if view == "systems":
            rows = self._lettered(rows)
            view_of = OVER_COLLECTIONS if "collections" in self.settings else view_of
        return rows, view_of

    def title(self, view: str) -> str:
        """Return how many systems or pairs, and queries, a table is of."""
        return title_of(self, view)

    def notes_of(self, view: str, *, marks: bool = True) -> list[str]:
        """Return what a view rests on, and what is known of its columns and marks."""
        if view == "documents" and marks:
            return []
        return [*notes_of_view(self, view, marks=marks), *self.notes]

    @property
    def plot(self) -> Any:
        """Figures: `plot.intervals()` and `plot.differences()`."""
        return import_module("unjudged.report.score_plots").ResultPlots(self)

    def to_latex(
        self,
        decimals: int = DECIMALS,
        *,
        caption: str = "",
        label: str | None = None,
        names: Mapping[str, str] | None = None,
    ) -> str:
        """Return the systems by measures as a LaTeX table for a paper; of packages it needs booktabs only."""
        return as_latex(paper_grid(self, decimals).named(names or {}), caption, label)

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
