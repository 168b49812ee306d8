"""Ten million predictions, 100,000 judged: `python benchmarks/large_population.py` prints the cost."""

from __future__ import annotations

import time

import numpy as np

from unjudged import JudgedRankings, Judgments
from unjudged.base.segments import Floats
from unjudged.predictions.by_document import per_query_estimates
from unjudged.predictions.calibrated_gains import cross_fitted
from unjudged.predictions.labelled_population import POISSON, Population
from unjudged.predictions.sums import sampling_covariance

DEPTH = 1_000


def simulated(queries: int) -> tuple[Population, Floats, Floats, Floats, Floats]:
    """A run of `queries` x 1000 documents: population, score, gain, pi and weight of each document."""
    rows = queries * DEPTH
    rng = np.random.default_rng(0)
    score = rng.random(rows)
    gain = (rng.random(rows) < score**2).astype(float)
    rank = np.tile(np.arange(1, DEPTH + 1, dtype=np.int32), queries)
    pi = np.minimum(1.0, 1.4 / rank)
    drawn = rng.random(rows) < pi
    one_each = Judgments.read({f"q{i}": {"d": 0} for i in range(queries)})
    offsets = np.arange(0, rows + 1, DEPTH)
    retrieved = np.full(queries, DEPTH, np.int32)
    every, query = np.arange(rows, dtype=np.int32), np.arange(queries, dtype=np.int32)
    rankings = JudgedRankings(one_each, rank, every, offsets, retrieved, query)
    nothing = np.zeros(rows, bool)
    population = Population(one_each, rankings, ("run",), drawn, pi, np.zeros(0, np.int64), nothing, POISSON)
    return population, score, gain, pi, 0.01 * 0.99 ** (rank.astype(float) - 1)


def estimated(
    population: Population, score: Floats, gain: Floats, pi: Floats, weight: Floats
) -> tuple[float, float, Floats]:
    """The mean over queries, its standard error, and the calibrated predictions."""
    fold = np.repeat(np.arange(len(score) // DEPTH) % 10, DEPTH)
    expected = cross_fitted(score, gain, population.drawn, pi, fold)
    found = per_query_estimates(population, weight, gain, expected).mean()
    error = np.sqrt(sampling_covariance(population, weight, gain - expected).item())
    return float(found), float(error), expected


def main() -> None:
    simulation = simulated(10_000)
    wall, cpu = time.perf_counter(), time.process_time()
    estimated(*simulation)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print("| human judgments and predictions | s | processor s |")
    print("|---|---:|---:|")
    print(f"| 10 million predictions, calibrated and combined | {wall:.1f} | {cpu:.1f} |")


if __name__ == "__main__":
    main()
