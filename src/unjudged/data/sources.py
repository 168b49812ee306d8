"""The way from any source to a table, or to what a run holds of the judged documents; readers of files."""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from functools import lru_cache, partial
from itertools import groupby
from threading import Event
from typing import Any, NamedTuple

from unjudged.base.choices import Choices
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import kind_of
from unjudged.data import text_tables, trec
from unjudged.data.columns import NONE, QRELS, RUN, Layout, no_rows
from unjudged.data.frames import collected, files_in, is_arrow, is_frame, open_arrow, open_frame
from unjudged.data.limits import check, limit
from unjudged.data.matching import InPieces, Opened, ahead, match, match_rows
from unjudged.data.nested_dicts import (
    DATASET,
    NestedJson,
    dataset_judgments,
    is_by_query,
    starts_plainly,
    table_of_mapping,
    table_of_plain_dicts,
    table_of_rows,
)
from unjudged.data.scan import scanner
from unjudged.data.streams import (
    PathLike,
    Start,
    display_name,
    name_file_in_errors,
    name_source_in_errors,
    on_disk,
    opened,
)
from unjudged.data.tables import Matched, Table
from unjudged.data.tabular import Tabular, TabularBlock
from unjudged.data.values import identifier

LOOK_AHEAD = 1 << 15
FEW = 3
"""More files than this are written as a pattern, if one names exactly these."""


class Reader(NamedTuple):
    """One kind of file, which `open` opens; its columns have names if that gives a `Tabular`."""

    kind: str
    recognises: Callable[[Start], bool]
    open: Callable[[PathLike], Opened]


READERS: Choices[Reader] = Choices("kind of file")
"""Every reader by its kind. Of those that recognise a file, the last one registered reads it."""


def register(reader: Reader) -> Reader:
    """Add a reader, which is asked before those that are there."""
    return READERS.add(reader.kind, reader)


register(Reader("TREC text", lambda _: True, trec.TrecText))  # the most general one first
register(Reader("text with a header", text_tables.is_delimited, text_tables.open_text))
register(Reader("JSON", lambda start: text_tables.is_json(start.data), NestedJson))
register(Reader("JSON lines", text_tables.is_json_lines, text_tables.open_json_lines))
register(Reader("Parquet or Arrow", is_arrow, open_arrow))


class FileWithColumns(str):
    """The name of a file together with the names of its columns, by role."""

    columns: Mapping[str, str] = NONE

    @classmethod
    def of(cls, name: str, columns: Mapping[str, str]) -> FileWithColumns:
        """Return the name of a file with the names of its columns."""
        made = cls(name)
        made.columns = columns
        return made


def columns_of_file(source: Any, columns: Mapping[str, str] = NONE) -> Mapping[str, str]:
    """Return the names of columns that are given, or that come with the file."""
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
    """Return the reader that recognises a file in its present state, the last registered one first."""
    start = start_of(file)._replace(columns=dict(columns))
    return next(reader for reader in reversed(readers) if reader.recognises(start))


def start_of(file: PathLike) -> Start:
    """Return what a file is recognised by; one that is UTF-16 is refused."""
    if os.path.isdir(file):
        files_in(file)
        return Start(file, b"", is_folder=True)
    with opened(file, block=LOOK_AHEAD) as stream:
        data = stream.read(LOOK_AHEAD) or b""
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        raise InputError("it is UTF-16 text, as PowerShell writes it; expected UTF-8: save it as UTF-8")
    return Start(file, data)


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


def in_shell(words: Sequence[str]) -> str:
    """Return words as a shell takes them; a pattern stands for all files of one kind in a folder."""
    from shlex import quote

    shown: list[str] = []
    for (folder, suffix), group in groupby(words, key=_kind):
        several, common = [*group], os.path.join(folder, suffix)
        known = len(several) > FEW and suffix and os.path.isdir(folder or ".") and quote(common) == common
        alike = known and several == _files_like(folder, suffix)
        shown += [os.path.join(folder, f"*{suffix}")] if alike else map(quote, several)
    return " ".join(shown)


def _kind(word: str) -> tuple[str, str]:
    return os.path.dirname(word), os.path.splitext(word)[1]


def _files_like(folder: str, suffix: str) -> list[str]:
    """Return what a shell makes of a pattern that ends like these files."""
    with os.scandir(folder or ".") as found:
        names = [one.name for one in found if one.name.endswith(suffix) and one.name[0] != "."]
    return sorted(os.path.join(folder, name) for name in names)


def _open_file(path: PathLike, file: PathLike, columns: Mapping[str, str]) -> tuple[Reader, Opened]:
    """Return the reader of a file and what it opens; only where there is a header can columns be chosen."""
    reader = reader_of(file, columns)
    held = reader.open(file)
    if columns and not isinstance(held, Tabular):
        names = ", ".join(columns.values())
        raise UsageError(f"{display_name(path)}: {reader.kind} has no column names such as {names}")
    return reader, held


def read_path(path: PathLike, number: str, columns: Mapping[str, str]) -> tuple[Table, Layout]:
    """Return all rows of a file or of a dataset's judgments, and its columns."""
    if number == "grade" and isinstance(path, str) and path.startswith(DATASET):
        return dataset_judgments(path)
    with on_disk(path) as file:
        return _open_file(path, file, columns)[1].table(number, columns)


