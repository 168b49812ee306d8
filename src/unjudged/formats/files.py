"""Files: which reader recognises each, and its rows as a table or matched with the judgments."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from unjudged.base.errors import InputError, UsageError
from unjudged.formats.columns import LONGEST_LINE, NONE, Layout, no_rows
from unjudged.formats.matching import match
from unjudged.formats.reader import READERS, File, Reader, Start, register
from unjudged.formats.readers import arrow_files, json_dicts, text_tables, trec
from unjudged.formats.readers.datasets import DATASET, dataset_judgments
from unjudged.formats.scan import scanner
from unjudged.formats.streams import PathLike, display_name, name_file_in_errors, on_disk, opened
from unjudged.formats.tables import Matched, Table

LOOK_AHEAD = 1 << 15

for _reader in (
    *(trec.READER, trec.MS_MARCO_READER, text_tables.DELIMITED, json_dicts.READER, text_tables.JSON_LINES),
    arrow_files.READER,
):  # the most general one first
    register(_reader)


class FileWithColumns(str):
    """The name of a file together with the names of its columns, by role."""

    columns: Mapping[str, str] = NONE

    @classmethod
    def of(cls, name: str, columns: Mapping[str, str]) -> FileWithColumns:
        made = cls(name)
        made.columns = columns
        return made


def columns_of_file(source: Any, columns: Mapping[str, str] = NONE) -> Mapping[str, str]:
    return columns or (source.columns if isinstance(source, FileWithColumns) else NONE)


def reader_of(file: PathLike, columns: Mapping[str, str] = NONE) -> Reader:
    """Return the reader that recognises a file; `columns` are the names of columns that it must have.

    A file that stays as it is, is looked at once.
    """
    state = os.stat(file)
    version = state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns
    return _reader_of(os.fspath(file), version, tuple(columns.items()), tuple(READERS.values()))


@lru_cache(maxsize=1024)
def _reader_of(
    file: str, _: tuple[int, ...], columns: tuple[tuple[str, str], ...], readers: tuple[Reader, ...]
) -> Reader:
    if os.path.isdir(file):
        arrow_files.files_in(Path(file))
        start = Start(b"", bytes, dict(columns), is_folder=True)
        return next(reader for reader in reversed(readers) if reader.recognises(start))
    with opened(file, block=LOOK_AHEAD) as stream:
        data = stream.read(LOOK_AHEAD) or b""
        refuse_utf16(data)
        start = Start(data, lambda: stream.read(LONGEST_LINE) or b"", dict(columns))
        return next(reader for reader in reversed(readers) if reader.recognises(start))


def refuse_utf16(start: bytes) -> None:
    """Refuse a file that starts as UTF-16 does."""
    if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise InputError("it is UTF-16 text, as PowerShell writes it; expected UTF-8: save it as UTF-8")


def expanded(pattern: str) -> list[str]:
    """The files that match a pattern such as `runs/*.run`; a name without a pattern stays as it is."""
    if not set(pattern) & set("*?[") or os.path.exists(pattern):
        return [pattern]
    columns = columns_of_file(pattern)
    import glob

    matching_files = [] if "\0" in pattern else sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
    if not matching_files:
        raise InputError("no file matches", source=pattern)
    return [FileWithColumns.of(file, columns) for file in matching_files] if columns else matching_files


def check_columns(path: PathLike, reader: Reader, columns: Mapping[str, str]) -> None:
    """Refuse to choose columns by name where there is no header."""
    if columns and not reader.has_names:
        names = ", ".join(columns.values())
        raise UsageError(f"{display_name(path)}: {reader.kind} has no column names such as {names}")


def read_path(path: PathLike, number: str, columns: Mapping[str, str]) -> tuple[Table, Layout]:
    """Return all rows of a file or of a dataset's judgments, and its columns."""
    if number == "grade" and isinstance(path, str) and path.startswith(DATASET):
        return dataset_judgments(path)
    with on_disk(path) as file:
        reader = reader_of(file, columns)
        check_columns(path, reader, columns)
        return reader.read(File(path, file, columns), number)


def scan_file(file: File, reader: Reader, judged: scanner.Index) -> Matched:
    """Match a run, as it is read if its reader can."""
    if reader.scan is not None:
        return reader.scan(file, judged)
    table, _ = reader.read(file, "score")
    if not len(table.documents):
        raise no_rows()
    return match(table, judged)


def runs_in_file(path: PathLike, by_tag: bool = False) -> dict[str, Any] | None:
    """Return the runs of a file by their names; None if nothing names them, and for pipes."""
    if not os.path.isfile(path) and not os.path.isdir(path):
        return None
    with name_file_in_errors(path):
        columns = columns_of_file(path)
        reader = reader_of(path, columns)
        return None if reader.split is None else reader.split(File(path, path, columns), by_tag)
