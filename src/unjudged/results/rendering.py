"""Grids in every format."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import zip_longest
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import combining, east_asian_width

from unjudged.base.choices import Choices
from unjudged.base.errors import UsageError, missing_package
from unjudged.base.notes import Note
from unjudged.base.wording import FORMULA, plain, shortened
from unjudged.results.grid import Cell, Column, Grid, Marked

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(eq=False, repr=False)
class OutputFormat:
    """What writes one table, and the suffix of its files."""

    write: Callable[[Grid], str | bytes]
    suffix: str
    exact: bool = False
    """Every digit is written: it is for programs."""
    single: bool = False
    """A file holds one table and no notes; whoever writes it shows the notes elsewhere."""
    head: str = ""


def format_of(path: Path | None) -> str:
    """Return the format that the suffix of a file asks for, else a table."""
    suffix = None if path is None else path.suffix.lower()
    return next((name for name, one in FORMATS.items() if one.suffix == suffix), "table")


def render(
    grids: Grid | Sequence[Grid], format: str, *, width: int | None = None, bold: bool = False
) -> str | bytes:
    """Return one grid or several as the content of a file; `width` and `bold` are for tables.

    Several grids are one json document; csv, tsv, jsonl and parquet hold only one.
    """
    several, chosen = [grids] if isinstance(grids, Grid) else list(grids), FORMATS.find(format)
    if format == "table":
        return "\n".join(table(grid, width=width, bold=bold) for grid in several)
    if format == "json" and not isinstance(grids, Grid):
        return f'{{"tables": [\n{",".join(map(as_json, several))}]}}\n'
    if len(several) > 1 and chosen.single:
        raise UsageError(f"{format} holds one table, and this output has {len(several)}: use json")
    made = [chosen.write(grid) for grid in several]
    return made[0] if isinstance(made[0], bytes) else chosen.head + "\n".join(map(str, made))


def as_csv(grid: Grid, delimiter: str = ",") -> str:
    """Values at full precision; what is missing or not a number is empty.

    In csv text with a semicolon is quoted, because some spreadsheets take it for a delimiter.
    """
    special = {'"', delimiter, *([";"] if delimiter == "," else [])}

    @cache
    def safe(text: str) -> str:
        escaped = escaped_csv(text)
        return '"{}"'.format(escaped.replace('"', '""')) if special & set(escaped) else escaped

    def field(cell: Cell) -> str:
        value = _value(cell)
        return safe(value) if isinstance(value, str) else "" if value is None else str(value)

    lines = [[column.name for column in grid.columns], *grid.rows]
    return "".join((delimiter.join(map(field, line)) or '""') + "\n" for line in lines)


def as_json(grid: Grid) -> str:
    """One document with the rows, one per line, and the notes; what is not a finite number is null."""
    import json

    rows = ",\n".join(json.dumps(row, allow_nan=False) for row in _objects(grid))
    title = f'"title": {json.dumps(grid.title)}, ' if grid.title else ""
    notes = [(one if isinstance(one, Note) else Note(one)).data() for one in grid.notes]
    made = f', "made": {json.dumps(grid.facts)}' if grid.facts else ""
    return f'{{{title}"rows": [\n{rows}\n], "notes": {json.dumps(notes)}{made}}}\n'


def as_jsonl(grid: Grid) -> str:
    """One object per line; what is not a finite number is null."""
    import json

    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in _objects(grid))


def as_markdown(grid: Grid) -> str:
    """Return a table in Markdown."""
    rule = ["---:" if column.numeric else "---" for column in grid.columns]
    head, *body = _cells(grid, escaped_markdown, "**{}**", "<sup>{}</sup>")
    lines = [head, rule, *body]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    title = f"**{escaped_markdown(grid.title)}**\n\n" if grid.title else ""
    said = "".join(f"{escaped_markdown(line)}\n\n" for line in grid.said)
    return said + title + text + "".join(f"\n{escaped_markdown(note)}\n" for note in grid.notes)


def as_latex(grid: Grid, caption: str | None = None, label: str | None = None) -> str:
    """A `tabular` for the booktabs package; what is said, the title and notes are comments.

    With a caption or a label it is a `table` of a paper, with the title after the caption.
    """
    marked = [any(isinstance(row[k], Marked) for row in grid.rows) for k in range(len(grid.columns))]
    columns = "".join(
        "r" if c.numeric and not left else "l" for c, left in zip(grid.columns, marked, strict=True)
    )
    head, *body = (
        " & ".join(cells) + r" \\" for cells in _cells(grid, escaped_latex, r"\textbf{{{}}}", _RAISED)
    )
    start = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
    lines = [*start, *body, r"\bottomrule", r"\end{tabular}"]
    floating = caption is not None or label is not None
    told = (*grid.said, *([] if floating else [grid.title]), *grid.notes)
    if floating:
        said = escaped_latex(" ".join(filter(None, [caption, grid.title])))
        named = [] if label is None else [rf"\label{{{checked_label(label)}}}"]
        top = [r"\begin{table}", r"\centering", rf"\caption{{{said}}}", *named]
        lines = [*top, *lines, r"\end{table}"]
    return "\n".join([*(f"% {plain(text)}" for text in told if text), *lines, ""])


def as_html(grid: Grid) -> str:
    """A table for notebooks and pages, with what is said above, the title as its caption and notes below."""

    def row(cells: Sequence[str], tag: str) -> str:
        aligned = zip(grid.columns, cells, strict=True)
        made = (f"<{tag}{_ALIGNED if c.numeric else ''}>{cell}</{tag}>" for c, cell in aligned)
        return f"<tr>{''.join(made)}</tr>"

    names, *rows = _cells(grid, escaped_html, "<b>{}</b>", "<sup>{}</sup>")
    head, body = row(names, "th"), "\n".join(row(cells, "td") for cells in rows)
    caption = f"<caption>{escaped_html(grid.title)}</caption>" if grid.title else ""
    notes = "".join(f"<p>{escaped_html(note)}</p>\n" for note in grid.notes)
    said = "".join(f"<p>{escaped_html(line)}</p>\n" for line in grid.said)
    return f"{said}<table>{caption}\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody></table>\n{notes}"


def as_parquet(grid: Grid) -> bytes:
    """Control characters, and bytes that are not UTF-8, are escaped."""
    pyarrow, parquet = arrow_modules()
    columns = {
        plain(name): [plain(cell) if isinstance(cell, str) else cell for cell in cells]
        for name, cells in grid.as_columns().items()
    }
    target = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), target)
    return target.getvalue()


def arrow_modules() -> tuple[Any, Any]:
    """Pyarrow and its parquet module, or an error that says how to install them."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ModuleNotFoundError:
        raise missing_package("pyarrow", "Parquet") from None
    return pyarrow, parquet


