"""Scores of rankings with tied documents: expected values, ranges, and notes on what other orders change."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.base.choices import TiesName
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.grids.grid import Cell, Column, Grid, grid_of
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings

TIES: tuple[TiesName, ...] = ("order", "expected", "range")
NOTEWORTHY = 0.001
"""A mean that other orders of tied documents change by more is noted."""
MANY = 50_000
"""With more judged documents in the rankings, what other orders change is worked out only if asked for."""
LONGEST = 30
"""Characters of a run's name that a note shows."""
OVER_ORDERS = "over all orders of documents that have the same score"
FIELDS = ("run", "query", "measure", "value", "low", "high", "exact")


@dataclass(frozen=True, eq=False)
class TieEffects:
    """What orders of tied documents change: arrays have run, query and measure.

    `low` and `high` are the ends of the range, `exact` says of which measures it was found for certain, and
    `error` is the standard error of expected values where orders were drawn.
    """

    ties: TiesName
    low: Floats
    high: Floats
    exact: Sequence[bool]
    error: Floats

    def chosen(self, places: Sequence[int]) -> TieEffects:
        """Return the same for some of the measures."""
        exact = [self.exact[k] for k in places]
        low, high, error = (table[:, :, list(places)] for table in (self.low, self.high, self.error))
        return TieEffects(self.ties, low, high, exact, error)


def check_ties(ties: object) -> None:
    """Refuse any other word."""
    if ties not in TIES:
        raise UsageError(f"ties is {ties!r}, expected one of {', '.join(TIES)}")


def is_tied(rankings: JudgedRankings) -> bool:
    """Whether any document that could matter is tied."""
    return rankings.ties is not None or rankings.elsewhere is not None


def tie_effects(
    measures: Sequence[Measure],
    rankings: JudgedRankings,
    values: Floats,
    ties: TiesName,
    *,
    depth: int | None = None,
    seed: int = 0,
) -> tuple[Floats, TieEffects | None]:
    """Return the values, which are expected ones if asked for, and what other orders make of them.

    `rankings` are not cut yet, and `values` has run, query and measure. By default only two orders are tried,
    which is enough for monotone measures, and none if there are very many documents.
    """
    if ties == "order" and len(rankings.rank) > MANY:
        return values, None
    from unjudged.measures.ties.expected import expected_values
    from unjudged.measures.ties.extremes import tie_range
    from unjudged.measures.ties.groups import TieGroups

    found, low, high = values.copy(), values.copy(), values.copy()
    error, exact, shape = np.zeros(values.shape), [], values.shape[:2]
    quick, known = ties != "range", dict[tuple[int, bool], TieGroups]()
    for k, measure in enumerate(measures):
        if ties == "expected":
            tied = expected_values(measure, rankings, depth=depth, seed=seed)
            found[:, :, k], error[:, :, k] = tied.values.reshape(shape), tied.error.reshape(shape)
        value = values[:, :, k].ravel()
        limits = tie_range(measure, rankings, depth=depth, seed=seed, quick=quick, value=value, known=known)
        low[:, :, k], high[:, :, k] = limits.low.reshape(shape), limits.high.reshape(shape)
        exact.append(limits.exact)
    return found, TieEffects(ties, low, high, exact, error)


def notes_on_ties(
    measures: Sequence[Measure],
    runs: Sequence[str],
    rankings: JudgedRankings,
    values: Floats,
    effects: TieEffects | None,
    *,
    depth: int | None,
) -> Iterable[str]:
    """Say what orders of tied documents change; without `effects`, try others than trec_eval's."""
    if effects is None:
        _, effects = tie_effects(measures, rankings, values, "order", depth=depth)
    return untried_notes(rankings, values.shape[1]) if effects is None else tie_notes(measures, runs, effects)


def untried_notes(rankings: JudgedRankings, queries: int) -> list[str]:
    """Say how many runs have tied documents, where nobody asked what other orders change."""
    if rankings.ties is None:
        return []
    starts, of = rankings.offsets[::queries], len(rankings) // queries
    runs = len(np.unique(starts.searchsorted(rankings.ties.place, "right")))
    asked = "--ties range (ties='range') tells how far their order changes the means"
    return [f"Documents have the same score in {runs} of {counted(of, 'run')}: {asked}."] if runs else []


