"""Comparisons as tables: the systems by mean, and the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unjudged.comparison.verdicts import CLEAR, SIGNIFICANT
from unjudged.grids.grid import Cell, Column, Grid, grid_of

if TYPE_CHECKING:
    from unjudged.comparison.systems import Comparison, MeasureComparison
    from unjudged.measures.names import MeasureLike

LETTERS = "abcdefghijklmnopqrstuvwxyz"
PAIR_FIELDS = ("measure", "a", "b", "difference", "p", "p_adjusted", "low", "high", "verdict")


def systems_grid(comparison: Comparison, measure: MeasureLike | None = None) -> Grid:
    """The systems, highest mean first.

    `beats` marks the systems that one is significantly better than, by their letters; a question mark says
    that unjudged documents could reverse it.
    """
    results = comparison.results if measure is None else [comparison.result(measure)]
    rows: list[list[Cell]] = []
    for result in results:
        rows += _rows(comparison, result, named=len(results) > 1)
    head = [Column("measure", "label")] if len(results) > 1 else []
    columns = [
        *head,
        Column("", "label"),
        Column("run", "label"),
        Column("mean"),
        Column("low"),
        Column("high"),
        Column("rank", "text"),
        Column("tier", "integer"),
        Column("beats", "text"),
    ]
    test, alpha = results[0].tests, results[0].tests.alpha
    title = f"{len(comparison.runs)} systems x {len(comparison.queries)} queries"
    if len(results) == 1:
        title += f"; {results[0].measure}"
    notes = [
        f"{test.test.title}, {test.correction.title}, alpha = {alpha:g}. low and high: every completion of the judgments.",
        "beats: significantly better than these; ? where unjudged documents could reverse it. "
        "rank, tier: by clear differences only.",
        *comparison.notes,
    ]
    return Grid(columns, rows, title, notes, records=lambda: pairs_grid(comparison, measure))


def _rows(comparison: Comparison, result: MeasureComparison, *, named: bool) -> list[list[Cell]]:
    clear, open_ = result.beats(CLEAR), result.beats(SIGNIFICANT)
    order, ranks, tiers = result.order(), result.rank_intervals(), result.tiers()
    letter = {system: letters(place) for place, system in enumerate(order)}
    low, high = result.judging.run_low, result.judging.run_high
    rows = []
    for system in order:
        beaten = [
            letter[o] + ("?" if open_[system, o] else "")
            for o in order
            if clear[system, o] or open_[system, o]
        ]
        first, last = ranks[system]
        rank = str(first) if first == last else f"{first}-{last}"
        row: list[Cell] = [letter[system], comparison.runs[system], float(result.means[system])]
        row += [float(low[system]), float(high[system]), rank, tiers[system], " ".join(beaten)]
        rows.append([str(result.measure), *row] if named else row)
    return rows


def pairs_grid(comparison: Comparison, measure: MeasureLike | None = None) -> Grid:
    """One row per pair, for people and programs alike."""
    results = comparison.results if measure is None else [comparison.result(measure)]
    rows: list[list[Cell]] = []
    for result in results:
        tests, judging, pairs = result.tests, result.judging, result.tests.pairs
        verdicts = result.verdicts()
        for k in range(len(pairs)):
            rows.append(
                [
                    str(result.measure),
                    comparison.runs[pairs.first[k]],
                    comparison.runs[pairs.second[k]],
                    float(pairs.difference[k]),
                    float(tests.p[k]),
                    float(tests.p_adjusted[k]),
                    float(judging.low[k]),
                    float(judging.high[k]),
                    verdicts[k],
                ]
            )
    return grid_of(PAIR_FIELDS, rows, list(comparison.notes))


def letters(place: int) -> str:
    """A to z, then aa, ab, ...: as many marks as there are systems."""
    text = ""
    place += 1
    while place:
        place, digit = divmod(place - 1, 26)
        text = LETTERS[digit] + text
    return text
