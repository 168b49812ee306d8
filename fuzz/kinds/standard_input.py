"""Standard input and named pipes: the same answer as from a file with the same bytes."""

from __future__ import annotations

import io
import os
import random
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

from fuzz.doors import SCORES, file_outcomes, folder, judged, scores_of
from fuzz.kinds import Kind, compressed, delimited, json_text, text
from fuzz.oracle import Outcome, outcome, same

KINDS_OF_TEXT = (text, delimited, json_text, compressed)


def check(data: bytes) -> Iterator[Outcome]:
    path = str(folder() / "input")
    expected = list(file_outcomes(data, messages=False, size=len(compressed.contents(data)[0])))[:2]
    for what, opened in (("standard input", from_standard_input), (pipe(), from_pipe)):
        with opened(data) as name:
            found = [outcome(lambda: scores_of(judged(), {"run": name}))]
        with opened(data) as name:
            found.append(outcome(lambda: scores_of(name, SCORES)))
        for before, now in zip(expected, found, strict=True):
            said = (now[0], now[1].replace(what, path) if isinstance(now[1], str) else now[1])
            same(what, before, said)
            yield now


@contextmanager
def from_standard_input(data: bytes) -> Iterator[str]:
    before = sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO(data))
    try:
        yield "-"
    finally:
        sys.stdin = before


@cache
def pipe() -> str:
    path = folder() / "pipe"
    os.mkfifo(path)
    return str(path)


@contextmanager
def from_pipe(data: bytes) -> Iterator[str]:
    """A pipe that another thread writes to; reading must take all of it."""

    def write() -> None:
        try:
            with open(pipe(), "wb") as target:
                target.write(data)
        except BrokenPipeError:
            pass

    writer = threading.Thread(target=write)
    writer.start()
    try:
        yield pipe()
    finally:
        reader = os.open(pipe(), os.O_RDONLY | os.O_NONBLOCK)  # lets a writer go that nobody has read from
        writer.join(1)
        os.close(reader)
        writer.join()


def seeds() -> list[bytes]:
    return [seed for kind in KINDS_OF_TEXT for seed in next(iter(kind.KINDS.values())).seeds()]


def mutate(rng: random.Random, data: bytes) -> bytes:
    if data.startswith(tuple(compressed.MAGIC)):
        return compressed.mutate(rng, data)
    if data[:1] == b"{":
        return json_text.mutate(rng, data)
    return text.mutate(rng, data) if rng.random() < 0.5 else delimited.mutate(rng, data)


KINDS = {"stdin": Kind(seeds, mutate, check)}