_PAGE_HEAD = '<!doctype html>\n<meta charset="utf-8">\n<title>unjudged</title>\n'
_RAISED = r"\textsuperscript{{{}}}"
_ALIGNED = ' style="text-align: right"'


def _objects(grid: Grid) -> list[dict[str, Cell]]:
    """Return the rows of a table as JSON has them."""
    names = [column.name for column in grid.columns]
    return [dict(zip(names, map(_value, row), strict=True)) for row in grid.rows]


def _value(cell: Cell) -> Cell:
    """Return a cell as JSON has it."""
    return None if isinstance(cell, float) and not isfinite(cell) else cell


def _cells(grid: Grid, escape: Callable[[str], str], stress: str, raised: str) -> Iterator[list[str]]:
    """Yield the names of the columns, then every row, as escaped text; some cells are stressed or marked."""
    yield [escape(column.name) for column in grid.columns]
    for i, row in enumerate(grid.rows):
        line = []
        for k, (column, value) in enumerate(zip(grid.columns, row, strict=True)):
            cell = escape(column.text(value))
            cell = stress.format(cell) if (i, k) in grid.stressed else cell
            marks = value.marks if isinstance(value, Marked) else ""
            line.append(cell + (raised.format(escape(marks)) if marks else ""))
        yield line


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


