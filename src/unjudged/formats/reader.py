"""What a reader of files is: one object per kind of file, made and registered in the file that reads it."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from unjudged.base.choices import Choices
from unjudged.formats.columns import NONE, Layout
from unjudged.formats.scan import scanner
from unjudged.formats.streams import PathLike
from unjudged.formats.tables import Matched, Table


class File(NamedTuple):
    """A file to read: the name that messages give it, where its bytes are, and its columns by role."""

    path: PathLike
    file: PathLike
    columns: Mapping[str, str] = NONE


class Start(NamedTuple):
    """What a file is recognised by: its first bytes, more of them if need be, and columns it should have."""

    data: bytes
    rest: Callable[[], bytes]
    columns: Mapping[str, str] = NONE
    is_folder: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Reader:
    """One kind of file.

    `read` gives all rows, those of each query together, and the columns; its text is "score" for a run and
    "grade" for judgments. `scan` matches a run as it is read, `scan_all` several runs on all cores; without
    them a run is read first. `split` gives the runs of a file by name, if a column names them and, with True,
    also if tags do. `has_names` says that columns have names, by which users can choose them.
    """

    kind: str
    recognises: Callable[[Start], bool]
    read: Callable[[File, str], tuple[Table, Layout]]
    scan: Callable[[File, scanner.Index], Matched] | None = None
    scan_all: Callable[[Sequence[File], scanner.Index], Generator[Matched, None, None]] | None = None
    split: Callable[[File, bool], dict[str, Any] | None] | None = None
    has_names: bool = True


READERS: Choices[Reader] = Choices("kind of file")
"""Every reader by its kind. Of those that recognise a file, the last one registered reads it."""


def register(reader: Reader) -> Reader:
    """Add a reader, which is asked before those that are there."""
    return READERS.add(reader.kind, reader)
