"""Compare systems: who is better, would other queries say the same, and could more judging change it?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from unjudged.base.choices import CorrectionName, TestName, TiesName
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.collection.query_segments import SegmentsSource, several_segments, with_every
from unjudged.collection.run_names import RunsSource
from unjudged.inference.infer import Settings, separate
from unjudged.inference.rows import MOST_PERMUTATIONS, answer, place_of_baseline
from unjudged.measures.kernel.names import MeasureLike
from unjudged.questions.sources import (
    Gathered,
    Source,
    baseline_of,
    chosen_test,
    gather,
    level_of,
    notes_on_measures,
    predicting,
    resolved,
)
from unjudged.rankings.judged import Mask
from unjudged.results.comparison import Comparison


def compare(
    qrels: Source,
    runs: RunsSource | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    baseline: str | None = None,
    segments: SegmentsSource | None = None,
    predictions: Any = None,
    threshold: float | None = None,
    outside: str = "error",
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

    >>> from unjudged import sample
    >>> found = compare(sample.qrels, {name: sample.runs[name] for name in ("fused", "dense")})
    >>> print(found.ahead, found.headline, f"{found['difference']:+.4f}")
    fused needs judging -0.1151
    """
    source, described = resolved(qrels, runs, on_read=on_read)
    settings = Settings.of(chosen_test(described, test), correction, level_of(described, alpha), draws, seed)
    found = gather(
        source,
        None,
        measures,
        depth=depth,
        pool_depth=pool_depth,
        ties=ties,
        predicted=predicting(predictions, outside, threshold),
        seed=seed,
    )
    baseline = baseline_of(described, baseline, found.systems)
    place_of_baseline(baseline, list(found.systems))
    if segments is None:
        segments = getattr(source, "segments", None) or described.segments
    return compare_gathered(found, settings, baseline, segments)


def family_of(pairs: int, measures: int) -> str:
    """Say which tests were corrected together, in words; nothing if each stands alone."""
    each = " per measure" if measures > 1 else ""
    return f"{pairs} pairs{each}" if pairs > 1 else ""


def told_of_segments(
    parts: Mapping[str, Mask], pairs: int, measures: int, settings: Settings
) -> dict[str, Any]:
    """Return which tests of segments were corrected together, in words; those of one query are not made."""
    made = sum(int(own.sum()) > 1 for own in parts.values())
    said = counted(made, "segment") + (f" of {pairs} pairs" if pairs > 1 else "")
    said = said if pairs == 1 else f"{made * pairs} tests: {said}"
    correction = separate(settings.correction)
    return {
        "undrawn": correction.name != "none" and pairs / settings.alpha > MOST_PERMUTATIONS + 1,
        "correction": correction.title,
        "corrected": correction.name != "none",
        "tests": said + (" per measure" if measures > 1 else ""),
        "untested": len(parts) - made,
    }


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
    if parts is not None:
        with_every(parts, len(found.queries))  # refuses one that is called like the row of all queries
    rows, said = answer(found.evidence, settings, baseline=baseline, segments=parts)
    pairs, measures = len(rows["pairs"]) // len(found.evidence), len(found.evidence)
    notes = [*found.notes, *notes_on_measures(found.evidence), *said]
    told: dict[str, Any] = {
        "systems": names,
        "queries": list(found.queries),
        "baseline": baseline,
        "alpha": settings.alpha,
        "test": settings.test.title,
        "correction": settings.correction.title,
        "family": family_of(pairs, measures),
        "library": found.library,
    }
    if parts is not None:
        told["segments"] = told_of_segments(parts, pairs, measures, settings)
    return Comparison(rows, notes, told, source=found)