def runs_in_file(path: PathLike) -> dict[str, Any] | None:
    """Return the runs of a file by their names; None if nothing names them, and for pipes."""
    if not os.path.isfile(path) and not os.path.isdir(path):
        return None
    with name_file_in_errors(path):
        columns = columns_of_file(path)
        return reader_of(path, columns).open(path).runs(columns)


FILE, TABLE, FRAME, MAPPING, ROWS, UNKNOWN = "file", "table", "frame", "mapping", "rows", "unknown"


def kind_of_source(source: Any) -> str:
    """What a source is: a file, a `Run` (a table), a frame, a mapping, or rows."""
    if type(source) is dict:  # asking for all else takes longer than to evaluate a few documents
        return MAPPING
    if isinstance(source, str | os.PathLike):
        return FILE
    if is_frame(source):
        return FRAME
    if isinstance(source, Table) or _of_arrays(source) or isinstance(getattr(source, "table", None), Table):
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
        kind, layout = kind_of_source(source), QRELS
        if columns and kind not in (FILE, FRAME):
            raise UsageError("columns can be chosen only in a frame or in a file with a header")
        if kind == FILE:
            table, layout = read_path(source, number, columns)
        elif kind == FRAME:
            table, layout = open_frame(source).table(number, columns)
        elif kind == TABLE and number == "score":
            table, layout = source if isinstance(source, Table) else source.table, RUN
        elif kind == MAPPING:
            table = table_of_mapping(source, number)
        elif kind == ROWS:
            table = table_of_rows(source, (number,))
        else:
            raise _unreadable(source, number, name)
        rows = len(table.documents)
        if not rows:
            raise no_rows()
        check("ROWS", rows)
    return table, layout


def _unreadable(source: Any, number: str, name: str) -> UsageError:
    """Return the error of a source that is nothing that can be read."""
    what = f"{name or 'the input'}: found {kind_of(source)}"
    nested, row = f"{{query: {{document: {number}}}}}", f"(query, document, {number})"
    accepted = f"a file name, a frame, a dict {nested} or {{query: [document, ...]}}, or rows of {row}"
    return UsageError(f"{what}, expected {accepted}")


def match_runs(runs: Mapping[str, Any], judged: scanner.Index) -> Generator[Matched, None, None]:
    """What each run holds of the judged documents; files are streamed wherever possible."""
    stop = Event()
    with ExitStack() as stack:
        work: list[tuple[Any, str, Callable[[], Matched]]] = []
        for name, run in runs.items():
            with name_in_errors(run, run_name(name)):
                work.append((run, run_name(name), _matching(stack, run, run_name(name), judged, stop)))
        yield from ahead(_named_match, work, stop=stop)


def _matching(
    stack: ExitStack, run: Any, name: str, judged: scanner.Index, stop: Event
) -> Callable[[], Matched]:
    """Return what matches a run, once its file is known to be one."""
    kind = kind_of_source(run)
    if kind == FILE:
        columns = columns_of_file(run)
        held = _open_file(run, stack.enter_context(on_disk(run)), columns)[1]
        return partial(held.match, judged, columns, stop)
    if kind == FRAME:
        return lambda: open_frame(run).match(judged, NONE)
    if _of_arrays(run):
        return partial(match_rows, run.rows, judged)
    return lambda: match(table_of_source(run, "score", name=name)[0], judged)


def _named_match(work: tuple[Any, str, Callable[[], Matched]]) -> Matched:
    """Match one run; errors name it."""
    run, name, matching = work
    with name_in_errors(run, name):
        return matching()


def name_in_errors(source: Any, name: str) -> AbstractContextManager[None]:
    """Errors inside name the source: the file, or `name` for anything else."""
    return name_file_in_errors(source) if kind_of_source(source) == FILE else name_source_in_errors(name)


def run_name(name: str) -> str:
    """What errors call a run that is not a file; one without a name of its own is `run 1`, `run 2`, ..."""
    return name if name.removeprefix("run ").isdigit() else f"run {name!r}"


def read_small_table(source: Any, headless: text_tables.Headless) -> TabularBlock:
    """Return all columns of a file, a frame, or a mapping of columns to their values, as Python's values.

    `headless` says what a file of text is that has no header.
    """
    kind = kind_of_source(source)
    if kind == FILE:
        with name_file_in_errors(source), on_disk(source) as file:
            return _small(_small_file(file, headless))
    if kind == FRAME:
        return _small(open_frame(collected(source)).held())
    if kind != MAPPING:
        raise UsageError(f"found {kind_of(source)}, expected a file, a frame or a dict with named columns")
    for name, values in source.items():
        if isinstance(values, str) or not isinstance(values, Iterable):
            raise InputError(f"column {str(name)!r} is {kind_of(values)}, expected a list of values")
    return _small(TabularBlock({str(name): list(values) for name, values in source.items()}))


def _small_file(file: PathLike, headless: text_tables.Headless) -> TabularBlock:
    """Return all rows of a small file with named columns."""
    start = start_of(file)
    if is_arrow(start):
        return open_arrow(file).held()
    if text_tables.is_json(start.data):
        return text_tables.read_objects(file, start)
    return text_tables.open_text(file, headless).held(text_tables.text_of_field)


def _small(table: TabularBlock) -> TabularBlock:
    """Return a table whose columns have rows, the same number of them."""
    lengths = {len(values) for values in table.columns.values()}
    if len(lengths) > 1:
        raise InputError("the columns have different lengths")
    if not lengths or not lengths.pop():
        raise no_rows()
    check("ROWS", len(table))
    return table
