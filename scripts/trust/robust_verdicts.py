"""How often a robust verdict was wrong: pairs of left-out groups, and simulated collections.

Two groups take no part: the documents that only they brought are unjudged. Every run of one is compared with
every run of the other, cut at the depth of the pool, and the verdict with the order under all judgments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from coverage_tables import markdown
from left_out_runs import Pooled, Track, of_runs

from unjudged.comparison.by_measure import MeasureComparison
from unjudged.comparison.judgment_bounds import judgment_bounds
from unjudged.comparison.testing.pairwise import compare_pairs
from unjudged.evaluation.collection import judged_rankings
from unjudged.experiments.simulation import simulate
from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.judged import Floats, Mask
from unjudged.uncertainty.left_out import LeftOut
from unjudged.uncertainty.shared import SharedRankings

SIMULATED = "simulated"
MEASURES = {
    "TREC-8": ("AP", "nDCG", "nDCG@10", "RBP(p=0.8)", "RBP(p=0.95)", "P@10", "R@100"),
    "DL-2019": ("AP(rel=2)", "nDCG@10", "RBP(p=0.8, rel=2)", "P(rel=2)@10"),
    SIMULATED: ("AP", "nDCG@10", "RBP(p=0.8)", "RBP(p=0.95)", "P@10"),
}
COLLECTIONS, SYSTEMS, POOLED_SYSTEMS, POOL_DEPTH, LENGTH = 100, 10, 6, 20, 50
GRADES = SETTLED, ROBUST, OPEN = "settled", "robust", "open"

Counts = Counter[tuple[str, str, bool]]
"""Pairs by measure, grade, and whether the order was wrong."""


def left_out_pairs(track: Track) -> Counts:
    """Pairs of runs of every two groups, both left out."""
    pooled, measures, counts = Pooled.read(track), parse_measures(MEASURES[track.name]), Counts()
    truths = [pooled.means(measure) for measure in measures]
    left_out = LeftOut(pooled.rankings, pooled.group)
    for out in combinations(range(pooled.groups), 2):
        hidden = left_out.only_by(out)
        runs = np.flatnonzero(np.isin(pooled.group, out))
        grade = np.where(hidden, -1, pooled.rankings.judgments.grade).astype(np.int32)
        judgments = pooled.rankings.judgments.with_grades(grade)
        rankings = of_runs(pooled.rankings, runs).relabelled(judgments)
        shared = SharedRankings(
            judgments,
            rankings,
            [f"run {run}" for run in runs],
            judgments.queries,
            judgments.documents,
            np.arange(len(grade)),
            judgments,
        )
        apart = pooled.group[runs]
        for measure, truth in zip(measures, truths, strict=True):
            counts += graded(shared, measure, truth[runs], apart[:, None] != apart[None, :])
    return counts


def simulated_pairs(seed: int) -> Counts:
    """Every pair of ten systems drawn from urns; six of them were pooled to rank 20."""
    made = simulate(SYSTEMS, 50, 1000, best=0.02, worst=0.3, depth=LENGTH, seed=seed)
    rng = np.random.default_rng(seed)
    names = list(made.runs)
    pooled = sorted(rng.permutation(SYSTEMS)[:POOLED_SYSTEMS].tolist())
    complete = judged_rankings(made.judgments, {names[i]: made.runs[names[i]] for i in pooled})
    group = np.arange(POOLED_SYSTEMS)
    left_out = LeftOut.of(complete, group, POOL_DEPTH)
    in_pool = np.asarray(left_out.contributors.any(axis=1))
    shared = SharedRankings.of(chosen_rows(made.judgments, in_pool), made.runs)
    counts = Counts()
    every = judged_rankings(made.judgments, made.runs)
    for measure in parse_measures(MEASURES[SIMULATED]):
        truth = shared.per_run(measure.compute(every)).mean(axis=1)
        counts += graded(shared, measure, truth, np.ones((SYSTEMS, SYSTEMS), bool))
    return counts


def graded(shared: SharedRankings, measure: Measure, truth: Floats, wanted: Mask) -> Counts:
    """Count the wanted pairs of runs by grade, and whether the truth has the other order."""
    values = shared.per_run(measure.compute(shared.rankings))
    tests = compare_pairs(values, correction="none")
    pairs, judging = tests.pairs, judgment_bounds(shared, measure, tests.pairs)
    result = MeasureComparison(measure, values, tests, judging, shared.runs)
    wrong = (truth[pairs.first] - truth[pairs.second]) * pairs.difference < 0
    counts: Counts = Counter()
    for k in np.flatnonzero(wanted[pairs.first, pairs.second] & (pairs.difference != 0)).tolist():
        settled, name = bool(judging.settled[k]), str(measure)
        grade = SETTLED if settled else ROBUST if result.robust[k] else OPEN
        counts[name, grade, bool(wrong[k])] += 1
    return counts


def robust_table(counts: Counts, of: str) -> str:
    """Pairs of each grade and, in brackets, those in the wrong order."""
    head = ["measure", "pairs", *(f"{grade} (wrong)" for grade in GRADES)]
    return markdown(head, _rows(counts, [str(measure) for measure in parse_measures(MEASURES[of])]))


def _rows(counts: Counts, names: Sequence[str]) -> Iterator[list[str]]:
    total: Counter[tuple[str, bool]] = Counter()
    for name in names:
        own = {grade: [counts[name, grade, wrong] for wrong in (False, True)] for grade in GRADES}
        total.update({(grade, wrong): own[grade][wrong] for grade in GRADES for wrong in (False, True)})
        yield [name, *_cells(own)]
    yield ["all", *_cells({grade: [total[grade, wrong] for wrong in (False, True)] for grade in GRADES})]


def _cells(own: dict[str, list[int]]) -> list[str]:
    pairs = sum(map(sum, own.values()))
    return [f"{pairs:,}", *(f"{sum(own[grade]):,} ({own[grade][1]:,})" for grade in GRADES)]
