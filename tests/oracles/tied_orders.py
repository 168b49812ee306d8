"""Tied documents in every order, one by one: small rankings, and all orders of each."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import numpy as np

from unjudged.data.tables import Ties
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import STRATIFIED, Origin


def variants() -> list[Measure]:
    """Every registered measure, and some with parameters that change how it depends on the order."""
    needed: dict[str, dict[str, Any]] = {
        name: {p: {"cutoff": 3, "recall": 0.5, "multiple": 1.0}[p] for p in m._missing}
        for name, m in MEASURES.items()
    }
    chosen = [m(**needed[name]) for name, m in MEASURES.items()]
    m = MEASURES
    chosen += [m[name](cutoff=2) for name in ("AP", "R", "RR", "nDCG", "ERR", "RBP", "Judged", "NumRelRet")]
    chosen += [m["AP"](rel=2), m["AP"](unjudged="condensed"), m["nDCG"](unjudged="condensed", cutoff=3)]
    chosen += [m["Bpref"](unjudged="nonrelevant"), m["P"](cutoff=2, chance=50), m["AP"](chance=50)]
    chosen += [
        m["nDCG"](gains={1: 3, 2: 1}),
        m["RBP"](max_grade=4),
        m["infAP"](pool=False),
        m["Bpref"](form="paper"),
    ]
    chosen += [m["subAP"](seed=3), m["NCP"](stop="geometric"), m["GMAP"](eps=0.3), m["statAP"](pairs="joint")]
    chosen += [
        m["IPrec"](recall=0.9, rounding="nearest"),
        m["indAP"](unpooled="removed"),
        m["RBPUpper"](max_grade=4),
    ]
    return chosen


def case(rng: np.random.Generator, *, sampled: bool) -> JudgedRankings:
    """One ranking of a few documents, some of which have the same score."""
    n = int(rng.integers(1, 7))
    retrieved = rng.choice([-2, -1, 0, 0, 1, 1, 2], n)  # -2 is not pooled
    missed = rng.choice([-1, 0, 1, 2], rng.integers(0, 3))
    grade = np.array([*retrieved[retrieved > -2], *missed], np.int32)
    if not len(grade):
        return case(rng, sampled=sampled)
    judgments = Judgments.read({"q": {f"d{i}": int(g) for i, g in enumerate(grade)}})
    if sampled:
        stratum = rng.integers(0, 2, len(grade)).astype(np.int32)
        judgments = replace(judgments, stratum=stratum, origin=Origin(STRATIFIED))
    score = -np.sort(-rng.integers(0, 3, n))
    first = np.array([1 + np.argmax(score == s) for s in score], np.int32)
    last = np.array([n - np.argmax(score[::-1] == s) for s in score], np.int32)
    lines = retrieved > -2
    return JudgedRankings(
        judgments,
        rank=np.flatnonzero(lines).astype(np.int32) + 1,
        row=np.arange(lines.sum(), dtype=np.int32),
        offsets=np.array([0, lines.sum()]),
        retrieved=np.array([n], np.int32),
        query=np.zeros(1, np.int32),
        ties=Ties.of(first[lines], last[lines]),
    )


def every_order(r: JudgedRankings) -> JudgedRankings:
    """The same ranking in every order of its tied documents, each as a ranking of its own."""
    n, first = int(r.retrieved[0]), np.arange(1, int(r.retrieved[0]) + 1)
    for _, start, stop in zip(*(r.ties or ((), (), ())), strict=True):
        first[start - 1 : stop] = start
    groups = [np.flatnonzero(first == start) for start in np.unique(first)]
    row_at = np.full(n, -1)
    row_at[r.rank - 1] = r.row
    orders = [
        row_at[list(itertools.chain(*order))]
        for order in itertools.product(*(itertools.permutations(g.tolist()) for g in groups))
    ]
    rows = np.stack(orders)
    kept = rows >= 0
    return JudgedRankings(
        r.judgments,
        rank=(np.nonzero(kept)[1] + 1).astype(np.int32),
        row=rows[kept].astype(np.int32),
        offsets=np.arange(len(rows) + 1) * int(kept[0].sum()),
        retrieved=np.full(len(rows), n, np.int32),
        query=np.zeros(len(rows), np.int32),
    )
