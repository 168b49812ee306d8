"""A comparison as a table for a paper: systems x measures, with marks for whom a system beats."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from unjudged.base.choices import Choices, as_list, checked_int
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted, percent, shortlist
from unjudged.comparison.comparison_grids import LETTERS, verdict_notes
from unjudged.grids.paper_cells import PaperCell, PaperRow, Width, interval_text
from unjudged.grids.paper_table import (
    DAGGER,
    DASH,
    DOUBLE,
    TILDE,
    Best,
    PaperOptions,
    PaperTable,
    chosen_rows,
    joined,
    shown_names,
)
from unjudged.rankings.judged import Floats

if TYPE_CHECKING:
    from unjudged.comparison.by_measure import MeasureComparison
    from unjudged.comparison.comparison_result import Comparison

Marks = Literal["letters", "daggers", "none"]
Against = Literal["baseline", "all"]
Ends = Literal["queries", "bounds"]

MARKS = Choices(
    "marks",
    letters="letters of the systems that one is better than",
    daggers="signs for better and worse than the baseline",
    none="no marks",
)
AGAINST = Choices("against", baseline="the baseline", all="every other system")
ENDS = Choices("intervals", queries="for other queries", bounds="whatever the unjudged documents are")


class ComparedOptions(PaperOptions, total=False):
    """What a table of a comparison takes besides."""

    marks: Marks | None
    against: Against | None
    worse: bool
    judging_marks: bool
    intervals: bool | Ends


class _Marking(NamedTuple):
    """How significance is shown: the systems of the rows, their marks, and what is marked."""

    systems: Sequence[int]
    own: Sequence[str]
    names: Sequence[str]
    """Names to show of all systems."""
    marks: Marks
    baseline: int | None
    """The system that marks are about; None for all."""
    worse: bool
    judging: bool


def comparison_table(
    comparison: Comparison,
    *,
    decimals: int = 4,
    caption: str | None = None,
    label: str | None = None,
    names: Mapping[str, str] | None = None,
    order: str | Sequence[str] | None = None,
    measures: Any = None,
    marks: Marks | None = None,
    against: Against | None = None,
    worse: bool = True,
    judging_marks: bool = False,
    best: Best = "bold",
    intervals: bool | Ends = False,
    width: Width = "auto",
) -> PaperTable:
    """Make the table; notes below it say how it was tested and corrected, and what is known of the data."""
    places = checked_int("decimals", decimals)
    chosen = comparison.results
    if measures is not None:
        chosen = [comparison.result(one) for one in as_list("measures", measures)]
    systems = chosen_rows(
        comparison.runs, order, lambda by: (comparison.result(by) if by else chosen[0]).order()
    )
    shape, baseline = _checked_marks(comparison, marks, against)
    own, shown = _own_marks(len(systems)), shown_names(comparison.runs, names)
    marking = _Marking(systems, own, shown, shape, baseline, worse, judging_marks)
    ends = "queries" if intervals is True else intervals or None
    if ends is not None:
        ENDS.find(ends)
    columns = [_column(result, marking, ends, places) for result in chosen]
    rows = [
        PaperRow(own[k] if shape == "letters" else "", shown[system], [column[k] for column in columns])
        for k, system in enumerate(systems)
    ]
    told = [*_notes(comparison, chosen, marking, rows), *_ends_explained(chosen, ends)]
    left_out = len(comparison.runs) - len(systems)
    if left_out:
        told.append(f"{counted(left_out, 'further system')} not shown; tests were corrected with all.")
    told += comparison.notes
    said = caption or f"Means over {counted(len(comparison.queries), 'query')}."
    return PaperTable([str(r.measure) for r in chosen], rows, said, told, label, best, width)


def _own_marks(systems: int) -> Sequence[str]:
    """Return a mark per row: letters, and numbers where there are not enough of them."""
    letters = LETTERS + LETTERS.upper()
    return letters if systems <= len(letters) else [str(place + 1) for place in range(systems)]


def _checked_marks(
    comparison: Comparison, marks: Marks | None, against: Against | None
) -> tuple[Marks, int | None]:
    """Return the marks, and the system that they are about, if what was tested allows them."""
    named = comparison.baseline
    about = against or ("all" if named is None else "baseline")
    shape = marks or ("letters" if about == "all" else "daggers")
    AGAINST.find(about)
    MARKS.find(shape)
    if about == "baseline" and named is None and shape != "none":
        raise UsageError("against is 'baseline', but none was named: compare with baseline=NAME")
    if about == "all" and named is not None and shape != "none":
        raise UsageError(f"against is 'all', but only pairs with the baseline {named} were tested")
    if shape == "daggers" and about == "all":
        raise UsageError("daggers are about a baseline: compare with baseline=NAME, or use letters")
    return shape, None if named is None else list(comparison.runs).index(named)


def _column(result: MeasureComparison, marking: _Marking, ends: str | None, decimals: int) -> list[PaperCell]:
    """Return the cells of one measure."""
    systems = list(marking.systems)
    best = result.measure.are_best(result.means[systems])
    low, high = _ends(result, ends)
    cells = []
    for i, is_best in zip(systems, best.tolist(), strict=True):
        better, worse = _better(result, i, marking), _worse(result, i, marking)
        if marking.marks == "daggers":
            better, worse = better + worse, ""
        mean, interval = result.means[i], interval_text(low[i], high[i], decimals)
        cells.append(PaperCell(f"{mean:.{decimals}f}", better, worse, interval, is_best))
    return cells


def _ends(result: MeasureComparison, ends: str | None) -> tuple[Floats, Floats]:
    none = np.full(len(result.means), np.nan)
    if ends is None:
        return none, none
    if ends == "queries":
        return result.other_queries
    return (none, none) if result.judging.missing else (result.judging.run_low, result.judging.run_high)


def _better(result: MeasureComparison, i: int, marking: _Marking) -> str:
    """Return the marks of the systems that this one beats: first the firmly beaten if judging is marked."""
    base, beaten = marking.baseline, result.beats[i]
    if marking.marks == "none":
        return ""
    if marking.marks == "daggers":
        return DAGGER + _sign(result, i, base, marking) if base is not None and beaten[base] else ""
    by_sign: dict[str, list[int]] = {"": [], TILDE: [], "?": []}
    for place, other in enumerate(marking.systems):
        if beaten[other] and base in (None, other):
            by_sign[_sign(result, i, other, marking)].append(place)
    own = marking.own[: len(marking.systems)]
    return " ".join(joined(places, own) + sign for sign, places in by_sign.items() if places)


def _worse(result: MeasureComparison, i: int, marking: _Marking) -> str:
    """Return the mark of a baseline that beats this one; among all pairs the better one has the mark."""
    base = marking.baseline
    if not marking.worse or base is None or marking.marks == "none" or not result.beats[base, i]:
        return ""
    shown = marking.own[list(marking.systems).index(base)] if base in marking.systems else ""
    return (DOUBLE if marking.marks == "daggers" else shown) + _sign(result, base, i, marking)


def _sign(result: MeasureComparison, i: int, j: int, marking: _Marking) -> str:
    """Return whether unjudged documents may undo that system i beats j, if that is marked."""
    if not marking.judging or result.judging.missing or result.clearly_beats[i, j]:
        return ""
    return TILDE if result.firmly_beats[i, j] else "?"


def _notes(
    comparison: Comparison,
    results: Sequence[MeasureComparison],
    marking: _Marking,
    rows: Sequence[PaperRow],
) -> list[str]:
    """Say what the marks mean, how they were tested, and whether judgments may undo them."""
    if marking.marks == "none":
        return []
    if marking.baseline is None:
        said = "Superscripts: significantly better than these systems"
        ranged = any(DASH in cell.better for row in rows for cell in row.cells)
        said += f", a{DASH}d standing for abcd" if ranged and rows[0].mark.isalpha() else ""
    else:
        signs = (
            (f"{DAGGER} ", f"{DOUBLE} ") if marking.marks == "daggers" else ("Superscript: ", "subscript: ")
        )
        said = f"{signs[0]}significantly better than {marking.names[marking.baseline]}"
        said += f", {signs[1]}significantly worse" if marking.worse else ""
    bounded = [result for result in results if not result.judging.missing]
    if not marking.judging:
        more = _undone(bounded, list(marking.systems))
    else:
        more = [f"{TILDE}: only implausibly many relevant unjudged documents undo it; ?: they may."]
    more = verdict_notes(comparison, results) or (more if bounded else [])
    return [f"{said}. {comparison.method}", *more]


def _ends_explained(results: Sequence[MeasureComparison], ends: str | None) -> list[str]:
    """Say what intervals are for."""
    if ends is None:
        return []
    if ends == "queries":
        level = percent(1 - results[0].tests.alpha)
        return [f"Brackets: {level} interval of the mean for other queries, these judgments."]
    without = [str(result.measure) for result in results if result.judging.missing]
    return [
        "Brackets: the mean whatever the unjudged documents of all runs turn out to be.",
        *([f"No bounds for {shortlist(without)}."] if without else []),
    ]


def _undone(results: Sequence[MeasureComparison], systems: list[int]) -> list[str]:
    """Say how many of the marked differences rest on judgments that are missing."""
    square = np.ix_(systems, systems)
    marked = {str(r.measure): int(r.beats[square].sum()) for r in results}
    loose = {str(r.measure): int((r.beats & ~r.firmly_beats)[square].sum()) for r in results}
    if not any(loose.values()):
        return []
    parts = [f"{count} of {marked[name]} by {name}" for name, count in loose.items() if count]
    return [f"Unjudged documents may undo some of these differences: {', '.join(parts)}."]
