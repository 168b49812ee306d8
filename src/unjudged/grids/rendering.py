"""Grids in every format."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from math import isfinite
from pathlib import Path
from typing import Any

from unjudged.base.errors import UsageError, missing_package
from unjudged.base.wording import plain
from unjudged.grids import escapes
from unjudged.grids.content import Cell, Content
from unjudged.grids.terminal import table

SUFFIXES = {
    ".txt": "table",
    ".csv": "csv",
    ".tsv": "tsv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".tex": "latex",
    ".html": "html",
    ".parquet": "parquet",
}
FORMATS = tuple(SUFFIXES.values())
WITHOUT_NOTES = ("csv", "tsv", "jsonl", "parquet")
"""Formats that have no place for notes; whoever writes them shows the notes elsewhere."""


def format_of(path: Path | None, default: str = "table") -> str:
    """Return the format that the suffix of a file asks for."""
    return default if path is None else SUFFIXES.get(path.suffix.lower(), default)


def render(
    grids: Content | Sequence[Content], format: str, *, width: int | None = None, bold: bool = False
) -> str | bytes:
    """One grid or several as the content of a file; `width` and `bold` are for tables.

    Formats for programs (csv, tsv, json, jsonl, parquet) use the long form of a grid where it has one.
    Several grids are one json document; csv, tsv, jsonl and parquet hold only one.
    """
    several = [grids] if isinstance(grids, Content) else list(grids)
    if format == "table":
        return "\n".join(table(grid, width=width, bold=bold) for grid in several)
    if format in _FOR_PEOPLE:
        return _HEADS.get(format, "") + "\n".join(map(_FOR_PEOPLE[format], several))
    records = [grid.as_records() for grid in several]
    if format == "json":
        documents = [as_json(grid) for grid in records]
        return documents[0] if isinstance(grids, Content) else f'{{"tables": [\n{",".join(documents)}]}}\n'
    if format not in _FOR_PROGRAMS:
        raise UsageError(f"unknown format {format!r}: use one of {', '.join(FORMATS)}")
    check_tables(format, len(records))
    return _FOR_PROGRAMS[format](records[0])


def check_tables(format: str, tables: int) -> None:
    """Refuse a format that cannot hold this number of tables."""
    if tables > 1 and format in _FOR_PROGRAMS:
        raise UsageError(f"{format} holds one table, and this output has {tables}: use json")


def as_csv(grid: Content, delimiter: str = ",") -> str:
    """Values at full precision; what is missing or not a number is empty.

    In csv text with a semicolon is quoted, because some spreadsheets take it for a delimiter.
    """
    special = {'"', delimiter, *([";"] if delimiter == "," else [])}

    @cache
    def safe(text: str) -> str:
        escaped = escapes.csv(text)
        return '"{}"'.format(escaped.replace('"', '""')) if special & set(escaped) else escaped

    def field(cell: Cell) -> str:
        value = _value(cell)
        return safe(value) if isinstance(value, str) else "" if value is None else str(value)

    lines = [[column.name for column in grid.columns], *grid.rows]
    return "".join((delimiter.join(map(field, line)) or '""') + "\n" for line in lines)


def as_json(grid: Content) -> str:
    """One document with the rows, one per line, and the notes; what is not a finite number is null."""
    import json

    rows = ",\n".join(json.dumps(row, allow_nan=False) for row in _objects(grid))
    title = f'"title": {json.dumps(grid.title)}, ' if grid.title else ""
    return f'{{{title}"rows": [\n{rows}\n], "notes": {json.dumps(list(grid.notes))}}}\n'


def as_jsonl(grid: Content) -> str:
    """One object per line; what is not a finite number is null."""
    import json

    return "".join(json.dumps(row, allow_nan=False) + "\n" for row in _objects(grid))


def as_markdown(grid: Content) -> str:
    rule = ["---:" if column.numeric else "---" for column in grid.columns]
    head, *body = _cells(grid, escapes.markdown, "**{}**")
    lines = [head, rule, *body]
    text = "".join("| " + " | ".join(line) + " |\n" for line in lines)
    title = f"**{escapes.markdown(grid.title)}**\n\n" if grid.title else ""
    return title + text + "".join(f"\n{escapes.markdown(note)}\n" for note in grid.notes)


def as_latex(grid: Content) -> str:
    """A `tabular` for the booktabs package; title and notes are comments."""
    columns = "".join("r" if column.numeric else "l" for column in grid.columns)
    rows = _cells(grid, escapes.latex, r"\textbf{{{}}}")
    head, *body = (" & ".join(cells) + r" \\" for cells in rows)
    comments = [f"% {plain(text)}" for text in (grid.title, *grid.notes) if text]
    start = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule"]
    return "\n".join([*comments, *start, *body, r"\bottomrule", r"\end{tabular}", ""])


def as_html(grid: Content) -> str:
    """A table for notebooks and pages, with the title as its caption and the notes below."""

    def row(cells: Sequence[str], tag: str) -> str:
        aligned = zip(grid.columns, cells, strict=True)
        made = (f"<{tag}{_ALIGNED if c.numeric else ''}>{cell}</{tag}>" for c, cell in aligned)
        return f"<tr>{''.join(made)}</tr>"

    names, *rows = _cells(grid, escapes.html, "<b>{}</b>")
    head, body = row(names, "th"), "\n".join(row(cells, "td") for cells in rows)
    caption = f"<caption>{escapes.html(grid.title)}</caption>" if grid.title else ""
    notes = "".join(f"<p>{escapes.html(note)}</p>\n" for note in grid.notes)
    return f"<table>{caption}\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody></table>\n{notes}"


def as_parquet(grid: Content) -> bytes:
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


_HEADS = {"html": '<!doctype html>\n<meta charset="utf-8">\n<title>unjudged</title>\n'}
_ALIGNED = ' style="text-align: right"'
_FOR_PEOPLE = {"markdown": as_markdown, "latex": as_latex, "html": as_html}
_FOR_PROGRAMS: dict[str, Callable[[Content], str | bytes]] = {
    "csv": as_csv,
    "tsv": partial(as_csv, delimiter="\t"),
    "jsonl": as_jsonl,
    "parquet": as_parquet,
}


def _objects(grid: Content) -> list[dict[str, Cell]]:
    names = [column.name for column in grid.columns]
    return [dict(zip(names, map(_value, row), strict=True)) for row in grid.rows]


def _value(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not isfinite(cell) else cell


def _cells(grid: Content, escape: Callable[[str], str], stress: str) -> Iterator[list[str]]:
    """Yield the names of the columns, then every row, as escaped text with the cells to stress marked."""
    yield [escape(column.name) for column in grid.columns]
    for i, row in enumerate(grid.rows):
        cells = [escape(column.text(value)) for column, value in zip(grid.columns, row, strict=True)]
        yield [stress.format(cell) if (i, k) in grid.stressed else cell for k, cell in enumerate(cells)]
