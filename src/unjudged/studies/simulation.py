"""Simulated systems: runs and complete judgments drawn from an urn (Park, 2016)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import InputError, UsageError, reason_of
from unjudged.base.segments import Floats, Integers, Mask
from unjudged.data.tables import Ids
from unjudged.data.writing import judgments_text, run_text, write_whole
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.pooled import PooledDocuments
from unjudged.rankings.runs import Run


@dataclass(frozen=True, eq=False, repr=False)
class Simulated:
    """Runs, the parameter w of each (smaller is better), and judgments of every document for every query."""

    judgments: Judgments
    runs: dict[str, Run]
    w: dict[str, float]

    def __repr__(self) -> str:
        return f"Simulated({len(self.runs)} runs, {self.judgments!r})"

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write qrels.txt and a file per run, such as s1.run, to a new or an empty folder."""
        place = Path(folder)
        if place.exists() and (not place.is_dir() or any(place.iterdir())):
            raise UsageError(f"{place} already exists: give a new or an empty folder")
        try:
            place.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"the folder cannot be made: {reason_of(error)}", source=str(place)) from None
        write_whole(place / "qrels.txt", judgments_text(self.judgments))
        for name, run in self.runs.items():
            write_whole(place / f"{name}.run", run_text(run, name))


def simulate(
    systems: int = 10,
    queries: int = 50,
    documents: int = 1000,
    *,
    prevalence: float = 0.05,
    best: float = 0.02,
    worst: float = 1.0,
    depth: int | None = None,
    seed: int = 0,
) -> Simulated:
    """Systems of different quality that rank `documents` documents for each query.

    A document is relevant with probability `prevalence`. A system draws its ranking from an urn in which a
    nonrelevant document is w times as likely to be drawn as a relevant one. w = 1 ranks at random; the w of
    the systems run from `best` to `worst` by equal factors. `depth` cuts the rankings.

    >>> from unjudged import evaluate
    >>> made = simulate(systems=3, queries=20, documents=200, seed=1)
    >>> evaluate(made.judgments, made.runs, "AP")
    system      AP  could be
    s1      0.6574  0.66 – 0.66
    s2      0.2795  0.28 – 0.28
    s3      0.0817  0.08 – 0.08
    """
    depth = documents if depth is None else depth
    numbers = {"systems": systems, "queries": queries, "documents": documents, "depth": depth}
    systems, queries, documents, depth = (checked_int(what, n, least=1) for what, n in numbers.items())
    seed = checked_int("seed", seed)
    if not 0 <= prevalence <= 1:
        raise UsageError(f"prevalence is {prevalence}, expected a number from 0 to 1")
    for what, w in {"best": best, "worst": worst}.items():
        if not 0 < w < np.inf:
            raise UsageError(f"{what} is {w}, expected a number above 0")
    relevant = np.random.default_rng([seed, 0]).random((queries, documents)) < prevalence
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
    """A score for each document; sorted by score, documents are in the order of draws from the urn.

    Drawing in proportion to weights is the same as ranking by log weight plus Gumbel noise.
    """
    noise: Floats = rng.gumbel(size=relevant.shape)
    return np.where(relevant, noise, noise + np.log(w))


def _run(queries: Ids, names: Sequence[str], scores: Floats, depth: int) -> Run:
    # Ties are broken by name, descending: a stable sort of the documents from last to first.
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
    """These names, all of one length, in this order."""
    letters = np.frombuffer("".join(names).encode(), np.uint8).reshape(len(names), -1)
    return Ids(letters[which].ravel(), np.arange(len(which) + 1, dtype=np.int64) * letters.shape[1])


def _numbered(letter: str, many: int) -> list[str]:
    wide = len(str(many))
    return [f"{letter}{i:0{wide}}" for i in range(1, many + 1)]
