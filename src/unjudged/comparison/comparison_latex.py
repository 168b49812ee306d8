"""A comparison as a table for a paper: systems x measures, with marks for whom a system beats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from unjudged.base.choices import checked_int
from unjudged.base.wording import counted
from unjudged.comparison.comparison_grids import LETTERS, verdict_notes
from unjudged.grids.paper_table import (
    DAGGER,
    DASH,
    DOUBLE,
    PaperCell,
    PaperRow,
    PaperTable,
    joined,
    shown_names,
)

if TYPE_CHECKING:
    from unjudged.comparison.by_measure import MeasureComparison
    from unjudged.comparison.comparison_result import Comparison


def comparison_table(
    comparison: Comparison,
    decimals: int,
    caption: str | None,
    label: str | None,
    names: Mapping[str, str] | None,
) -> PaperTable:
    """Make the table, by the first measure; notes say how it was tested, and what is known of the data."""
    places = checked_int("decimals", decimals)
    named, results = comparison.baseline, comparison.results
    baseline = None if named is None else list(comparison.runs).index(named)
    systems, shown = results[0].order(), shown_names(comparison.runs, names)
    own = _own_marks(len(systems))
    columns = [_column(result, systems, own, baseline, places) for result in results]
    rows = [
        PaperRow("" if named else own[k], shown[system], [column[k] for column in columns])
        for k, system in enumerate(systems)
    ]
    told = _notes(comparison, rows, None if baseline is None else shown[baseline])
    said = caption or f"Means over {counted(len(comparison.queries), 'query')}."
    return PaperTable([str(r.measure) for r in results], rows, said, [*told, *comparison.notes], label)


def _own_marks(systems: int) -> Sequence[str]:
    """Return a mark per row: letters, and numbers where there are not enough of them."""
    letters = LETTERS + LETTERS.upper()
    return letters if systems <= len(letters) else [str(place + 1) for place in range(systems)]


def _column(
    result: MeasureComparison, systems: Sequence[int], own: Sequence[str], baseline: int | None, decimals: int
) -> list[PaperCell]:
    """Return the cells of one measure: marks are of the systems that one beats, or about the baseline."""
    best, beats = result.measure.are_best(result.means[list(systems)]).tolist(), result.beats
    cells = []
    for i, is_best in zip(systems, best, strict=True):
        if baseline is None:
            marks = joined([k for k, other in enumerate(systems) if beats[i, other]], own[: len(systems)])
        else:
            marks = (DAGGER if beats[i, baseline] else "") + (DOUBLE if beats[baseline, i] else "")
        cells.append(PaperCell(f"{result.means[i]:.{decimals}f}", marks, is_best))
    return cells


def _notes(comparison: Comparison, rows: Sequence[PaperRow], baseline: str | None) -> list[str]:
    """Say what the marks mean, how they were tested, and whether judgments may undo them."""
    if baseline is None:
        said = "Superscripts: significantly better than these systems"
        ranged = any(DASH in cell.marks for row in rows for cell in row.cells)
        said += f", a{DASH}d standing for abcd" if ranged and rows[0].mark.isalpha() else ""
    else:
        said = f"{DAGGER} significantly better than {baseline}, {DOUBLE} significantly worse"
    results = comparison.results
    more = verdict_notes(comparison, results) or _undone([r for r in results if not r.judging.missing])
    return [f"{said}. {comparison.method}", *more]


def _undone(results: Sequence[MeasureComparison]) -> list[str]:
    """Say how many of the marked differences rest on judgments that are missing."""
    marked = {str(r.measure): int(r.beats.sum()) for r in results}
    loose = {str(r.measure): int((r.beats & ~r.firmly_beats).sum()) for r in results}
    if not any(loose.values()):
        return []
    parts = [f"{count} of {marked[name]} by {name}" for name, count in loose.items() if count]
    return [f"Unjudged documents may undo some of these differences: {', '.join(parts)}."]
