"""TREC text: qrels into tables; runs into tables, or straight into what they hold of the judged."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from threading import Event

from unjudged.errors import InputError
from unjudged.formats import scanner
from unjudged.formats.columns import Matched, Table
from unjudged.formats.layouts import RUN, Layout, layout_of_judgments
from unjudged.formats.matching import cores, match
from unjudged.formats.sources import PathLike, Piece, display_name, errors_named, opened, pieces

LOOK_AHEAD = 1 << 15


def read_judgments(file: PathLike) -> tuple[Table, Layout]:
    """The judgments of a file, each query's together, and which of the layouts it has."""
    with opened(file) as stream:
        start = stream.read(LOOK_AHEAD) or b""
    layout = layout_of_judgments(start.split(b"\n")[: -1 if len(start) == LOOK_AHEAD else None])
    return _read(file, layout), layout


def read_run(file: PathLike) -> Table:
    """The rankings of a file, each query's together."""
    return _read(file, RUN)


def scan_runs(
    files: Sequence[tuple[PathLike, PathLike]], judged: scanner.Index
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
            scans = [pool.submit(_scan_piece, file, *part, judged, stop) for part in parts]
            waiting.append((path, file, scans))
        for path, file, scans in waiting:
            yield _join(path, file, scans, judged)


def _scan_piece(
    file: PathLike, start: int, stop: int | None, judged: scanner.Index, told_to_stop: Event
) -> tuple[Matched, int]:
    with opened(file) as stream:
        return scanner.scan_run(Piece(stream, start, stop, told_to_stop), judged, RUN)


def _join(
    path: PathLike, file: PathLike, scans: list[Future[tuple[Matched, int]]], judged: scanner.Index
) -> Matched:
    parts, lines = [], 0
    for scan in scans:
        with errors_named(path, lines):
            part, more_lines = scan.result()
        parts.append(part)
        lines += more_lines
    matched = Matched.joined(parts)
    if not len(matched.query):
        raise InputError(f"{display_name(path)}: {_empty(RUN)}")
    if matched.repeats_a_query():
        with errors_named(path):
            return match(_read(file, RUN), judged)
    return matched


def _read(file: PathLike, layout: Layout) -> Table:
    with opened(file) as stream:
        table, _ = scanner.read_table(stream, layout)
    if not len(table.lines):
        raise _empty(layout)
    return table.grouped()


def _empty(layout: Layout) -> InputError:
    return InputError(f"no data in it, expected lines of {layout.describe()}")
