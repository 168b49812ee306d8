"""Scores as a grid: the means of every run, or its value for each query."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from unjudged.base.errors import UnjudgedWarning
from unjudged.base.wording import counted
from unjudged.grids.grid import Cell, Column, Grid, grid_of
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats


class ScoresLike(Protocol):
    """What a grid needs to know of `unjudged.Scores`."""

    @property
    def values(self) -> Floats: ...
    @property
    def means(self) -> Floats: ...
    @property
    def runs(self) -> Sequence[str]: ...
    @property
    def queries(self) -> Sequence[str]: ...
    @property
    def measures(self) -> Sequence[Measure]: ...
    @property
    def warnings(self) -> Sequence[UnjudgedWarning]: ...
    def rows(self, *, per_query: bool = True, mean: bool = False) -> Iterable[Sequence[Any]]: ...


def scores_grid(scores: ScoresLike, per_query: bool = False) -> Grid:
    """One row per run, and with `per_query` one per run and query, then the mean as query `all`."""
    names = ["run", "query"] if per_query else ["run"]
    numbers = [Column(str(m), "integer" if m.traits.summary == "sum" else "number") for m in scores.measures]
    rows: list[list[Cell]] = []
    for i, run in enumerate(scores.runs):
        for j, query in enumerate(scores.queries if per_query else ()):
            rows.append([run, query, *scores.values[i, j].tolist()])
        rows.append([run, *(["all"] if per_query else []), *scores.means[i].tolist()])
    size = f"{counted(len(scores.runs), 'run')} x {counted(len(scores.queries), 'query')}"
    return Grid(
        [*(Column(name, "label") for name in names), *numbers],
        rows,
        f"Scores({size}{'' if per_query else '; means'})",
        list(map(str, scores.warnings)),
        frozenset() if per_query else _best(scores),
        lambda: grid_of(("run", "query", "measure", "value"), scores.rows(per_query=per_query, mean=True)),
    )


def _best(scores: ScoresLike) -> frozenset[tuple[int, int]]:
    """The places of the highest mean of each measure, if there are several runs."""
    if len(scores.runs) < 2:
        return frozenset()
    quality = [measure.traits.quality for measure in scores.measures]
    i, k = ((scores.means == scores.means.max(axis=0)) & quality).nonzero()
    return frozenset(zip(i.tolist(), (k + 1).tolist(), strict=True))
