"""What an experiment has done so far, kept in a file so that an interruption costs nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from io import TextIOBase
from pathlib import Path

import unjudged
from unjudged.errors import InputError
from unjudged.judging.pool import Pool

Task = tuple[float, int]
"""A level, and the seed of a sample."""


@dataclass
class Checkpoint:
    """The values of every task that is done; each is written down as it comes, where there is a file."""

    done: dict[Task, list[float]] = field(default_factory=dict)
    file: TextIOBase | None = None

    @classmethod
    @contextmanager
    def of(
        cls, path: str | os.PathLike[str] | None, pool: Pool, settings: Sequence[object], width: int
    ) -> Iterator[Checkpoint]:
        """With no path nothing is kept. Each task has so many values as `width` says.

        A file of another experiment is refused: the first line tells, a digest of pool and settings.
        """
        if path is None:
            yield cls()
            return
        place, head = Path(path), json.dumps({"experiment": _digest(pool, settings)}) + "\n"
        done = _read(place, head, width)
        try:
            file = place.open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from None
        with file:
            if file.tell() == 0:
                file.write(head)
            yield cls(done, file)

    def add(self, task: Task, values: list[float]) -> None:
        self.done[task] = values
        if self.file is None:
            return
        try:
            self.file.write(json.dumps([*task, values]) + "\n")
            self.file.flush()
        except OSError as error:
            raise InputError(f"what is done cannot be kept: {error.strerror}") from None


def _read(path: Path, head: str, width: int) -> dict[Task, list[float]]:
    """What a file holds; a last line that was cut off is taken out of it."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    whole = data[: data.rfind(b"\n") + 1]
    if not (whole.startswith(head.encode()) or head.encode().startswith(data)):
        raise InputError(f"{path}: is of another experiment; delete it, or write to another file")
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    lines = whole.decode("utf-8", "replace").splitlines()[1:]
    return dict(_task(path, number, line, width) for number, line in enumerate(lines, 2))


def _task(path: Path, number: int, line: str, width: int) -> tuple[Task, list[float]]:
    try:
        level, seed, values = json.loads(line)
        numbers = [float(value) for value in values]
        task = float(level), int(seed)
    except (ValueError, TypeError, RecursionError):
        numbers = []
    if len(numbers) != width:
        expected = f"expected a level, a seed and {width} numbers"
        raise InputError(f"{path}:{number}: is damaged, {expected}; delete the file")
    return task, numbers


def _digest(pool: Pool, settings: Sequence[object]) -> str:
    digest = blake2b(json.dumps([unjudged.__version__, *map(str, settings)]).encode(), digest_size=16)
    judgments, rankings = pool.judgments, pool.rankings
    for ids in (judgments.queries, judgments.documents):
        digest.update(ids.data.tobytes() + ids.offsets.tobytes())
    digest.update(judgments.grade.tobytes() + rankings.rank.tobytes() + rankings.row.tobytes())
    digest.update(rankings.offsets.tobytes() + rankings.retrieved.tobytes())
    return digest.hexdigest()
