"""Size of the paired t test on estimates from samples, if there is no difference."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unjudged import compare_pairs
from unjudged.judging import Pool
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.runs import Run

PAGE = Path(__file__).parent.parent.parent / "docs" / "trust.md"
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


@pytest.mark.parametrize(("collection", "settings"), [("TREC-8", 4), ("DL-2019", 2)])
def test_the_published_sizes(collection: str, settings: int) -> None:
    """With no difference, simulated and from real pools, every test on xinfAP has a size of .04 to .06."""
    begin = f"<!-- coverage: tests, {collection} -->"
    table = PAGE.read_text().partition(begin)[2].partition("<!-- end -->")[0]
    lines = [line for line in table.splitlines() if line.startswith("|")]
    head, _, *rows = [line.strip("| ").split(" | ") for line in lines]
    alike = [k for k, name in enumerate(head) if name.startswith(("simulated", "exchanged"))]
    assert len(alike) == settings
    assert len(rows) == 18
    for row in rows:
        assert all(0.04 <= float(row[k]) <= 0.06 for k in alike), row
