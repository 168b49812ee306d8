"""CSV and TSV with a header."""

from __future__ import annotations

import random
from collections.abc import Iterator

from fuzz.doors import file_outcomes
from fuzz.kinds import Kind
from fuzz.mutation import LINES, mutated
from fuzz.oracle import Outcome

SEEDS = [
    b"query_id;doc_id;score\n1;a;3.5\n1;b;2\n2;e;1\n",
    b"qid\tpid\trank\n1\ta\t1\n1\tb\t2\n2\te\t1\n",
    b"run,qid,docno,score\nx,1,a,1\ny,1,a,2\nx,2,e,1\ny,1,b,1\n",
    b"qid,docno,label\n1,a,0.5\n1,b,1\n2,e,0.25\n",
    b"query_id,doc_id,score\n1,a,3.5\n1,b,2\n2,e,1\n10,b,1e3\n",
    b"query-id\tcorpus-id\tscore\n1\ta\t1\n1\tb\t0\n2\te\t2\n",
    b'\xef\xbb\xbfqid,docno,relevance,stratum\r\n"1","a",1,1\r\n1,"b ""x""",0,2\r\n2,"a,\n b",-1,1\r\n',
    b"query,document,grade,method,probability\n1,a,1,1,0.5\n1,b,0,2,NA\n2,e,1,1,\n",
    b"topic\tdocid\trank\tsim\textra\n2\ta\t1\t5\t\n1\ta\t1\t5\tx\n2\tb\t1\t4\tx\n1\tb\t1\t4\tx\n",
    b"qid,docno,score\n" + b"".join(b"%d,d%d,%d\n" % (i % 3, i, -i) for i in range(12)),
]
TOKENS = [
    *(b",", b"\t", b'"', b'""', b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"score", b"grade", b"qid,"),
    b"\xef\xbb\xbf",
]


def check(data: bytes) -> Iterator[Outcome]:
    yield from file_outcomes(data, messages=False)


def mutate(rng: random.Random, data: bytes) -> bytes:
    changed = mutated(rng, data, LINES, TOKENS)
    header, line, rest = data.partition(b"\n")
    return header + line + changed[len(header) + 1 :] if rest and rng.random() < 0.6 else changed


KINDS = {"delimited": Kind(lambda: SEEDS, mutate, check)}
