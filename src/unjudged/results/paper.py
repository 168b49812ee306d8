"""A comparison as a table for a paper: systems x measures, with marks for what one is better than."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unjudged.base.choices import checked_int
from unjudged.base.wording import counted, percent
from unjudged.inference.macro import MACRO
from unjudged.inference.verdict import NEEDS_JUDGING
from unjudged.results.fields import FIELDS, Row
from unjudged.results.paper_table import (
    DAGGER,
    DASH,
    DOUBLE,
    PaperCell,
    PaperRow,
    PaperTable,
    joined,
    shown_names,
)
from unjudged.results.words import LETTERS, method_of, without_judging


def paper_table(
    result: Any, decimals: int, caption: str | None, label: str | None, names: Mapping[str, str] | None
) -> PaperTable:
    """Make the table, best by the first measure; notes say how it was tested, and what is known.

    Of several collections there is a column each and one of the mean, with its interval and the place.
    """
    places = checked_int("decimals", decimals)
    baseline = result.settings["baseline"]
    by = "collection" if "collections" in result.settings else "measure"
    heads = list(dict.fromkeys(row[by] for row in result.systems))
    columns = {head: {row["system"]: row for row in result.systems if row[by] == head} for head in heads}
    systems = list(columns[heads[0]])
    shown = dict(zip(systems, shown_names(systems, names), strict=True))
    own = _own_marks(len(systems))
    pairs = result.rows.get("collections", result.pairs)
    worse = {(row[by], row["a"]) for row in pairs if baseline is not None and row["better"] == row["b"]}
    marks = own[: len(systems)]

    def marked(head: str, name: str) -> str:
        better = columns[head][name]["better_than"]
        if baseline is None:
            return joined([k for k, other in enumerate(systems) if other in better], marks)
        return DAGGER * (baseline in better) + DOUBLE * ((head, name) in worse)

    cells = [
        [_cell(rows, name, marked(head, name), places) for name in systems] for head, rows in columns.items()
    ]
    if by == "collection":
        cells += _of_mean(columns[MACRO], places)
        heads = [*heads[:-1], "Mean", f"{percent(1 - result.settings['alpha'])} interval", "Place"]
        many = f"{result.measures[0]} in {counted(len(columns) - 1, 'collection')}, and the mean over them."
    else:
        many = f"Means over {counted(len(result.settings['queries']), 'query')}."
    rows = [
        PaperRow("" if baseline else own[k], shown[name], [column[k] for column in cells])
        for k, name in enumerate(systems)
    ]
    told = _notes(result, rows, None if baseline is None else shown[baseline])
    return PaperTable(heads, rows, caption or many, [*told, *result.notes], label)


def _of_mean(rows: Mapping[str, Row], decimals: int) -> list[list[PaperCell]]:
    """Return the columns of intervals of means over collections and of places."""
    ends = [(row["query_low"], row["query_high"]) for row in rows.values()]
    places = [str(FIELDS["place"].cell(row, 0) or "").replace("-", DASH) for row in rows.values()]
    intervals = [f"[{low:.{decimals}f}, {high:.{decimals}f}]" for low, high in ends]
    return [[PaperCell(one) for one in column] for column in (intervals, places)]


def _own_marks(systems: int) -> Sequence[str]:
    """Return a mark per row: letters, and numbers where there are not enough of them."""
    letters = LETTERS + LETTERS.upper()
    return letters if systems <= len(letters) else [str(place + 1) for place in range(systems)]


def _cell(rows: Mapping[str, Row], name: str, marks: str, decimals: int) -> PaperCell:
    """Return the mean of a system with its marks; the best mean stands out."""
    row = rows[name]
    sign = -1 if row["lower_is_better"] else 1
    best = (
        row["quality"]
        and len(rows) > 1
        and sign * row["mean"] == max(sign * r["mean"] for r in rows.values())
    )
    return PaperCell(f"{row['mean']:.{decimals}f}", marks, best)


def _notes(result: Any, rows: Sequence[PaperRow], baseline: str | None) -> list[str]:
    """Say what the marks mean, how they were tested, and how many differences need judging."""
    if baseline is None:
        said = "Superscripts: better than these systems"
        ranged = any(DASH in cell.marks for row in rows for cell in row.cells)
        said += f", a{DASH}d standing for abcd" if ranged and rows[0].mark.isalpha() else ""
    else:
        said = f"{DAGGER} better than {baseline}, {DOUBLE} worse"
    notes = [f"{said}. {method_of(result.settings)}"]
    loose = sum(row["headline"] == NEEDS_JUDGING for row in result.pairs)
    if loose:
        hold = "differences hold" if loose > 1 else "difference holds"
        notes.append(f"{loose} more {hold} for other queries, but unjudged documents could change that.")
    return [*notes, *without_judging(result.pairs)]
