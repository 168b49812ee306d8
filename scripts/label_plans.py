"""Whether planned numbers of labels give the promised width: many pilots and studies on DL-2019."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product

import numpy as np
from several_judges import MEASURE, Track

from unjudged.base.segments import sums
from unjudged.measures.kernel.estimand import OTHER, THESE
from unjudged.predictions import DocumentEstimates, Judges
from unjudged.predictions.estimators.by_document import estimate_population
from unjudged.predictions.estimators.population import POISSON, Population
from unjudged.predictions.estimators.sums import Sum
from unjudged.predictions.label_plan import DIFFERENCE, MEAN, UNIFORM, WEIGHTED, Pilot, Planned
from unjudged.predictions.poisson_sample import SHARE_FOR_FLOOR, probabilities
from unjudged.rankings.judged import Floats

PILOTS, STUDIES = (430,), 400
WIDTHS = {(MEAN, THESE): 0.05, (DIFFERENCE, THESE): 0.05, (MEAN, OTHER): 0.2, (DIFFERENCE, OTHER): 0.2}
"""The promised width of each kind of interval."""
OUTSIDE = "nonrelevant"


CASES = [
    *product((MEAN, DIFFERENCE), (THESE,), (UNIFORM, WEIGHTED)),
    *product((MEAN, DIFFERENCE), (OTHER,), (WEIGHTED,)),
]


def mean_width(found: DocumentEstimates, target: str, queries: bool) -> float:
    """Return the mean width of the intervals of means, or of differences."""
    if target == MEAN:
        return float(np.mean([found.mean(run, queries=queries).width for run in found.runs]))
    pairs = combinations(found.runs, 2)
    return float(np.mean([found.difference(a, b, queries=queries).width for a, b in pairs]))


def rows_of_plans(track: Track, labels: int, studies: int) -> list[Sequence[str]]:
    """Return a row per target and design: labels planned from pilots, and the width that studies then had."""
    whole = Population.of(track.qrels, track.runs)
    judges = whole.with_predictions(
        Judges.of({name: track.judges.by_name[name] for name in ("Llama", "flan-t5")})
    )
    listed = whole.judgments.grade >= 0
    size = sums(Sum.of(MEASURE).weights(whole.rankings.rank), whole.rankings.row, len(listed))
    pi = probabilities(size, listed & (size > 0), labels, SHARE_FOR_FLOOR * labels / int(listed.sum()))
    rng = np.random.default_rng(labels)
    reached: dict[tuple[str, str, str], list[float]] = {}
    planned: dict[tuple[str, str, str], list[int]] = {}

    def sample(probability: Floats) -> Population:
        drawn = rng.random(len(probability)) < probability
        inclusion = np.where(probability > 0, probability, 1.0)
        return replace(whole, drawn=drawn, inclusion=inclusion, design=POISSON)

    for _ in range(studies):
        pilot = Pilot.of(sample(pi), judges, MEASURE, OUTSIDE)
        for case in CASES:
            target, queries, design = case
            width = WIDTHS[target, queries]
            number = Planned(target, queries, design, width, 0.95).least(pilot)
            if number is None:
                continue
            study = sample(pilot.odds(design, number, alone=False))
            found = estimate_population(study, judges, MEASURE, outside=OUTSIDE)
            reached.setdefault(case, []).append(mean_width(found, target, queries == OTHER) / width)
            planned.setdefault(case, []).append(number)
    rows: list[Sequence[str]] = []
    for case, ratios in reached.items():
        near = float(np.mean(np.array(ratios) <= 1.1))
        cells = [f"{np.mean(planned[case]):,.0f}", f"{np.mean(ratios):.3f}", f"{near:.3f}", str(len(ratios))]
        rows.append([str(labels), *case, f"{WIDTHS[case[:2]]:g}", *cells])
    return rows


HEAD = [
    *("pilot", "interval of", "for", "design", "promised width", "labels planned"),
    *("width reached / promised", "share of studies up to 1.1 times", "studies"),
]
