"""The one door from any source to a table, or straight to what a run holds of the judged documents."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path
from typing import Any

from unjudged.errors import InputError, UsageError
from unjudged.formats.limits import check
from unjudged.formats.matching import match
from unjudged.formats.readers import trec
from unjudged.formats.readers.frames import is_frame, table_of_frame
from unjudged.formats.readers.memory import table_of
from unjudged.formats.roles import NONE, QRELS, RUN, Layout, no_rows
from unjudged.formats.scan import scanner
from unjudged.formats.streams import (
    ARROW_FILE,
    ARROW_STREAM,
    PARQUET,
    PathLike,
    name_file_in_errors,
    name_source_in_errors,
    on_disk,
    opened,
)
from unjudged.formats.tables import Matched, Table

FILE, TABLE, FRAME, MAPPING, ROWS, UNKNOWN = "file", "table", "frame", "mapping", "rows", "unknown"
TEXT, DELIMITED, DICTIONARY, ARROW = "TREC text", "text with a header", "JSON", "Parquet or Arrow"
DATASET = "irds:"


def kind_of_source(source: Any) -> str:
    """What a source is: a file, a `Run` (a table), a frame, a mapping, or rows."""
    if type(source) is dict:  # asking for all else takes longer than to evaluate a few documents
        return MAPPING
    if isinstance(source, str | os.PathLike):
        return FILE
    if is_frame(source):
        return FRAME
    if isinstance(getattr(source, "table", None), Table):
        return TABLE
    if isinstance(source, Mapping):
        return MAPPING
    return ROWS if isinstance(source, Iterable) and not isinstance(source, bytes | bytearray) else UNKNOWN


def is_one_source(source: Any) -> bool:
    """Whether this is one source, not several; an iterator, whose items are unknown, counts as several."""
    kind = kind_of_source(source)
    if kind == MAPPING:
        first = next(iter(source.values()), None)
        inner = next(iter(first.values()), None) if isinstance(first, Mapping) else None
        return isinstance(first, Mapping) and not isinstance(inner, Mapping)
    if kind == ROWS:
        return isinstance(source, Sequence) and bool(source) and is_row(source[0])
    return True


def is_row(item: Any) -> bool:
    """Whether this is (query, document, number), as a tuple or a list."""
    return isinstance(item, tuple | list) and bool(item) and isinstance(item[0], str | bytes)


def table_of_source(
    source: Any, number: str, columns: Mapping[str, str] = NONE, name: str = ""
) -> tuple[Table, Layout]:
    """Any source as a table, the rows of each query together; and the columns it has.

    `number` is "score" for runs and "grade" for judgments; `columns` chooses columns by role; `name` is
    what errors call a source that is not a file.
    """
    kind = kind_of_source(source)
    with name_in_errors(source, name):
        if columns and kind not in (FILE, FRAME):
            raise UsageError("columns can be chosen only in a frame or in a file with a header")
        if kind == FILE:
            table, layout = _read_path(source, number, columns)
        elif kind == FRAME:
            table, layout = table_of_frame(source, number, columns)
        elif kind == TABLE and number == "score":
            table, layout = source.table, RUN
        elif kind in (MAPPING, ROWS):
            table, layout = table_of(source, number), QRELS
        else:
            accepted = f"a file name, a frame, a dict {{query: {{document: {number}}}}}"
            what = f"{name or 'the input'}: a {type(source).__name__} cannot be read"
            raise UsageError(f"{what}, expected {accepted}, or rows of (query, document, {number})")
        if not len(table.documents):
            raise no_rows()
        check("ROWS", len(table.documents))
    return table, layout


def match_runs(runs: Mapping[str, Any], judged: scanner.Index) -> Generator[Matched, None, None]:
    """What each run holds of the judged documents; files are streamed wherever possible."""
    with ExitStack() as stack:
        files = {}
        for name, run in runs.items():
            if kind_of_source(run) == FILE:
                with name_file_in_errors(run):
                    file = stack.enter_context(on_disk(run))
                    files[name] = file, kind_of_file(file)
        texts = [(runs[name], file) for name, (file, kind) in files.items() if kind == TEXT]
        scans = stack.enter_context(closing(trec.scan_runs(texts, judged)))
        for name, run in runs.items():
            if name in files and files[name][1] == TEXT:
                yield next(scans)
                continue
            with name_in_errors(run, run_name(name)):
                if name in files:
                    matched = _scan(*files[name], judged)
                else:
                    matched = match(table_of_source(run, "score", name=run_name(name))[0], judged)
            yield matched


def name_in_errors(source: Any, name: str) -> AbstractContextManager[None]:
    """Errors inside name the source: the file, or `name` for anything else."""
    return name_file_in_errors(source) if kind_of_source(source) == FILE else name_source_in_errors(name)


def run_name(name: str) -> str:
    """What errors call a run that is not a file; one without a name of its own is `run 1`, `run 2`, ..."""
    return name if name.removeprefix("run ").isdigit() else f"run {name!r}"


def kind_of_file(file: PathLike) -> str:
    """What kind of file it is, by its first bytes."""
    if os.path.isdir(file):
        return ARROW
    with opened(file) as stream:
        start = stream.read(trec.LOOK_AHEAD) or b""
    if start.startswith((PARQUET, ARROW_FILE, ARROW_STREAM)):
        return ARROW
    first, *_ = start.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)
    text = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text[:1] in (b"{", b"[") and text[1:].lstrip()[:1] in (b'"', b"}", b"{", b"[", b"]"):
        return DICTIONARY
    return DELIMITED if _is_header(first) else TEXT


def _is_header(line: bytes) -> bool:
    if b"\t" not in line and b"," not in line:
        return False
    from unjudged.formats.readers.delimited import delimiter_of

    return delimiter_of(line.decode("utf-8", "surrogateescape")) is not None


def expanded(pattern: str) -> list[str]:
    """The files that match a pattern such as `runs/*.run`; a name without a pattern stays as it is."""
    if not set(pattern) & set("*?[") or os.path.exists(pattern):
        return [pattern]
    import glob

    matching_files = [] if "\0" in pattern else sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
    if not matching_files:
        raise InputError("no file matches", source=pattern)
    return matching_files


def _read_path(path: PathLike, number: str, columns: Mapping[str, str]) -> tuple[Table, Layout]:
    if number == "grade" and isinstance(path, str) and path.startswith(DATASET):
        from unjudged.formats.readers import datasets

        return datasets.read_judgments(path.removeprefix(DATASET))
    with on_disk(path) as file:
        return _read_file(file, kind_of_file(file), number, columns)


def _read_file(file: PathLike, kind: str, number: str, columns: Mapping[str, str]) -> tuple[Table, Layout]:
    if kind == ARROW:
        from unjudged.formats.readers import columnar

        return columnar.read(Path(file), number, columns)
    if kind == DELIMITED:
        from unjudged.formats.readers import delimited

        return delimited.read(file, number, columns)
    if columns:
        raise UsageError(f"{kind} has no column names, so columns cannot be chosen by name")
    if kind == TEXT:
        return trec.read_judgments(file) if number == "grade" else (trec.read_run(file), RUN)
    from unjudged.formats.readers import json_dicts

    return json_dicts.read(file, number), QRELS


def _scan(file: PathLike, kind: str, judged: scanner.Index) -> Matched:
    if kind == ARROW:
        from unjudged.formats.readers import columnar

        return columnar.scan_run(Path(file), judged)
    if kind == DELIMITED:
        from unjudged.formats.readers import delimited

        return delimited.scan_run(file, judged)
    table, _ = _read_file(file, kind, "score", NONE)
    if not len(table.documents):
        raise no_rows()
    return match(table, judged)
