"""Coverage of 'sampling' intervals: samples of TREC-8's pool by five designs, the truth from all judgments.

The odd topics chose the method; the even ones and DL-2019 show how often it holds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from coverage_tables import Cell, markdown, share, shortfalls

from unjudged.evaluation.collection import judged_rankings
from unjudged.judging.pooling.pool import REST, Pool
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.quantiles import normal_quantile
from unjudged.uncertainty.sampled_means import SampledMeans
from unjudged.uncertainty.shared import selected_runs

MEASURES = ("AP", "nDCG", "nDCG@10", "nDCG@20", "P@10", "P@30", "RBP(p=0.8)")
DESIGNS = ("top 10 + 10 %", "top 10 + 20 %", "10: all, 50: 30 %, rest: 10 %", "random 20 %", "mixed 5")
ONE_STRATUM = "random 20 %"
"""Here means of AP have intervals by the logarithm."""
RUNS, SEED, LEVEL = 6, 100, 0.95
LEAST, MOST = 0.92, 0.97
ROUNDING = 1e-12
SAMPLING_WHY = (
    "Where hardly any document that counts could be drawn, errors are rare and large, and intervals hold "
    "less often than they say."
)


@dataclass(frozen=True)
class Held:
    """How often the intervals of a measure and design held, over runs and samples; NaN if none has width."""

    topics: str
    design: str
    measure: str
    coverage: float
    differences: float
    bias: float
    width: float


def drawn(pool: Pool, design: str, seed: int) -> Judgments:
    """Judgments of one sample."""
    match design:
        case "top 10 + 10 %":
            return pool.stratified({10: 1.0, REST: 0.1}, seed=seed)
        case "top 10 + 20 %":
            return pool.stratified({10: 1.0, REST: 0.2}, seed=seed)
        case "10: all, 50: 30 %, rest: 10 %":
            return pool.stratified({10: 1.0, 50: 0.3, REST: 0.1}, seed=seed)
        case _ if design == ONE_STRATUM:
            return pool.random(0.2, seed=seed, redraw=False)
        case _:
            return pool.mixed(5, seed=seed)


@cache
def even_topics(folder: Path) -> Pool:
    """Return the pool of all runs of TREC-8 over its even topics."""
    every = Judgments.read(folder / "qrels.trec8.gz")
    names = zip(every.pooled.names(np.arange(len(every.grade))), every.grade.tolist(), strict=True)
    judgments = Judgments.of([(q, document, g) for (q, document), g in names if int(q) % 2 == 0])
    return _pool(judgments, folder / "runs")


@cache
def passages(folder: Path) -> Pool:
    """Return the pool of DL-2019, beside TREC-8's folder; grades from 2 on are relevant there."""
    judgments = Judgments.read(folder.parent / "dl2019" / "qrels.dl2019-passage.gz")
    return _pool(judgments, folder.parent / "dl2019" / "track" / "runs")


def _pool(judgments: Judgments, folder: Path) -> Pool:
    runs = {path.name: path for path in sorted(folder.glob("*.gz"))}
    return Pool(judgments, judged_rankings(judgments, runs), list(runs))


POOLS: dict[str, tuple[Callable[[Path], Pool], int]] = {
    "TREC-8, even topics": (even_topics, 500),
    "DL-2019": (passages, 200),
}
"""Where samples are drawn, and how many by each design."""


def sampling_coverage(folder: Path, topics: str, design: str) -> list[Held]:
    """Coverage for some runs, from the worst to the best, and for differences of neighbours among them."""
    read, draws = POOLS[topics]
    pool = read(folder)
    measures, queries = parse_measures(MEASURES), len(pool.judgments.queries)
    truths = np.stack([m.compute(pool.rankings).reshape(-1, queries).mean(axis=1) for m in measures], axis=1)
    order = np.argsort(truths[:, 0])
    runs = order[np.linspace(0.05 * len(order), len(order) - 1, RUNS).astype(int)]
    rankings, truth = selected_runs(pool.rankings, runs.tolist()), truths[runs]
    combined = np.concatenate([np.eye(RUNS), np.eye(RUNS)[1:] - np.eye(RUNS)[:-1]])
    error, radius, low, high = (np.zeros((draws, len(combined), len(measures))) for _ in range(4))
    for i in range(draws):
        own = rankings.relabelled(drawn(pool, design, SEED + i))
        for k, measure in enumerate(measures):
            means = SampledMeans.of(measure, own)
            value = combined @ means.value.mean(axis=1)
            error[i, :, k] = value - combined @ truth[:, k]
            radius[i, :, k] = normal_quantile(LEVEL) * np.sqrt(means.variances(combined))
            low[i, :, k], high[i, :, k] = error[i, :, k] - radius[i, :, k], error[i, :, k] + radius[i, :, k]
            if measure.name == "AP" and design == ONE_STRATUM:
                factor = np.exp(radius[i, :RUNS, k] / value[:RUNS])
                low[i, :RUNS, k] = value[:RUNS] / factor - truth[:, k]
                high[i, :RUNS, k] = value[:RUNS] * factor - truth[:, k]
    held, is_open = (low <= ROUNDING) & (high >= -ROUNDING), radius > ROUNDING
    first, rest = slice(None, RUNS), slice(RUNS, None)

    def covered(part: slice, k: int) -> float:
        """Coverage of the intervals that have a width; NaN if none has."""
        own = held[:, part, k][is_open[:, part, k]]
        return float(own.mean()) if len(own) else np.nan

    return [
        Held(
            topics,
            design,
            name,
            covered(first, k),
            covered(rest, k),
            float(error[:, first, k].mean()),
            float(2 * radius[:, first, k].mean()),
        )
        for k, name in enumerate(MEASURES)
    ]


def sampling_table(found: Sequence[Held]) -> str:
    """Coverage of runs' means and of differences, and the mean width, per measure and design."""
    designs = list(dict.fromkeys(one.design for one in found))
    rows = []
    for measure in dict.fromkeys(one.measure for one in found):
        cells = [next(one for one in found if (one.measure, one.design) == (measure, d)) for d in designs]
        rows.append([measure, *map(_sampled, cells)])
    measured = [
        Cell(f"{one.measure}, {one.design}{what},", held, LEVEL, POOLS[one.topics][1])
        for one in found
        for what, held in (("", one.coverage), (" (differences)", one.differences))
        if not np.isnan(held)
    ]
    above = sum(one.coverage > MOST for one in measured)
    below = sum(one.coverage < LEAST for one in measured)
    said = f"\n\nOf {len(measured)} shares {above} are above {share(MOST)} and {below} below {share(LEAST)}."
    return (
        markdown(["measure", *designs], rows) + said + shortfalls(measured, SAMPLING_WHY).replace("\n\n", " ")
    )


def _sampled(one: Held) -> str:
    if np.isnan(one.coverage):
        return "known"
    return f"{share(one.coverage)} {share(one.differences)} ({one.width:.3f})"
