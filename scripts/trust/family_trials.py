"""How often some system is called better than an equal one: ten equal systems, Holm, hidden documents.

All systems draw their rankings from the same urns, so none is better. Of some, the first documents were
judged; what only the others have is unjudged, so under the judgments the others seem to be worse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from typing import NamedTuple

import numpy as np
from held import Held

from unjudged.collection.collection import judged_rankings
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings
from unjudged.inference.pair_tests import Settings, decide, run_tests
from unjudged.inference.verdict import BETTER
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.extension import chosen_rows
from unjudged.studies.random_rankings import simulate

ALPHA, SYSTEMS, QUERIES, DOCUMENTS, LENGTH = 0.05, 10, 50, 300, 20
MEASURES = ("RBP(p=0.8)", "nDCG@10", "AP")
POOLED, DEPTH = (10, 6, 3), 10
TRIALS = 1000
SKILL = 0.1
SETTINGS = Settings.of("t", "holm", ALPHA, 1, 0)
SIGNIFICANT, CAREFUL = "significant", "hold"


class Family(NamedTuple):
    """How many systems were pooled, by which measure, and which rule names a better system."""

    pooled: int
    measure: str
    rule: str


def trial(seed: int) -> Counter[Family]:
    """Count the families in which some system is called better than another; all pairs are a family."""
    made = simulate(SYSTEMS, QUERIES, DOCUMENTS, best=SKILL, worst=SKILL, depth=LENGTH, seed=seed)
    found = Counter[Family]()
    first, second = np.triu_indices(SYSTEMS, 1)
    every = judged_rankings(made.judgments, made.runs)
    for pooled in POOLED:
        in_pool = np.zeros(len(made.judgments.grade), bool)
        own = every.runs(0, pooled)
        in_pool[own.row[own.rank <= DEPTH]] = True
        shared = SharedRankings.of(chosen_rows(made.judgments, in_pool), made.runs)
        for measure in parse_measures(MEASURES):
            scores = shared.per_run(measure.compute(shared.judged_rankings))
            contrast = RankingsEvidence(shared, measure, scores).contrast(first, second)
            (columns,) = decide([run_tests(contrast, SETTINGS, shares=False)], SETTINGS)
            rules = {
                SIGNIFICANT: columns["p_adjusted"] <= ALPHA,
                CAREFUL: columns["other_queries"] == "hold",
                BETTER: columns["headline"] == BETTER,
            }
            found.update(Family(pooled, str(measure), rule) for rule, said in rules.items() if said.any())
    return found


def total(counts: Iterable[Counter[Family]]) -> Counter[Family]:
    """Add up the counts of trials."""
    found = Counter[Family]()
    for one in counts:
        found.update(one)
    return found


def measured(workers: int) -> list[Held]:
    """Return how often no system is called better, for each rule."""
    with ProcessPoolExecutor(workers) as pool:
        found = total(pool.map(trial, range(TRIALS), chunksize=10))
    return [
        Held(
            "simulated",
            f"{pooled} of {SYSTEMS} pooled, {rule}",
            str(measure),
            1 - ALPHA,
            1 - found[Family(pooled, str(measure), rule)] / TRIALS,
            TRIALS,
        )
        for pooled in POOLED
        for measure in parse_measures(MEASURES)
        for rule in (SIGNIFICANT, CAREFUL, BETTER)
    ]
