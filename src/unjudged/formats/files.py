"""Files: what kind each is, by its first bytes, and its rows as a table or matched with the judgments."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from unjudged.base.errors import InputError, UsageError
from unjudged.formats.columns import LONGEST_LINE, NONE, RUN, Layout, no_rows
from unjudged.formats.matching import match
from unjudged.formats.readers.text import ms_marco, trec
from unjudged.formats.scan import scanner
from unjudged.formats.streams import (
    ARROW_FILE,
    ARROW_STREAM,
    PARQUET,
    PathLike,
    display_name,
    name_file_in_errors,
    on_disk,
    opened,
)
from unjudged.formats.tables import Matched, Table

TEXT, THREE, DELIMITED = "TREC text", "text of three columns", "text with a header"
DICTIONARY, JSON_LINES, ARROW = "JSON", "JSON lines", "Parquet or Arrow"
DATASET = "irds:"


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


def kind_of_file(file: PathLike, columns: Mapping[str, str] = NONE) -> str:
    """What kind of file it is, by its first bytes; `columns` are the names of columns that it must have."""
    if os.path.isdir(file):
        from unjudged.formats.readers.arrow.arrow_files import files_in

        files_in(Path(file))
        return ARROW
    with opened(file) as stream:
        start = stream.read(trec.LOOK_AHEAD) or b""
        if start.startswith((PARQUET, ARROW_FILE, ARROW_STREAM)):
            return ARROW
        if start.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
            raise InputError("it is UTF-16 text, as PowerShell writes it; expected UTF-8: save it as UTF-8")
        text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
        if text[:1] in (b"{", b"[") and text[1:].lstrip()[:1] in (b'"', b"}", b"{", b"[", b"]"):
            return JSON_LINES if _is_json_lines(text + (stream.read(LONGEST_LINE) or b"")) else DICTIONARY
    first, *_ = start.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)
    if _is_header(first, columns):
        return DELIMITED
    rows = (line for line in text.split(b"\n") if line.split() and not line.lstrip().startswith(b"#"))
    return THREE if ms_marco.is_three_columns(next(rows, b"")) else TEXT


def _is_header(line: bytes, columns: Mapping[str, str]) -> bool:
    if not set(line) & set(b"\t,;"):
        return False
    from unjudged.formats.readers.text.delimited import delimiter_of

    return delimiter_of(line.decode("utf-8", "surrogateescape"), columns) is not None


def _is_json_lines(text: bytes) -> bool:
    """Whether the first line is an object of its own and another one follows."""
    import json

    first, _, rest = text.partition(b"\n")
    if rest.lstrip()[:1] != b"{":
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


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


def check_columns(path: PathLike, kind: str, columns: Mapping[str, str]) -> None:
    """Refuse to choose columns by name where there is no header."""
    if columns and kind in (TEXT, THREE):
        names = ", ".join(columns.values())
        raise UsageError(f"{display_name(path)}: {kind} has no column names such as {names}")


def read_path(path: PathLike, number: str, columns: Mapping[str, str]) -> tuple[Table, Layout]:
    if number == "grade" and isinstance(path, str) and path.startswith(DATASET):
        from unjudged.formats.readers.memory import datasets

        return datasets.read_judgments(path.removeprefix(DATASET))
    with on_disk(path) as file:
        return _read(path, file, kind_of_file(file, columns), number, columns)


def _read(
    path: PathLike, file: PathLike, kind: str, number: str, columns: Mapping[str, str]
) -> tuple[Table, Layout]:
    """The rows of a file, which may be a copy of the one that `path` names."""
    if kind == ARROW:
        from unjudged.formats.readers.arrow import columnar

        return columnar.read(Path(file), number, columns)
    if kind == DELIMITED:
        from unjudged.formats.readers.text import delimited

        return delimited.read(file, number, columns)
    if kind in (JSON_LINES, DICTIONARY):
        from unjudged.formats.readers.text import json_dicts, json_lines

        read = json_lines.read if kind == JSON_LINES else json_dicts.read
        return read(file, number, columns)
    check_columns(path, kind, columns)
    if number == "grade":
        return trec.read_judgments(file)
    return ms_marco.read_run(file, display_name(path)) if kind == THREE else trec.read_run(file), RUN


def scan_file(path: PathLike, file: PathLike, kind: str, judged: scanner.Index) -> Matched:
    columns = columns_of_file(path)
    if kind == ARROW:
        from unjudged.formats.readers.arrow import columnar

        return columnar.scan_run(Path(file), judged, columns)
    if kind == DELIMITED:
        from unjudged.formats.readers.text import delimited

        return delimited.scan_run(file, judged, columns)
    if kind == JSON_LINES:
        from unjudged.formats.readers.text import json_lines

        return json_lines.scan_run(file, judged, columns)
    table, _ = _read(path, file, kind, "score", columns)
    if not len(table.documents):
        raise no_rows()
    return match(table, judged)


def runs_in_file(path: PathLike, by_tag: bool = False) -> dict[str, Any] | None:
    """The runs of a file by their names, if a column names them; None if none does, and for pipes."""
    if not os.path.isfile(path) and not os.path.isdir(path):
        return None
    from unjudged.formats.readers import several_runs

    with name_file_in_errors(path):
        columns = columns_of_file(path)
        kind = kind_of_file(path, columns)
        split = {
            ARROW: several_runs.split_columnar,
            DELIMITED: several_runs.split_delimited,
            JSON_LINES: several_runs.split_json_lines,
        }.get(kind)
        if split is not None:
            return split(path, columns, by_tag)
        if kind == TEXT and by_tag:
            return {trec.only_tag(path): path}
    return None
