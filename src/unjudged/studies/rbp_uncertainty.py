"""Uncertainty of RBP: what unjudged documents may add to a score, as a random variable (Park, 2016)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from unjudged.base.errors import UsageError
from unjudged.collection.collection import collection_of, judged_rankings
from unjudged.evidence.completions import Completions, GivenPrevalence
from unjudged.evidence.unjudged_sums import Uncertain, UnjudgedSum, is_sum
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.rankings.runs import RunSource

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
