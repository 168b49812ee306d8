"""TREC text: qrels into tables; runs into tables, or straight into what they hold of the judged."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

import numpy as np

from unjudged.errors import InputError, UnjudgedError
from unjudged.formats.matching import cores, match
from unjudged.formats.roles import RUN, ZSCORES, Layout, layout_of_judgments
from unjudged.formats.scan import scanner
from unjudged.formats.streams import (
    PathLike,
    Piece,
    display_name,
    errors_named,
    last_bytes,
    on_disk,
    opened,
    pieces,
)
from unjudged.formats.tables import Matched, Table

LOOK_AHEAD = 1 << 15


def read_judgments(file: PathLike, layout: Layout | None = None) -> tuple[Table, Layout]:
    """The judgments of a file, each query's together, and which of the layouts it has."""
    if layout is None:
        with opened(file) as stream:
            start = stream.read(LOOK_AHEAD) or b""
        layout = layout_of_judgments(start.split(b"\n")[: -1 if len(start) == LOOK_AHEAD else None])
    return _read(file, layout), layout


def read_run(file: PathLike) -> Table:
    """The rankings of a file, each query's together."""
    return _read(file, RUN)


def read_means(path: PathLike) -> dict[tuple[bytes, bytes], tuple[float, float]]:
    """The mean and standard deviation of each query and measure, from trec_eval's file of them."""
    with errors_named(path), on_disk(path) as file:
        table = _read(file, ZSCORES)
    queries = np.repeat(np.arange(len(table.queries)), np.diff(table.starts)).tolist()
    names, measures = table.queries.tolist(), table.documents.tolist()
    pairs = zip(queries, measures, strict=True)
    means = [(mean, deviation) for mean, deviation in table.numbers.tolist()]
    return dict(zip([(names[q], measure) for q, measure in pairs], means, strict=True))


def last_tag(path: PathLike) -> bytes:
    """The sixth column of a run's last line: what trec_eval prints as runid. Empty where none is found."""
    with errors_named(path), opened(path) as stream:
        tail = last_bytes(stream)
    rows = (line.split() for line in reversed(tail.split(b"\n")))
    return next((row[5] for row in rows if len(row) > 5 and not row[0].startswith(b"#")), b"")


def scan_runs(
    files: Sequence[tuple[PathLike, PathLike]], judged: scanner.Index, layout: Layout = RUN
) -> Generator[Matched, None, None]:
    """What each run holds of the judged documents, without keeping the rest of it in memory.

    A run is given by its name, and by a file with what the name stands for.
    """
    workers = cores()
    stop = Event()
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(workers))
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        stack.callback(stop.set)
        waiting = []
        for path, file in files:
            with errors_named(path):
                parts = pieces(file, workers if len(files) < workers else 1)
            scans = [pool.submit(_scan_piece, file, part, judged, layout, stop) for part in parts]
            waiting.append((path, file, scans))
        for path, file, scans in waiting:
            yield _join(path, file, scans, judged, layout)


def _scan_piece(
    file: PathLike, part: tuple[int, int | None], judged: scanner.Index, layout: Layout, told_to_stop: Event
) -> tuple[Matched, int]:
    with opened(file) as stream:
        return scanner.scan_run(Piece(stream, *part, told_to_stop), judged, layout)


def _join(
    path: PathLike,
    file: PathLike,
    scans: list[Future[tuple[Matched, int]]],
    judged: scanner.Index,
    layout: Layout,
) -> Matched:
    with errors_named(path):
        try:
            parts = [scan.result()[0] for scan in scans]
        except UnjudgedError:
            if len(scans) == 1:
                raise
            # A piece numbers its lines from its own start. Read as one, the file gives the right numbers.
            parts = [_scan_piece(file, (0, None), judged, layout, Event())[0]]
    matched = Matched.joined(parts)
    if not len(matched.query):
        raise InputError(f"{display_name(path)}: {_empty(layout)}")
    if matched.repeats_a_query():
        with errors_named(path):
            return match(_read(file, layout), judged)
    return matched


def _read(file: PathLike, layout: Layout) -> Table:
    with opened(file) as stream:
        table, _ = scanner.read_table(stream, layout)
    if not len(table.lines):
        raise _empty(layout)
    return table.grouped()


def _empty(layout: Layout) -> InputError:
    return InputError(f"no data in it, expected lines of {layout.describe()}")
