"""Files of every kind: which kind one is, by its first bytes, and what reads it."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from unjudged.errors import InputError, UsageError
from unjudged.formats.matching import index, match
from unjudged.formats.readers import trec
from unjudged.formats.roles import NONE, QRELS, RUN, Layout, no_rows
from unjudged.formats.scan import scanner
from unjudged.formats.streams import (
    ARROW_FILE,
    ARROW_STREAM,
    PARQUET,
    PathLike,
    display_name,
    errors_named,
    on_disk,
    opened,
)
from unjudged.formats.tables import Matched, Table

TEXT, DELIMITED, DICTIONARY, ARROW = "TREC text", "text with a header", "JSON", "Parquet or Arrow"
DATASET = "irds:"


def kind_of(file: PathLike) -> str:
    """What kind of file it is."""
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


def read_judgments(path: PathLike, given: Mapping[str, str] = NONE) -> tuple[Table, Layout, scanner.Index]:
    """The judgments of a file, each query's together; the columns they have; and their index."""
    with said_of(path), ExitStack() as stack:
        if isinstance(path, str) and path.startswith(DATASET):
            from unjudged.formats.readers import datasets

            table, layout = datasets.read_judgments(path.removeprefix(DATASET))
        else:
            file = stack.enter_context(on_disk(path))
            table, layout = _read(file, kind_of(file), "grade", given)
        return table, layout, index(table)


def read_run(path: PathLike, given: Mapping[str, str] = NONE) -> Table:
    """The rankings of a file, each query's together."""
    with said_of(path), on_disk(path) as file:
        return _read(file, kind_of(file), "score", given)[0]


def scan_runs(paths: Sequence[PathLike], judged: scanner.Index) -> Generator[Matched, None, None]:
    """What each run holds of the judged documents, as far as can be without keeping the rest in memory."""
    with ExitStack() as stack:
        files = []
        for path in paths:
            with said_of(path):
                file = stack.enter_context(on_disk(path))
                files.append((path, file, kind_of(file)))
        texts = [(path, file) for path, file, kind in files if kind == TEXT]
        scans = stack.enter_context(closing(trec.scan_runs(texts, judged)))
        for path, file, kind in files:
            if kind == TEXT:
                yield next(scans)
            else:
                with said_of(path):
                    yield _scan(file, kind, judged)


def expanded(pattern: str) -> list[str]:
    """The files that a pattern such as `runs/*.run` stands for; a name that is no pattern stays as it is."""
    if not set(pattern) & set("*?[") or os.path.exists(pattern):
        return [pattern]
    import glob

    found = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207
    if not found:
        raise InputError(f"{pattern}: no file is called so")
    return found


def _read(file: PathLike, kind: str, number: str, given: Mapping[str, str]) -> tuple[Table, Layout]:
    if kind == ARROW:
        from unjudged.formats.readers import columnar as parquet

        table, layout = parquet.read(Path(file), number, given)
    elif kind == DELIMITED:
        from unjudged.formats.readers import delimited

        table, layout = delimited.read(file, number, given)
    else:
        if given:
            raise UsageError("its columns have no names, so none can be chosen by name")
        if kind == TEXT:
            return trec.read_judgments(file) if number == "grade" else (trec.read_run(file), RUN)
        from unjudged.formats.readers import json_dicts as dictionaries

        table, layout = dictionaries.read(file, number), QRELS
    if not len(table.documents):
        raise no_rows()
    return table, layout


def _scan(file: PathLike, kind: str, judged: scanner.Index) -> Matched:
    if kind == ARROW:
        from unjudged.formats.readers import columnar as parquet

        return parquet.scan_run(Path(file), judged)
    if kind == DELIMITED:
        from unjudged.formats.readers import delimited

        return delimited.scan_run(file, judged)
    return match(_read(file, kind, "score", NONE)[0], judged)


@contextmanager
def said_of(path: PathLike) -> Iterator[None]:
    """As `errors_named`, and whatever else is wrong with the input is said of the file too."""
    with errors_named(path):
        try:
            yield
        except InputError as error:
            raise InputError(f"{display_name(path)}: {error}") from None
