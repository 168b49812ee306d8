"""Notes of a comparison: on measures without bounds, on tests, and on orders of tied documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from unjudged.base.wording import notes_of, shortlist
from unjudged.comparison.by_measure import MeasureComparison
from unjudged.comparison.testing.pairwise import compare_pairs
from unjudged.evaluation.measure_warnings import not_uniform
from unjudged.evaluation.tied_scores import Ends
from unjudged.measures.kernel.estimand import SAMPLED
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.kernel.trials import depends_on_missed
from unjudged.rankings.judged import JudgedRankings

OF_ALL = "Bounds and shares are over the documents of all runs: two runs alone can have another verdict."
OUTSIDE = (
    "documents outside pool and runs count as nonrelevant; relevant ones could turn a difference of means."
)
LOWER = "the lower value counts as better"
HIGHER = "the higher value counts as better (--lower NAME if the lower one should; in Python lower=)"
MOST = 20
"""Pairs that are tested again in other orders, those with the smallest differences first."""


def notes_on_bounds(results: Sequence[MeasureComparison], rankings: JudgedRankings) -> Iterator[str]:
    """Say which measures have no bounds and why, and of what differences are if not of means."""
    estimates = [result.measure for result in results if result.measure.traits.estimates]
    if estimates:
        names = ", ".join(f"{measure} estimates {measure.estimated}" for measure in estimates)
        drawn = f", from {rankings.judgments.origin}: {SAMPLED}, and tests allow for it"
        if not_uniform(estimates, rankings):
            drawn = " only if the judged documents are a random sample, which tests take them for"
        yield f"{names} with the pool judged{drawn}."
        yield "Documents outside the pool count as not relevant."
    for result in results:
        measure = result.measure
        if result.judging.missing and measure not in estimates:
            yield f"{result.judging.missing}; verdicts by {measure} are about other queries alone."
        if result.judging.reversal.best is not None:
            among = f"the best {result.judging.reversal.best} systems alone, because pairs are many"
            yield f"{measure}: shares of relevant documents that reverse an order were sought among {among}."
        if measure.geometric:
            yield f"{measure}: differences, their tests and intervals, and values by query are of logarithms."
        if measure.traits.summary == "sum":
            yield f"{measure}: means per query, where `evaluate` has sums."


def notes_on_documents(results: Sequence[MeasureComparison]) -> Iterator[str]:
    """Say which documents the bounds and verdicts are about."""
    bounded = [result for result in results if not result.judging.missing]
    if bounded and len(bounded[0].runs) > 2:
        yield OF_ALL
    if names := [str(result.measure) for result in bounded if depends_on_missed(result.measure)]:
        yield f"{', '.join(names)}: {OUTSIDE}"


def notes_on_direction(measures: Sequence[Measure]) -> Iterator[str]:
    """Say which values of measures that another tool computed count as better."""
    reported = [measure for measure in measures if measure.name not in MEASURES]
    for lower, words in ((True, LOWER), (False, HIGHER)):
        if own := [str(measure) for measure in reported if measure.traits.lower == lower]:
            yield f"{shortlist(own)}: {words}."


def notes_on_tests(results: Sequence[MeasureComparison]) -> list[str]:
    """Return the notes of the tests, each with its measures unless it is true of all."""
    said = ((str(result.measure), note) for result in results for note in result.tests.notes)
    return notes_of(said, len(results))


def notes_on_ties(
    results: Sequence[MeasureComparison], ends: Ends, tests: Mapping[str, Any]
) -> Iterator[str]:
    """Say which significant differences some order of tied documents would take away.

    Each order is that which favours the system behind most, for both systems. The test is the same, without
    a correction, so that a pair which is noted here would not be significant with one either.
    """
    for k, result in enumerate(results):
        pairs, lost = result.tests.pairs, []
        chosen = np.flatnonzero(result.tests.significant)
        for pair in chosen[np.argsort(np.abs(pairs.difference[chosen]), kind="stable")][:MOST].tolist():
            a, b = int(pairs.first[pair]), int(pairs.second[pair])
            a, b = (a, b) if pairs.difference[pair] > 0 else (b, a)
            values = np.stack([ends[0][a, :, k], ends[1][b, :, k]])
            worst = compare_pairs(result.measure.averaged(values), **{**tests, "correction": "none"})
            if worst.pairs.difference[0] <= 0 or worst.p[0] > worst.alpha:
                shown = f"{result.runs[a]} over {result.runs[b]} ({worst.pairs.difference[0]:+.4f}, "
                lost.append(f"{shown}p {worst.p[0]:.2g})")
        if lost:
            more = f", and {len(lost) - 3} more" if len(lost) > 3 else ""
            yield (
                f"{result.measure}: documents have the same score, and some order of them takes away the "
                f"significance of {', '.join(lost[:3])}{more}. ties='expected' (--ties expected) compares "
                "means over all orders."
            )
