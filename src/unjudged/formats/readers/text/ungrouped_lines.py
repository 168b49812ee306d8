"""TREC text whose queries do not stand together."""

from __future__ import annotations

from codecs import BOM_UTF8
from threading import Event

from unjudged.base.errors import UnjudgedError
from unjudged.base.threads import Threads, cores
from unjudged.formats.columns import Layout, seen_before
from unjudged.formats.scan import scanner
from unjudged.formats.scan.checks import changed_while_read
from unjudged.formats.scan.plain.text import numbered_lines
from unjudged.formats.streams import PathLike, Piece, opened, pieces
from unjudged.formats.tables import Matched
from unjudged.formats.ungrouped import DocumentTwice, match_ungrouped


def scan_unordered(
    file: PathLike, judged: scanner.Index, layout: Layout, pool: Threads, stop: Event
) -> Matched:
    """What a run holds of the judged documents, whatever the order of its lines.

    An error that it raises is not always the first of the file, and a piece numbers lines from its own start.
    """
    workers = cores()
    parts = pieces(file, workers)

    def read(first: int, most: int) -> list[scanner.UnorderedRows]:
        kept = [scanner.UnorderedRows(first, most // len(parts)) for _ in parts]
        list(pool.map(read_piece, parts, kept))
        return kept

    def read_piece(part: tuple[int, int | None], rows: scanner.UnorderedRows) -> None:
        with opened(file, ahead=stop if workers > 1 else None) as stream:
            scanner.scan_unordered(Piece(stream, *part, stop), rows, layout)

    return match_ungrouped(read, judged, pool, workers)


def named(file: PathLike, twice: DocumentTwice, layout: Layout) -> UnjudgedError:
    """Return the error that names the first two lines with the same document of a query."""
    column, lines = layout.columns.index("document"), list[int]()
    with opened(file) as stream:
        for number, line in numbered_lines(stream):
            if twice.document not in line:
                continue
            fields = line.removeprefix(BOM_UTF8 if number == 1 else b"").split()
            if fields[:1] == [twice.query] and fields[column] == twice.document:
                lines.append(number)
                if len(lines) == 2:
                    return seen_before(lines[1], lines[0], twice.query, twice.document)
    return changed_while_read("the file")
