"""TREC text: judgments and runs as tables, or straight as what a run holds of the judged documents."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from threading import Event
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, UnjudgedError
from unjudged.base.threads import cores
from unjudged.data.columns import (
    NONE,
    QRELS,
    RUN,
    ZSCORES,
    Layout,
    layout_of_judgments,
    unfit,
    wrong_number,
)
from unjudged.data.limits import BYTES_OF_TEXT, check
from unjudged.data.matching import NEVER, DocumentTwice, Opened, ahead, grouped, match_lines, named_lines
from unjudged.data.scan import scanner
from unjudged.data.scan.scanner import announce_slow_reader
from unjudged.data.streams import (
    PathLike,
    Piece,
    last_bytes,
    name_file_in_errors,
    on_disk,
    opened,
    pieces,
)
from unjudged.data.tables import Ids, Matched, Table

LOOK_AHEAD = 1 << 15
LONGEST_TAIL = 1 << 12


class TrecText(Opened):
    """A file of judgments or of a run."""

    def __init__(self, file: PathLike) -> None:
        self.file = file

    def match(self, judged: scanner.Index, _: Mapping[str, str] = NONE, stop: Event = NEVER) -> Matched:
        """Match a run as it is read."""
        return scan_run(self.file, judged, stop=stop)

    def table(self, number: str, _: Mapping[str, str] = NONE) -> tuple[Table, Layout]:
        """Return the rows of the file, query by query, and its layout."""
        return read_judgments(self.file) if number == "grade" else (_read(self.file, RUN), RUN)


def read_judgments(file: PathLike, layout: Layout | None = None) -> tuple[Table, Layout]:
    """Return the judgments of a file, query by query; and its layout."""
    if layout is None:
        with opened(file, block=LOOK_AHEAD) as stream:
            start = stream.read(LOOK_AHEAD) or b""
        layout = layout_of_judgments(start.split(b"\n")[: -1 if len(start) == LOOK_AHEAD else None])
        table, layout = _with_fractions(file, layout)
    else:
        table = _read(file, layout)
    if "probability" in layout.columns:
        _check_probabilities(table, layout)
    return table, layout


def _with_fractions(file: PathLike, layout: Layout) -> tuple[Table, Layout]:
    """Qrels whose grades may be fractions; they are read as whole numbers first, which most are."""
    try:
        return _read(file, layout), layout
    except InputError as error:
        if layout.columns != QRELS.columns:
            raise
        with suppress(InputError):
            table = _read(file, replace(layout, fractions=True))
            if not unfit("grade", table.numbers[:, 0]).any():
                return table, layout
        raise error from None


def _check_probabilities(table: Table, layout: Layout) -> None:
    """Refuse what the scanner accepts but no estimate can divide by."""
    numbers = table.numbers[:, layout.numbers.index("probability")]
    bad = unfit("probability", numbers)
    if bad.any():
        row, column = int(np.argmax(bad)), layout.columns.index("probability")
        raise wrong_number(layout, int(table.lines[row]), column, str(numbers[row]).encode())


def read_means(path: PathLike) -> dict[tuple[bytes, bytes], tuple[float, float]]:
    """Return the mean and standard deviation of each query and measure, from trec_eval's file of them."""
    with name_file_in_errors(path), on_disk(path) as file:
        table = _read(file, ZSCORES)
    queries = np.repeat(np.arange(len(table.queries)), np.diff(table.starts)).tolist()
    names, measures = table.queries.tolist(), table.documents.tolist()
    pairs = zip(queries, measures, strict=True)
    means = [(mean, deviation) for mean, deviation in table.numbers.tolist()]
    return dict(zip([(names[q], measure) for q, measure in pairs], means, strict=True))


def last_tag(path: PathLike) -> bytes:
    """Sixth column of a run's last line, which trec_eval prints as runid; empty if there is none."""
    with name_file_in_errors(path), opened(path) as stream:
        tail = last_bytes(stream)
    rows = (line.split() for line in reversed(tail.split(b"\n")))
    return next((row[5] for row in rows if len(row) > 5 and not row[0].startswith(b"#")), b"")


def scan_run(file: PathLike, judged: scanner.Index, layout: Layout = RUN, stop: Event = NEVER) -> Matched:
    """Read a run in TREC text, and match it with the judged documents; the rest is not kept in memory.

    Cores share a large file. Reading ends when `stop` is set.
    """
    announce_slow_reader(file)
    scan = partial(_scan_piece, file, judged=judged, layout=layout, stop=stop)
    parts = pieces(file, cores())
    try:
        together = list(ahead(scan, parts))
    except UnjudgedError:
        if len(parts) == 1:
            raise
        # A piece numbers its lines from its own start. Read as one, the file gives the right numbers.
        together = [scan((0, None))]
    known = [part for part in together if part is not None]
    if len(known) == len(together):
        matched = Matched.joined(known).with_unjudged_once()._replace(unjudged=None)
        if not len(matched.query):
            raise _empty(layout)
        if not matched.repeats_a_query():
            return matched
    try:
        return match_lines(file, judged, layout, stop)
    except (UnjudgedError, DocumentTwice) as error:
        # Read once more, line by line and to its end, the file gives its first error.
        _scan_piece(file, (0, None), _nothing_judged(), layout, stop)
        raise named_lines(file, error, layout) if isinstance(error, DocumentTwice) else error from None


def _scan_piece(
    file: PathLike, part: tuple[int, int | None], judged: scanner.Index, layout: Layout, stop: Event
) -> Matched | None:
    """Match a piece of a run in TREC text; None if a judged query comes back in it."""
    with opened(file, ahead=stop if cores() > 1 else None) as stream:
        return scanner.scan_run(_Rankings(Piece(stream, *part, stop)), judged, layout)


class _Rankings:
    """A piece of a run that is refused where one query takes too much: its rows must be held together."""

    def __init__(self, piece: Piece) -> None:
        self.piece, self.query, self.size = piece, b"", 0

    def readinto(self, buffer: Any) -> int:
        got = self.piece.readinto(buffer)
        tail = bytes(memoryview(buffer)[max(0, got - LONGEST_TAIL) : got])
        _, _, last_line = tail[: tail.rfind(b"\n") + 1].rstrip().rpartition(b"\n")
        query, *_ = last_line.split(None, 1) or [self.query]
        self.size = got + (self.size if query == self.query else 0)
        self.query = query
        check("MEMORY", self.size * BYTES_OF_TEXT)
        return got


def _nothing_judged() -> scanner.Index:
    """An index without queries, so that none of them can come back."""
    return scanner.Index(Ids.of([]), np.zeros(1, np.int64), Ids.of([]))


def _read(file: PathLike, layout: Layout) -> Table:
    """Return the rows of a file of TREC text, query by query."""
    announce_slow_reader(file)
    with opened(file, held=BYTES_OF_TEXT, ahead=Event() if cores() > 1 else None) as stream:
        table, _ = scanner.read_table(stream, layout)
    if not len(table.lines):
        raise _empty(layout)
    return grouped(table)


def _empty(layout: Layout) -> InputError:
    """Return the error of a file of TREC text without a row."""
    return InputError(f"no data, expected lines of {layout.describe()}")
