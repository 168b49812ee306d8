"""A grid as aligned text that fits the width of a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple
from unicodedata import combining, east_asian_width

from unjudged.base.wording import plain
from unjudged.grids.content import Column, Content
from unjudged.grids.escapes import shortened

GAP = 2
NARROWEST_TEXT = 20
NARROWEST_LABEL = 8
LONGEST_LABEL = 400
BOLD, NORMAL = "\x1b[1m", "\x1b[0m"


class _Sized(NamedTuple):
    """A column with its cells as text and the width that it needs; `at` is its place in the grid."""

    at: int
    column: Column
    cells: Sequence[str]
    width: int
    needed: int
    """Width of the cells without the name of the column."""


def table(grid: Content, *, width: int | None = None, rule: bool = True, bold: bool = False) -> str:
    """Title, aligned columns and notes.

    A table wider than `width` is split into blocks of columns, each with the label columns, so that no
    line is broken by the terminal. A column of text is wrapped instead, and so are labels and names of
    columns that leave no room for anything else. `bold` stresses cells with ANSI codes.

    >>> grid = Content([Column("run", "label"), Column("AP"), Column("P")], [["a", 0.5, 0.25]], "", ["Few."])
    >>> print(table(grid, width=12), end="")
    run      AP
    ───────────
    a    0.5000
    <BLANKLINE>
    run       P
    ───────────
    a    0.2500
    <BLANKLINE>
    Few.
    """
    sized = [_sized(grid, k) for k in range(len(grid.columns))]
    parts = ["\n".join(_lines(grid, block, rule, bold)) for block in _blocks(sized, width)]
    if grid.title:
        parts[0] = f"{_wrapped(plain(grid.title), width)}\n{parts[0]}"
    if grid.notes:
        parts.append("\n".join(_wrapped(plain(note), width) for note in grid.notes))
    return "\n\n".join(parts) + "\n"


def _sized(grid: Content, k: int) -> _Sized:
    column = grid.columns[k]
    cells = [plain(column.text(row[k])) for row in grid.rows]
    if column.kind == "label":
        cells = [shortened(cell, LONGEST_LABEL) for cell in cells]
    needed = max(map(cells_wide, cells), default=0)
    return _Sized(k, column, cells, max(needed, cells_wide(plain(column.name))), needed)


def _blocks(sized: Sequence[_Sized], width: int | None) -> Iterator[list[_Sized]]:
    labels = [s for s in sized if s.column.kind == "label"]
    others = [s for s in sized if s.column.kind != "label"]
    if width is None:
        yield [*labels, *others]
        return
    labels = _narrowed(labels, others, width)
    block = list(labels)
    for other in others:
        if other.column.kind == "text":
            room = max(width - _width(block) - GAP * bool(block), NARROWEST_TEXT)
            one = other._replace(width=min(other.width, room))
        else:
            room = max(width - _width(labels) - GAP * bool(labels), NARROWEST_TEXT)
            one = other._replace(width=max(min(other.width, room), other.needed))
        if len(block) > len(labels) and _width([*block, one]) > width:
            yield block
            block = list(labels)
        block.append(one)
    yield block


def _narrowed(labels: Sequence[_Sized], others: Sequence[_Sized], width: int) -> list[_Sized]:
    """Return the labels as wide as they may be if the widest of the other columns is to fit beside them."""
    beside = max(map(_narrowest, others), default=0)
    room = width - (beside + GAP if others else 0)
    narrow = list(labels)
    while narrow and _width(narrow) > room:
        widest = max(range(len(narrow)), key=lambda k: narrow[k].width)
        fair = max(room - _width(narrow) + narrow[widest].width, NARROWEST_LABEL)
        if fair >= narrow[widest].width:
            break
        second = max((n.width for k, n in enumerate(narrow) if k != widest), default=0)
        narrow[widest] = narrow[widest]._replace(width=max(fair, min(second, narrow[widest].width - 1)))
    return narrow


def _narrowest(one: _Sized) -> int:
    """How narrow a column can be: text and names are wrapped, numbers are not."""
    return max(min(one.width, NARROWEST_TEXT), 0 if one.column.kind == "text" else one.needed)


def _width(block: Sequence[_Sized]) -> int:
    return sum(one.width for one in block) + GAP * (len(block) - 1)


def _lines(grid: Content, block: Sequence[_Sized], rule: bool, bold: bool) -> Iterator[str]:
    yield from map(_joined, _stacked(block, [plain(one.column.name) for one in block]))
    if rule:
        yield "─" * _width(block)
    for i in range(len(grid.rows)):
        stressed = [bold and (i, one.at) in grid.stressed for one in block]
        for cells in _stacked(block, [one.cells[i] for one in block]):
            yield _joined([f"{BOLD}{c}{NORMAL}" if s else c for c, s in zip(cells, stressed, strict=True)])


def _stacked(block: Sequence[_Sized], cells: Sequence[str]) -> Iterator[list[str]]:
    """Yield the lines of a row whose cells are folded where they are too wide."""
    stacks = [_folded(one, cell) for one, cell in zip(block, cells, strict=True)]
    for line in zip_longest(*stacks, fillvalue=""):
        yield [_aligned(one, cell) for one, cell in zip(block, line, strict=True)]


def _folded(one: _Sized, cell: str) -> list[str]:
    if cells_wide(cell) <= one.width:
        return [cell]
    whole_words = one.column.kind == "text"
    return textwrap.wrap(cell, one.width, break_long_words=not whole_words) or [""]


def _wrapped(note: str, width: int | None) -> str:
    return textwrap.fill(note, width, break_long_words=False, break_on_hyphens=False) if width else note


def _aligned(one: _Sized, cell: str) -> str:
    padding = " " * (one.width - cells_wide(cell))
    return padding + cell if one.column.numeric else cell + padding


def _joined(cells: Sequence[str]) -> str:
    return (" " * GAP).join(cells).rstrip()


def cells_wide(text: str) -> int:
    """How many places a terminal needs for the text; wide East Asian characters take two."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)
