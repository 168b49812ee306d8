"""Systems over several collections as tables: a column per collection, and the mean over them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from unjudged.base.wording import counted, percent
from unjudged.comparison.by_measure import finite_or_none
from unjudged.comparison.comparison_grids import letters
from unjudged.comparison.testing.macro_means import MacroDifferences, macro_interval
from unjudged.comparison.testing.pairs import Pairs, rank_intervals
from unjudged.comparison.testing.pairwise import PairTests
from unjudged.comparison.testing.significance import ALIKE
from unjudged.grids.escapes import latex
from unjudged.grids.grid import Cell, Column, Grid, Shown, grid_of
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Mask

MACRO = "mean"
"""The column of the mean over collections."""


@dataclass(frozen=True, eq=False, repr=False)
class CollectionsComparison(Shown):
    """Systems on several collections by one measure.

    `tests` are those within each collection, and `p_adjusted`, collections x pairs, their p values corrected
    over all pairs and collections. `macro` is about the mean over these collections, which are fixed; it is
    corrected over the pairs (`macro_adjusted`).
    """

    measure: Measure
    runs: Sequence[str]
    collections: Sequence[str]
    tests: Sequence[PairTests]
    p_adjusted: Floats
    macro: MacroDifferences
    macro_adjusted: Floats
    alpha: float
    method: str
    seed: int = 0
    notes: Sequence[str] = ()

    @cached_property
    def values(self) -> Sequence[Floats]:
        """Systems x queries of each collection: what is averaged, logarithms for a geometric mean."""
        return [one.pairs.scores for one in self.tests]

    @cached_property
    def averages(self) -> Floats:
        """Systems x collections: means of `values`."""
        return np.stack([mean_over_queries(part) for part in self.values], axis=1)

    @property
    def means(self) -> Floats:
        """Systems x collections."""
        return self.measure.mean_of(self.averages)

    @cached_property
    def macro_means(self) -> Floats:
        """Mean over collections of each system."""
        return self.measure.mean_of(mean_over_queries(self.averages))

    @cached_property
    def interval(self) -> tuple[Floats, Floats]:
        """Interval of each macro mean for other queries of these collections, at confidence 1 - alpha."""
        limits = (-np.inf, np.inf) if self.measure.geometric else self.measure.range
        low, high = macro_interval(self.values, limits, 1 - self.alpha, self.seed)
        return self.measure.mean_of(low), self.measure.mean_of(high)

    @cached_property
    def beats(self) -> Mask:
        """Systems x systems x (collections, then the mean): whether the first is significantly better."""
        gaps = [*(one.pairs.difference for one in self.tests), self.macro.value]
        p_values = [*self.p_adjusted, self.macro_adjusted]
        found = [self.pairs.ahead(p <= self.alpha, gap) for gap, p in zip(gaps, p_values, strict=True)]
        return np.stack(found, axis=-1)

    @property
    def pairs(self) -> Pairs:
        """Which systems are compared."""
        return self.tests[0].pairs

    @property
    def order(self) -> list[int]:
        """Return the systems, best macro mean first."""
        return self.measure.best_first(self.macro_means)

    def ranks(self) -> list[tuple[int, int]]:
        """Return the ranks of each system by the macro mean; tied where nothing separates systems.

        From 1 + the number of systems that are significantly better, to all but those significantly worse.
        """
        return rank_intervals(self.beats[:, :, -1])

    def _ranks(self) -> list[str]:
        return [str(first) if first == last else f"{first}-{last}" for first, last in self.ranks()]

    def grid(self) -> Grid:
        """Return a row per system; the best of each column is stressed."""
        columns = [Column("", "label"), Column("run", "label"), *map(Column, self.collections)]
        columns += [*map(Column, (MACRO, "low", "high")), Column("rank", "text"), Column("beats", "text")]
        rows: list[list[Cell]] = []
        (low, high), ranks = self.interval, self._ranks()
        for place, i in enumerate(self.order):
            row: list[Cell] = [letters(place), self.runs[i], *self._table[i].tolist()]
            row += [float(low[i]), float(high[i]), ranks[i]]
            rows.append([*row, " ".join(self._beaten(i, -1))])
        places, measured = self._best[self.order].nonzero()
        best = frozenset(zip(places.tolist(), (2 + measured).tolist(), strict=True))
        return Grid(columns, rows, self._title, self._notes(), best, self.records)

    @cached_property
    def _table(self) -> Floats:
        """Systems x (collections, then the mean)."""
        return np.column_stack([self.means, self.macro_means])

    @cached_property
    def _best(self) -> Mask:
        """Systems x (collections, then the mean): which are the best of their column."""
        return np.column_stack([self.measure.are_best(column) for column in self._table.T])

    @property
    def _columns(self) -> list[tuple[str, int]]:
        """Name and number of queries of the collections, then of the mean."""
        sizes = [part.shape[1] for part in self.values]
        return [*zip(self.collections, sizes, strict=True), (MACRO, sum(sizes))]

    def _beaten(self, i: int, c: int) -> list[str]:
        return [letters(place) for place, other in enumerate(self.order) if self.beats[i, other, c]]

    @property
    def _title(self) -> str:
        systems, collections = counted(len(self.runs), "system"), counted(len(self.collections), "collection")
        return f"{systems} x {collections}; {self.measure}"

    def _notes(self) -> list[str]:
        return [
            *self._of_mean("low, high"),
            f"beats: significantly better by the mean over collections. {self.method}",
            *self._about(),
        ]

    def _of_mean(self, interval: str) -> list[str]:
        """Say what the mean, its interval and the ranks are; the table calls the interval so."""
        over = f"{MACRO}: {'geometric, ' if self.measure.geometric else ''}over collections"
        level = percent(1 - self.alpha)
        return [
            f"{over}; {interval}: its {level} interval for other queries of them.",
            "rank: tied where no significant difference of the means over collections separates systems.",
        ]

    def _about(self) -> list[str]:
        """Say what every table needs: the number of queries, and what is odd."""
        return [f"queries: {', '.join(f'{name} {size}' for name, size in self._columns[:-1])}.", *self.notes]

    def records(self) -> Grid:
        """Return a row per system and collection, and one for the mean, for programs."""
        fields = ["measure", "run", "collection", "queries", "value"]
        fields += ["low", "high", "rank_low", "rank_high", "beats"]
        rows: list[list[Cell]] = []
        (low, high), ranks = self.interval, self.ranks()
        for i in self.order:
            of_mean = float(low[i]), float(high[i]), *ranks[i]
            for c, (name, size) in enumerate(self._columns):
                beaten = " ".join(self.runs[other] for other in self.order if self.beats[i, other, c])
                row: list[Cell] = [str(self.measure), self.runs[i], name, size, float(self._table[i, c])]
                rows.append([*row, *(of_mean if c == len(self.collections) else (None,) * 4), beaten])
        return grid_of(fields, rows, self._notes())

    def pairs_grid(self) -> Grid:
        """Return a row per pair and collection, and one for the mean of each pair."""
        columns = [Column("a", "label"), Column("b", "label"), Column("collection", "label")]
        columns += [Column("queries", "integer"), Column("difference"), Column("low"), Column("high")]
        columns += [Column("p", "p value"), Column("adjusted", "p value")]
        rows: list[list[Cell]] = []
        tested = [(*one.difference, one.p, p) for one, p in zip(self.tests, self.p_adjusted, strict=True)]
        tested.append((*self.macro, self.macro_adjusted))
        for k, (a, b) in enumerate(zip(self.pairs.first.tolist(), self.pairs.second.tolist(), strict=True)):
            for (name, size), found in zip(self._columns, tested, strict=True):
                rows.append([self.runs[a], self.runs[b], name, size])
                rows[-1] += [finite_or_none(each[k]) for each in found]
        level = f"low, high: {percent(1 - self.alpha)} t interval for other queries, before correction."
        alike = [ALIKE] if any(None in row for row in rows) else []
        notes = [level, *alike, self.method, *self._about()]
        fields = ["measure", *(column.name for column in columns[:-1]), "p_adjusted"]
        return Grid(
            columns,
            rows,
            self._title,
            notes,
            records=lambda: grid_of(fields, [[str(self.measure), *row] for row in rows], notes),
        )

    def to_latex(self, decimals: int = 4) -> str:
        """Return a `table` for the booktabs package, with superscripts for whom a system beats."""
        level = percent(1 - self.alpha)
        names = [*map(latex, self.collections), "Mean", latex(f"{level} interval"), "Rank"]
        table, rows, (low, high), ranks = self._table, [], self.interval, self._ranks()
        for place, i in enumerate(self.order):
            cells = [letters(place), latex(self.runs[i])]
            for c in range(table.shape[1]):
                cell = f"{table[i, c]:.{decimals}f}"
                cell = rf"\textbf{{{cell}}}" if self._best[i, c] else cell
                beaten = self._beaten(i, c)
                cells.append(cell + (rf"\textsuperscript{{{','.join(beaten)}}}" if beaten else ""))
            cells += [f"[{low[i]:.{decimals}f}, {high[i]:.{decimals}f}]", ranks[i].replace("-", "--")]
            rows.append(" & ".join(cells) + r" \\")
        marks = f"Superscripts: significantly better than these systems. {self.method}"
        caption = " ".join(map(latex, [f"{self._title}.", marks, *self._of_mean("brackets"), *self._about()]))
        lines = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}"]
        lines += [rf"\begin{{tabular}}{{ll{'l' * len(names)}}}", r"\toprule"]
        lines += [" & ".join(["", "System", *names]) + r" \\", r"\midrule", *rows]
        return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", r"\end{table}", ""])
