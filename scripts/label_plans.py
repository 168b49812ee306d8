"""Whether planned numbers of labels give the promised width: many pilots and studies on DL-2019."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from several_judges import MEASURE, Track

from unjudged import evaluate
from unjudged.base.segments import Integers, sums
from unjudged.measures.kernel.estimand import OTHER, THESE
from unjudged.predictions import Judges
from unjudged.predictions.estimators.by_document import estimate_population
from unjudged.predictions.estimators.by_query import QueryEstimates
from unjudged.predictions.estimators.calibrated_gains import folds_of_queries
from unjudged.predictions.estimators.estimates import PredictedMeans
from unjudged.predictions.estimators.population import POISSON, Population
from unjudged.predictions.estimators.sums import Sum
from unjudged.predictions.label_plan import Planned
from unjudged.predictions.pilot import DIFFERENCE, MEAN, UNIFORM, WEIGHTED, WHOLE, Pilot
from unjudged.predictions.poisson_sample import SHARE_FOR_FLOOR, probabilities
from unjudged.rankings.judged import Floats

PILOTS, STUDIES = (430,), 400
WIDTHS = {(MEAN, THESE): 0.05, (DIFFERENCE, THESE): 0.05, (MEAN, OTHER): 0.2, (DIFFERENCE, OTHER): 0.2}
"""The promised width of each kind of interval."""
OUTSIDE = "nonrelevant"


CASES = [
    *product((MEAN, DIFFERENCE), (THESE,), (UNIFORM, WEIGHTED)),
    *product((MEAN, DIFFERENCE), (OTHER,), (WEIGHTED, WHOLE)),
]
RELEVANT = 9.0
"""Scores from which on a judge calls a document relevant, where queries are judged whole."""


class WholeQueries(NamedTuple):
    """Scores of the runs by people (runs x queries) and by each judge (judges x runs x queries)."""

    human: Floats
    predicted: Floats
    judges: Judges
    fold: Integers

    @classmethod
    def of(cls, track: Track, judges: Judges) -> WholeQueries:
        labels = [track.qrels.grade]
        for judge in judges.all:
            label = np.where(judge.aligned(track.qrels).value >= RELEVANT, 2, 0)
            labels.append(label.astype(track.qrels.grade.dtype))
        found = [evaluate(track.qrels.with_grades(own), track.runs, MEASURE) for own in labels]
        human, *predicted = (scores.values[:, :, 0] for scores in found)
        fold = folds_of_queries([query.encode() for query in found[0].queries])
        return cls(human, np.stack(predicted), judges, fold)

    def estimates(self, chosen: Integers, runs: Sequence[str]) -> QueryEstimates:
        """Estimate from these queries judged by people, the others by the judges."""
        return QueryEstimates(
            MEASURE,
            tuple(runs),
            self.human[:, chosen],
            self.predicted[..., chosen],
            np.delete(self.predicted, chosen, axis=2),
            partly=0,
            without_predictions=0,
            unlabelled=0,
            judges=self.judges,
            fold=self.fold[chosen],
        )


def mean_width(found: PredictedMeans, target: str, queries: bool) -> float:
    """Return the mean width of the intervals of means, or of differences."""
    of = [(run, None) for run in found.runs] if target == MEAN else combinations(found.runs, 2)
    return float(np.mean([found.intervals(a, b)[queries].width for a, b in of]))


def rows_of_plans(track: Track, labels: int, studies: int) -> list[Sequence[str]]:
    """Return a row per target and design: labels planned from pilots, and the width that studies then had."""
    whole = Population.of(track.qrels, track.runs)
    two = Judges.of({name: track.judges.by_name[name] for name in ("Llama", "flan-t5")})
    judges, by_query = whole.with_predictions(two), WholeQueries.of(track, two)
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
            found: PredictedMeans
            if design == WHOLE:
                count = round(number * whole.queries / int(pilot.open.sum()))
                chosen = rng.choice(whole.queries, count, replace=False)
                found, last = by_query.estimates(chosen, whole.runs), False
            else:
                study = sample(pilot.odds(design, number, alone=False))
                found, last = estimate_population(study, judges, MEASURE, outside=OUTSIDE), queries == OTHER
            reached.setdefault(case, []).append(mean_width(found, target, last) / width)
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
