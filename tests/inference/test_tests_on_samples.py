"""Size of the paired t test on estimates from samples, if there is no difference."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from held import read_held

from tests.intervals import intervals
from tests.pairs import all_pairs
from tests.report.test_page import read
from unjudged import UsageError, compare, evaluate, gate, judging, report_page
from unjudged.judging import Pool
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.runs import Run

QUERIES, DOCUMENTS, SIZE = 24_000, 40, 40
LABELS = {
    f"q{q}": {f"d{d}": int((q % 20 == 0 and d == 0) or (q % 20 > 0 and d % 3 == 0)) for d in range(30)}
    for q in range(40)
}
"""Queries of ten relevant documents, and some of one, which a sample may miss."""
RUNS = {
    name: {
        q: {d: (7 * k + step * int(q[1:])) % 31 + 9.0 * own[d] for k, d in enumerate(own)}
        for q, own in LABELS.items()
    }
    for name, step in (("one", 3), ("two", 5))
}


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
        rejected = [all_pairs(values[:, i]).p[0] <= 0.05 for i in range(values.shape[1])]
        assert np.mean(rejected) == pytest.approx(0.05, abs=0.027), measure
        plain = parse_measures("AP")[0].compute(complete).reshape(2, -1, SIZE)
        noisy, quiet = (np.std(of[0] - of[1], axis=1).mean() for of in (values, plain))
        assert noisy > 1.1 * quiet  # the spread over queries contains the noise of sampling


@pytest.mark.parametrize("name", ["infAP", "xinfAP", "statAP"])
def test_comparisons_estimate_as_the_interval_does(name: str) -> None:
    """A mean of few sampled relevant documents is biased, and queries without any are no zeros."""
    drawn = judging.next(None, RUNS, design="uniform(60%)", seed=2).sample
    assert drawn is not None
    judged = judging.merge(drawn, {"them": LABELS}).judgments
    row = compare(judged, RUNS, name).pair()
    (a,), (b,) = intervals(evaluate(judged, RUNS, name), "sampling")
    assert (row["mean_b"], row["mean_a"]) == pytest.approx((a.value, b.value), abs=1e-12)
    assert row["queries"] < len(LABELS)
    parts = {query: "odd" if int(query[1:]) % 2 else "even" for query in LABELS}
    found = compare(judged, RUNS, name, segments=parts).segments
    assert sum(own["queries"] for own in found if own["segment"] != "all") == row["queries"]
    page = read(report_page(judged, RUNS, name).html)["measures"][0]
    assert sum(None not in values for values in zip(*page["values"], strict=True)) == row["queries"]


def gated(qrels: Any, runs: Any, name: str) -> Any:
    return gate(qrels, runs["one"], runs["two"], name)


@pytest.mark.parametrize("ask", [compare, report_page, gated])
def test_a_sample_with_too_few_relevant_documents_is_refused_as_by_the_interval(ask: Any) -> None:
    drawn = judging.next(None, RUNS, design="uniform(10%)", seed=2).sample
    assert drawn is not None
    judged = judging.merge(drawn, {"them": LABELS}).judgments
    with pytest.raises(UsageError) as refusal:
        intervals(evaluate(judged, RUNS, "xinfAP"), "sampling")
    with pytest.raises(UsageError, match=re.escape(str(refusal.value).partition(";")[0])):
        ask(judged, RUNS, "xinfAP")


def test_the_published_sizes() -> None:
    """With no difference, simulated and from real pools, every test on estimates has a size of .04 to .06."""
    alike = [
        row for row in read_held("tests") if ", simulated, " in row.setting or ", exchanged, " in row.setting
    ]
    assert len(alike) == 6 * 3 * 2 * 3
    assert all(0.04 <= 1 - row.held <= 0.06 for row in alike)
