"""A process that checks inputs until its time is over. What it is checking can be read from outside."""

from __future__ import annotations

import argparse
import faulthandler
import hashlib
import json
import mmap
import random
import re
import resource
import struct
import time
import traceback
import warnings
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
HEADER = struct.Struct(
    "<QQdQ"
)  # inputs done, findings among them, since when the present one runs, its length
ROOM = 1 << 23
MOST_SECONDS = 10.0  # of processor time
MOST_MEMORY = 1 << 30  # bytes more than before
MOST_KEPT = 500  # inputs that behaved in a new way, to mutate further


class Costly(AssertionError):
    """An input that takes far too much time or memory for its size."""


class State:
    """What a worker is doing, in a file that outlives it."""

    def __init__(self, path: Path) -> None:
        with path.open("ab") as file:
            file.truncate(HEADER.size + ROOM)  # so that the worker and the campaign may both make it
        with path.open("r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)
        self.done, self.findings, self.since, self.length = HEADER.unpack_from(self.map)

    def begin(self, data: bytes) -> None:
        self.length, self.since = len(data), time.monotonic()
        self.map[HEADER.size : HEADER.size + len(data)] = data
        self._write()

    def end(self, *, finding: bool) -> None:
        self.done, self.findings, self.since = self.done + 1, self.findings + finding, 0.0
        self._write()

    def input(self) -> bytes:
        return self.map[HEADER.size : HEADER.size + self.length]

    def _write(self) -> None:
        HEADER.pack_into(self.map, 0, self.done, self.findings, self.since, self.length)


def save(folder: Path, title: str, details: str, data: bytes) -> None:
    """Keep the smallest input of each finding, with what is known of it."""
    folder.mkdir(parents=True, exist_ok=True)
    name = hashlib.sha256(title.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    path = folder / f"{name}.input"
    if path.exists():
        path.touch()
    if not path.exists() or path.stat().st_size > len(data):
        path.write_bytes(data)
        (folder / f"{name}.txt").write_text(f"{title}\n\n{details}", "utf-8", "backslashreplace")


def title_of(error: BaseException) -> str:
    """The error and the last place of ours that it came through: the same for the same fault."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "unjudged" in f.filename]
    place = f" in {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""
    text = re.sub(r"'(?:[^'\\]|\\.)*'|0x\w+|[0-9.,]+|/\S+|\[.*\]", "_", str(error).partition("\n")[0])
    return f"{type(error).__name__}{place}: {text[:300]}"


def main() -> None:
    faulthandler.enable()
    warnings.simplefilter("error", RuntimeWarning)
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "kind", nargs="?", help="of the mutations; files are in folders that name their kinds"
    )
    parser.add_argument("--seconds", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--findings", type=Path, required=True)
    parser.add_argument("--files", type=Path, nargs="*", help="check these instead of mutations")
    asked = parser.parse_args()
    state = State(asked.folder / f"{asked.kind}.state")
    if asked.files is not None:
        for file in asked.files:
            title = examine(file.parent.name, file.read_bytes(), state, asked.findings)[0]
            print(json.dumps([str(file), title]), flush=True)
    else:
        campaign(asked.kind, asked.seed, asked.seconds, state, asked.findings)


def campaign(name: str, seed: int, seconds: float, state: State, findings: Path) -> None:
    """Mutate seeds, the committed corpus and whatever behaved in a new way."""
    from fuzz.kinds import kind_named

    kind, rng = kind_named(name), random.Random(seed)
    until = time.monotonic() + seconds
    known: set[str] = set()
    pool = [*kind.seeds(), *(path.read_bytes() for path in sorted((CORPUS / name).glob("*")))]
    while time.monotonic() < until:
        parent = pool[-1 - int(rng.random() ** 2 * len(pool))] if rng.random() < 0.5 else rng.choice(pool)
        data = kind.mutate(rng, parent)
        title, shapes = examine(name, data, state, findings)
        if title is None and not shapes <= known and len(data) < 50_000:
            known |= shapes
            pool.append(data)
            del pool[len(kind.seeds()) : -MOST_KEPT]


def examine(name: str, data: bytes, state: State, findings: Path) -> tuple[str | None, set[str]]:
    """Check one input; the title of the finding if it is one, and how the input behaved."""
    from fuzz.kinds import kind_named
    from fuzz.oracle import shape_of

    kind = kind_named(name)
    title, shapes = None, set()
    state.begin(data)
    clock, memory = time.process_time(), peak()
    try:
        for i, found in enumerate(kind.check(data)):
            shapes.add(f"{i} {shape_of(found)}")
        refuse_costly(time.process_time() - clock, peak() - memory)
    except Exception as error:
        title = title_of(error)
        save(findings / name, title, "".join(traceback.format_exception(error)), data)
    state.end(finding=title is not None)
    return title, shapes


def refuse_costly(seconds: float, memory: int) -> None:
    if seconds > MOST_SECONDS:
        raise Costly(f"too slow: {seconds:.1f} seconds of processor time")
    if memory > MOST_MEMORY:
        raise Costly(f"too large: {memory >> 20} MB more than before")


def peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


if __name__ == "__main__":
    main()