def tie_notes(measures: Sequence[Measure], runs: Sequence[str], effects: TieEffects) -> Iterator[str]:
    """Say what the values are of, and which means other orders change by more than `NOTEWORTHY`."""
    if effects.ties == "expected":
        yield f"Values are expected {OVER_ORDERS}, each as likely as any other."
        queries = effects.error.shape[1]
        errors = np.sqrt((effects.error**2).sum(axis=1)) / queries
        for k in np.flatnonzero(errors.max(axis=0) > 0).tolist():
            size = f"standard error of a mean {errors[:, k].max():.1g}"
            yield f"{measures[k]}: some orders were drawn at random; {size}."
        return
    if effects.ties == "range":
        yield f"Ranges are {OVER_ORDERS}; values are of the default order, names descending."
        rest = [str(m) for m, exact in zip(measures, effects.exact, strict=True) if not exact]
        if rest:
            yield f"{', '.join(rest)}: too many orders to try all, so that ranges may be wider."
        return
    changed = list(_changed(measures, runs, effects))
    if changed:
        *_, widest = max(changed)
        more = f", and {len(changed) - 1} more" if len(changed) > 1 else ""
        yield (
            f"Documents have the same score, and other orders of them change means by more than {NOTEWORTHY}"
            f": {widest}{more}. ties='expected' (--ties expected) has the mean over all orders."
        )


def _changed(
    measures: Sequence[Measure], runs: Sequence[str], effects: TieEffects
) -> Iterator[tuple[bool, float, str]]:
    """Yield whether a measure is one of quality, how much a mean changes, and a sentence."""
    for k, measure in enumerate(measures):
        low, high = (measure.over_queries(end[:, :, k]) for end in (effects.low, effects.high))
        for i in np.flatnonzero(high - low > NOTEWORTHY).tolist():
            name = runs[i] if len(runs[i]) <= LONGEST else f"{runs[i][:LONGEST]}..."
            said = f"{measure} of {name} from {low[i]:.4f} to {high[i]:.4f}"
            yield measure.traits.quality, float(high[i] - low[i]), said


def range_grid(scores: Any, effects: TieEffects, per_query: bool) -> Grid:
    """Return `0.2930 [0.2410, 0.4020]` per run and measure, or also per query."""
    names = ["run", "query"] if per_query else ["run"]
    rows: list[list[Cell]] = []
    for run, query, values in _rows(scores, effects, per_query):
        texts = [f"{value:.4f} [{low:.4f}, {high:.4f}]" for value, low, high in values]
        rows.append([run, query, *texts] if per_query else [run, *texts])
    columns = [*(Column(name, "label") for name in names), *(Column(str(m)) for m in scores.measures)]
    notes = [*map(str, scores.warnings), *scores.notes]
    return Grid(columns, rows, notes=notes, records=lambda: _records(scores, effects, per_query))


def _rows(scores: Any, effects: TieEffects, per_query: bool) -> Iterator[tuple[str, str, list[Any]]]:
    """Yield run, query ('all' for the mean), and value, low and high of each measure."""
    means = [
        np.stack([m.over_queries(table[:, :, k]) for k, m in enumerate(scores.measures)], axis=-1)
        for table in (scores.values, effects.low, effects.high)
    ]
    for i, run in enumerate(scores.runs):
        for j, query in enumerate(scores.queries if per_query else ()):
            tables = (scores.values, effects.low, effects.high)
            yield run, query, list(zip(*(table[i, j].tolist() for table in tables), strict=True))
        yield run, "all", list(zip(*(table[i].tolist() for table in means), strict=True))


def _records(scores: Any, effects: TieEffects, per_query: bool) -> Grid:
    rows: list[list[Cell]] = [
        [run, query, str(measure), *value, "yes" if exact else "no"]
        for run, query, values in _rows(scores, effects, per_query)
        for measure, value, exact in zip(scores.measures, values, effects.exact, strict=True)
    ]
    return grid_of(FIELDS, rows)
