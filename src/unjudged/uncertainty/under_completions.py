"""Every run and measure under random completions, run by run: what the model methods start from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from os import cpu_count
from typing import TypeVar

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.threads import Threads
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.completions import Completions, Evidence, by_rel
from unjudged.uncertainty.intervals import IntervalRequest
from unjudged.uncertainty.prevalence import ESTIMATED, PrevalenceLike
from unjudged.uncertainty.unjudged_sums import FEW_QUERIES, UnjudgedSum, is_sum

DRAWS, DRAWS_OF_MANY_QUERIES = 1000, 128
"""A mean over many queries is close to Normal, so its deviation is enough and needs fewer completions.

The interval then is Student's for one more draw, which allows for their number.
"""

MOST_THREADS = 4

Item = TypeVar("Item")
Result = TypeVar("Result")

WARNING = (
    "judged documents were chosen because they ranked high, so they are relevant more often than unjudged "
    "ones: on TREC-8 such intervals cover far less than they claim"
)


@dataclass(frozen=True, eq=False)
class CompletedMeasure:
    """One run and measure under completions.

    `expected` is the expected value of each query, `means` the mean over queries in each completion. For a
    sum over relevant documents no completion is drawn, and `sum` has its distribution.
    """

    measure: Measure
    expected: Floats
    assumption: str
    means: Floats
    sum: UnjudgedSum | None = None
    prevalence_variance: float = 0.0


def check_completed(measure: Measure, _request: IntervalRequest) -> None:
    """Refuse a measure that completed judgments say nothing about."""
    measure.check_completable()
    if not (measure.traits.quality or measure.traits.monotone):
        raise UsageError(f"{measure.name} describes the judgments, which completing them would change")


def completed_runs(
    request: IntervalRequest, *, prevalence_error: bool = False
) -> list[list[CompletedMeasure]]:
    """Each run by each measure. Runs are shared out to threads; the numbers do not depend on how many.

    `prevalence_error` finds the variance that an estimated prevalence causes; `means` have it in any case.
    """
    if request.prevalence is None:
        raise UsageError(
            "this interval needs a prevalence, the probability that an unjudged document is relevant: give a "
            f"number, or ask for the 'bounds' or 'calibrated' interval ({', '.join(map(repr, ESTIMATED))} "
            f"estimate it from the judged documents; {WARNING})"
        )
    evidence = {rel: Evidence.of(request.rankings, rel) for rel, _ in by_rel(request.measures)}
    given: PrevalenceLike = request.prevalence

    def completed(i: int) -> list[CompletedMeasure]:
        parts: dict[int, CompletedMeasure] = {}
        for rel, group in by_rel(request.measures):
            completions = Completions.of_run(
                request.rankings.run(i), given, evidence[rel], rel=rel, seed=request.seed
            )
            sums = [k for k in group if is_sum(request.measures[k])]
            for k in sums:
                parts[k] = _summed(completions, request.measures[k])
            others = [k for k in group if k not in sums]
            measures = [request.measures[k] for k in others]
            drawn = _drawn(request, completions, measures, prevalence_error)
            parts.update(zip(others, drawn, strict=True))
        return [parts[k] for k in range(len(request.measures))]

    found = []
    for parts in in_threads(completed, range(len(request.runs))):
        found.append(parts)
        request.report(len(found))
    return found


def in_threads(work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """Yield the results of the work on each item, in their order."""
    with Threads(min(MOST_THREADS, cpu_count() or 1)) as threads:
        yield from threads.map(work, items)


def _summed(completions: Completions, measure: Measure) -> CompletedMeasure:
    total = UnjudgedSum.of(completions, measure)
    return CompletedMeasure(
        measure,
        total.expected,
        completions.prevalence.assumption,
        means=np.zeros(0),
        sum=total,
        prevalence_variance=total.prevalence_variance,
    )


def _drawn(
    request: IntervalRequest, completions: Completions, measures: list[Measure], prevalence_error: bool
) -> Iterator[CompletedMeasure]:
    if not measures:
        return
    draws = request.draws or (DRAWS if request.values.shape[1] < FEW_QUERIES else DRAWS_OF_MANY_QUERIES)
    graded = completions.rankings.judgments.highest > completions.rel
    method = f"{completions.prevalence.assumption}; {draws} completions"
    method += ", grades as those of the judged" if graded else ""
    variances = [0.0] * len(measures)
    if prevalence_error and not completions.prevalence.known:
        variances = _prevalence_variances(completions, measures, max(draws // 2, 100))
    for measure, table, variance in zip(
        measures, completions.values(measures, draws), variances, strict=True
    ):
        yield CompletedMeasure(
            measure, table.mean(axis=0), method, means=table.mean(axis=1), prevalence_variance=variance
        )


def _prevalence_variances(completions: Completions, measures: list[Measure], draws: int) -> list[float]:
    """Return the variance of each mean that the error of an estimated prevalence causes, to first order.

    All cells are shifted together by a deviation; query by query where each query has a cell of its own.
    """
    own = completions.prevalence
    deviation = np.sqrt(own.variance())
    shifted = []
    for sign in (-1, 1):
        probability = np.clip(own.probability + sign * deviation, 0, 1)
        known = replace(own, probability=probability, relevant=None, judged=None)
        values = replace(completions, prevalence=known).values(measures, draws)
        shifted.append([table.mean(axis=0) for table in values])
    found = []
    for low, high in zip(*shifted, strict=True):
        change = (high - low) / 2
        of_mean = (change**2).sum() / len(change) ** 2 if own.per_query else change.mean() ** 2
        found.append(float(of_mean))
    return found
