"""A comparison as a table for a paper: systems x measures, with marks for what one is better than."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from unjudged.base.choices import checked_int
from unjudged.base.wording import counted, percent
from unjudged.inference.macro import MACRO
from unjudged.inference.verdict import NEEDS_JUDGING
from unjudged.results.fields import FIELDS, Row
from unjudged.results.grid import Cell, Column, Grid, Marked
from unjudged.results.words import LETTERS, method_of, without_judging

DASH, DAGGER, DOUBLE = "\u2013", "†", "‡"


def paper_grid(result: Any, decimals: int) -> Grid:
    """Make the table, best by the first measure; its title says how it was tested, its notes what is known.

    Of several collections there is a column each and one of the mean, with its interval and the place.
    """
    checked_int("decimals", decimals)
    baseline = result.settings["baseline"]
    by = "collection" if "collections" in result.settings else "measure"
    heads = list(dict.fromkeys(row[by] for row in result.systems))
    columns = {head: {row["system"]: row for row in result.systems if row[by] == head} for head in heads}
    systems = list(columns[heads[0]])
    marks = _marks(len(systems))
    pairs = result.rows.get("collections", result.pairs)
    worse = {(row[by], row["a"]) for row in pairs if baseline is not None and row["better"] == row["b"]}

    def marked(head: str, name: str) -> Marked:
        row = columns[head][name]
        better = row["better_than"]
        if baseline is None:
            own = joined([k for k, other in enumerate(systems) if other in better], marks)
        else:
            own = DAGGER * (baseline in better) + DOUBLE * ((head, name) in worse)
        return Marked(row["mean"], own)

    lettered = baseline is None
    lines: list[list[Cell]] = [
        [*([marks[k]] if lettered else []), name, *(marked(head, name) for head in heads)]
        for k, name in enumerate(systems)
    ]
    shown = [*([Column("", "label")] if lettered else []), Column("System", "label")]
    first = len(shown)
    best = {
        (k, first + j)
        for j, rows in enumerate(columns.values())
        for k, name in enumerate(systems)
        if _is_best(rows, name)
    }
    shown += [Column(head, "number", decimals) for head in heads]
    if by == "collection":
        many = f"{result.measures[0]} in {counted(len(heads) - 1, 'collection')}, and the mean over them."
        level = percent(1 - result.settings["alpha"])
        shown[-1] = Column("Mean", "number", decimals)
        shown += [Column(f"{level} interval", "text"), Column("Place", "text")]
        means = [columns[MACRO][name] for name in systems]
        lines = [[*line, *_of_mean(row, decimals)] for line, row in zip(lines, means, strict=True)]
    else:
        many = f"Means over {counted(len(result.settings['queries']), 'query')}."
    title = " ".join([many, *_explained(result, lettered=lettered)])
    return Grid(
        shown, lines, title, [*without_judging(result.pairs), *map(str, result.notes)], frozenset(best)
    )


def _of_mean(row: Row, decimals: int) -> list[Cell]:
    """Return the interval of a mean over collections and its place."""
    place = str(FIELDS["place"].cell(row, 0) or "").replace("-", DASH)
    return [f"[{row['query_low']:.{decimals}f}, {row['query_high']:.{decimals}f}]", place]


def _marks(systems: int) -> Sequence[str]:
    """Return a mark per row: letters, and numbers where there are not enough of them."""
    letters = LETTERS + LETTERS.upper()
    return letters[:systems] if systems <= len(letters) else [str(k + 1) for k in range(systems)]


def joined(items: Sequence[int], marks: Sequence[str]) -> str:
    """Return the marks of the places in a row, four or more neighbours as a range.

    >>> joined([0, 1, 3, 4, 5, 6], "abcdefg").replace(DASH, " to "), joined([0, 1, 3], ["1", "2", "3", "10"])
    ('abd to g', '1,2,10')
    """
    parts: list[str] = []
    start = 0
    for end in range(1, len(items) + 1):
        if end == len(items) or items[end] != items[end - 1] + 1:
            near = [marks[i] for i in items[start:end]]
            parts += [f"{near[0]}{DASH}{near[-1]}"] if len(near) > 3 else near
            start = end
    return ("" if all(len(mark) == 1 for mark in marks) else ",").join(parts)


def _is_best(rows: Mapping[str, Row], name: str) -> bool:
    """Whether a mean stands out as the best of several."""
    row = rows[name]
    sign = -1 if row["lower_is_better"] else 1
    top = max(sign * other["mean"] for other in rows.values())
    return bool(row["quality"] and len(rows) > 1 and sign * row["mean"] == top)


def _explained(result: Any, *, lettered: bool) -> list[str]:
    """Say what the marks mean, how they were tested, and how many differences need judging."""
    said = "Superscripts: better than these systems."
    if not lettered:
        said = f"{DAGGER} better than {result.settings['baseline']}, {DOUBLE} worse."
    loose = sum(row["headline"] == NEEDS_JUDGING for row in result.pairs)
    needing = f"{counted(loose, 'more difference')} may change with judging." if loose else ""
    return list(filter(None, ["Bold: the best mean.", said, str(method_of(result.settings)), needing]))
