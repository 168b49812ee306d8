"""JSON dictionaries, mutated as text and as trees."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from fuzz.doors import file_outcomes
from fuzz.kinds import Kind
from fuzz.mutation import LINES, mutated
from fuzz.oracle import Outcome

SEEDS = [
    b'{"query_id": "1", "doc_id": "a", "score": 2.5}\n{"query_id": 2, "doc_id": "b", "score": 1}\n',
    b'{"run": "x", "qid": "1", "pid": "a", "rank": 1}\n{"run": "y", "qid": "1", "pid": "a", "rank": 1}\n',
    b'{"1": ["a", "b"], "2": ["e", 1], "10": []}',
    b'{"query_id": "1", "doc_id": "a", "relevance": 0.5}',
    b'{"1": {"a": 3.5, "b": 2, "x": 2}, "2": {"e": 1, "a": -1}, "10": {"b": 0.1}}',
    b'{"1": {"a": 1, "b": 0, "c": -1}, "2": {"a": 1, "\\u00e9": 2}}',
    b'{"default": {"test": {"1": {"a": 1, "b": 0}, "2": {"e": 1}}}, "mteb_model_meta": {"x": [1]}}',
    b'\xef\xbb\xbf {\n "1" : {"\\ud800": 1, "\\u0000": 1e3, "\\n": 2}, "": {"": 0}}\n',
]
TOKENS = [
    *(b"{", b"}", b"[", b"]", b'"', b":", b",", b"null", b"true", b"NaN", b"Infinity", b"1e999", b"{}"),
    b"[]",
    *(b'"1"', b'"a"', b'"\\ud83d"', b'"\\udc00\\ud800"', b"\\u0000", b'"mteb_x"', b"9" * 400, b"-0"),
    b"[" * 2000,
    *(b'{"1":' * 500, b'{"1":{"a":1},"1":{"a":1}}', b"\xff", b"\xef\xbb\xbf"),
]
LEAVES: list[Any] = [
    *(0, 1, -1, 1.5, True, False, None, "1", "x", [], {}, [1], {"a": 1}, {"a": {"b": 1}}, 2**31, 2**63),
    10**400,
    *(1e308, -0.0, 5e-324, float("nan"), float("inf"), [["1", "a", 1]], {"1": {"a": "1"}}),
]
KEYS = [
    *("1", "2", "10", "a", "b", "e", "", "é", "\ud800", "\0", "mteb_x", "a" * 300, "query", "\n", "run"),
    "score",
]


def check(data: bytes) -> Iterator[Outcome]:
    yield from file_outcomes(data, messages=False)


def mutate(rng: random.Random, data: bytes) -> bytes:
    if rng.random() < 0.5:
        return mutated(rng, data, LINES, TOKENS)
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return mutated(rng, rng.choice(SEEDS), LINES, TOKENS)
    for _ in range(rng.choice((1, 1, 2, 4))):
        tree = changed(rng, tree)
    return json.dumps(tree, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass")


def changed(rng: random.Random, tree: Any) -> Any:
    """The tree with one node changed: a leaf, a key, or a level more."""
    if isinstance(tree, dict) and tree and rng.random() < 0.8:
        key = rng.choice(list(tree))
        match rng.randrange(5):
            case 0:
                tree[rng.choice(KEYS)] = tree.pop(key)
            case 1:
                tree[rng.choice(KEYS)] = deepcopy(rng.choice(LEAVES))
            case _:
                tree[key] = changed(rng, tree[key])
        return tree
    if isinstance(tree, list) and tree and rng.random() < 0.5:
        return [changed(rng, item) for item in tree]
    return {rng.choice(KEYS): tree} if rng.random() < 0.2 else deepcopy(rng.choice(LEAVES))


KINDS = {"json": Kind(lambda: SEEDS, mutate, check)}
