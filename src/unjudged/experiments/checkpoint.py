"""What an experiment has done so far, kept in a file so that an interruption costs nothing.

The first line is a digest of the pool and the settings. Every other line is one task, `checksum [level, seed,
[values]]`; the checksum covers the first line too, so that a line cannot come from another experiment.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from io import FileIO
from pathlib import Path

import unjudged
from unjudged.base.errors import InputError, quoted
from unjudged.judging.pooling.pool import Pool

Task = tuple[float, int]
"""A level, and the seed of a sample."""


@dataclass
class Checkpoint:
    """The values of every task that is done; with a file, each is written as it comes."""

    done: dict[Task, list[float]] = field(default_factory=dict)
    file: FileIO | None = None
    head: str = ""
    name: str = ""

    @classmethod
    @contextmanager
    def of(
        cls, path: str | os.PathLike[str] | None, pool: Pool, settings: Sequence[object], width: int
    ) -> Iterator[Checkpoint]:
        """Without a path nothing is kept. Each task has `width` values.

        The file of another experiment, a damaged file and a file in use by another process are refused.
        """
        if path is None:
            yield cls()
            return
        head = json.dumps({"experiment": _digest(pool, settings)})
        with _locked(Path(path)) as file:
            done = _read(file, head, width)
            kept = cls(done, file, head, str(path))
            if file.seek(0, os.SEEK_END) == 0:
                kept._write(head)
            yield kept

    def add(self, task: Task, values: list[float]) -> None:
        self.done[task] = values
        if self.file is not None:
            self._write(_line(self.head, json.dumps([*task, values])))

    def _write(self, line: str) -> None:
        """At once and unbuffered: a full disk is an error here and not when the file is closed."""
        left = memoryview(f"{line}\n".encode())
        try:
            while left and self.file is not None:
                left = left[self.file.write(left) :]
        except OSError as error:
            raise InputError(f"{self.name}: cannot be written: {error.strerror}") from None


@contextmanager
def _locked(path: Path) -> Iterator[FileIO]:
    """The file, opened and locked; the lock ends with this process, however it ends."""
    import fcntl

    while True:
        try:
            file = FileIO(os.fspath(path), "a+")
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from None
        with file:
            opened = os.fstat(file.fileno())
            if not stat.S_ISREG(opened.st_mode):
                raise InputError(f"{path}: cannot hold a checkpoint: it is not a regular file")
            try:
                fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise InputError(
                    f"{path}: is in use by another process: wait for it, or write to another file"
                ) from None
            except OSError as error:
                raise InputError(f"{path}: cannot be locked: {error.strerror}") from None
            if not path.exists() or not os.path.samestat(opened, path.stat()):
                continue  # the process that held the lock has removed the file: make a new one
            yield file
            return


def _read(file: FileIO, head: str, width: int) -> dict[Task, list[float]]:
    """What the file holds; an incomplete last line is removed from it."""
    try:
        file.seek(0)
        data = file.readall()
        first = f"{head}\n".encode()
        whole = data[: data.rfind(b"\n") + 1]
        if not (whole.startswith(first) or first.startswith(data)):
            raise InputError(
                f"{file.name}: belongs to another experiment: delete it, or write to another file"
            )
        if len(whole) < len(data):
            file.truncate(len(whole))
    except OSError as error:
        raise InputError(f"{file.name}: cannot be read: {error.strerror}") from None
    lines = whole.decode("utf-8", "replace").splitlines()[1:]
    return dict(_task(str(file.name), n, line, head, width) for n, line in enumerate(lines, 2))


def _task(name: str, number: int, line: str, head: str, width: int) -> tuple[Task, list[float]]:
    text = line.partition(" ")[2]
    problem = "its checksum does not fit"
    if line == _line(head, text):
        level, seed, values = json.loads(text)
        if len(values) == width:
            return (float(level), int(seed)), [float(value) for value in values]
        problem = f"expected {width} values"
    raise InputError(f"{name}:{number}: damaged line {quoted(line)}: {problem}; delete the file")


def _line(head: str, text: str) -> str:
    return f"{blake2b((head + text).encode('utf-8', 'replace'), digest_size=8).hexdigest()} {text}"


def _digest(pool: Pool, settings: Sequence[object]) -> str:
    """Of everything that the values depend on."""
    digest = blake2b(json.dumps([unjudged.__version__, *map(str, settings)]).encode(), digest_size=16)
    judgments, rankings = pool.judgments, pool.rankings
    for ids in (judgments.queries, judgments.documents):
        _add(digest, ids.data.tobytes())
        _add(digest, ids.offsets.tobytes())
    for column in (judgments.offsets, judgments.grade, judgments.stratum, judgments.probability):
        _add(digest, b"" if column is None else column.tobytes())
    for array in (rankings.rank, rankings.row, rankings.offsets, rankings.retrieved, rankings.query):
        _add(digest, array.tobytes())
    return digest.hexdigest()


def _add(digest: blake2b, data: bytes) -> None:
    """With its length, so that no two lists of columns give the same bytes."""
    digest.update(len(data).to_bytes(8, "little") + data)
