"""Checkpoint: what an experiment has done so far, in a file, so that an interruption costs nothing.

The first line is a digest of the pool and the settings. Every other line is one task, `checksum [level, seed,
[values]]`; the checksum covers the first line too, so that a line cannot come from another experiment.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from io import FileIO
from math import isfinite
from pathlib import Path

import unjudged
from unjudged.base.errors import InputError, quoted, reason_of
from unjudged.judging.pooling.pool import Pool

Task = tuple[float, int]
"""A level, and the seed of a sample."""

Limits = Sequence[tuple[float, float]]
"""The least and the largest that each value of a task may be."""


@dataclass
class Checkpoint:
    """Values of every task that is done; with a file, each is written as it comes."""

    done: dict[Task, list[float]] = field(default_factory=dict)
    file: FileIO | None = None
    head: str = ""
    name: str = ""

    @classmethod
    @contextmanager
    def of(
        cls, path: str | os.PathLike[str] | None, pool: Pool, settings: Sequence[object], limits: Limits
    ) -> Iterator[Checkpoint]:
        """Open a checkpoint; without a path nothing is kept.

        Refuse the file of another experiment, a damaged file and a file in use by another process.
        """
        if path is None:
            yield cls()
            return
        head = json.dumps({"experiment": _digest(pool, settings)})
        with _locked(Path(path)) as file:
            kept = cls(_read(file, head, limits), file, head, str(path))
            if file.seek(0, os.SEEK_END) == 0:
                kept._write(head)
            yield kept

    def add(self, task: Task, values: list[float]) -> None:
        self.done[task] = values
        if self.file is not None:
            self._write(_line(self.head, json.dumps([*task, values])))

    def _write(self, line: str) -> None:
        """Write at once and unbuffered: a full disk is an error here and not when the file is closed."""
        left = memoryview(f"{line}\n".encode())
        try:
            while left and self.file is not None:
                left = left[self.file.write(left) :]
        except OSError as error:
            raise InputError(f"cannot be written: {reason_of(error)}", source=self.name) from None


@contextmanager
def _locked(path: Path) -> Iterator[FileIO]:
    """Open a file and lock it; the lock ends with this process, however it ends."""
    while True:
        try:
            file = FileIO(os.fspath(path), "a+")
        except OSError as error:
            raise InputError(f"cannot be written: {reason_of(error)}", source=str(path)) from None
        with file:
            opened = os.fstat(file.fileno())
            if not stat.S_ISREG(opened.st_mode):
                raise InputError("cannot hold a checkpoint: it is not a regular file", source=str(path))
            try:
                _lock(file)
            except (BlockingIOError, PermissionError):
                problem = "is in use by another process: wait for it, or write to another file"
                raise InputError(problem, source=str(path)) from None
            except OSError as error:
                raise InputError(f"cannot be locked: {reason_of(error)}", source=str(path)) from None
            if path.exists() and os.path.samestat(opened, path.stat()):
                yield file
                return
            # The process that held the lock has removed the file: make a new one.


def _lock(file: FileIO) -> None:
    if sys.platform == "win32":
        import msvcrt

        file.seek(1 << 40)  # what is locked there cannot be read by others, so it is no byte of the file
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)


def _read(file: FileIO, head: str, limits: Limits) -> dict[Task, list[float]]:
    """Return what the file holds; an incomplete last line is removed from it."""
    name = str(file.name)
    try:
        file.seek(0)
        data = file.readall()
        first = f"{head}\n".encode()
        complete = data[: data.rfind(b"\n") + 1]
        if not (complete.startswith(first) or first.startswith(data)):
            problem = "belongs to another experiment: delete it, or write to another file"
            raise InputError(problem, source=name)
        if len(complete) < len(data):
            file.truncate(len(complete))
    except OSError as error:
        raise InputError(f"cannot be read: {reason_of(error)}", source=name) from None
    done = {}
    for number, line in enumerate(complete.decode("utf-8", "replace").splitlines()[1:], 2):
        text, problem = line.partition(" ")[2], "its checksum does not fit"
        if line == _line(head, text):
            if (read := _task(text, limits)) is not None:
                done[read[0]] = read[1]
                continue
            problem = f"expected a level, a seed and {len(limits)} values that the measures can have"
        raise InputError(f"damaged line {quoted(line)}: {problem}; delete the file", source=name, line=number)
    return done


def _task(text: str, limits: Limits) -> tuple[Task, list[float]] | None:
    """Read a task and its values; None if it cannot be what an experiment wrote."""
    try:
        level, seed, values = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        return None
    if type(level) is not float or not isfinite(level) or type(seed) is not int or seed < 0:
        return None
    if type(values) is not list or len(values) != len(limits):
        return None
    inside = (
        type(value) is float and low <= value <= high
        for value, (low, high) in zip(values, limits, strict=True)
    )
    return ((level, seed), values) if all(inside) else None


def _line(head: str, text: str) -> str:
    return f"{blake2b((head + text).encode('utf-8', 'replace'), digest_size=8).hexdigest()} {text}"


def _digest(pool: Pool, settings: Sequence[object]) -> str:
    """Return a digest of everything that the values depend on, each column with its length."""
    digest = blake2b(json.dumps([unjudged.__version__, *map(str, settings)]).encode(), digest_size=16)
    j, r = pool.judgments, pool.rankings
    names = j.queries.data, j.queries.offsets, j.documents.data, j.documents.offsets
    judged = j.offsets, j.grade, j.stratum, j.probability
    for column in (*names, *judged, r.rank, r.row, r.offsets, r.retrieved, r.query):
        data = b"" if column is None else column.tobytes()
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
