"""Compare systems: who is better, would other queries say the same, and could more judging change it?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from unjudged.base.choices import CorrectionName, TestName, TiesName
from unjudged.base.errors import UsageError
from unjudged.collection.query_segments import SegmentsSource, several_segments
from unjudged.inference.pair_rows import answer
from unjudged.inference.pair_tests import Settings
from unjudged.inference.pairs import place_of_baseline
from unjudged.questions.fitting_measures import notes_on_measures
from unjudged.questions.gathering import Gathered, Measures, Source, asked_about, gather
from unjudged.rankings.runs import RunsSource
from unjudged.results.comparison import Comparison
from unjudged.results.words import method_of_segments


def compare(
    qrels: Source,
    runs: RunsSource | None = None,
    measures: Measures = None,
    *,
    baseline: str | None = None,
    segments: SegmentsSource | None = None,
    predictions: Any = None,
    threshold: float | None = None,
    depth: int | None = None,
    pool_depth: int | None = None,
    ties: TiesName | None = None,
    test: TestName | None = None,
    correction: CorrectionName = "holm",
    alpha: float | None = None,
    draws: int = 20_000,
    seed: int = 0,
    on_read: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare two or more systems: a test over queries, and what the unjudged documents could change.

    Each pair is the system given later minus the earlier one, or a system minus the `baseline`. A pair gets
    two answers. Other queries: *hold* or *may differ*. More judging: *cannot change it*, *is unlikely to*,
    *could blur it* (the order stays, the test does not hold any more), *could flip it*, or *unknown*. The
    headline says what follows: *better*, *needs judging*, *needs queries* or *needs both*.

    Parameters
    ----------
    qrels, runs
        What `Collection` takes: judgments and runs, or a collection, a description or `Scores`, with names.
    measures
        Those of the description, else nDCG@10; `Scores` are compared by all of theirs.
    baseline
        The system that all others are compared with; every pair if none is named.
    segments
        The segment of each query: a mapping, a frame, or `file:column`.
    predictions, threshold
        What models predict, and the score from which on a document counts as relevant.
    depth
        How many documents of each ranking count.
    pool_depth
        The rank to which every pooled run was judged.
    ties
        The order of documents with the same score: "order", or "expected" over all orders.
    test, correction, alpha
        The test over queries, the correction for many pairs, and the level of both.
    draws, seed
        How often tests that draw do so, and from which seed.
    on_read
        Is told the name of each run once it is read.

    >>> from unjudged import sample
    >>> found = compare(sample.qrels, {name: sample.runs[name] for name in ("fused", "dense")})
    >>> print(found.ahead, found.headline, f"{found['difference']:+.4f}")
    fused needs judging -0.1151
    """
    collection = asked_about(qrels, runs, on_read=on_read)
    settings = Settings.of(collection.test(test), correction, collection.alpha(alpha), draws, seed)
    found = gather(
        collection,
        measures,
        depth=depth,
        pool_depth=pool_depth,
        ties=ties,
        predictions=predictions,
        threshold=threshold,
        seed=seed,
    )
    baseline = collection.baseline(baseline)
    place_of_baseline(baseline, list(found.systems))
    return compare_gathered(found, settings, baseline, collection.segments(segments))


def compare_gathered(
    found: Gathered,
    settings: Settings,
    baseline: str | None = None,
    segments: SegmentsSource | None = None,
) -> Comparison:
    """Compare systems by evidence that was gathered; one alone has no pairs."""
    names = list(found.systems)
    if segments is not None and len(names) < 2:
        raise UsageError("segments are of differences of two systems: give two or more runs")
    parts = None if segments is None else several_segments(segments, list(found.queries))
    rows, said = answer(found.evidence, settings, baseline=baseline, segments=parts)
    measures = len(found.measures)
    pairs = len(rows["pairs"]) // measures
    each = " per measure" if measures > 1 else ""
    family = f"{pairs} pairs{each}" if pairs > 1 else ""
    notes = [*found.notes, *notes_on_measures(found.measures), *said]
    told: dict[str, Any] = {
        "systems": names,
        "queries": list(found.queries),
        "baseline": baseline,
        "alpha": settings.alpha,
        "test": settings.test.title,
        "correction": settings.correction.title,
        "family": family,
        "library": found.library,
    }
    if parts is not None:
        told["segments"] = method_of_segments(settings, parts.values(), pairs, family, each)
    return Comparison(rows, notes, told, source=found)
