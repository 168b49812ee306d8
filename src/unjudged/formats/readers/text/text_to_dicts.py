"""Lines of text as dicts: `{query: {document: number}}`."""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable
from typing import Any

from unjudged.base.errors import DuplicateError
from unjudged.formats.columns import DECIMAL, Layout, seen_before
from unjudged.formats.grouping import grouped
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Table, encode


def nested(lines: Iterable[str], layout: Layout) -> dict[str, dict[str, Any]]:
    """Return the number of each line, by query and document; an `InputError` if a line is wrong."""
    table, _ = scanner.read_table(_bytes(lines), layout)
    table = grouped(table)
    rows = scanner.nested_rows(table, DECIMAL not in layout.kinds)
    if sum(map(len, rows.values())) < len(table.documents):
        _refuse_repeated(table)
    return rows


def _bytes(lines: Iterable[str]) -> Any:
    """A stream of the lines' bytes: the file's own if nothing was read from it yet."""
    if isinstance(lines, io.TextIOWrapper) and codecs.lookup(lines.encoding).name in ("utf-8", "ascii"):
        try:
            if lines.tell() == 0:
                return lines.buffer
        except OSError:
            pass
    text = lines.read() if isinstance(lines, io.TextIOBase) else "\n".join(lines)
    return io.BytesIO(encode(text))


def _refuse_repeated(table: Table) -> None:
    try:
        scanner.Index(table.queries, table.starts, table.documents)
    except DuplicateError as error:
        first, second = int(table.lines[error.first]), int(table.lines[error.second])
        document = table.documents.raw(error.second)
        raise seen_before(second, first, table.query_of(error.second), document) from None
