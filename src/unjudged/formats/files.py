"""Files: which reader recognises each, and its rows as a table or matched with the judgments."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from unjudged.base.choices import Choices
from unjudged.base.errors import InputError, UsageError
from unjudged.formats import arrow_files, text_tables, trec
from unjudged.formats.columns import LONGEST_LINE, NONE, QRELS, Layout, columns_of, no_rows
from unjudged.formats.datasets import DATASET, dataset_judgments
from unjudged.formats.dicts import table_of_json
from unjudged.formats.matching import match, match_rows
from unjudged.formats.scan import scanner
from unjudged.formats.streams import File, PathLike, Start, display_name, name_file_in_errors, on_disk, opened
from unjudged.formats.tables import Matched, Table
from unjudged.formats.tabular import Tabular

LOOK_AHEAD = 1 << 15


def _unread(_: PathLike, __: str) -> tuple[Table, Layout]:
    raise NotImplementedError


@dataclass(frozen=True, eq=False, repr=False)
class Reader:
    """One kind of file: with named columns, which `opened` gives, or else with rows, which `read` gives.

    `read` gives the rows of each query together, and the columns; its text is "score" for a run and "grade"
    for judgments. `scan_all` matches several runs on all cores as they are read; without it a run is read
    first. `tag` gives the only name of a run in a file.
    """

    kind: str
    recognises: Callable[[Start], bool]
    opened: Callable[[PathLike], Tabular] | None = None
    read: Callable[[PathLike, str], tuple[Table, Layout]] = _unread
    scan_all: Callable[[Sequence[File], scanner.Index], Generator[Matched, None, None]] | None = None
    tag: Callable[[PathLike], str] | None = None

    def table(self, file: File, number: str) -> tuple[Table, Layout]:
        """Return all rows, those of each query together, and the columns."""
        if self.opened is None:
            return self.read(file.file, number)
        source = self.opened(file.file)
        roles = columns_of(source.columns, number, file.columns)
        return source.table(roles), Layout(tuple(roles))

    def match(self, file: File, judged: scanner.Index) -> Matched:
        """Match a run, block by block if it has named columns."""
        if self.opened is None:
            table, _ = self.table(file, "score")
            if not len(table.documents):
                raise no_rows()
            return match(table, judged)
        source = self.opened(file.file)
        return match_rows(source.pieces(columns_of(source.columns, "score", file.columns)), judged)

    def runs(self, file: File, by_tag: bool) -> dict[str, Any] | None:
        """Return the runs of a file by name, if a column names them and, with `by_tag`, also if tags do."""
        if self.opened is not None:
            return self.opened(file.file).runs(file.columns, by_tag)
        return {self.tag(file.file): file.path} if by_tag and self.tag is not None else None


READERS: Choices[Reader] = Choices("kind of file")
"""Every reader by its kind. Of those that recognise a file, the last one registered reads it."""


def register(reader: Reader) -> Reader:
    """Add a reader, which is asked before those that are there."""
    return READERS.add(reader.kind, reader)


for _reader in (
    Reader("TREC text", lambda _: True, None, trec.read_any, trec.scan_files, trec.only_tag),
    Reader("text with a header", text_tables.is_delimited, text_tables.open_delimited),
    Reader(
        "JSON",
        lambda start: text_tables.is_json(start.data),
        read=lambda file, number: (table_of_json(text_tables.read_json(file), number), QRELS),
    ),
    Reader("JSON lines", text_tables.is_json_lines, text_tables.open_json_lines),
    Reader(
        "Parquet or Arrow",
        lambda start: start.is_folder or start.data.startswith(arrow_files.MAGIC),
        arrow_files.open_arrow,
    ),
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
    if columns and reader.opened is None:
        names = ", ".join(columns.values())
        raise UsageError(f"{display_name(path)}: {reader.kind} has no column names such as {names}")


def read_path(path: PathLike, number: str, columns: Mapping[str, str]) -> tuple[Table, Layout]:
    """Return all rows of a file or of a dataset's judgments, and its columns."""
    if number == "grade" and isinstance(path, str) and path.startswith(DATASET):
        return dataset_judgments(path)
    with on_disk(path) as file:
        reader = reader_of(file, columns)
        check_columns(path, reader, columns)
        return reader.table(File(path, file, columns), number)


def runs_in_file(path: PathLike, by_tag: bool = False) -> dict[str, Any] | None:
    """Return the runs of a file by their names; None if nothing names them, and for pipes."""
    if not os.path.isfile(path) and not os.path.isdir(path):
        return None
    with name_file_in_errors(path):
        columns = columns_of_file(path)
        return reader_of(path, columns).runs(File(path, path, columns), by_tag)
