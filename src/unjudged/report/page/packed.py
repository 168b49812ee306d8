"""Arrays in a page of text: exact, compressed, and read by the page's script without a library.

All arrays lie end to end in one block, which is compressed with gzip and written in base64. The bytes of
numbers are stored by significance (all first bytes, all second bytes, ...): then neighbours are alike.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from unjudged.base.wording import plain
from unjudged.inference.verdict import BLUR, HEADLINES, MORE_JUDGING, OTHER_QUERIES
from unjudged.rankings.judged import Integers, JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.report.page.page_words import conclusions_of
from unjudged.results.comparison import Comparison
from unjudged.results.fields import Row
from unjudged.uncertainty.shared import SharedRankings

TYPES = {"f8": "<f8", "f4": "<f4", "i4": "<i4", "u2": "<u2", "u1": "|u1"}
JSON = "json"
LEVEL = 8
"""Of gzip; level 9 takes twice the time for a thousandth of the bytes."""


class Packed:
    """Collects named arrays; `index` says where each begins, `text` is the whole block.

    >>> packed = Packed()
    >>> packed.add("means", [0.25, 0.5], "f8")
    >>> packed.index
    {'means': ['f8', 0, 2]}
    """

    def __init__(self) -> None:
        self.index: dict[str, list[Any]] = {}
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, name: str, values: Any, kind: str) -> None:
        """Add an array of numbers, read row by row."""
        array = np.ascontiguousarray(values, TYPES[kind]).ravel()
        by_byte = array.view(np.uint8).reshape(-1, array.itemsize).T
        self._append(name, kind, len(array), by_byte.tobytes())

    def add_json(self, name: str, value: Any) -> None:
        """Add anything that JSON can hold."""
        data = json.dumps(value, separators=(",", ":")).encode("ascii")
        self._append(name, JSON, len(data), data)

    def _append(self, name: str, kind: str, count: int, data: bytes) -> None:
        self.index[name] = [kind, self._size, count]
        self._parts.append(data)
        self._size += len(data)

    def text(self) -> str:
        """Return the block; the same arrays give the same text."""
        import gzip

        return base64.b64encode(gzip.compress(b"".join(self._parts), LEVEL, mtime=0)).decode("ascii")


DEPTHS = (100, 20, 10, 5)
"""Documents of each ranking that a page may hold: the more rankings there are, the fewer."""

MOST = 200_000
"""Most documents of a page in all, unless even the smallest depth needs more."""

BY_RANK = 100
TOP = 10
NOT_POOLED = -3


def depth_kept(shared: SharedRankings) -> int:
    """Return how many documents of each ranking the page holds."""
    longest = int(shared.rankings.retrieved.max(initial=1))
    fitting = (depth for depth in DEPTHS if len(shared.rankings) * min(depth, longest) <= MOST)
    return min(longest, next(fitting, DEPTHS[-1]))


def add_rankings(packed: Packed, shared: SharedRankings, judgments: Judgments, depth: int) -> None:
    """Add the first documents of each ranking.

    `documents[q]` names the documents of query q that any ranking shows; `grades` has their grades in this
    order (-1: pooled, not judged; -2: cannot be judged; -3: not pooled). Ranking s shows `shown_counts[s]`
    documents; `shown` has the place of each among the documents of its query, ranking after ranking.
    """
    top = shared.rankings.where(shared.rankings.rank <= depth)
    rows, place = np.unique(top.row, return_inverse=True)
    query = shared.judgments.query[rows]
    first = np.searchsorted(query, np.arange(len(shared.queries) + 1))
    pooled = shared.name[rows] < len(judgments.grade)
    grade = np.where(pooled, shared.judgments.grade[rows], NOT_POOLED)
    names = list(map(plain, shared.names.take(shared.name[rows])))
    packed.add_json("documents", [names[a:b] for a, b in zip(first[:-1], first[1:], strict=True)])
    packed.add("grades", grade, "i4")
    packed.add("shown_counts", top.counts, "u2")
    packed.add("shown", place.ravel() - first[shared.rankings.query[top.ranking]], "i4")


def add_holes(packed: Packed, shared: SharedRankings) -> None:
    """Add how many documents are judged by run and rank, and in the first ten of each ranking."""
    rankings = shared.rankings
    judged, ranked = judged_by_rank(rankings, len(shared.runs), BY_RANK)
    packed.add("judged_at", judged, "i4")
    packed.add("ranked_at", ranked, "i4")
    ten = rankings.where((rankings.labels >= 0) & (rankings.rank <= TOP))
    packed.add("judged_top", np.bincount(ten.ranking, minlength=len(rankings)), "u1")
    packed.add("retrieved_top", np.minimum(rankings.retrieved, TOP), "u1")


def judged_by_rank(rankings: JudgedRankings, runs: int, depth: int) -> tuple[Integers, Integers]:
    """Return by run and rank how many documents are judged, and how many there are."""
    queries = len(rankings) // runs
    top = rankings.where((rankings.labels >= 0) & (rankings.rank <= depth))
    judged = np.bincount(top.ranking // queries * depth + top.rank - 1, minlength=runs * depth)
    ranked = [(rankings.retrieved.reshape(runs, queries) > i).sum(axis=1) for i in range(depth)]
    return judged.reshape(runs, depth), np.stack(ranked, axis=1)


def add_pairs(packed: Packed, result: Comparison) -> None:
    """Add every pair by every measure; names end with the place of the measure."""
    place = {name: k for k, name in enumerate(result.runs)}
    pairs, systems = by_measure(result.pairs), by_measure(result.systems)
    first = next(iter(pairs.values()))
    known: dict[tuple[Any, ...], str] = {}
    packed.add("first", [place[row["a"]] for row in first], "u2")
    packed.add("second", [place[row["b"]] for row in first], "u2")
    for k, (measure, rows) in enumerate(pairs.items()):
        for name, kind in NUMBERS.items():
            packed.add(f"{name}{k}", [row.get(name, 0 if kind == "u2" else np.nan) for row in rows], kind)
        loss = [row["loss"] if row["more_judging"] == BLUR else np.nan for row in rows]  # else it is not told
        packed.add(f"loss{k}", loss, "f4")
        _add_query_ends(packed, k, rows)
        for name, words in WORDS.items():
            packed.add(f"{name}{k}", [words.index(row[name]) for row in rows], "u1")
        said = conclusions_of(rows, known)
        sentences = list(dict.fromkeys(known.values()))
        packed.add(f"conclusion{k}", [sentences.index(one) for one in said], "u2")
        own = {row["system"]: row for row in systems[measure]}
        ends = [[own[name].get(end, 0) for end in ("place_low", "place_high")] for name in place]
        packed.add(f"places{k}", ends, "u2")
    packed.add_json("conclusions", sentences)


def by_measure(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return the rows of each measure, in the order of the measures."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["measure"], []).append(row)
    return found


def _add_query_ends(packed: Packed, k: int, rows: Sequence[Row]) -> None:
    """Add half of what each interval for other queries spans, and how far its middle is from the difference.

    The middle is the difference as a rule, so that two numbers take the space of one.
    """
    names = ("difference", "query_low", "query_high")
    difference, low, high = (np.array([row.get(name, np.nan) for row in rows]) for name in names)
    half = high / 2 - low / 2
    shift = np.where(np.isfinite(half), low, difference) + np.where(np.isfinite(half), half, 0) - difference
    packed.add(f"query_half{k}", half, "f8")
    packed.add(f"query_shift{k}", np.where(np.abs(shift) < NO_SHIFT, 0.0, shift), "f8")


NO_SHIFT = 1e-12
"""Rounding of ends that are as far from the difference as each other."""
NUMBERS = {
    **dict.fromkeys(("difference", "p", "p_adjusted", "low", "high"), "f8"),
    **dict.fromkeys(("flip", "seen"), "f4"),
    **dict.fromkeys(("wins", "ties"), "u2"),
}
"""Fields of pairs that a page has, with the kind of their array."""
WORDS = {"headline": HEADLINES, "more_judging": MORE_JUDGING, "other_queries": OTHER_QUERIES}
"""Fields of pairs that are one of some words."""
