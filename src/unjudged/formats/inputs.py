"""The one door from any source to a table, or straight to what a run holds of the judged documents."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from typing import Any

from unjudged.base.errors import UsageError
from unjudged.base.wording import kind_of
from unjudged.formats.columns import NONE, QRELS, RUN, Layout, columns_of, no_rows
from unjudged.formats.dicts import (
    is_by_query,
    starts_plainly,
    table_of_mapping,
    table_of_plain_dicts,
    table_of_rows,
)
from unjudged.formats.files import Reader, check_columns, columns_of_file, read_path, reader_of
from unjudged.formats.frames import is_frame, open_frame
from unjudged.formats.limits import check, limit
from unjudged.formats.matching import InPieces, match, match_rows
from unjudged.formats.scan import scanner
from unjudged.formats.streams import File, name_file_in_errors, name_source_in_errors, on_disk
from unjudged.formats.tables import Matched, Table
from unjudged.formats.values import identifier

FILE, TABLE, FRAME, MAPPING, ROWS, UNKNOWN = "file", "table", "frame", "mapping", "rows", "unknown"


def kind_of_source(source: Any) -> str:
    """What a source is: a file, a `Run` (a table), a frame, a mapping, or rows."""
    if type(source) is dict:  # asking for all else takes longer than to evaluate a few documents
        return MAPPING
    if isinstance(source, str | os.PathLike):
        return FILE
    if is_frame(source):
        return FRAME
    if _of_arrays(source) or isinstance(getattr(source, "table", None), Table):
        return TABLE
    if isinstance(source, Mapping):
        return MAPPING
    single = isinstance(source, bytes | bytearray) or getattr(source, "shape", None) == ()
    return ROWS if isinstance(source, Iterable) and not single else UNKNOWN


def _of_arrays(source: Any) -> bool:
    """Whether this is a `Run` of arrays, whose rows become tables where they are matched."""
    return isinstance(getattr(source, "rows", None), InPieces)


def is_one_source(source: Any) -> bool:
    """Whether this is one source, not several; an iterator, whose items are unknown, counts as several."""
    kind = kind_of_source(source)
    if kind == MAPPING:
        if starts_plainly(source):
            return True
        with name_source_in_errors(""):
            return is_by_query(source)
    if kind == ROWS:
        return isinstance(source, Sequence) and bool(source) and is_row(source[0])
    return True


def is_row(item: Any) -> bool:
    """Whether this is (query, document, number), as a tuple or a list."""
    return isinstance(item, tuple | list) and bool(item) and isinstance(identifier(item[0]), str | bytes)


def table_of_source(
    source: Any, number: str, columns: Mapping[str, str] = NONE, name: str = ""
) -> tuple[Table, Layout]:
    """Any source as a table, the rows of each query together; and the columns it has.

    `number` is "score" for runs and "grade" for judgments; `columns` chooses columns by role; `name` is
    what errors call a source that is not a file.
    """
    if not columns and kind_of_source(source) == MAPPING:  # the rest takes longer than a few documents
        plain = table_of_plain_dicts(source, number)
        if plain is not None and 0 < len(plain.documents) <= limit("ROWS"):
            return plain, QRELS
    columns = columns_of_file(source, columns)
    with name_in_errors(source, name):
        kind = kind_of_source(source)
        if columns and kind not in (FILE, FRAME):
            raise UsageError("columns can be chosen only in a frame or in a file with a header")
        if kind == FILE:
            table, layout = read_path(source, number, columns)
        elif kind == FRAME:
            frame = open_frame(source)
            roles = columns_of(frame.columns, number, columns)
            table, layout = frame.table(roles), Layout(tuple(roles))
        elif kind == TABLE and number == "score":
            table, layout = source.table, RUN
        elif kind == MAPPING:
            table, layout = table_of_mapping(source, number), QRELS
        elif kind == ROWS:
            table, layout = table_of_rows(source, (number,)), QRELS
        else:
            raise _unreadable(source, number, name)
        rows = len(table.documents)
        if not rows:
            raise no_rows()
        check("ROWS", rows)
    return table, layout


def _unreadable(source: Any, number: str, name: str) -> UsageError:
    what = f"{name or 'the input'}: found {kind_of(source)}"
    nested, row = f"{{query: {{document: {number}}}}}", f"(query, document, {number})"
    accepted = f"a file name, a frame, a dict {nested} or {{query: [document, ...]}}, or rows of {row}"
    return UsageError(f"{what}, expected {accepted}")


def match_runs(runs: Mapping[str, Any], judged: scanner.Index) -> Generator[Matched, None, None]:
    """What each run holds of the judged documents; files are streamed wherever possible."""
    with ExitStack() as stack:
        files: dict[str, tuple[File, Reader]] = {}
        for name, run in runs.items():
            if kind_of_source(run) == FILE:
                columns = columns_of_file(run)
                with name_file_in_errors(run):
                    file = stack.enter_context(on_disk(run))
                    files[name] = File(run, file, columns), reader_of(file, columns)
                check_columns(run, files[name][1], columns)
        together = {}
        for reader in dict.fromkeys(reader for _, reader in files.values()):
            if reader.scan_all is not None:
                own = [file for file, other in files.values() if other is reader]
                together[reader] = stack.enter_context(closing(reader.scan_all(own, judged)))
        for name, run in runs.items():
            if name in files and files[name][1] in together:
                yield next(together[files[name][1]])
                continue
            with name_in_errors(run, run_name(name)):
                if name in files:
                    own_file, reader = files[name]
                    matched = reader.match(own_file, judged)
                elif kind_of_source(run) == FRAME:
                    frame = open_frame(run)
                    matched = match_rows(frame.pieces(columns_of(frame.columns, "score", NONE)), judged)
                elif _of_arrays(run):
                    matched = match_rows(run.rows, judged)
                else:
                    matched = match(table_of_source(run, "score", name=run_name(name))[0], judged)
            yield matched


def name_in_errors(source: Any, name: str) -> AbstractContextManager[None]:
    """Errors inside name the source: the file, or `name` for anything else."""
    return name_file_in_errors(source) if kind_of_source(source) == FILE else name_source_in_errors(name)


def run_name(name: str) -> str:
    """What errors call a run that is not a file; one without a name of its own is `run 1`, `run 2`, ..."""
    return name if name.removeprefix("run ").isdigit() else f"run {name!r}"
