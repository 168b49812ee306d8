"""Experiment: judge less, by a design, and see how well measures still estimate the actual values."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from math import isnan
from operator import itemgetter
from typing import Any

import numpy as np

from unjudged.base.choices import as_list, called_with_levels, check_parameters, checked_int
from unjudged.base.errors import UnjudgedError, UsageError
from unjudged.base.notes import Note
from unjudged.base.segments import Floats
from unjudged.collection.collection import Collection, collection_of
from unjudged.judging.designs import DESIGNS, Design
from unjudged.judging.pooling import Pool
from unjudged.measures.kernel.measure import means_of_runs
from unjudged.measures.kernel.names import MeasureLike, parse_measure, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.weighted import BY_PROBABILITY
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.rankings.runs import RunsSource
from unjudged.results.fields import Row
from unjudged.results.result import Result
from unjudged.results.views import View
from unjudged.studies.agreement import STATISTICS

ITSELF = "itself"
NEARLY = 0.9
"""Orders with a tau from here on are taken for the same, as since Voorhees (2000)."""
OF_ESTIMATES = ("tau", "tau_ap", "rho", "rms", "bias")
REDRAWN = (
    "Samples with no relevant document were redrawn. You cannot do that in practice: "
    '"uniform(10%, redraw=false)" keeps them.'
)
KEPT = "Samples with no relevant document were kept, as in real judging."


@dataclass(frozen=True, eq=False)
class Samples:
    """Every run's mean by each measure, at each level and repeat of a design, and with all judgments.

    `means[l, s, i, k]` is run i's mean by measure k at level l in repeat s; `actual[i, k]` is its mean with
    all judgments, and `reference[i, k]` that by the target of the measure. `judged[l, s]` is the number of
    judged documents per query, `complete` the number with all judgments.
    """

    design: Design
    levels: Sequence[float]
    runs: Sequence[str]
    measures: Sequence[Measure]
    targets: Sequence[Measure]
    means: Floats
    actual: Floats
    reference: Floats
    judged: Floats
    complete: float

    def rows(self) -> Iterator[Row]:
        """Yield how well each measure agrees with the actual values of its target, and with its own.

        Statistics of each repeat, then their mean and standard deviation (not a number for one repeat).
        """
        for (li, level), (k, measure) in product(enumerate(self.levels), enumerate(self.measures)):
            both = (str(self.targets[k]), self.reference[:, k]), (ITSELF, self.actual[:, k])
            for (against, actual), name in product(both, OF_ESTIMATES):
                function = STATISTICS[name].function
                values = np.array([function(means, actual) for means in self.means[li, :, :, k]])
                yield {
                    "design": self.design.name,
                    "level": float(level),
                    "level_name": self.design.level.show(level),
                    "judged": float(self.judged[li].mean()),
                    "measure": str(measure),
                    "against": against,
                    "statistic": name,
                    "mean": float(values.mean()),
                    "deviation": float(values.std(ddof=1)) if len(values) > 1 else float("nan"),
                    "repeats": len(values),
                }


class Experiment(Result):
    """A row for each statistic of each measure at each level; `source` has the means of all runs."""

    source: Samples

    @classmethod
    def of(cls, samples: Samples, *, redrawn: bool | None) -> Experiment:
        """Compare samples with the actual values; `redrawn` is None if the design has no such rule."""
        notes = [] if redrawn is None else [Note(REDRAWN if redrawn else KEPT)]
        rows = [*samples.rows()]
        titles = {"experiment": _finding(rows, len(samples.runs))}
        return cls({"experiment": rows}, notes, {"titles": titles}, source=samples)

    def shown(self, view: str) -> tuple[Sequence[Row], View]:
        """Return the rows as people see them: by measure, against its target."""
        rows, view_of = super().shown(view)
        order = [str(measure) for measure in self.source.measures]
        own = [row for row in rows if row["against"] != ITSELF]
        return sorted(own, key=lambda row: order.index(row["measure"])), view_of

    def find(self, statistic: str, measure: MeasureLike, level: float, against: str | None = None) -> Row:
        """Return the row of a statistic; `against` is "itself" or the target, which is the default."""
        STATISTICS.find(statistic)
        name = str(parse_measures(measure)[0])
        for row in self.rows["experiment"]:
            found = row["measure"], row["level"], row["statistic"]
            told = row["against"] == against if against else row["against"] != ITSELF
            if found == (name, level, statistic) and told:
                return row
        raise UsageError(f"the experiment has no {statistic} of {measure} at level {level:g}")


def _finding(rows: Sequence[Row], runs: int) -> str:
    """Say at which level the order of the runs is nearly that with all judgments."""
    own = [row for row in rows if row["statistic"] == "tau" and row["against"] != ITSELF]
    known = [row for row in own if not isnan(row["mean"])]
    if not known:
        return f"The order of {runs} runs is not known: all are tied"
    enough = [row for row in known if row["mean"] >= NEARLY]
    least = min((row["level"] for row in enough), default=None)
    best = max((row for row in known if least in (None, row["level"])), key=itemgetter("mean"))
    order = f"{runs} runs as {best['against']} with all judgments does (tau {best['mean']:.2f}"
    said = f"{best['measure']} at {best['level_name']} orders {order}; {best['design']} design)"
    return f"Enough: {said}" if enough else f"Not enough at any level. At best {said}"


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
    qrels: JudgmentsSource | Collection | Pool,
    runs: RunsSource | None = None,
    design: str = "uniform",
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    against: MeasureLike | None = None,
    levels: Iterable[float] | None = None,
    repeats: int = 10,
    seed: int = 0,
    workers: int = 1,
    on_step: Callable[[int], None] | None = None,
    **options: Any,
) -> Experiment:
    """Judge less, and compare every run's mean at each level with the actual one.

    The sample of repeat s has the seed 1000 `seed` + s, so that `Pool.uniform` and the other designs make it
    again. Within a repeat, larger samples contain the smaller ones, except where the redraw rule applies.

    Parameters
    ----------
    qrels
        Judgments as complete as possible, a collection, or a pool.
    runs
        Two runs or more.
    design
        A registered design, with levels and options: `"uniform(5%, 30%)"`, `"pool(5, 10)"`, or `"mixed"` with
        as many documents drawn from below the pool, `"stratified(10%, top=20)"` of which the pool to that
        depth is judged whole; also `redraw=False` and `repeats=3`.
    measures
        Measures: AP and its estimates from incomplete judgments if none are named.
    against
        The measure whose actual values are to be estimated. By default each measure's own target: AP of
        infAP, nDCG@10 of itself.
    levels, options
        Levels and options of the design, if they are not written with its name.
    repeats
        Samples per level, if the design draws at random.
    seed
        Another number gives other samples.
    workers
        Processes that share the samples. The result does not depend on it.
    on_step
        Is called with the number of samples done.

    >>> from unjudged import sample
    >>> result = experiment(sample.qrels, sample.runs, "uniform(10%, 50%, repeats=3)", ["AP", "infAP"])
    >>> round(result.find("bias", "AP", 0.1)["mean"], 3), round(result.find("bias", "infAP", 0.1)["mean"], 3)
    (-0.156, -0.02)
    """
    name, written, named = called_with_levels(design)
    chosen_design, options = DESIGNS.find(name), {**named, **options}
    repeats = checked_int("repeats", options.pop("repeats", repeats), least=1)
    check_parameters(f"design {name!r}", options, list(chosen_design.options))
    workers, seed = checked_int("workers", workers, least=1), checked_int("seed", seed)
    pool, chosen = _pool_of(qrels, runs, measures)
    for measure in chosen:
        if measure.name in BY_PROBABILITY and not chosen_design.random:
            raise UsageError(
                f"{measure} needs the probability that each document was drawn, and design {name!r} "
                "draws none at random: use a uniform, mixed or stratified design, or infAP"
            )
    if len(pool.runs) < 2:
        raise UsageError("an experiment compares runs: give at least two")
    steps = _levels(chosen_design, written, levels)
    draws = repeats if chosen_design.random else 1
    tasks = [(level, SEEDS_APART * seed + repeat) for level in steps for repeat in range(draws)]
    bare = replace(pool, matched=replace(pool.rankings))  # cached results need not travel to other processes
    work = partial(_sample_means, bare, chosen_design, options, chosen)
    # The samples of a seed one after another, because they are drawn from one order.
    results = _all_done(work, sorted(tasks, key=itemgetter(1)), workers, on_step)
    values = np.array([results[task] for task in tasks]).reshape(len(steps), draws, -1)
    gold = [parse_measure(measure.estimated if against is None else against) for measure in chosen]
    actual = {measure: means_of_runs(measure, pool.rankings) for measure in {*chosen, *gold}}
    samples = Samples(
        chosen_design,
        steps,
        pool.runs,
        chosen,
        gold,
        means=values[:, :, 1:].reshape(len(steps), draws, len(pool.runs), len(chosen)),
        actual=np.stack([actual[measure] for measure in chosen], axis=-1),
        reference=np.stack([actual[measure] for measure in gold], axis=-1),
        judged=values[:, :, 0],
        complete=float(pool.judgments.count(0).mean()),
    )
    return Experiment.of(samples, redrawn={**chosen_design.options, **options}.get("redraw"))


def _pool_of(
    qrels: JudgmentsSource | Collection | Pool,
    runs: RunsSource | None,
    measures: MeasureLike | Iterable[MeasureLike] | None,
) -> tuple[Pool, list[Measure]]:
    """Return judgments and runs as a pool, and the measures that are named or usual."""
    if isinstance(qrels, Pool):
        return qrels, parse_measures(DEFAULT_MEASURES if measures is None else measures)
    collection = collection_of(qrels, runs)
    chosen = collection.measures(measures, lambda: DEFAULT_MEASURES)
    judged = collection.judgments.grade >= 0  # nothing else could be drawn
    known = collection.judgments if judged.all() else chosen_rows(collection.judgments, judged)
    return Pool.of(known, collection.runs), chosen


def _levels(design: Design, written: Sequence[str], levels: Iterable[float] | None) -> list[float]:
    """Return the levels that are written with the design, given, or usual, each once."""
    given = [design.level.read(text) for text in written] if levels is None else as_list("levels", levels)
    if not given and levels is None:
        given = list(design.levels)
    if not given:
        raise UsageError("no level given")
    return list(dict.fromkeys(float(design.level.check(level)) for level in given))


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
    means = np.stack([means_of_runs(measure, rankings) for measure in measures], axis=-1)
    return [float(judgments.count(0).mean()), *means.ravel().tolist()]


def _all_done(
    work: Work, tasks: Sequence[Task], workers: int, on_step: Callable[[int], None] | None
) -> dict[Task, list[float]]:
    """Return the result of each task, in this process or by several workers."""
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
    with ProcessPoolExecutor(min(workers, len(tasks)), context, _end_with_parent) as executor:
        try:
            yield from executor.map(work, tasks, chunksize=max(1, len(tasks) // (SHARES * workers)))
        except BrokenProcessPool:
            raise UnjudgedError(ENDED) from None
        finally:
            executor.shutdown(cancel_futures=True)


def _end_with_parent() -> None:
    """In a worker: end when the process that started it ends, which alone takes Ctrl-C."""
    from multiprocessing import parent_process
    from threading import Thread

    def wait() -> None:
        parent = parent_process()
        if parent is not None:
            parent.join()
        os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=wait, daemon=True).start()
