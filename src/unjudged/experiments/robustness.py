"""Experiment: judge less, by a design, and see how well measures still estimate the actual values."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from unjudged.base.choices import DesignName, as_list, checked_int
from unjudged.base.errors import UsageError
from unjudged.evaluation.collection import RunsSource
from unjudged.experiments.checkpoint import Checkpoint
from unjudged.experiments.summary import DEFAULT_STATISTICS, Robustness, known_statistics
from unjudged.experiments.workers import run_all
from unjudged.judging.pooling.designs import DESIGNS, Design
from unjudged.judging.pooling.pool import Pool
from unjudged.measures.kernel.names import MeasureLike, parse_measure, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.weighted import BY_PROBABILITY
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import Judgments, JudgmentsSource

DEFAULT_MEASURES = ("AP", "infAP", "indAP", "subAP", "Bpref", "Bpref10")
SEEDS_APART = 1000
"""The distance between the samples of two seeds: with up to this many repeats they share none."""

SLACK, LARGEST = 1e-9, 1e150
"""Larger values would have no squared error."""


def experiment(
    qrels: JudgmentsSource | Pool,
    runs: RunsSource | None = None,
    design: DesignName = "random",
    *,
    levels: Iterable[float] | None = None,
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    against: MeasureLike = "AP",
    statistics: Iterable[str] = DEFAULT_STATISTICS,
    repeats: int = 10,
    seed: int = 0,
    workers: int = 1,
    checkpoint: str | os.PathLike[str] | None = None,
    on_step: Callable[[int], None] | None = None,
    **options: Any,
) -> Robustness:
    """Judge less, and compare every run's mean at each level with the actual one.

    `design` names a registered design, which defines what a level is: a share of
    the judged documents (`random`), the depth of a pool (`depth`, or `mixed` with as many documents drawn
    from the rest), or the share judged below the depth-`top` pool, which is judged completely (`stratified`).
    `options` are those of the design, such as `top=10`.

    The sample of repeat s has the seed 1000 `seed` + s, so that `Pool.random` and the other designs make it
    again. Within a repeat, larger samples contain the smaller ones, except where the redraw rule applies.

    With several `workers` the samples are shared by processes; the result does not change. A `checkpoint`
    file keeps what is done: after an interruption the same call continues from there. Delete it when the
    result is safe. `on_step` is called with the number of samples done.

    >>> from unjudged import sample
    >>> result = experiment(sample.qrels, sample.runs, levels=[0.1, 0.5], measures=["AP", "infAP"], repeats=3)
    >>> round(result.find("bias", "AP", 0.1).mean, 3), round(result.find("bias", "infAP", 0.1).mean, 3)
    (-0.156, -0.006)
    """
    chosen_design, names = DESIGNS.find(design), known_statistics(statistics)
    chosen_design.check_options(options)
    repeats, workers = checked_int("repeats", repeats, least=1), checked_int("workers", workers, least=1)
    seed = checked_int("seed", seed)
    chosen, gold = parse_measures(measures), parse_measure(against)
    for measure in chosen:
        if measure.name in BY_PROBABILITY and not chosen_design.random:
            raise UsageError(
                f"{measure} needs the probability that each document was drawn, and design {design!r} "
                "draws none at random: use a random, mixed or stratified design, or infAP"
            )
    pool = qrels if isinstance(qrels, Pool) else Pool.of(qrels, runs)
    if len(pool.runs) < 2:
        raise UsageError("an experiment compares runs: give at least two")
    listed = as_list("levels", chosen_design.levels if levels is None else levels)
    steps = list(dict.fromkeys(float(chosen_design.level.check(level)) for level in listed))
    if not steps:
        raise UsageError("no level given")
    draws = repeats if chosen_design.random else 1
    tasks = [(level, SEEDS_APART * seed + repeat) for level in steps for repeat in range(draws)]
    bare = replace(pool, matched=replace(pool.rankings))  # cached results need not travel to other processes
    work = partial(_sample_means, bare, chosen_design, options, chosen)
    of_means = [_limits(measure, len(pool.judgments.queries)) for measure in chosen]
    limits = [(0.0, float(len(pool.judgments.grade))), *of_means * len(pool.runs)]
    settings = [design, sorted(options.items()), *map(_identity, chosen)]
    with Checkpoint.of(checkpoint, pool, settings, limits) as done:
        # The samples of a seed one after another, because they are drawn from one order.
        results = run_all(work, sorted(tasks, key=itemgetter(1)), workers, done, on_step)
    values = np.array([results[task] for task in tasks]).reshape(len(steps), draws, -1)
    shape = len(steps), draws, len(pool.runs), len(chosen)
    *actual, reference = (_means(pool.rankings, measure) for measure in (*chosen, gold))
    return Robustness(
        design,
        steps,
        pool.runs,
        chosen,
        gold,
        values[:, :, 1:].reshape(shape),
        np.stack(actual, axis=-1),
        reference,
        values[:, :, 0],
        float(pool.judgments.count(0).mean()),
        names,
        {**chosen_design.options, **options}.get("redraw"),
    )


def _sample_means(
    pool: Pool,
    design: Design,
    options: Mapping[str, Any],
    measures: Sequence[Measure],
    task: tuple[float, int],
) -> list[float]:
    """Return the number of judged documents per query, then every run's mean by each measure."""
    level, seed = task
    judgments = design.draw(pool, level, seed, **options)
    rankings = pool.rankings.relabelled(judgments)
    means = np.stack([_means(rankings, measure) for measure in measures], axis=-1)
    return [float(judgments.count(0).mean()), *means.ravel().tolist()]


def _means(rankings: JudgedRankings, measure: Measure) -> Floats:
    values = measure.compute(rankings).reshape(-1, len(rankings.judgments.queries))
    return measure.over_queries(values)


def _limits(measure: Measure, queries: int) -> tuple[float, float]:
    """Return the least and the largest that a mean can be, a rounding error apart."""
    low, high = measure.range
    times = queries if measure.traits.summary == "sum" else 1
    return max(times * low - SLACK, -LARGEST), min(times * high + SLACK, LARGEST)


def _identity(measure: Measure) -> str:
    """Return the measure's name; complete judgments among its parameters with their content."""
    actual = measure.given.get("actual")
    return str(measure) if actual is None else f"{measure} {pickle.dumps(Judgments.of(actual))!r}"
