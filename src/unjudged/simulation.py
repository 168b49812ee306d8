"""Simulated systems: the urn (Park, 2016) as a generator of runs and complete judgments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.errors import UsageError
from unjudged.formats.tables import Ids
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.pooled import PooledDocuments
from unjudged.rankings.runs import Run
from unjudged.uncertainty import urn


@dataclass(frozen=True, eq=False)
class Simulated:
    """Runs, the accuracy w of each, and judgments of every document for every query."""

    judgments: Judgments
    runs: dict[str, Run]
    w: dict[str, float]


def simulate(
    systems: int = 10,
    queries: int = 50,
    documents: int = 1000,
    *,
    q: float = 0.05,
    best: float = 0.02,
    worst: float = 1.0,
    depth: int | None = None,
    seed: int = 0,
) -> Simulated:
    """Systems that rank `documents` documents for each query, each with an accuracy of its own.

    A document is relevant with probability `q`. A system draws its ranking from the urn: a nonrelevant
    document is drawn w times as readily as a relevant one. w = 1 ranks at random; the systems' w go from
    `best` to `worst` by equal factors. `depth` cuts the rankings.

    >>> from unjudged import evaluate
    >>> made = simulate(systems=3, queries=20, documents=200, seed=1)
    >>> evaluate(made.judgments, made.runs, "AP")
    Scores(3 runs x 20 queries; means)
    run      AP
    s1   0.6574
    s2   0.2795
    s3   0.0817
    """
    depth = documents if depth is None else depth
    for what, number in {"systems": systems, "queries": queries, "depth": depth}.items():
        if number < 1:
            raise UsageError(f"{what} is {number}, expected at least 1")
    if seed < 0:
        raise UsageError(f"seed is {seed}, expected a whole number of at least 0")
    urn.check(documents, best, q, None)
    urn.check(documents, worst, q, None)
    relevant = np.random.default_rng([seed, 0]).random((queries, documents)) < q
    names = _numbered("d", documents)
    every_query = Ids.of(_numbered("q", queries))
    runs, accuracies = {}, {}
    for i, (name, w) in enumerate(
        zip(_numbered("s", systems), np.geomspace(best, worst, systems).tolist(), strict=True), 1
    ):
        scores = urn_scores(relevant, w, np.random.default_rng([seed, i]))
        runs[name] = _run(every_query, names, scores, min(depth, documents))
        accuracies[name] = w
    return Simulated(_judgments(every_query, names, relevant), runs, accuracies)


def urn_scores(relevant: Mask, w: float, rng: np.random.Generator) -> Floats:
    """A score for each document; best first they are ranked as draws from the urn.

    Drawing in proportion to weights is ranking by log weight plus noise from Gumbel's distribution.
    """
    noise: Floats = rng.gumbel(size=relevant.shape)
    return np.where(relevant, noise, noise + np.log(w))


def _run(queries: Ids, names: Sequence[str], scores: Floats, depth: int) -> Run:
    # Ties go by name, descending: a stable sort of the documents from last to first.
    order = scores.shape[1] - 1 - np.argsort(-scores[:, ::-1], axis=1, kind="stable")[:, :depth]
    offsets = np.arange(len(queries) + 1, dtype=np.int64) * depth
    scores = np.take_along_axis(scores, order, axis=1)
    return Run(queries, offsets, _repeated(names, order.ravel()), scores.ravel())


def _judgments(queries: Ids, names: Sequence[str], relevant: Mask) -> Judgments:
    offsets = np.arange(len(queries) + 1, dtype=np.int64) * len(names)
    documents = _repeated(names, np.tile(np.arange(len(names)), len(queries)))
    grades = relevant.ravel().astype(np.int32)
    return Judgments(PooledDocuments(queries, offsets, documents), grades)


def _repeated(names: Sequence[str], which: Integers) -> Ids:
    """Names, all of one length, in this order."""
    letters = np.frombuffer("".join(names).encode(), np.uint8).reshape(len(names), -1)
    return Ids(letters[which].ravel(), np.arange(len(which) + 1, dtype=np.int64) * letters.shape[1])


def _numbered(letter: str, many: int) -> list[str]:
    wide = len(str(many))
    return [f"{letter}{i:0{wide}}" for i in range(1, many + 1)]
