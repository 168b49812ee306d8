"""Experiment: judge less, by a design, and see how well measures still estimate the actual values."""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.base.choices import DesignName, as_list, checked_int
from unjudged.base.errors import UnjudgedError, UsageError
from unjudged.evaluation.collection import RunsSource
from unjudged.experiments.summary import Robustness
from unjudged.judging.designs import DESIGNS, Design
from unjudged.judging.pooling import Pool
from unjudged.measures.kernel.names import MeasureLike, parse_measure, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.weighted import BY_PROBABILITY
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import JudgmentsSource

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

DEFAULT_MEASURES = ("AP", "infAP", "indAP", "subAP", "Bpref", "Bpref10")
SEEDS_APART = 1000
"""The distance between the samples of two seeds: with up to this many repeats they share none."""

SHARES = 4
"""Tasks of experiments are handed to each worker in about this many parts."""

ENDED = (
    "a worker process ended before its work was done: the system may have stopped it for lack of memory (use "
    'fewer workers), or a script started it outside `if __name__ == "__main__":`'
)

Task = tuple[float, int]
"""A level, and the seed of a sample."""
Work = Callable[[Task], list[float]]


def experiment(
    qrels: JudgmentsSource | Pool,
    runs: RunsSource | None = None,
    design: DesignName = "random",
    *,
    levels: Iterable[float] | None = None,
    measures: MeasureLike | Iterable[MeasureLike] = DEFAULT_MEASURES,
    against: MeasureLike = "AP",
    repeats: int = 10,
    seed: int = 0,
    workers: int = 1,
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

    With several `workers` the samples are shared by processes; the result does not change. `on_step` is
    called with the number of samples done.

    >>> from unjudged import sample
    >>> result = experiment(sample.qrels, sample.runs, levels=[0.1, 0.5], measures=["AP", "infAP"], repeats=3)
    >>> round(result.find("bias", "AP", 0.1).mean, 3), round(result.find("bias", "infAP", 0.1).mean, 3)
    (-0.156, -0.006)
    """
    chosen_design = DESIGNS.find(design)
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
    # The samples of a seed one after another, because they are drawn from one order.
    results = _all_done(work, sorted(tasks, key=itemgetter(1)), workers, on_step)
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
        {**chosen_design.options, **options}.get("redraw"),
    )


def _sample_means(
    pool: Pool,
    design: Design,
    options: Mapping[str, Any],
    measures: Sequence[Measure],
    task: Task,
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


def _all_done(
    work: Work, tasks: Sequence[Task], workers: int, on_step: Callable[[int], None] | None
) -> dict[Task, list[float]]:
    """Return the result of each task."""
    done: dict[Task, list[float]] = {}
    results = map(work, tasks) if workers == 1 or len(tasks) < 2 else _shared(work, tasks, workers)
    if on_step is not None:
        on_step(0)
    for task, values in zip(tasks, results, strict=True):
        done[task] = values
        if on_step is not None:
            on_step(len(done))
    return done


def _shared(work: Work, tasks: Sequence[Task], workers: int) -> Iterator[list[float]]:
    """Yield the results from several processes, in order; none of them is left at the end of this one."""
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    context = get_context("spawn")  # a fork would inherit locks, but not the threads that hold them
    theirs, ours = context.Pipe(duplex=False)
    executor = ProcessPoolExecutor(min(workers, len(tasks)), context, _end_with_parent, (theirs,))
    try:
        with _interrupts_held():
            size = max(1, len(tasks) // (SHARES * workers))
            results = executor.map(partial(_portable, work), tasks, chunksize=size)
        yield from results
    except BrokenProcessPool:
        raise UnjudgedError(ENDED) from None
    finally:
        ours.close()
        executor.shutdown(cancel_futures=True)
        theirs.close()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back, which is for the process that waits: a worker that starts inherits the block.

    Windows has nothing like this; there a worker ignores Ctrl-C as soon as it runs.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # it would unblock the signal
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _end_with_parent(pipe: Connection) -> None:
    """In a worker: end at once when the other end of the pipe is closed, even while it computes."""
    from threading import Thread

    def wait() -> None:
        pipe.poll(None)
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=wait, daemon=True).start()


def _portable(work: Work, task: Task) -> list[float]:
    """Do the task; an error that cannot travel between processes is raised as its text."""
    try:
        return work(task)
    except Exception as error:
        try:
            pickle.loads(pickle.dumps(error))  # noqa: S301, our own error
        except Exception:  # noqa: BLE001, an error of any class can fail in any way
            raise UnjudgedError(f"{type(error).__name__}: {error}") from None
        raise
