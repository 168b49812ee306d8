"""Size of tests and coverage of intervals where queries of a cluster are alike, in simulated differences.

Clusters have 1 to 10 queries, in turn. A share of the variance, the correlation within clusters, is that of
the cluster. Differences are Normal, or skewed as an exponential variable is. The true mean difference is 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product

import numpy as np

from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Clusters
from unjudged.evidence.mean_intervals import limits_of_mean
from unjudged.inference.pairs import Pairs, t_interval
from unjudged.inference.significance import careful, p_values

TRIALS, DRAWS, ALPHA = 4_000, 2_000, 0.05
CLUSTERS, ALIKE, LARGEST = (10, 20, 50), (0.0, 0.2, 0.6), 10
COLUMNS = ("differences", "clusters", "queries", "correlation", "answer", "trials", "size", "coverage")

Draw = Callable[[np.random.Generator, tuple[int, int]], Floats]
WORLDS: dict[str, Draw] = {
    "Normal": lambda rng, shape: rng.normal(size=shape),
    "skewed": lambda rng, shape: rng.exponential(size=shape) - 1,
}


def cluster_samples() -> Iterator[list[str]]:
    """Yield rows of docs/evidence/clusters.csv."""
    for (name, draw), count, alike in product(WORLDS.items(), CLUSTERS, ALIKE):
        number = np.repeat(np.arange(count), np.resize(np.arange(1, LARGEST + 1), count))
        rng = np.random.default_rng([count, int(10 * alike), len(name)])
        values = alike**0.5 * draw(rng, (TRIALS, count))[:, number]
        values += (1 - alike) ** 0.5 * draw(rng, (TRIALS, len(number)))
        for answer, (wrong, covered) in _answers(values, Clusters(number)).items():
            shares = [f"{wrong:.4f}", "" if covered is None else f"{covered:.4f}"]
            yield [name, str(count), str(len(number)), f"{alike:g}", answer, str(TRIALS), *shares]


def _answers(values: Floats, clusters: Clusters) -> dict[str, tuple[float, float | None]]:
    """Return by answer how often a difference of 0 is called one, and how often its interval has 0."""
    rows = len(values)
    scores = np.vstack([values, np.zeros((1, values.shape[1]))])
    pairs = Pairs(scores, np.arange(rows), np.full(rows, rows), clusters)
    plain = Pairs(scores, np.arange(rows), np.full(rows, rows))

    def rejected(p: Floats) -> float:
        return float((p <= ALPHA).mean())

    def covered(ends: tuple[Floats, Floats]) -> float:
        return float(((ends[0] <= 0) & (ends[1] >= 0)).mean())

    tests = {name: rejected(p_values(pairs, name, draws=DRAWS).p) for name in ("randomization", "bootstrap")}
    hall = limits_of_mean(values, ALPHA / 2, (-np.inf, np.inf), clusters)
    return {
        "t": (rejected(p_values(pairs, "t").p), covered(t_interval(pairs)[1:])),
        "careful": (rejected(careful(values, clusters=clusters).both), covered(hall)),
        **{name: (size, None) for name, size in tests.items()},
        "t without clusters": (rejected(p_values(plain, "t").p), covered(t_interval(plain)[1:])),
    }
