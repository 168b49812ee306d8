"""Which documents people should judge, so that their judgments and the predictions tell most together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import InputError, UsageError
from unjudged.base.segments import Floats, Mask, sums
from unjudged.collection.collection import judged_rankings
from unjudged.data.columns import QRELS
from unjudged.evidence.drawn.predictions import Judges, JudgesSource, any_predicted
from unjudged.judging import sampling
from unjudged.measures.kernel.names import MeasureLike
from unjudged.predictions.calibrated_gains import Curve, combined, folds_of
from unjudged.predictions.sums import Sum
from unjudged.rankings.extension import chosen_rows, extended, rows_of, table_of
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource, answers_in
from unjudged.rankings.origin import WEIGHTED, Origin
from unjudged.rankings.pooled import unit
from unjudged.rankings.runs import Run, RunsSource, name_runs
from unjudged.rankings.sample_file import answered

FLOOR, SHARE_FOR_FLOOR = 0.01, 0.1
"""By default no probability is below 0.01, unless that took more than a tenth of the budget."""
LEAST_DOUBT = 0.1
"""A model that is sure may be wrong. If its word were taken, documents of great weight would hardly ever be
drawn, and most samples would show far too little of the variance that there is."""
_HALVINGS = 100


def design_for_predictions(
    runs: RunsSource,
    budget: float,
    predictions: JudgesSource | None = None,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    qrels: JudgmentsSource | None = None,
    among: JudgmentsSource | None = None,
    floor: float | None = None,
    seed: int = 0,
) -> Judgments:
    """Draw the documents that people should judge.

    A document is drawn with a probability proportional to its mean weight in the runs x sqrt(m (1 - m)),
    where m is the chance that it is relevant: it is worth judging if it counts and if it is in doubt. No
    probability is below `floor`: 0.01, or less where that would take more than a tenth of the budget. About
    `budget` documents are drawn, decided by their names and the seed.

    m counts as between 0.1 and 0.9, because a model may be sure and wrong. It is the prediction where that is
    a probability, or calibrated on the judged documents of `qrels`, which are not drawn again. With neither,
    every document is equally in doubt. Several judges, `{"llama": ..., "clicks": ...}`, count with weights
    that the judged documents give them, or all alike. `among` lists the documents that can be judged, a pool
    for example; their grades are not looked at, and documents of other queries are not drawn.

    >>> from unjudged import sample
    >>> design = design_for_predictions(sample.runs["dense"], budget=50, measure="P@10")
    >>> int(design.drawn.sum()), round(float(design.probability.min()), 3)
    (43, 0.167)
    """
    chosen, seed = Sum.of(measure), checked_int("seed", seed)
    listed = None if among is None else _none_judged(Judgments.read(among))
    pool, rankings = _retrieved(runs, None if qrels is None else Judgments.whole(qrels), listed)
    weight = sums(chosen.weights(rankings.rank), rankings.row, len(pool.grade))
    open_ = pool.waiting & (weight > 0)
    if listed is not None:
        open_ &= rows_of(listed, table_of(pool)) >= 0
    if not open_.any():
        raise InputError("nothing is left to draw: every document that counts is judged")
    chance = _chance(predictions, pool, chosen)
    chance = np.clip(chance, LEAST_DOUBT, 1 - LEAST_DOUBT)
    size = np.where(open_, weight * np.sqrt(chance * (1 - chance)), 0.0)
    least = min(FLOOR, SHARE_FOR_FLOOR * budget / max(int(open_.sum()), 1)) if floor is None else floor
    odds = probabilities(size, open_, budget, least)
    excluded = rankings.where(((pool.grade < 0) & (weight == 0))[rankings.row]).rank
    depth = int(excluded.min()) - 1 if len(excluded) else None
    return poisson_sample(pool, open_, odds, seed=seed, depth=depth)


def poisson_sample(
    pool: Judgments, open_: Mask, probability: Floats, *, seed: int, depth: int | None = None
) -> Judgments:
    """Draw each open document with its probability, as names and seed decide.

    The sample lists the documents that could be drawn and those that were judged before, which have
    probability 1; so have those that cannot be judged. No document below the rank `depth` counts.
    """
    frame = (open_ & (probability > 0)) | ~pool.waiting
    number = unit(sampling.numbers(sampling.identities(pool), seed, "judging"))
    listed = chosen_rows(pool, frame)
    before = ~listed.waiting
    return answered(
        Judgments(
            listed.pooled,
            answers_in(listed.grade),
            probability=np.where(before, 1.0, probability[frame]),
            origin=Origin(WEIGHTED, depth),
            drawn=before | (open_ & (number < probability))[frame],
        )
    )


def probabilities(size: Floats, open_: Mask, budget: float, floor: float = 0.0) -> Floats:
    """For the open rows min(1, max(floor, c x size)), with c such that they add up to the budget; else 0."""
    documents = int(open_.sum())
    if not budget > 0:
        raise UsageError(f"budget is {budget:g}, expected a number above 0")
    if not 0 <= floor < 1:
        raise UsageError(f"floor is {floor:g}, expected a probability from 0 to below 1")
    if floor * documents > budget:
        most = budget / documents
        raise UsageError(
            f"a floor of {floor:g} alone draws {floor * documents:.0f} of {documents} documents, "
            f"more than the budget of {budget:g}: choose a floor below {most:.2g}"
        )
    chosen, result = size[open_], np.zeros(len(size))
    largest = float(chosen.max(initial=0.0))
    if budget >= documents or largest == 0:
        result[open_] = 1.0 if budget >= documents else budget / documents
        return result

    def scaled(c: float) -> Floats:
        return np.clip(c * chosen / largest, floor, 1)

    low, high = 0.0, 1.0
    while scaled(high).sum() < budget and high < 1e300:
        high *= 4
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if scaled(middle).sum() < budget else (low, middle)
        if high - low <= 1e-15 * high:
            break
    result[open_] = scaled(high)
    return result


def _none_judged(judgments: Judgments) -> Judgments:
    """Return the same list of documents, with nothing known of them."""
    unknown = np.full(len(judgments.grade), UNSAMPLED, np.int32)
    return replace(judgments, grade=unknown, stratum=None, probability=None)


def _retrieved(
    runs: RunsSource, known: Judgments | None, listed: Judgments | None
) -> tuple[Judgments, JudgedRankings]:
    """Return a pool of what is known and what the runs retrieve, for the listed queries, and rankings."""
    named = {name: Run.read(run) for name, run in name_runs(runs).items()}
    tables = [run.table for run in named.values()]
    if listed is not None:
        known = listed if known is None else extended(known, [table_of(listed)], new_queries=True)
    elif known is None:
        known = _none_judged(Judgments.from_table(replace(tables[0], numbers=tables[0].numbers * 0), QRELS))
    pool = extended(known, tables, new_queries=listed is None)
    return pool, judged_rankings(pool, named)


def _chance(predictions: JudgesSource | None, pool: Judgments, chosen: Sum) -> Floats:
    """How likely each document is to be relevant, as far as anything is known.

    Several judges have weights that the judged documents give them, or equal ones where nothing is judged.
    """
    half = np.full(len(pool.grade), 0.5)
    if predictions is None:
        return half
    source = Judges.of(predictions)
    values = source.aligned(pool, "the runs")
    known = any_predicted(values)
    judged = (pool.grade >= 0) & known
    relevant = np.where(judged, pool.grade >= chosen.rel, 0.0)
    if 0 < relevant.sum() < judged.sum():
        if len(source) == 1:
            curve = Curve.fitted(values[0][judged], relevant[judged], np.ones(int(judged.sum())))
            return curve(values[0])
        return combined(list(values), relevant, judged, np.ones(len(judged)), folds_of(pool)).expected
    if not all(judge.are_probabilities for judge in source.all):
        return half
    count = np.maximum((~np.isnan(values)).sum(axis=0), 1)
    return np.where(known, np.nansum(values, axis=0) / count, 0.5)
