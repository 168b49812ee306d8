"""Compare systems: who is better, by a test over queries and by what the unjudged documents leave open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from unjudged.base.choices import (
    CorrectionName,
    CorrectOver,
    TestName,
    TiesName,
    checked_int,
)
from unjudged.base.errors import AssumptionWarning, UsageError, announce
from unjudged.comparison.by_measure import MeasureComparison
from unjudged.comparison.comparison_notes import (
    notes_on_bounds,
    notes_on_direction,
    notes_on_documents,
    notes_on_tests,
    notes_on_ties,
)
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.judgment_bounds import bounds_of_table, judgment_bounds, no_bounds
from unjudged.comparison.testing.pairs import place_of_baseline
from unjudged.comparison.testing.pairwise import FAMILIES, compare_pairs, corrected_together
from unjudged.evaluation.collection import Collection, RunsSource
from unjudged.evaluation.evaluation import fitting_measures
from unjudged.evaluation.measure_warnings import measure_warnings
from unjudged.evaluation.scores import Scores
from unjudged.evaluation.tied_scores import (
    TIES,
    Ends,
    ends_of_orders,
    over_orders,
    tie_notes,
)
from unjudged.measures.kernel.estimand import COMPARISON, permitted
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.origin import below_pool
from unjudged.uncertainty.shared import SharedRankings

UNKNOWN = "unknown (scores of a table do not say which documents were judged)"
"""What is known of the judgments behind scores."""
WITHOUT_ORDER = "no bounds of expected values over all orders of tied documents"
OF_TABLE = (
    "Bounds are those of the table, of each system alone: unjudged documents that two systems share count "
    "for both, so bounds of differences are wider than from runs and judgments."
)
"""What is said of measures that another tool computed."""
COMPARED = ("RBP(p=0.8)",)
"""Measure of a comparison from a pool if none is named."""


def compare(
    qrels: JudgmentsSource | Collection | Scores,
    runs: RunsSource | None = None,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    depth: int | None = None,
    pool_depth: int | None = None,
    ties: TiesName = "order",
    baseline: str | None = None,
    test: TestName = "t",
    correction: CorrectionName = "holm",
    correct_over: CorrectOver = "pairs",
    alpha: float = 0.05,
    draws: int = 20_000,
    seed: int = 0,
    on_read: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare two or more systems by a test over queries, and by what the unjudged documents leave open.

    `measures` are any; the default is RBP(p=0.8), or what estimates AP where the judgments are a sample with
    strata or probabilities. One without bounds, such as xinfAP, is judged by the test alone, and differences
    by one with a geometric mean are of mean logarithms.

    `depth` keeps only the first documents of each ranking. Documents that every run has below `pool_depth`,
    the rank to which runs were pooled, count as nonrelevant in bounds and verdicts; judgments that record the
    depth of their pool need not be told. `test` is 't', 'randomization', 'wilcoxon' or
    'bootstrap'; `correction` is 'holm', 'bh', 'bonferroni', 'tukey' or 'none'. `baseline` names a run
    that the others are compared with, instead of all pairs. Tests are corrected over the pairs of each
    measure; with `correct_over='measures'`, over all pairs by all measures. `Scores` in place of judgments
    and runs, such as those of another tool (`Scores.of`), are compared by their tests, and by bounds if they
    have any, by all of their measures unless some are named.
    `ties` are those of `evaluate`. Expected values over all orders of tied documents have no bounds, so that
    their verdicts are about other queries alone. Otherwise a note says which verdicts depend on the order.
    `draws` and `seed` are for tests and corrections that resample.

    >>> from unjudged import sample
    >>> runs = {name: sample.runs[name] for name in ("reranked", "fused")}
    >>> found = compare(sample.qrels, runs)
    >>> print(found.difference, found.verdict, found.better)
    0.1006 [0.0570, 0.1497] clear reranked
    """
    TIES.find(ties)
    seed = checked_int("seed", seed)
    deepest = inf if depth is None else checked_int("depth", depth, least=1)
    tests = {"test": test, "correction": correction, "alpha": alpha, "draws": draws, "seed": seed}
    if isinstance(qrels, Scores):
        needing = {"runs": runs, "depth": depth}
        for name, given in (needing | {"ties": None if ties == "order" else ties}).items():
            if given is not None:
                raise UsageError(f"{name} needs judgments and runs, and these are scores: omit it")
        return _compare_scores(qrels.chosen(measures), baseline, correct_over, tests)
    chosen = [] if measures is None else parse_measures(measures)
    collection = Collection.of(qrels, runs, fractions=True, on_read=on_read)
    if measures is None:
        chosen = parse_measures(fitting_measures(collection.judgments, COMPARED)[0])
    original, asked = collection.judgments, chosen
    collection, chosen = collection.by_whole_grades(chosen)
    judgments, names = collection.judgments, list(collection.runs)
    place = place_of_baseline(baseline, names)
    chosen, refused = comparable(chosen, judgments)
    asked = [measure for measure in asked if measure in chosen]
    reach = judgments.origin.pool_depth(pool_depth)
    shared = collection.shared(deepest)
    closed = shared.to_pool_depth(reach)
    values, about_ties, ends = _values(collection, shared, chosen, ties=ties, depth=depth, seed=seed)
    expected = bool(about_ties) and ties == "expected"
    results: list[MeasureComparison] = []
    for k, measure in enumerate(chosen):
        values_k = np.ascontiguousarray(values[:, :, k])
        tested = compare_pairs(measure.averaged(values_k), baseline=place, **tests)  # type: ignore[arg-type]
        if expected:
            judging = no_bounds(tested.pairs, f"{measure}: {WITHOUT_ORDER}")
        else:
            judging = judgment_bounds(closed, measure, tested.pairs)
        results.append(MeasureComparison(measure, values_k, tested, judging, names))
    about_ties += [] if ends is None else notes_on_ties(results, ends, tests)
    results = _corrected(results, correct_over)
    of_measures = measure_warnings(asked, shared.judged_rankings.relabelled(original), values)
    warnings = [*shared.warnings, *of_measures, *map(AssumptionWarning, refused)]
    announce(warnings)
    return Comparison(
        names,
        list(judgments.queries),
        results,
        shared,
        baseline,
        [*map(str, warnings), *notes_on_bounds(results, shared.judged_rankings)]
        + [*notes_on_tests(results), *about_ties]
        + ([] if reach is None else [f"Bounds: {below_pool(reach)}."])
        + [*notes_on_documents(results)],
        collection.library,
        closed,
    )


