"""Comparisons: rows of systems, pairs and queries, and what follows in sentences and for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unjudged.base.choices import place_of
from unjudged.base.errors import UsageError
from unjudged.base.wording import percent
from unjudged.inference.pair_rows import better_first, rows_by_query, turned
from unjudged.inference.several_collections import MACRO
from unjudged.measures.kernel.names import place_of_measure
from unjudged.results.fields import Field, Row
from unjudged.results.grid import Grid, Marked
from unjudged.results.result import Result
from unjudged.results.views import VIEWS, View, grid_of_view
from unjudged.results.words import (
    LETTERS,
    caption_of,
    letters,
    notes_of_view,
    segment_sentences,
    sentences_of_pair,
    title_of,
    without_judging,
)

DOCUMENTS = 10
"""A table shows this many of the documents that matter most."""
DASH, DAGGER, DOUBLE = "\u2013", "†", "‡"
SHORT = 3
"""Decimals of a table of systems."""
FEW = 12
"""With more systems a table has the number of those that one is better than, and no letters."""


def _ends(row: Row, decimals: int) -> str:
    return f"[{row['query_low']:.{decimals}f}, {row['query_high']:.{decimals}f}]"


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
FOR_PAPER = View(["letter", "system", "measure"], (), best=("marked",), across="measure", cells=("marked",))
"""Systems by measures, each mean with marks for what one is better than."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result):
    """Rows by view: `systems`, `pairs`, `segments`, `collections`, and `queries` and `documents` of a pair.

    With two systems and one measure, `headline`, `better` and `ahead` are the pair's.
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
        """Return two systems query by query."""
        rows: list[Row] = []
        for name in self.measures if measure is None else [measure]:
            row = self.pair(a, b, name)
            (evidence,) = (one for one in self.source.evidence if str(one.measure) == row["measure"])
            first, second = (np.array([list(evidence.systems).index(row[k])]) for k in ("a", "b"))
            rows += rows_by_query(evidence.contrast(first, second, by_query=True))
        return Comparison({"queries": rows}, self.notes, self.settings, "queries", self.source)

    def shown(self, view: str) -> tuple[Sequence[Row], View]:
        """Return the rows of a view as people see them: the better system first, with letters."""
        rows, view_of = super().shown(view)
        if view == "pairs":
            rows = [better_first(row) for row in rows]
        if view == "systems":
            view_of = OVER_COLLECTIONS if "collections" in self.settings else view_of
            fields = view_of.shown
            if any(row.get("low") is not None for row in rows):  # the last columns say what other queries do
                fields = [one for one in fields if one != "other queries would give"]
            rows, view_of = _lettered(rows), replace(view_of, shown=fields, decimals=SHORT)
        return rows, view_of

    def title(self, view: str) -> str:
        """Return how many systems or pairs, and queries, a table is of."""
        return title_of(self, view)

    def notes_of(self, view: str, *, marks: bool = True) -> list[str]:
        """Return what a view rests on, and what is known of its columns and marks."""
        return [*notes_of_view(self, view, marks=marks), *self.notes]

    def grid(self, view: str | None = None, decimals: int | None = None) -> Grid:
        """Return a view as a table; the answer about two systems comes before theirs."""
        made = super().grid(view, decimals)
        return replace(made, said=self._answer()) if (view or self.view) == "systems" else made

    def _answer(self) -> list[str]:
        """Return the answer without the gaps that align it on a terminal."""
        return [" ".join(line.split()) for line in self.sentences() if line]

    def sentences(self) -> list[str]:
        """Return the answer about two systems in sentences, for each measure; a table has more systems."""
        if self.view != "systems" or len(self.runs) > 2 or "collections" in self.settings:
            return []
        each = [["", *sentences_of_pair(row, self.settings)] for row in self.pairs]
        between = segment_sentences(self.segments, self.settings["alpha"])
        by_segment = [f"by segment     {' '.join(between)}"] if between else []
        return [*(line for lines in each for line in lines), *by_segment][1:]

    def for_paper(self, decimals: int) -> Grid:
        """Return systems x measures, best by the first; of several collections one column each, and the mean.

        The title says how it was tested, and the notes what is known of judging.
        """
        baseline, several = self.settings["baseline"], "collections" in self.settings
        by = "collection" if several else "measure"
        places = {name: k for k, name in enumerate(dict.fromkeys(row["system"] for row in self.systems))}
        marks = _marks(len(places))
        pairs = self.rows.get("collections", self.pairs)
        worse = {(row[by], row["a"]) for row in pairs if row["better"] == row["b"]}

        def marked(row: Row) -> Marked:
            beaten = row["better_than"]
            if baseline is None:
                return Marked(row["mean"], joined(sorted(places[name] for name in beaten), marks))
            return Marked(
                row["mean"], DAGGER * (baseline in beaten) + DOUBLE * ((row[by], row["system"]) in worse)
            )

        rows = [row | {"marked": marked(row)} for row in self.systems]
        if baseline is None:
            rows = [row | {"letter": marks[places[row["system"]]]} for row in rows]
        view = FOR_PAPER
        if several:
            level = percent(1 - self.settings["alpha"])
            interval = Field("interval", f"{level} interval", "text", text=_ends)
            shown: list[str | Field] = ["letter", "system", "collection", "marked", interval, "place"]
            view = replace(view, shown=shown, across="collection", rest=MACRO)
        grid = grid_of_view(rows, view, decimals)
        notes = [*without_judging(self.pairs), *map(str, self.notes)]
        return replace(grid, title=caption_of(self), notes=notes, said=self._answer())


def _lettered(rows: Sequence[Row]) -> list[Row]:
    """Give each system a letter, and say by letters which systems it is better than."""
    order = list(dict.fromkeys(row["system"] for row in rows))
    mark = {name: letters(k) for k, name in enumerate(order)}

    def shown(row: Row) -> Any:
        better = row.get("better_than", ())
        if len(order) > FEW:
            return str(len(better)) if better else None
        sure = " ".join(sorted(mark[name] for name in better))
        asked = " ".join(f"{letter}?" for letter in sorted(mark[name] for name in row.get("doubtful", ())))
        return ", ".join(filter(None, (sure, asked))) or None

    return [row | {"letter": mark[row["system"]], "better_than": shown(row)} for row in rows]


def _marks(systems: int) -> Sequence[str]:
    """Return a mark per row: letters, and numbers where there are not enough of them."""
    each = LETTERS + LETTERS.upper()
    return each[:systems] if systems <= len(each) else [str(k + 1) for k in range(systems)]


def joined(items: Sequence[int], marks: Sequence[str]) -> str:
    """Return the marks of the places in a row, four or more neighbours as a range.

    >>> joined([0, 1, 3, 4, 5, 6], "abcdefg").replace(DASH, " to "), joined([0, 1, 3], ["1", "2", "3", "10"])
    ('abd to g', '1,2,10')
    """
    parts: list[str] = []
    start = 0
    for end in range(1, len(items) + 1):
        if end == len(items) or items[end] != items[end - 1] + 1:
            near = [marks[i] for i in items[start:end]]
            parts += [f"{near[0]}{DASH}{near[-1]}"] if len(near) > 3 else near
            start = end
    return ("" if all(len(mark) == 1 for mark in marks) else ",").join(parts)
