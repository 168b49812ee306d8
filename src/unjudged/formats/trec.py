"""TREC text: qrels into tables; runs into tables, or straight into what they hold of the judged."""

from __future__ import annotations

import os
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

import numpy as np

from unjudged.errors import InputError
from unjudged.formats import scanner
from unjudged.formats.columns import Matched, Table
from unjudged.formats.layouts import RUN, ZSCORES, Layout, layout_of_judgments
from unjudged.formats.matching import index, match
from unjudged.formats.sources import (
    PathLike,
    Piece,
    display_name,
    errors_named,
    last_bytes,
    on_disk,
    opened,
    pieces,
)

LOOK_AHEAD = 1 << 15


def read_judgments(path: PathLike, layout: Layout | None = None) -> tuple[Table, Layout, scanner.Index]:
    """The judgments of a file, each query's together; which of the layouts it has; and their index."""
    with errors_named(path), on_disk(path) as file:
        if layout is None:
            with opened(file) as stream:
                start = stream.read(LOOK_AHEAD) or b""
            layout = layout_of_judgments(start.split(b"\n")[: -1 if len(start) == LOOK_AHEAD else None])
        table = _read(path, file, layout)
        return table, layout, index(table)


def read_run(path: PathLike) -> Table:
    """The rankings of a file, each query's together."""
    with errors_named(path), on_disk(path) as file:
        return _read(path, file, RUN)


def read_means(path: PathLike) -> dict[tuple[bytes, bytes], tuple[float, float]]:
    """The mean and standard deviation of each query and measure, from trec_eval's file of them."""
    with errors_named(path), on_disk(path) as file:
        table = _read(path, file, ZSCORES)
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
    paths: Sequence[PathLike], judged: scanner.Index, layout: Layout = RUN
) -> Generator[Matched, None, None]:
    """What each run holds of the judged documents, without keeping the rest of it in memory."""
    workers = cores()
    stop = Event()
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(workers))
        stack.callback(pool.shutdown, wait=False, cancel_futures=True)
        stack.callback(stop.set)
        waiting = []
        for path in paths:
            with errors_named(path):
                file = stack.enter_context(on_disk(path))
                parts = pieces(file, workers if len(paths) < workers else 1)
            scans = [pool.submit(_scan_piece, file, part, judged, layout, stop) for part in parts]
            waiting.append((path, file, scans))
        for path, file, scans in waiting:
            yield _join(path, file, scans, judged, layout)


def cores() -> int:
    """How many threads can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
    parts, lines = [], 0
    for scan in scans:
        with errors_named(path, lines):
            part, more_lines = scan.result()
        parts.append(part)
        lines += more_lines
    matched = Matched.joined(parts)
    if not len(matched.query):
        raise _empty(path, layout)
    if matched.repeats_a_query():
        with errors_named(path):
            return match(_read(path, file, layout), judged)
    return matched


def _read(path: PathLike, file: PathLike, layout: Layout) -> Table:
    """All of `file`, which holds what `path` names."""
    with opened(file) as stream:
        table, _ = scanner.read_table(stream, layout)
    if not len(table.lines):
        raise _empty(path, layout)
    return table.grouped()


def _empty(path: PathLike, layout: Layout) -> InputError:
    return InputError(f"{display_name(path)}: no data in it, expected lines of {layout.describe()}")
