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

from unjudged.designs.pool import Pool
from unjudged.errors import InputError

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
        cls, path: str | os.PathLike[str] | None, pool: Pool, settings: Sequence[object]
    ) -> Iterator[Checkpoint]:
        """With no path nothing is kept. The file is deleted once everything is done.

        A file of another experiment is refused: the first line tells, a digest of pool and settings.
        """
        if path is None:
            yield cls()
            return
        place, head = Path(path), json.dumps({"experiment": _digest(pool, settings)})
        done = _read(place, head)
        try:
            file = place.open("a", encoding="utf-8")
        except OSError as error:
            raise InputError(f"{path}: cannot be written: {error.strerror}") from None
        with file:
            if file.tell() == 0:
                file.write(head + "\n")
            yield cls(done, file)
        place.unlink()

    def add(self, task: Task, values: list[float]) -> None:
        self.done[task] = values
        if self.file is None:
            return
        try:
            self.file.write(json.dumps([*task, values]) + "\n")
            self.file.flush()
        except OSError as error:
            raise InputError(f"what is done cannot be kept: {error.strerror}") from None


def _read(path: Path, head: str) -> dict[Task, list[float]]:
    """What a file holds; a last line that was cut off is taken out of it."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    whole = data[: data.rfind(b"\n") + 1]
    first, *lines = whole.decode("utf-8", "replace").splitlines() or [""]
    if whole and first != head:
        raise InputError(f"{path}: is of another experiment; delete it, or write to another file")
    if len(whole) < len(data):
        os.truncate(path, len(whole))
    try:
        return {(level, seed): values for level, seed, values in map(json.loads, lines)}
    except (ValueError, TypeError):
        raise InputError(f"{path}: is damaged, expected a list of numbers a line; delete it") from None


def _digest(pool: Pool, settings: Sequence[object]) -> str:
    digest = blake2b(json.dumps(list(map(str, settings))).encode(), digest_size=16)
    judgments, rankings = pool.judgments, pool.rankings
    for ids in (judgments.queries, judgments.documents):
        digest.update(ids.data.tobytes() + ids.offsets.tobytes())
    digest.update(judgments.grade.tobytes() + rankings.rank.tobytes() + rankings.row.tobytes())
    digest.update(rankings.offsets.tobytes() + rankings.retrieved.tobytes())
    return digest.hexdigest()
