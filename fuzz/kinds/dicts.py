"""Dicts and rows in memory: of any type, with lying lengths, and changed by another thread meanwhile."""

from __future__ import annotations

import random
import sys
import threading
from collections import Counter, OrderedDict, UserDict, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from fuzz.decisions import Decisions
from fuzz.doors import GRADES, SCORES, scores_of
from fuzz.kinds import Kind
from fuzz.mutation import BINARY, mutated
from fuzz.oracle import Outcome, agreed, outcome
from unjudged.compat import pytrec_eval


class Liar(Mapping[Any, Any]):
    """A mapping whose length, keys, values and items need not agree."""

    def __init__(self, data: dict[Any, Any], lie: int) -> None:
        self.data, self.lie = data, lie

    def __repr__(self) -> str:
        return f"Liar({self.data!r}, {self.lie})"

    def __len__(self) -> int:
        return (len(self.data), 0, len(self.data) + 3, 1, 10**6, 2)[self.lie % 6]

    def __iter__(self) -> Iterator[Any]:
        keys = list(self.data)
        return iter(keys[1:] if self.lie & 8 else keys * 2 if self.lie & 16 else keys)

    def __getitem__(self, key: Any) -> Any:
        return self.data[key]

    def values(self) -> Any:
        return list(self.data.values())[self.lie & 1 :]

    def items(self) -> Any:
        return list(self.data.items())[self.lie >> 1 & 1 :]


class Overridden(dict[Any, Any]):
    """A dict that shows other things than it holds."""

    def __len__(self) -> int:
        return super().__len__() + 1

    def __iter__(self) -> Iterator[Any]:
        return iter(["a", "b", "1"])

    def keys(self) -> Any:
        return ["a"]

    def values(self) -> Any:
        return [1.0, 2.0]

    def items(self) -> Any:
        return [("a", 1.0), ("zz", 2.0)]


class Text(str):
    __slots__ = ()


class Asked:
    """A number that has to be asked for its value."""

    def __float__(self) -> float:
        return 1.5

    def __repr__(self) -> str:
        return "Asked()"


class OwnError(Exception):
    """An error of the caller's own object, which may come back to the caller."""


class Refusing:
    def __float__(self) -> float:
        raise OwnError

    def __repr__(self) -> str:
        return "Refusing()"


CONTAINERS: list[Any] = [
    *(dict, dict, dict, dict, OrderedDict, Counter, lambda d: defaultdict(int, d), MappingProxyType),
    UserDict,
    *(Overridden, *(lambda d, lie=lie: Liar(d, lie) for lie in range(32)), list, lambda d: list(d.items())),
    lambda d: f"{len(d)} entries",
]
QUERIES: list[Any] = [
    *("1", "2", "10", "1", "2", "é", "", "\udc80", "\ud800", "\0", Text("1")),
    b"1",
    1,
    None,
    (),
]
DOCUMENTS: list[Any] = [
    *("a", "b", "c", "d", "e", "é", "x", "document-0123456789", "", "\udcff", "\udcc3\udca9", "\ud800", "\0"),
    *(Text("a"), "a\n", "d" * 300, b"a", 1, None, 1.5, ("a",), float("nan")),
]
NUMBERS: list[Any] = [
    *(0, 1, 2, -1, 3, 0.5, -0.0, 1e300, 16777217, 2**31, 2**63, 10**400, True, None, "1", b"1", [], [1], 1j),
    *(float("nan"), float("inf"), -float("inf"), Fraction(1, 3), Decimal("0.5"), Decimal("sNaN")),
    np.float32(1),
    *(np.int8(1), np.float16("inf"), np.array(1.0), np.array([1.0]), Asked(), Refusing(), 5e-324),
    np.bool_(True),
    *(np.datetime64("2020-01-01"), np.longdouble(1), {"a": 1}),
]
PLAIN_NUMBERS = [1.0, 2.0, 0.5, 0, 1, 1.0, -1, 3]


def build(decide: Decisions, plain: dict[str, Any]) -> Any:
    """A mapping of queries to mappings: sensible but for some parts."""
    outer: dict[Any, Any] = {}
    odd = 1 + decide.below(24)
    for _ in range(decide.below(5)):
        query = decide.choose(QUERIES) if decide.rarely(odd) else decide.choose(list(plain))
        inner: dict[Any, Any] = {}
        for _ in range(decide.below(9)):
            document = decide.choose(DOCUMENTS) if decide.rarely(odd) else decide.choose(DOCUMENTS[:8])
            inner[document] = decide.choose(NUMBERS if decide.rarely(odd) else PLAIN_NUMBERS)
        outer[query] = decide.choose(CONTAINERS)(inner) if decide.rarely(odd) else inner
    return decide.choose(CONTAINERS)(outer) if decide.rarely(odd) else outer


def rows(data: Any) -> Any:
    """The same as tuples, where that can be done."""
    if not isinstance(data, dict) or not all(isinstance(inner, dict) for inner in data.values()):
        return data
    return [(query, *item) for query, inner in data.items() for item in list(dict.items(inner))]


def dropped_in(qrels: Any, run: Any) -> Any:
    return pytrec_eval.RelevanceEvaluator(qrels, {"map", "ndcg", "P_5", "num_ret"}).evaluate(run)


DOORS: list[Callable[[Any, Any], Any]] = [
    scores_of,
    dropped_in,
    lambda qrels, run: scores_of(rows(qrels), rows(run)),
]


def own_errors_kept(door: Callable[[Any, Any], Any], qrels: Any, run: Any) -> Any:
    try:
        return door(qrels, run)
    except OwnError:
        return "an error of the caller's own"


def check(data: bytes) -> Iterator[Outcome]:
    def sources(at: int) -> tuple[Any, Any]:
        decide = Decisions(data[2:])
        qrels, run = build(decide, GRADES), build(decide, SCORES)
        return ((qrels, run), (GRADES, run), (qrels, SCORES))[at]

    door = DOORS[data[0] % len(DOORS) if data else 0]
    threaded = len(data) > 1 and data[1] % 16 == 15
    for at in range(3):
        if threaded:
            qrels, run = sources(at)
            with changed_meanwhile(qrels), changed_meanwhile(run):
                yield outcome(partial(own_errors_kept, door, qrels, run))
        else:
            yield agreed(lambda: own_errors_kept(door, *sources(at)))  # noqa: B023


@contextmanager
def changed_meanwhile(data: Any) -> Iterator[None]:
    """Another thread adds to the dicts and takes from them, as fast as it can."""
    stop = threading.Event()

    def change() -> None:
        while not stop.is_set():
            for inner in list(dict.values(data)):
                if isinstance(inner, dict):
                    inner["new" + str(len(inner))] = 1.0
                    inner["\udc80" * (len(inner) % 5)] = 1.0
                    if len(inner) > 12:
                        inner.clear()
                        inner["a"] = 2

    if not isinstance(data, dict) or data in (GRADES, SCORES):
        yield
        return
    interval, thread = sys.getswitchinterval(), threading.Thread(target=change)
    sys.setswitchinterval(1e-6)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)


def seeds() -> list[bytes]:
    rng = random.Random(1)
    return [rng.randbytes(rng.choice((10, 40, 120))) for _ in range(60)]


def mutate(rng: random.Random, data: bytes) -> bytes:
    return mutated(rng, data, BINARY)[:2000] or b"\0"


KINDS = {"dicts": Kind(seeds, mutate, check)}