def table(grid: Grid, *, width: int | None = None, rule: bool = True, bold: bool = False) -> str:
    """Title, aligned columns and notes.

    A table wider than `width` is split into blocks of columns, each with the label columns, so that no
    line is broken by the terminal; a column stays with what it stands beside. A column of text is wrapped
    instead, and so are labels and names of columns that leave no room for anything else. `bold` stresses
    cells with ANSI codes.

    >>> grid = Grid([Column("run", "label"), Column("AP"), Column("P")], [["a", 0.5, 0.25]], "", ["Few."])
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


def _sized(grid: Grid, k: int) -> _Sized:
    """Return a column of a table with the width that its cells need."""
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
    for group in _groups(others):
        if len(group) > 1 and len(block) > len(labels) and _width([*block, *group]) > width:
            yield block
            block = list(labels)
        for other in group:
            if other.column.kind == "text":
                room = max(width - _width(block) - GAP * bool(block), NARROWEST_TEXT)
                one = other._replace(width=min(other.width, room))
            else:
                room = max(width - _width(labels) - GAP * bool(labels), NARROWEST_TEXT)
                one = other._replace(width=max(min(other.width, room), other.needed))
            if len(block) > len(labels) and _width([*block, one]) > width:
                yield block
                again = [group[0]] if other is not group[0] else []
                block = [*labels, *(again if _width([*labels, *again, one]) <= width else [])]
            block.append(one)
    yield block


def _groups(others: Sequence[_Sized]) -> list[list[_Sized]]:
    """Return columns with those that stand beside them."""
    groups: list[list[_Sized]] = []
    for one in others:
        if one.column.beside and groups:
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


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
    """Return how wide some columns are side by side."""
    return sum(one.width for one in block) + GAP * (len(block) - 1)


def _lines(grid: Grid, block: Sequence[_Sized], rule: bool, bold: bool) -> Iterator[str]:
    """Yield the lines of a table as text."""
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
    """Return the lines of a cell that is too wide for its column."""
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


_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"\textpm{}",
    "\u2013": "--",
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
}
_MARKDOWN = "\\`*_{}[]<>()#+!|~&$"


def escaped_latex(text: str) -> str:
    r"""Escape what has a meaning in LaTeX, also at the start of a row, where `[` and `*` have one.

    The sign of a negative number is a minus, not a hyphen.

    >>> print(escaped_latex("-0.25"), escaped_latex("<0.0001"), escaped_latex("a_b"), escaped_latex("[a]"))
    \textminus{}0.25 \textless{}0.0001 a\_b {[}a]
    """
    escaped = "".join(_LATEX.get(c, c) for c in plain(text))
    first = escaped.lstrip(" ")[:1]
    if first and first in "[*":
        escaped = escaped.replace(first, f"{{{first}}}", 1)
    return rf"\textminus{{}}{escaped[1:]}" if escaped[:1] == "-" and escaped[1:2].isdecimal() else escaped


def checked_label(label: str) -> str:
    """Return a label; LaTeX reads it as it is, so what it cannot hold is refused."""
    if not (label.isascii() and label.isprintable()) or set(label) & set("\\{}#%~^$& "):
        raise UsageError(
            f"label is {label!r}, expected letters, digits, hyphens and colons, such as tab:main"
        )
    return label


def escaped_markdown(text: str) -> str:
    return "".join("\\" + c if c in _MARKDOWN else c for c in plain(text))


def escaped_html(text: str) -> str:
    from html import escape

    return escape(plain(text))


def escaped_csv(text: str) -> str:
    """Escape control characters, and put a quote before text that a spreadsheet would run as a formula.

    Our readers of tables take the quote away.

    >>> escaped_csv("=1+2")
    "'=1+2"
    """
    return ("'" if text.lstrip("'").startswith(tuple(FORMULA)) else "") + plain(text)


FORMATS: Choices[OutputFormat] = Choices(
    "format",
    table=OutputFormat(table, ".txt"),
    csv=OutputFormat(as_csv, ".csv", exact=True, single=True),
    tsv=OutputFormat(partial(as_csv, delimiter="\t"), ".tsv", exact=True, single=True),
    json=OutputFormat(as_json, ".json", exact=True),
    jsonl=OutputFormat(as_jsonl, ".jsonl", exact=True, single=True),
    markdown=OutputFormat(as_markdown, ".md"),
    latex=OutputFormat(as_latex, ".tex"),
    html=OutputFormat(as_html, ".html", head=_PAGE_HEAD),
    parquet=OutputFormat(as_parquet, ".parquet", exact=True, single=True),
)
"""Every format by its name; another one is one more entry."""
