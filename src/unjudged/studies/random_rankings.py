"""Rankings and relevance by chance: a random baseline (Bestgen, 2015), rankings from an urn, and what RBP
leaves open (Park, 2016).

>>> round(expected("AP", documents=10, relevant=4), 12)
0.528597883598
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from unjudged.base.choices import checked_int
from unjudged.base.errors import InputError, UsageError, reason_of
from unjudged.base.segments import Floats, Integers, Mask
from unjudged.collection.collection import collection_of, judged_rankings
from unjudged.data.tables import Ids
from unjudged.data.writing import write_whole
from unjudged.evidence.completions import Completions, GivenPrevalence
from unjudged.evidence.unjudged_sums import Uncertain, UnjudgedSum, is_sum
from unjudged.measures.kernel.chance import STRETCH
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.measures.precision import AP
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.pooled import PooledDocuments
from unjudged.rankings.runs import Run, RunSource

NORMAL_FROM = 30
"""From so many queries on the mean AP of random rankings is taken as Normal."""
BATCH = 4_000_000


def expected(measure: MeasureLike, documents: int, relevant: int) -> float:
    """Return the expected score of a random ranking with these numbers of documents and of relevant ones.

    For AP, P, R, RR, Success, RBP, nDCG, SetP and SetR, with their cutoffs; gains are 1.

    >>> expected("P@10", documents=1000, relevant=50)
    0.05
    """
    chosen = parse_measure(measure)
    return float(chosen.by_chance(documents, relevant))


def variance_of_ap(documents: int, relevant: int) -> float:
    """Return the variance of AP over all random rankings.

    E[AP^2] is a sum over pairs of places i <= i' and places j <= i, j' <= i' of products of four
    indicators, whose expectation depends only on how many of the places differ:
    m_d = R (R-1) ... (R-d+1) / (N (N-1) ... (N-d+1)). Counting those takes one pass.
    """
    AP.by_chance(documents, relevant)  # refuses impossible numbers
    if relevant == 0:
        return 0.0
    steps = np.arange(4)
    m1, m2, m3, m4 = np.cumprod((relevant - steps) / np.maximum(documents - steps, 1)).tolist()
    second, so_far = 0.0, 0.0
    for start in range(0, documents, STRETCH):
        i = np.arange(start + 1.0, min(start + STRETCH, documents) + 1)
        same = (m1 + 3 * (i - 1) * m2 + (i - 1) * (i - 2) * m3) / i**2
        harmonics = so_far + np.cumsum(1 / i)
        before = harmonics - 1 / i  # H_(i-1)
        others = (2 * m2 + (i - 2) * m3) * before + (3 * m3 + (i - 3) * m4) * (i - 1 - before)
        second += float((same + 2 * others / i).sum()) / relevant**2
        so_far = float(harmonics[-1])
    return max(second - float(AP.by_chance(documents, relevant)) ** 2, 0.0)


def p_of_random_ranking(
    values: ArrayLike, documents: int, relevant: ArrayLike, *, rankings: int = 10_000, seed: int = 0
) -> float:
    """Return the probability that random rankings reach the mean AP of these queries, or more.

    `values` are the AP and `relevant` the numbers of relevant documents of each query. With 30 or more
    queries the mean is taken as Normal, with the exact mean and variance of random rankings; with fewer,
    `rankings` random rankings are drawn.

    >>> round(p_of_random_ranking([0.9, 0.4], documents=10, relevant=[4, 4]), 2)
    0.15
    """
    aps, counts = np.atleast_1d(np.asarray(values, float)), np.atleast_1d(np.asarray(relevant))
    if aps.shape != counts.shape:
        raise UsageError(
            f"{len(aps)} values but {len(counts)} numbers of relevant documents, expected equally many"
        )
    mean = AP.by_chance(documents, counts).mean()
    if len(aps) >= NORMAL_FROM:
        from scipy.special import ndtr

        spread = np.sqrt(sum(variance_of_ap(documents, int(r)) for r in counts)) / len(counts)
        return float(ndtr((mean - aps.mean()) / spread))
    rng, drawn = np.random.default_rng(seed), np.zeros(checked_int("rankings", rankings, least=1))
    for r in counts.tolist():
        drawn += random_aps(documents, int(r), rankings, rng) / len(counts)
    # Add one to both, for the run itself, so that p is never 0.
    return float(((drawn >= aps.mean() - 1e-12).sum() + 1) / (rankings + 1))


def random_aps(documents: int, relevant: int, rankings: int, rng: np.random.Generator) -> Floats:
    """Return the AP of `rankings` random rankings."""
    if relevant == 0:
        return np.zeros(rankings)
    values, batch = np.empty(rankings), max(1, BATCH // documents)
    for start in range(0, rankings, batch):
        size = min(batch, rankings - start)
        places = np.argpartition(rng.random((size, documents)), relevant - 1, axis=1)[:, :relevant]
        places.sort(axis=1)
        values[start : start + size] = (np.arange(1, relevant + 1) / (places + 1)).mean(axis=1)
    return values


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
        write_whole(place / "qrels.txt", self.judgments.text())
        for name, run in self.runs.items():
            write_whole(place / f"{name}.run", run.text(name))


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
    """Return documents with random scores as a run."""
    # Ties are broken by name, descending: a stable sort of the documents from last to first.
    order = scores.shape[1] - 1 - np.argsort(-scores[:, ::-1], axis=1, kind="stable")[:, :depth]
    offsets = np.arange(len(queries) + 1, dtype=np.int64) * depth
    scores = np.take_along_axis(scores, order, axis=1)
    return Run(queries, offsets, _repeated(names, order.ravel()), scores.ravel())


def _judgments(queries: Ids, names: Sequence[str], relevant: Mask) -> Judgments:
    """Return which documents are relevant as judgments."""
    offsets = np.arange(len(queries) + 1, dtype=np.int64) * len(names)
    documents = _repeated(names, np.tile(np.arange(len(names)), len(queries)))
    grades = relevant.ravel().astype(np.int32)
    return Judgments(PooledDocuments(queries, offsets, documents), grades)


def _repeated(names: Sequence[str], which: Integers) -> Ids:
    """These names, all of one length, in this order."""
    letters = np.frombuffer("".join(names).encode(), np.uint8).reshape(len(names), -1)
    return Ids(letters[which].ravel(), np.arange(len(which) + 1, dtype=np.int64) * letters.shape[1])


def _numbered(letter: str, many: int) -> list[str]:
    """Return names such as d01, d02."""
    wide = len(str(many))
    return [f"{letter}{i:0{wide}}" for i in range(1, many + 1)]


__all__ = ["Uncertain", "UncertaintyOfRBP", "uncertainty_of_rbp"]


@dataclass(frozen=True, eq=False)
class UncertaintyOfRBP:
    """What unjudged documents add to a run's score on each query, and to its mean."""

    by_query: Mapping[str, Uncertain]
    mean: Uncertain


