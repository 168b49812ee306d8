"""What people hold: lists, sets, arrays, pairs, rows, numbers as ids, and frames of runs."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from fuzz.decisions import Decisions
from fuzz.doors import GRADES, SCORES, scores_of
from fuzz.kinds import Kind
from fuzz.mutation import BINARY, mutated
from fuzz.oracle import Outcome, agreed
from unjudged import Judgments, evaluate

Records = list[dict[Any, Any]]
QUERIES: list[Any] = ["1", "2", "10", 1, 2, np.int64(10), "", "\ud800", True, None, 1.5, b"1", "run"]
DOCUMENTS: list[Any] = [
    *("a", "b", "c", "d", "e", "é", "document-0123456789", 1, np.int32(1), "1", "\udcff", "\ud800"),
    *(None, False, 1.5, ("a", 1), ["a", 1], {"docno": "a"}, b"a", float("nan")),
]
NUMBERS: list[Any] = [1, 2.5, 0, 0.5, -1, -0.5, 1e300, None, "1", float("nan"), float("inf"), [], 2**70, True]


Pairs = list[tuple[Any, Any]]
ODD: list[Any] = [None, "a", 1, np.array(1.0), np.zeros((2, 2)), [], {}, set()]
FORMS: list[Callable[[Pairs], Any]] = [
    lambda pairs: {d: n for d, n in pairs if d.__hash__ and not isinstance(d, tuple)},
    lambda pairs: [d for d, _ in pairs],
    lambda pairs: tuple(d for d, _ in pairs),
    lambda pairs: {d for d, _ in pairs if d.__hash__ and not isinstance(d, tuple)},
    lambda pairs: np.array([*(d for d, _ in pairs), None], object)[:-1],
    lambda pairs: pairs,
    lambda pairs: [{"docno": d, "score": n} for d, n in pairs],
]
"""The documents of a query, each with a number, as one of the things that stand for them."""


def frame_of(records: Records, number: str) -> Any:
    columns = {name: [record.get(name) for record in records] for name in ("qid", "docno", number)}
    return pd.DataFrame({name: pd.Series(values, dtype=object) for name, values in columns.items()})


def source_of(decide: Decisions, number: str) -> Any:
    """Judgments or a run, as something that is neither a file nor a dict of dicts."""
    odd = 1 + decide.below(24)
    held: dict[Any, Any] = {}
    records: Records = []
    for _ in range(decide.below(5)):
        query = decide.choose(QUERIES if decide.rarely(odd) else QUERIES[:6])
        count = decide.below(6)
        documents = [decide.choose(DOCUMENTS if decide.rarely(odd) else DOCUMENTS[:7]) for _ in range(count)]
        numbers = [decide.choose(NUMBERS if decide.rarely(odd) else NUMBERS[:4]) for _ in range(count)]
        pairs = list(zip(documents, numbers, strict=True))
        held[query] = decide.choose(ODD) if decide.rarely(odd) else decide.choose(FORMS)(pairs)
        records += [{"qid": query, "docno": document, number: value} for document, value in pairs]
        if records and decide.rarely(odd):
            records[-1].pop(decide.choose(["qid", "docno", number]), None)
    run = decide.choose(["a", "b", None, 1, 1.5])
    wholes: list[Callable[[], Any]] = [
        lambda: held,
        lambda: held,
        lambda: records,
        lambda: [tuple(record.values()) for record in records],
        lambda: frame_of(records, number),
        lambda: frame_of(records, number).rename(columns={number: "rank"}),
        lambda: frame_of(records, number).assign(run=run),
        lambda: next(iter(held.values()), None),
    ]
    return decide.choose(wholes)()


def fractions(qrels: Any, runs: Any) -> Any:
    return evaluate(Judgments.read(qrels), runs, ("nDCG@10", "DCG", "NumRet")).values


def check(data: bytes) -> Iterator[Outcome]:
    door = fractions if data and data[0] % 3 == 0 else scores_of

    def sources(at: int) -> tuple[Any, Any]:
        decide = Decisions(data[1:])
        qrels, run = source_of(decide, "grade"), source_of(decide, "score")
        return ((qrels, run), (GRADES, run), (qrels, SCORES))[at]

    for at in range(3):
        yield agreed(lambda: door(*sources(at)))  # noqa: B023


def seeds() -> list[bytes]:
    rng = random.Random(2)
    return [rng.randbytes(rng.choice((20, 60, 150))) for _ in range(60)]


def mutate(rng: random.Random, data: bytes) -> bytes:
    return mutated(rng, data, BINARY)[:2000] or b"\0"


KINDS = {"held": Kind(seeds, mutate, check)}
