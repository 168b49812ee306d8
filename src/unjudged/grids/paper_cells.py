"""Cells of a table for a paper, how wide they will be, and the size of type in which they fit.

Widths are estimates on the wide side, for Computer Modern at 10 points. The columns are those of ACM's and
IEEE's two-column styles, 241 points of 506: other styles are wider.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Literal, NamedTuple

Width = Literal["auto", "column", "page"]

COLUMN, PAGE = 236.0, 500.0
SIZES = (("", 10.0, 12.0), (r"\small", 9.3, 11.0), (r"\footnotesize", 8.6, 9.5), (r"\scriptsize", 8.1, 8.0))
"""Type of 10, 9, 8 and 7 points, of which the smaller is wider for its size, and the height of a line."""
TALLEST, HIGHEST = 520.0, 600.0
"""Height of rows that leaves room for notes below them, and that of a page."""
SCRIPT = 0.88
"""Width of a superscript, by that of the same letters in the line."""
GAP, NARROW = 6, 3
"""Half the space between columns in points, as LaTeX has it and as little as is readable."""


class PaperCell(NamedTuple):
    """One mean as text, with the marks of systems that it is better and worse than."""

    value: str
    better: str = ""
    worse: str = ""
    interval: str = ""
    best: bool = False


class PaperRow(NamedTuple):
    """A system: its mark, its name and a cell per measure."""

    mark: str
    name: str
    cells: Sequence[PaperCell]


def marked(rows: Sequence[PaperRow]) -> bool:
    """Whether a system has a mark of its own."""
    return any(row.mark for row in rows)


def has_interval(rows: Sequence[PaperRow], k: int) -> bool:
    """Whether a cell of measure k has an interval."""
    return any(row.cells[k].interval for row in rows)


def interval_text(low: float, high: float, decimals: int) -> str:
    """Return the interval of a cell, empty where there is none."""
    return "" if isnan(low) else f"[{low:.{decimals}f}, {high:.{decimals}f}]"


class Layout(NamedTuple):
    """Whether the table spans the page, its type, the space between columns, and its blocks of measures."""

    page: bool
    size: str
    gap: int | None
    blocks: list[range]
    tall: bool = False
    """Whether no page is high enough."""


def layout(measures: Sequence[str], rows: Sequence[PaperRow], width: Width) -> Layout:
    """Return the first that fits: a column, the page, smaller type, less space, then measures in blocks."""
    every = range(len(measures))
    spans = {"auto": (False, True), "column": (False,), "page": (True,)}[width]
    for page in spans:
        sizes = SIZES[:3] if len(spans) > 1 and not page else SIZES
        for size, points, line in sizes:
            low = line * (len(rows) + 2) <= TALLEST
            if low and _width(measures, rows, every, points, GAP) <= (PAGE if page else COLUMN):
                return Layout(page, size, None, [every])
    size, points, line = SIZES[-1]
    most = PAGE if spans[-1] else COLUMN
    blocks: list[range] = []
    start = 0
    for k in every:
        if k > start and _width(measures, rows, range(start, k + 1), points, NARROW) > most:
            blocks.append(range(start, k))
            start = k
    blocks.append(range(start, len(every)))
    step = -(-len(every) // len(blocks))
    even = [every[k : k + step] for k in range(0, len(every), step)]
    if all(_width(measures, rows, block, points, NARROW) <= most for block in even):
        blocks = even
    tall = line * (len(rows) + 3) * len(blocks) > HIGHEST
    return Layout(spans[-1], size, NARROW, blocks, tall)


def _width(names: Sequence[str], rows: Sequence[PaperRow], measures: range, points: float, gap: int) -> float:
    """Return the width of some of the measures beside the names, in points."""
    columns = [max([ems("System"), *(ems(row.name) for row in rows)])]
    if marked(rows):
        columns.append(max(ems(row.mark) for row in rows))
    for k in measures:
        cells = [row.cells[k] for row in rows]
        body = max(1.15 * ems(cell.value) for cell in cells)
        body += SCRIPT * max(ems(cell.better) + ems(cell.worse) for cell in cells)
        if has_interval(rows, k):
            body += 0.4 + SIZES[-1][1] / points * max(ems(cell.interval) for cell in cells)
        columns.append(max(body, ems(names[k])))
    return points * sum(columns) + 2 * gap * len(columns)


def ems(text: str) -> float:
    """Return the width of text in ems.

    >>> ems("0.4321"), ems("MW")
    (2.8, 2.1)
    """
    return round(sum(_of_letter(c) for c in text), 3)


def _of_letter(c: str) -> float:
    if c in "mwMW@%…~":
        return 1.05
    if c in "iljtf.,;:'|![]() ":
        return 0.3
    return 0.78 if c.isupper() or not c.isascii() else 0.56 if c.isalpha() else 0.5