def uncertainty_of_rbp(
    qrels: JudgmentsSource,
    run: RunSource,
    prevalence: GivenPrevalence = 0.2,
    measure: MeasureLike = "RBP(p=0.8)",
) -> UncertaintyOfRBP:
    """Return the distribution of what unjudged documents add to RBP, P or another sum over documents.

    `prevalence` is the probability that an unjudged document is relevant, or one for each of the ranks 1, 2,
    3-4, 5-8, ...

    >>> from unjudged import sample
    >>> found = uncertainty_of_rbp(sample.qrels, sample.runs["dense"])
    >>> round(found.mean.mean, 4), round(found.mean.variance**0.5, 4), round(found.mean.quantile(0.95), 4)
    (0.1372, 0.0201, 0.1713)
    >>> round(found.by_query["q01"].mean, 4)
    0.0806
    """
    collection = collection_of(qrels, run)
    chosen = parse_measure(measure).on(collection.judgments)
    if not is_sum(chosen):
        raise UsageError(f"{chosen} is not a sum over relevant documents: use RBP or P")
    if len(collection.runs) != 1:
        raise UsageError(f"{len(collection.runs)} runs, expected one")
    rankings = judged_rankings(collection.judgments, collection.runs)
    made = UnjudgedSum.of(Completions.of_run(rankings, prevalence), chosen)
    by_query = {query: made.of_ranking(j) for j, query in enumerate(collection.judgments.queries)}
    return UncertaintyOfRBP(by_query, made.of_mean)
