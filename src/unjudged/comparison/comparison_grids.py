"""Comparisons as tables: the systems by mean, and the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from unjudged.comparison.verdicts import CLEAR, SIGNIFICANT, Pair
from unjudged.grids.grid import Cell, Column, Grid, grid_of

if TYPE_CHECKING:
    from unjudged.comparison.by_measure import MeasureComparison
    from unjudged.comparison.systems import Comparison

LETTERS = "abcdefghijklmnopqrstuvwxyz"
PAIR_FIELDS = ("measure", "a", "b", "difference", "p", "p_adjusted", "low", "high", "verdict")
MORE_PAIR_FIELDS = (
    *("better", "bounds", "mean_a", "mean_b", "query_low", "query_high", "wins", "ties", "losses"),
    *("effect", "effect_low", "effect_high", "flip", "calibrated_low", "calibrated_high"),
)
SYSTEM_FIELDS = (
    *("measure", "letter", "run", "mean", "low", "high", "query_low", "query_high", "rank_low", "rank_high"),
    *("tier", "beats", "beats_open_to_judging"),
    *("versus", "wins", "ties", "losses", "effect", "effect_low", "effect_high"),
)


def systems_grid(comparison: Comparison, results: Sequence[MeasureComparison]) -> Grid:
    """The systems, highest mean first, with marks of who beats whom."""
    named = len(results) > 1
    columns = [Column("measure", "label")] if named else []
    columns += [Column("", "label"), Column("run", "label"), Column("mean"), Column("low"), Column("high")]
    columns += [Column("rank", "text"), Column("tier", "integer"), Column("W/T/L", "text")]
    columns += [Column("effect", decimals=2), Column("beats", "text")]
    rows: list[list[Cell]] = []
    best = set()
    for result in results:
        best.add((len(rows), len(columns) - 8))
        for row in _system_rows(comparison, result):
            measure, letter, run, mean, low, high, _, _, first, last, tier, clear, unclear, *versus = row
            beaten = [*str(clear).split(), *(f"{other}?" for other in str(unclear).split())]
            rank = str(first) if first == last else f"{first}-{last}"
            outcome = "" if versus[0] is None else "/".join(map(str, versus[1:4]))
            shown = [
                letter,
                run,
                mean,
                low,
                high,
                rank,
                tier,
                outcome,
                versus[4],
                " ".join(sorted(beaten, key=_by_letter)),
            ]
            rows.append([measure, *shown] if named else shown)
    title = f"{len(comparison.runs)} systems x {len(comparison.queries)} queries"
    title += "" if named else f"; {results[0].measure}"
    return Grid(
        columns,
        rows,
        title,
        _system_notes(comparison, results),
        frozenset(best),
        lambda: systems_records(comparison, results),
    )


def systems_records(comparison: Comparison, results: Sequence[MeasureComparison]) -> Grid:
    """The same for programs, with the intervals of the means for other queries."""
    rows = [row for result in results for row in _system_rows(comparison, result)]
    return grid_of(SYSTEM_FIELDS, rows, [comparison.method, *comparison.notes])


def _system_rows(comparison: Comparison, result: MeasureComparison) -> list[list[Cell]]:
    clear, unclear = result.beats(CLEAR), result.beats(SIGNIFICANT)
    ranks, tiers, letter = result.rank_intervals(), result.tiers(), comparison.letters
    low, high = result.judging.run_low, result.judging.run_high
    query_low, query_high = result.other_queries
    versus = comparison.reference(result)
    rows = []
    for system in result.order():
        intervals = [float(end[system]) for end in (low, high, query_low, query_high)]
        marks = [
            " ".join(sorted((letter[o] for o in range(len(letter)) if found[system, o]), key=_by_letter))
            for found in (clear, unclear)
        ]
        row: list[Cell] = [str(result.measure), letter[system], comparison.runs[system]]
        row += [float(result.means[system]), *intervals, *ranks[system], tiers[system], *marks]
        rows.append([*row, *_versus(comparison, result, system, versus)])
    return rows


def _versus(comparison: Comparison, result: MeasureComparison, system: int, other: int) -> list[Cell]:
    """Wins, ties, losses and effect size of a system against another; empty for the other itself."""
    found = result.place(system, other)
    if found is None:
        return [None] * 7
    pair = result.pair(found[0], comparison.shared, turned=found[1], flip=False)
    effect = pair.effect
    return [pair.b, pair.wins, pair.ties, pair.losses, effect.value, effect.low, effect.high]


def _system_notes(comparison: Comparison, results: Sequence[MeasureComparison]) -> list[str]:
    versus = {comparison.runs[comparison.reference(result)] for result in results}
    against = versus.pop() if len(versus) == 1 else "the highest mean"
    return [
        comparison.method,
        "low, high: the mean whatever the unjudged documents turn out to be.",
        "rank, tier: by clear differences only.",
        f"W/T/L, effect: queries won, tied and lost, and effect size, against {against}.",
        "beats: significantly better than these; ? where unjudged documents could reverse the order.",
        *comparison.notes,
    ]


def pairs_grid(comparison: Comparison, results: Sequence[MeasureComparison]) -> Grid:
    """One row per pair."""
    named = len(results) > 1
    columns = [Column("measure", "label")] if named else []
    columns += [
        Column("a", "label"),
        Column("b", "label"),
        Column("difference"),
        Column("low"),
        Column("high"),
    ]
    columns += [Column("verdict", "text"), Column("p"), Column("p_adjusted"), Column("W/T/L", "text")]
    columns += [Column(name, decimals=2) for name in ("effect", "from", "to")]
    rows = []
    for pair in comparison.pairs_of(results):
        gap, effect = pair.difference, pair.effect
        row: list[Cell] = [
            pair.a,
            pair.b,
            gap.value,
            gap.low,
            gap.high,
            pair.verdict,
            pair.p,
            pair.p_adjusted,
        ]
        row += [f"{pair.wins}/{pair.ties}/{pair.losses}", effect.value, effect.low, effect.high]
        rows.append([pair.measure, *row] if named else row)
    title = f"{len(rows)} {'pair' if len(rows) == 1 else 'pairs'}"
    title += f" x {len(comparison.queries)} queries" + ("" if named else f"; {results[0].measure}")
    notes = [
        comparison.method,
        "difference: a minus b. low, high: the difference whatever the unjudged documents turn out to be.",
        "W/T/L: queries won, tied and lost by a. effect: the difference in standard deviations, from, to.",
        *comparison.notes,
    ]
    return Grid(columns, rows, title, notes, records=lambda: pair_records(comparison, results))


def pair_records(
    comparison: Comparison, results: Sequence[MeasureComparison], *, detail: bool = False
) -> Grid:
    """The pairs for programs; `detail` adds whatever else is known about each."""
    fields = (*PAIR_FIELDS, *MORE_PAIR_FIELDS) if detail else PAIR_FIELDS
    pairs = comparison.pairs_of(results, flip=detail)
    return grid_of(
        fields, (_record(pair)[: len(fields)] for pair in pairs), [comparison.method, *comparison.notes]
    )


def _record(pair: Pair) -> list[Cell]:
    gap, other, effect, calibrated = pair.difference, pair.other_queries, pair.effect, pair.calibrated
    row: list[Cell] = [pair.measure, pair.a, pair.b, gap.value, pair.p, pair.p_adjusted, gap.low, gap.high]
    row += [pair.verdict, pair.better, gap.method, pair.mean_a, pair.mean_b, other.low, other.high]
    row += [pair.wins, pair.ties, pair.losses, effect.value, effect.low, effect.high, pair.flip]
    return [*row, *((None, None) if calibrated is None else (calibrated.low, calibrated.high))]


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
    return len(mark.rstrip("?")), mark
