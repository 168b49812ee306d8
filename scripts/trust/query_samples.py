"""Coverage of intervals for other queries: samples of queries from the scores of real runs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from held import Held
from left_out_runs import Track

from unjudged import evaluate
from unjudged.base.segments import Floats
from unjudged.evidence.mean_intervals import has_range, mean_interval

MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)", "P@10", "RR", "DCG@10", "GMAP")
SIZES = (5, 10, 25, 50)
RUNS, SAMPLES, RESAMPLES, SEED = 33, 100, 2000, 8
LEVEL = 0.95
ROUNDING = 1e-12


def query_coverage(track: Track) -> list[Held]:
    """The scores of 33 runs, or their logarithms, are populations to draw samples of queries from."""
    runs = [track.runs[i * len(track.runs) // RUNS] for i in range(RUNS)]
    scores = evaluate(track.judgments, runs, MEASURES)
    found = []
    for k, measure in enumerate(MEASURES):
        asked = scores.cube.measures[k]
        population = asked.averaged(scores.values[:, :, k])
        methods = METHODS if has_range(asked) else WITHOUT_RANGE
        truth = np.repeat(population.mean(axis=1), SAMPLES)
        for size in SIZES:
            rng = np.random.default_rng([SEED, k, size])
            drawn = rng.integers(0, population.shape[1], (len(runs), SAMPLES * size))
            values = np.take_along_axis(population, drawn, axis=1).reshape(-1, size)
            for name, interval in methods.items():
                low, high = interval(values)
                held = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
                setting, width = f"{name}, {size} queries", float((high - low).mean())
                share, trials = float(held.mean()), len(held)
                found.append(Held(track.name, setting, measure, LEVEL, share, trials, width))
    return found


def hall(values: Floats) -> tuple[Floats, Floats]:
    """The interval of `estimate("queries")`."""
    return mean_interval(values, (0.0, 1.0), LEVEL)


def student(values: Floats) -> tuple[Floats, Floats]:
    """Student's t."""
    from scipy.special import stdtrit

    n = values.shape[1]
    half = float(stdtrit(n - 1, (1 + LEVEL) / 2)) * values.std(axis=1, ddof=1) / np.sqrt(n)
    mean = values.mean(axis=1)
    return mean - half, mean + half


def bootstrap(values: Floats) -> tuple[Floats, Floats]:
    """The percentile bootstrap."""
    n = values.shape[1]
    weights = np.random.default_rng(SEED).multinomial(n, np.full(n, 1 / n), RESAMPLES) / n
    low, high = np.quantile(values @ weights.T, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1)
    return low, high


METHODS: dict[str, Callable[[Floats], tuple[Floats, Floats]]] = {
    "this package (Hall)": hall,
    "Student's t": student,
    "percentile bootstrap": bootstrap,
}
WITHOUT_RANGE = {"this package (Student's t)": student, "percentile bootstrap": bootstrap}
"""For measures without a highest value, and for means of logarithms."""
