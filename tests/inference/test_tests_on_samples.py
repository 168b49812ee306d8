"""Size of the paired t test on estimates from samples, if there is no difference."""

from __future__ import annotations

import numpy as np
import pytest
from held import read_held

from unjudged import compare_pairs
from unjudged.judging import Pool
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.runs import Run

QUERIES, DOCUMENTS, SIZE = 24_000, 40, 40


def _pool(rng: np.random.Generator) -> Pool:
    """Two systems of the same kind: relevance and noise."""
    relevant = rng.random((QUERIES, DOCUMENTS)) < rng.beta(1.0, 4.0, (QUERIES, 1))
    relevant[:, 0] = True
    place = np.tile(np.arange(DOCUMENTS), (QUERIES, 1))
    names = [str(query) for query in range(QUERIES)]
    grades = {
        query: {str(d): int(grade) for d, grade in enumerate(row)}
        for query, row in zip(names, relevant.tolist(), strict=True)
    }
    scores = (1.5 * relevant + rng.normal(size=place.shape) for _ in "ab")
    runs = {run: Run.from_arrays(place, own, queries=names) for run, own in zip("ab", scores, strict=True)}
    return Pool.of(grades, runs)


@pytest.mark.thorough
def test_the_size_is_that_of_the_level() -> None:
    """600 comparisons of 40 queries, each query with a sample of its own; 3 standard errors are .027."""
    pool = _pool(np.random.default_rng(3))
    rankings = pool.rankings.relabelled(pool.stratified({5: 1.0, np.inf: 0.2}, seed=4))
    complete = pool.rankings
    for measure in parse_measures(["xinfAP", "statAP"]):
        values = measure.compute(rankings).reshape(2, -1, SIZE)
        rejected = [compare_pairs(values[:, i]).p[0] <= 0.05 for i in range(values.shape[1])]
        assert np.mean(rejected) == pytest.approx(0.05, abs=0.027), measure
        plain = parse_measures("AP")[0].compute(complete).reshape(2, -1, SIZE)
        noisy, quiet = (np.std(of[0] - of[1], axis=1).mean() for of in (values, plain))
        assert noisy > 1.1 * quiet  # the spread over queries contains the noise of sampling


def test_the_published_sizes() -> None:
    """With no difference, simulated and from real pools, every test on estimates has a size of .04 to .06."""
    alike = [
        row for row in read_held("tests") if ", simulated, " in row.setting or ", exchanged, " in row.setting
    ]
    assert len(alike) == 6 * 3 * 2 * 3
    assert all(0.04 <= 1 - row.held <= 0.06 for row in alike)
