"""Tables of scores, and segments of queries."""

from __future__ import annotations

import io
import random
import warnings
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fuzz.doors import folder
from fuzz.kinds import Kind, compressed, json_text
from fuzz.mutation import BINARY, LINES, mutated
from fuzz.oracle import Difference, Outcome, outcome
from unjudged import Scores, check, compare, evaluate, gate, report_page
from unjudged.base.errors import UnjudgedWarning
from unjudged.collection.query_segments import segments_of
from unjudged.results.rendering import render

QUERIES = [f"q{k}" for k in range(6)]
WIDE = b"query,kind,old,new\n" + b"".join(
    b"q%d,%s,0.%d,0.%d\n" % (k, (b"a", b"b")[k % 2], k, 9 - k) for k in range(6)
)
LONG = b"system\tquery\tmeasure\trepeat\tvalue\n" + b"".join(
    b"%s\tq%d\tAP\t%d\t0.%d\n" % (system, k, repeat, (k + 3 * repeat) % 10)
    for system in (b"old", b"new")
    for k in range(6)
    for repeat in (1, 2)
)
RECORDS = b"".join(
    b'{"run": "%s", "qid": %d, "metric": "nDCG@10", "score": 0.%d, "low": 0, "high": 1}\n' % (system, k, k)
    for system in (b"old", b"new")
    for k in range(4)
)
NESTED = b'{"old": {"q1": {"AP": 0.5}, "q2": {"AP": 1}}, "new": {"q1": {"AP": 0.25}, "q2": {"AP": 0}}}'
PRINTED = b"map\tq1\t0.5\nmap\tq2\t0.25\nndcg\tq1\t1\nndcg\tq2\t0\nrunid\tall\tx\nmap\tall\t0.375\n"
COLUMNS = b'{"query": ["q1", "q2"], "old": [0.5, 1], "new": [1, null]}'
TOKENS = [
    *(b"query", b"system", b"value", b"repeat", b"measure", b"all", b"AP", b"nDCG@10", b"NaN", b"NA", b","),
    *(b"\t", b'"', b"\n", b"\r", b"\0", b"\xff", b"\xef\xbb\xbf", b"run", b"low", b"high", b"1e308"),
    b"-1e308",
    *(b"GMAP", b"NumRet", b"AP(", b"AP(rel=1e99)", b"infAP(actual='x')", b"__proto__", b"</script>"),
    b"5e-324",
]
SEGMENTS = [
    b"q0 a\nq1 b\nq2 a\nq3 b\nq4 a\nq5 b\n",
    b"query,segment\n" + b"".join(b"q%d,s%d\n" % (k, k % 2) for k in range(6)),
    b"".join(b'{"qid": "q%d", "group": "s%d"}\n' % (k, k % 2) for k in range(6)),
]


def parquet_seeds() -> list[bytes]:
    """The frame of a cluster, with bounds, and a wide one."""
    rows = [(run, query, "AP", 0.1 * k) for run in ("old", "new") for k, query in enumerate(QUERIES)]
    columns = dict(zip(("run", "query", "measure", "value"), map(list, zip(*rows, strict=True)), strict=True))
    whole = pa.table({**columns, "low": [0.0] * 12, "high": [None, 1.0] * 6})
    files = []
    for table in (whole, pa.table({"query": QUERIES, "old": [0.5] * 6, "new": range(6)})):
        files.append(io.BytesIO())
        pq.write_table(table, files[-1])
    return [file.getvalue() for file in files]


@cache
def score_seeds() -> list[bytes]:
    return [WIDE, LONG, RECORDS, NESTED, PRINTED, COLUMNS, *parquet_seeds()]


def mutate_scores(rng: random.Random, data: bytes) -> bytes:
    if data[:4] == b"PAR1":
        return mutated(rng, data, BINARY)
    if rng.random() < 0.1:
        return compressed.mutate(rng, data)
    if data[:1] in (b"{", b"[") and rng.random() < 0.5:
        lines = data.split(b"\n")
        at = rng.randrange(len(lines))
        lines[at] = json_text.mutate(rng, lines[at])
        return b"\n".join(lines)
    return mutated(rng, data, LINES, TOKENS)


def check_scores(data: bytes) -> Iterator[Outcome]:
    """A table that is accepted has finite values, and everything that takes tables takes it."""
    path = folder() / "scores"
    path.write_bytes(data)
    for options in ({}, {"missing": "zero", "wide": "measures"}, {"missing": "drop", "by": "kind"}):
        yield outcome(lambda: _scores(path, **options))  # noqa: B023
    yield outcome(lambda: [row["kind"] for row in check(str(path)).rows["files"]])


def _scores(path: Any, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        scores = Scores.read(path, **options)
        if not np.isfinite(scores.values).all():
            raise Difference("a value of the table is not finite")
        columns: dict[str, list[Any]] = {"system": [], "query": [], "measure": [], "value": []}
        for place in np.ndindex(scores.values.shape):
            named = zip((scores.runs, scores.queries, scores.measures), place, strict=True)
            names = (str(axis[k]) for axis, k in named)
            for column, cell in zip(columns.values(), (*names, float(scores.values[place])), strict=True):
                column.append(cell)
        again = Scores.read(columns)
        if again.values.tolist() != scores.values.tolist():
            raise Difference("a table is not read as it was written")
        text = render(evaluate(scores).grid("queries"), "csv")
        if len(scores.runs) > 1 and scores.values.size < 500:
            found = compare(scores, draws=50, segments=scores.segments or None)
            text = "".join([str(found), found.to_latex(), *(str(found.grid(view)) for view in found.rows)])
            text += gate(scores, scores.runs[0], scores.runs[1], margin=0.1).sentence()
        return text, len(report_page(scores).html) if scores.values.size < 100 else 0


def check_segments(data: bytes) -> Iterator[Outcome]:
    path = folder() / "segments"
    path.write_bytes(data)

    def read() -> Any:
        segments = segments_of(path, QUERIES)
        if sum(segments.values()).tolist() != [1] * len(QUERIES):
            raise Difference("a query is in no segment, or in two")
        scores = Scores.read(np.arange(12.0).reshape(2, 6) ** 2 % 7 / 7, "AP", queries=QUERIES)
        passed = gate(scores, *scores.runs, margin=0.1, segments=path).sentence()
        return str(compare(scores, segments=path).grid("segments")), passed

    yield outcome(read)


def mutate_segments(rng: random.Random, data: bytes) -> bytes:
    return (
        mutate_scores(rng, data) if data[:1] == b"{" else mutated(rng, data, LINES, [*TOKENS, b" ", b"all"])
    )


KINDS = {
    "scores": Kind(score_seeds, mutate_scores, check_scores),
    "segments": Kind(lambda: SEGMENTS, mutate_segments, check_segments),
}
