"""One result type of everything that is uncertain: a value and an interval of one quantity."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from math import isnan, nan
from typing import Any, overload

from unjudged.base.wording import notes_of, percent
from unjudged.measures.kernel.estimand import OTHER, THESE, Estimand
from unjudged.results.frames import Framed, frame_of
from unjudged.results.grid import Cell, Column, Grid, Shown, blank, grid_of


@dataclass(frozen=True)
class Estimate:
    """A value and its interval, both of the quantity `of`.

    `confidence` is the share of cases in which the interval holds under the assumptions
    that `method` states; it is 1 for bounds, which hold for every completion of the judgments. A measure that
    cannot have the interval that was asked for has a value alone: its ends are NaN, and `method` says why.

    >>> print(Estimate(0.2927, 0.2412, 0.4021, 0.95, "given prevalence 0.2", Estimand("RBP")))
    0.2927 [0.2412, 0.4021]
    """

    value: float
    low: float
    high: float
    confidence: float
    method: str
    of: Estimand

    @property
    def uncertainty(self) -> str:
        """Errors that the interval covers: the missing judgments, the sample of queries, or both."""
        return self.of.uncertainty

    @property
    def width(self) -> float:
        return self.high - self.low

    @property
    def has_interval(self) -> bool:
        return not isnan(self.low)

    @classmethod
    def without_interval(cls, value: float, reason: str, of: Estimand) -> Estimate:
        """A value alone."""
        return cls(value, nan, nan, nan, f"no interval: {reason}", of)

    def __str__(self) -> str:
        return self.text()

    def text(self, decimals: int = 4) -> str:
        """Return the value, and the interval if there is one."""
        value, low, high = (f"{number:.{decimals}f}" for number in (self.value, self.low, self.high))
        return f"{value} [{low}, {high}]" if self.has_interval else value


OF = ("queries", "judgments")
FIELDS = (*(field.name for field in fields(Estimate) if field.name != "of"), "uncertainty", *OF)
"""What the long form tells of each estimate besides its run and measure."""


COVERS = {THESE: "had people judged another sample", OTHER: "had there been other queries"}
"""What intervals from human samples cover."""


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Shown, Framed, Sequence[Sequence[Estimate]]):
    """Estimates by run and measure: `estimates[i][k]` is that of run i by measure k.

    >>> from unjudged import evaluate, sample
    >>> evaluate(sample.qrels, sample.runs["fused"], ["P@10", "Judged@10"]).estimate()
    run                       P@10  Judged@10
    fused  0.3967 [0.3967, 0.3967]     1.0000
    <BLANKLINE>
    Intervals for judgments: every completion of the judgments, exact.
    Judged@10: no interval: Judged has no bounds.
    """

    estimates: Sequence[Sequence[Estimate]]
    runs: Sequence[str]
    measures: Sequence[str]
    library: str = ""
    """Where frames went in, the library they are of."""
    notes: Sequence[str] = ()
    stacked: bool = False
    """The table has a row per run and measure, with the intervals for these and for other queries."""

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.estimates)

    @overload
    def __getitem__(self, run: int) -> Sequence[Estimate]: ...
    @overload
    def __getitem__(self, run: slice) -> Sequence[Sequence[Estimate]]: ...
    def __getitem__(self, run: int | slice) -> Sequence[Any]:
        return self.estimates[run]

    @cached_property
    def _distinct(self) -> dict[int, list[str]]:
        """Columns by number, with the measures whose estimates they are: infAP and AP from a sample."""
        columns, measures = list(zip(*self.estimates, strict=True)), dict[int, list[str]]()
        for k, column in enumerate(columns):
            name = column[0].of.measure if self.stacked else self.measures[k]
            measures.setdefault(columns.index(column), []).append(name)
        return measures

    def _heading(self, k: int) -> str:
        """Return the name of what the estimates of measure k are of, with its cutoff: AP@100."""
        names = {row[k].of.measure for row in self.estimates}
        return names.pop() if len(names) == 1 else self.measures[k]

    def rows(self) -> Iterator[list[Cell]]:
        """Run, measure, value, ends, confidence, method and what is estimated; None for no end."""
        shown = self._distinct
        each = [(run, row[k]) for run, row in zip(self.runs, self.estimates, strict=True) for k in shown]
        if self.stacked:
            each.sort(key=lambda one: self.measures.index(one[1].of.measure))
        for run, estimate in each:
            yield [run, estimate.of.measure, *(blank(_field(estimate, name)) for name in FIELDS)]

    def to_frame(self, library: str | None = None) -> Any:
        """`rows()` in the kind of frame that went in, or 'pandas', 'polars', 'pyarrow' or 'duckdb'."""
        columns = zip(*self.rows(), strict=True)
        return frame_of(dict(zip(("run", "measure", *FIELDS), columns, strict=True)), library or self.library)

    def grid(self, decimals: int = 4) -> Grid:
        """`0.2930 [0.2410, 0.4020]` per run and measure; the notes name the methods.

        The long form has a row per run and measure.
        """
        if self.stacked:
            return self._stacked(decimals)
        columns = [Column("run", "label"), *map(Column, map(self._heading, self._distinct))]
        rows: list[list[Cell]] = [
            [run, *(row[k].text(decimals) for k in self._distinct)]
            for run, row in zip(self.runs, self.estimates, strict=True)
        ]
        each = [(self._heading(k), row[k]) for k in self._distinct for row in self.estimates]
        said = [(name, _note(one)) for name, one in each if one.has_interval]
        without = dict.fromkeys(f"{one.of.measure}: {one.method}." for _, one in each if not one.has_interval)
        methods = [*notes_of(said, len({name for name, _ in said})), *without]
        methods += [
            f"{self._heading(k)}: one estimate, asked for as {', '.join(names)}."
            for k, names in self._distinct.items()
            if len(names) > 1
        ]
        return Grid(columns, rows, notes=[*self.notes, *methods], records=self._records)

    def _records(self) -> Grid:
        return grid_of(["run", "measure", *FIELDS], self.rows())

    def _stacked(self, decimals: int) -> Grid:
        present = {estimate.of.queries for row in self.estimates for estimate in row}
        shown = [queries for queries in COVERS if queries in present]
        columns = [Column("run", "label"), Column("measure", "label"), Column("estimate", decimals=decimals)]
        rows: list[list[Cell]] = []
        for measure in self.measures:
            for run, row in zip(self.runs, self.estimates, strict=True):
                own = {e.of.queries: e for e in row if e.of.measure == measure}
                ends = {q: f"[{e.low:.{decimals}f}, {e.high:.{decimals}f}]" for q, e in own.items()}
                rows.append([run, measure, next(iter(own.values())).value, *map(ends.get, shown)])
        covered = ", or ".join(COVERS[queries] for queries in shown)
        level = f"{percent(self.estimates[0][0].confidence)} intervals: {covered}."
        columns += map(Column, shown)
        return Grid(columns, rows, notes=[level, *self.notes], records=self._records)


def _field(estimate: Estimate, name: str) -> Cell:
    value: Cell = getattr(estimate.of if name in OF else estimate, name)
    return value


def _note(estimate: Estimate) -> str:
    """Say what an interval covers, and under which assumptions."""
    intervals = "Intervals" if estimate.confidence == 1 else f"{percent(estimate.confidence)} intervals"
    return f"{intervals} for {estimate.uncertainty}: {estimate.method}."
