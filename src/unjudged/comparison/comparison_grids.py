"""Comparisons as tables: the systems by mean, and the pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from unjudged.base.wording import counted, percent
from unjudged.comparison.by_measure import MeasureComparison, finite_or_none
from unjudged.comparison.verdicts import Pair, share_text
from unjudged.grids.grid import Cell, Column, Grid, blank, grid_of
from unjudged.rankings.judged import Mask

if TYPE_CHECKING:
    from unjudged.comparison.comparison_result import Comparison

REVERSAL = "reversal: the share of its unjudged documents that the system behind would need to be relevant."
NARROWER = "`evaluate` bounds a run by its own documents: its bounds can be narrower."
ROBUSTLY = "~"
MARKS = f"{ROBUSTLY} robust, ? where unjudged documents may undo it"
LETTERS = "abcdefghijklmnopqrstuvwxyz"
PAIR_FIELDS = ("measure", "a", "b", "difference", "p", "p_adjusted", "low", "high", "verdict")
MORE_PAIR_FIELDS = (
    *("better", "bounds", "mean_a", "mean_b", "query_low", "query_high", "wins", "ties", "losses"),
    *("effect", "effect_low", "effect_high", "reversal", "judged_share"),
)


class SystemRow(NamedTuple):
    """A system by one measure; the last seven fields set it against another system."""

    measure: str
    letter: str
    run: str
    mean: float
    low: float
    high: float
    query_low: float
    query_high: float
    rank_low: int | None
    rank_high: int | None
    tier: int | None
    beats: str
    beats_robustly: str
    beats_open_to_judging: str
    versus: str | None = None
    wins: int | None = None
    ties: int | None = None
    losses: int | None = None
    effect: float | None = None
    effect_low: float | None = None
    effect_high: float | None = None


def systems_grid(comparison: Comparison, results: Sequence[MeasureComparison]) -> Grid:
    """Return the systems, best mean first, with marks of who beats whom.

    Ranks and tiers need all pairs, so they are left out if only pairs with a baseline were tested.
    """
    named, ranked = len(results) > 1, comparison.baseline is None
    columns = [Column("measure", "label")] if named else []
    bounded = _any_bounded(results)
    columns += [Column("", "label"), Column("run", "label"), Column("mean"), *_ends(bounded)]
    columns += [Column("rank", "text"), Column("tier", "integer")] if ranked else []
    columns += [Column("W/T/L", "text"), Column("effect", decimals=2), Column("beats", "text")]
    mean = [column.name for column in columns].index("mean")
    rows: list[list[Cell]] = []
    best = set()
    for result in results:
        best.add((len(rows), mean))
        for s in _system_rows(comparison, result):
            marked = ((s.beats, ""), (s.beats_robustly, ROBUSTLY), (s.beats_open_to_judging, "?"))
            beaten = [other + mark for others, mark in marked for other in others.split()]
            rank = str(s.rank_low) if s.rank_low == s.rank_high else f"{s.rank_low}-{s.rank_high}"
            outcome = "" if s.versus is None else f"{s.wins}/{s.ties}/{s.losses}"
            ends = (s.low, s.high) if bounded else (s.query_low, s.query_high)
            row: list[Cell] = [s.letter, s.run, s.mean, *map(blank, ends)]
            row += [*((rank, s.tier) if ranked else ()), outcome, finite_or_none(s.effect)]
            rows.append([*([s.measure] if named else []), *row, " ".join(sorted(beaten, key=_by_letter))])
    title = _title(counted(len(comparison.runs), "system"), comparison, results)
    notes = _system_notes(comparison, results)
    return Grid(columns, rows, title, notes, frozenset(best), lambda: systems_records(comparison, results))


def _title(what: str, comparison: Comparison, results: Sequence[MeasureComparison]) -> str:
    of = f"; {results[0].measure}" if len(results) == 1 else ""
    return f"{what} x {counted(len(comparison.queries), 'query')}{of}"


def systems_records(comparison: Comparison, results: Sequence[MeasureComparison]) -> Grid:
    """Return the same for programs, with the intervals of the means for other queries."""
    rows = [[*map(blank, row)] for result in results for row in _system_rows(comparison, result)]
    return grid_of(SystemRow._fields, rows, [comparison.method, *comparison.notes])


def _system_rows(comparison: Comparison, result: MeasureComparison) -> Iterator[SystemRow]:
    ranks, tiers, letter = result.rank_intervals(), result.tiers(), comparison.letters
    query_low, query_high = result.other_queries
    versus, ranked = comparison.reference(result), comparison.baseline is None
    for system in result.order():
        row = SystemRow(
            measure=str(result.measure),
            letter=letter[system],
            run=comparison.runs[system],
            mean=float(result.means[system]),
            low=float(result.judging.run_low[system]),
            high=float(result.judging.run_high[system]),
            query_low=float(query_low[system]),
            query_high=float(query_high[system]),
            rank_low=ranks[system][0] if ranked else None,
            rank_high=ranks[system][1] if ranked else None,
            tier=tiers[system] if ranked else None,
            beats=_marks(letter, result.clearly_beats[system]),
            beats_robustly=_marks(letter, (result.firmly_beats & ~result.clearly_beats)[system]),
            beats_open_to_judging=_marks(letter, (result.beats & ~result.firmly_beats)[system]),
        )
        found = result.place(system, versus)
        if found is None:
            yield row
        else:
            pair = result.pair(found[0], turned=found[1])
            yield row._replace(
                versus=pair.b,
                wins=pair.wins,
                ties=pair.ties,
                losses=pair.losses,
                effect=pair.effect.value,
                effect_low=pair.effect.low,
                effect_high=pair.effect.high,
            )


def _any_bounded(results: Sequence[MeasureComparison]) -> bool:
    """Whether a measure has bounds; if none has, tables show the intervals for other queries instead."""
    return not all(result.judging.missing for result in results)


def _ends(bounded: bool) -> list[Column]:
    return list(map(Column, ("low", "high") if bounded else ("query low", "query high")))


def _note_on_ends(comparison: Comparison, what: str, of: str, *, bounded: bool) -> str:
    if bounded:
        return f"low, high: {what} whatever the unjudged documents{of} turn out to be."
    level = percent(1 - comparison.results[0].tests.alpha)
    return f"query low, query high: {level} interval of {what} for other queries."


def _marks(letter: Sequence[str], chosen: Mask) -> str:
    return " ".join(sorted((letter[other] for other in np.flatnonzero(chosen).tolist()), key=_by_letter))


def _system_notes(comparison: Comparison, results: Sequence[MeasureComparison]) -> list[str]:
    versus = {comparison.runs[comparison.reference(result)] for result in results}
    against = versus.pop() if len(versus) == 1 else "the best mean"
    bounded = _any_bounded(results)
    how = "clear and robust" if bounded else "significant"
    return [
        comparison.method,
        _note_on_ends(comparison, "the mean", " of all runs", bounded=bounded),
        *([NARROWER] if bounded else []),
        *([f"rank, tier: by {how} differences only."] if comparison.baseline is None else []),
        f"W/T/L, effect: queries won, tied and lost, and effect size, against {against}.",
        f"beats: significantly better than these{f'; {MARKS}' * bounded}.",
        *verdict_notes(comparison, results),
        *comparison.notes,
    ]


def verdict_notes(comparison: Comparison, results: Sequence[MeasureComparison]) -> list[str]:
    """Say of two systems what their table does not: bounds, test and verdict by each measure."""
    pairs = comparison.pairs_of(results) if len(comparison.runs) == 2 else ()
    return [" ".join(pair.sentences()) for pair in pairs]


def pairs_grid(comparison: Comparison, results: Sequence[MeasureComparison]) -> Grid:
    """One row per pair."""
    named = len(results) > 1
    columns = [Column("measure", "label")] if named else []
    bounded = _any_bounded(results)
    columns += [Column("a", "label"), Column("b", "label"), Column("difference"), *_ends(bounded)]
    columns += [Column("reversal", "text")] if bounded else []
    columns += [Column("verdict", "text"), Column("p", "p value"), Column("adjusted", "p value")]
    columns += [Column("W/T/L", "text"), *(Column(name, decimals=2) for name in ("effect", "from", "to"))]
    rows = []
    for pair in comparison.pairs_of(results):
        gap, effect = pair.difference, pair.effect
        ends = gap if bounded else pair.other_queries
        row: list[Cell] = [pair.a, pair.b, gap.value, finite_or_none(ends.low), finite_or_none(ends.high)]
        row += ["" if pair.reversal is None else share_text(pair.reversal)] if bounded else []
        row += [pair.verdict, pair.p, pair.p_adjusted]
        row += [f"{pair.wins}/{pair.ties}/{pair.losses}"]
        row += map(finite_or_none, (effect.value, effect.low, effect.high))
        rows.append([pair.measure, *row] if named else row)
    title = _title(counted(len(rows), "pair"), comparison, results)
    notes = [
        comparison.method,
        f"difference: a minus b. {_note_on_ends(comparison, 'the difference', '', bounded=bounded)}",
        *([REVERSAL] if bounded else []),
        "W/T/L: queries won, tied and lost by a. effect: the difference in standard deviations, from, to.",
        *comparison.notes,
    ]
    return Grid(columns, rows, title, notes, records=lambda: pair_records(comparison, results))


def pair_records(
    comparison: Comparison, results: Sequence[MeasureComparison], *, detail: bool = False
) -> Grid:
    """Return the pairs for programs; `detail` adds everything else that is known about each."""
    fields = (*PAIR_FIELDS, *MORE_PAIR_FIELDS) if detail else PAIR_FIELDS
    rows = ([*map(blank, _record(pair)[: len(fields)])] for pair in comparison.pairs_of(results))
    return grid_of(fields, rows, [comparison.method, *comparison.notes])


def _record(pair: Pair) -> list[Cell]:
    gap, other, effect = pair.difference, pair.other_queries, pair.effect
    row: list[Cell] = [pair.measure, pair.a, pair.b, gap.value, pair.p, pair.p_adjusted, gap.low, gap.high]
    row += [pair.verdict, pair.better, gap.method, pair.mean_a, pair.mean_b, other.low, other.high]
    row += [pair.wins, pair.ties, pair.losses, effect.value, effect.low, effect.high]
    return [*row, pair.reversal, pair.judged_share]


def letters(place: int) -> str:
    """A to z, then aa, ab, ...: as many marks as there are systems.

    >>> [letters(place) for place in (0, 25, 26, 702)]
    ['a', 'z', 'aa', 'aaa']
    """
    text = ""
    place += 1
    while place:
        place, digit = divmod(place - 1, 26)
        text = LETTERS[digit] + text
    return text


def _by_letter(mark: str) -> tuple[int, str]:
    return len(mark.rstrip(f"{ROBUSTLY}?")), mark
