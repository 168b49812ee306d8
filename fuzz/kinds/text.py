"""TREC text: the compiled scanner against its twin, in blocks of any size, and files of every layout."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from fuzz.doors import file_outcomes, judged
from fuzz.kinds import Kind
from fuzz.mutation import LINES, mutated
from fuzz.oracle import COMPILED, PLAIN, Outcome, outcome, same, scanner_is
from unjudged.compat import pytrec_eval
from unjudged.data.columns import PRELS, QRELS, RUN, STRATIFIED, ZSCORES, Layout

SEEDS = [
    b"1 Q0 a 1 3.5 t\n1 Q0 b 2 2 t\n1 Q0 x 3 2 t\n2 Q0 e 1 1e3 t\n2 Q0 a 2 -1 t\n10 Q0 b 1 0.1 t\n",
    b"1 0 a 1\n1 0 b 0\n1 0 c -1\n2 0 a 1\n2 0 e 2\n",
    b"1 0 a 0.5\n1 0 b 0\n1 0 c -1\n2 0 a 1\n2 0 e .25\n",
    b"1\ta\t1\n1\tb\t2\n2\te\t1\n10\tb\t1\n",
    b"1 0 a 1 1\n1 0 b 1 0\n1 0 c 2 -1\n2 0 a 1 1\n",
    b"1 a 1 1 0.5\n1 b 0 1 NA\n1 c 2 0 1\n2 a 1 2 .25\n",
    b"\xef\xbb\xbf# a comment\n1\tQ0\ta\t1\t2\tt\n\n1 Q0 \xc3\xa9 2 1 t more\r\n2 Q0 \xff 1 1 t",
    b"1 Q0 document-0123456789 1 12345678901234567890.5 tag\n1 Q0 a 2 0.12345678901234567890123 tag\n",
    b"2 Q0 a 1 2 t\n1 Q0 a 1 2 t\n2 Q0 b 1 1 t\n1 Q0 b 1 1 t\n",
    b"1 Q0 a 1 2 t\n2 Q0 b 1 1 t\n1 Q0 b 1 2 t\n2 Q0 a 1 16777217 t\n1 Q0 d 1 2.0 t\n2 Q0 e 1 16777216 t\n",
    b"1 Q0 a 1 2 t\n3 Q0 b 1 1 t\n2 Q0 a 1 2 t\n3 Q0 a 1 1 t\n1 Q0 c 1 3 t\n3 Q0 b 1 2 t\n1 Q0 c 1 1 t\n",
    b"1 map 0.5 0.1\n1 P_5 0.2 0.05\nall map 0.4 0.2\n",
]
TOKENS = [
    *(b"\n", b"\r\n", b" ", b"\t", b"#", b"\xef\xbb\xbf", b"1 ", b" a ", b"Q0", b"\0", b"\x85", b"\xa0"),
    *(b"\xff", b"\x1c"),
]
SINGLE = Layout(RUN.columns, RUN.open_ended, single=True)
LAYOUTS = (RUN, QRELS, SINGLE, STRATIFIED, PRELS, ZSCORES)


class Pieces:
    """A stream that hands out at most so many bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        self.stream, self.size = io.BytesIO(data), size

    def readinto(self, buffer: Any) -> int:
        return self.stream.readinto(memoryview(buffer)[: self.size])


def check(data: bytes) -> Iterator[Outcome]:
    yield from file_outcomes(data, messages=True)
    if len(data) > 50_000:
        return
    size = crc32(data) % 61 + 1
    layout = LAYOUTS[crc32(data) % len(LAYOUTS)]
    yield _twins(lambda module: module["read_table"](Pieces(data, size), layout))
    yield _twins(lambda module: module["scan_run"](Pieces(data, size), judged().index, SINGLE))
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    yield _twins(lambda _: (pytrec_eval.parse_run(lines), pytrec_eval.parse_qrel(lines)))


def _twins(call: Any) -> Outcome:
    found = []
    for names in (COMPILED, PLAIN):
        with scanner_is(names):
            found.append(outcome(lambda: call(names)))  # noqa: B023
    same("the plain scanner", *found)
    return found[0]


def mutate(rng: random.Random, data: bytes) -> bytes:
    return mutated(rng, data, LINES, TOKENS)


KINDS = {"text": Kind(lambda: SEEDS, mutate, check)}