def _values(
    collection: Collection,
    shared: SharedRankings,
    measures: Sequence[Measure],
    *,
    ties: TiesName,
    depth: int | None,
    seed: int,
) -> tuple[Floats, list[str], Ends | None]:
    """Run x query x measure: the values, notes on tied documents, and what two orders of them give."""
    across = any(measure.traits.across_queries for measure in measures)
    rankings = shared.with_judged_elsewhere() if across else shared.judged_rankings
    values = np.stack([shared.per_run(measure.compute(rankings)) for measure in measures], axis=-1)
    if depth is not None and rankings.ties is not None:
        rankings = collection.shared().judged_rankings
    if rankings.ties is None:
        return values, [], None
    if ties == "expected":
        return *over_orders(measures, rankings, len(shared.runs), depth=depth, seed=seed), None
    ends = ends_of_orders(measures, rankings, values, depth=depth)
    return values, list(tie_notes(measures, shared.runs, rankings, ends)), ends


def _corrected(results: list[MeasureComparison], over: CorrectOver) -> list[MeasureComparison]:
    """Correct over the pairs of each measure, as they are, or over those of all measures together."""
    FAMILIES.find(over)
    if over == "pairs" or len(results) < 2:
        return results
    tests = corrected_together([result.tests for result in results])
    return [replace(result, tests=own) for result, own in zip(results, tests, strict=True)]


def _compare_scores(
    scores: Scores, baseline: str | None, over: CorrectOver, tests: Mapping[str, Any]
) -> Comparison:
    """Compare systems by scores alone: nothing is known of their judgments."""
    place, names = place_of_baseline(baseline, scores.runs), list(scores.runs)
    results = []
    for k, measure in enumerate(scores.measures):
        values = np.ascontiguousarray(scores.values[:, :, k])
        lower = measure.traits.lower
        tested = compare_pairs(measure.averaged(values), baseline=place, lower=lower, **tests)
        judging = no_bounds(tested.pairs, UNKNOWN)
        ends = [end[:, :, k] for end in scores.ends or ()]
        if ends and np.isfinite(ends).all():
            judging = bounds_of_table(measure, ends[0], ends[1], tested.pairs)
        results.append(MeasureComparison(measure, values, tested, judging, names))
    results = _corrected(results, over)
    reasons: dict[str, list[str]] = {}
    for result in results:
        reasons.setdefault(result.judging.missing, []).append(str(result.measure))
    said = [OF_TABLE] if "" in reasons else []
    for reason, own in reasons.items():
        if reason and len(names) > 2:
            of = "Judgments" if len(reasons) == 1 else f"{', '.join(own)}: judgments"
            said.append(f"{of}: {reason}; verdicts are about other queries alone.")
    said += notes_on_direction(scores.measures)
    notes = [*map(str, scores.warnings), *scores.notes, *said, *notes_on_tests(results)]
    queries, library = list(scores.queries), scores.library
    return Comparison(names, queries, results, None, baseline, notes, library)


def comparable(measures: Sequence[Measure], judgments: Judgments) -> tuple[list[Measure], list[str]]:
    """Return the measures that these judgments allow, and why others are left out; an error if all are."""
    answers = {measure: permitted(measure, judgments, COMPARISON) for measure in measures}
    refused = {measure: answer for measure, answer in answers.items() if isinstance(answer, Refusal)}
    if len(refused) == len(answers):
        raise UsageError(str(next(iter(refused.values()))))
    left_out = [f"{measure} is left out: {answer}." for measure, answer in refused.items()]
    return [measure for measure in measures if measure not in refused], left_out
