"""Size of the paired t test on estimates from samples, if there is no difference."""

from __future__ import annotations

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


@pytest.mark.parametrize("name", ["AP", "nDCG@10"])
def test_comparisons_evaluations_gates_and_pages_print_one_estimate(name: str) -> None:
    """A mean of few sampled relevant documents is biased, and queries without any are no zeros."""
    drawn = judging.next(None, RUNS, design="uniform(60%)", seed=2).sample
    assert drawn is not None
    judged = judging.merge(drawn, {"them": LABELS}).judgments
    row, own = compare(judged, RUNS, name).pair(), evaluate(judged, RUNS, name)
    assert (row["mean_b"], row["mean_a"]) == pytest.approx(
        (own["one"]["mean"], own["two"]["mean"]), abs=1e-12
    )
    assert "estimate_low" in own["one"]
    assert gate(judged, RUNS["one"], RUNS["two"], name).checks[0]["difference"] == pytest.approx(
        row["difference"], abs=1e-12
    )
    assert row["queries"] < len(LABELS)
    parts = {query: "odd" if int(query[1:]) % 2 else "even" for query in LABELS}
    found = compare(judged, RUNS, name, segments=parts).segments
    assert sum(own["queries"] for own in found if own["segment"] != "all") == row["queries"]
    page = read(report_page(judged, RUNS, name).html)["measures"][0]
    assert page["mean"] == pytest.approx([own["one"]["mean"], own["two"]["mean"]])
    assert sum(None not in values for values in zip(*page["values"], strict=True)) == row["queries"]


def gated(qrels: Any, runs: Any, name: str) -> Any:
    return gate(qrels, runs["one"], runs["two"], name)


@pytest.mark.parametrize("ask", [compare, report_page, gated])
@pytest.mark.parametrize("name", ["infAP", "xinfAP", "statAP", "infNDCG"])
def test_estimates_of_quotients_from_uniform_samples_are_not_tested(ask: Any, name: str) -> None:
    """With no difference such tests found one in .18 of 600 samples."""
    drawn = judging.next(None, RUNS, design="uniform(60%)", seed=2).sample
    assert drawn is not None
    judged = judging.merge(drawn, {"them": LABELS}).judgments
    with pytest.raises(UsageError, match="biased, and tests of it are wrong too often: compare by "):
        ask(judged, RUNS, name)
    assert "mean" in evaluate(judged, RUNS, name)["one"]


def test_a_sample_with_too_few_relevant_documents_has_bounds_and_says_why() -> None:
    drawn = judging.next(None, RUNS, design="uniform(10%)", seed=2).sample
    assert drawn is not None
    judged = judging.merge(drawn, {"them": LABELS}).judgments
    with pytest.raises(UsageError) as refusal:
        intervals(evaluate(judged, RUNS, "AP"), "sampling")
    own, compared = evaluate(judged, RUNS, "AP"), compare(judged, RUNS, "AP")
    for found in (own, compared):
        assert any(str(refusal.value) in note for note in found.notes)
    assert own["one"]["low"] <= own["one"]["mean"] <= own["one"]["high"]
    assert own["one"].get("estimate_low") is None
    assert compared.systems[0]["mean"] == own[compared.systems[0]["system"]]["mean"]


def test_the_published_sizes() -> None:
    """With no difference, simulated and from real pools, tests on estimates have a size of .04 to .06.

    P@10 from mixed samples has less, because few labels bear on ranks 6 to 10.
    """
    alike = [
        row for row in read_held("tests") if ", simulated, " in row.setting or ", exchanged, " in row.setting
    ]
    sums = [row for row in alike if row.measure in ("P@10", "RBP(p=0.8)")]
    assert len(alike) - len(sums) == 6 * 3 * 2 * 3
    assert len([row for row in sums if row.collection == "simulated" and not row.refused]) == (5 + 2) * 2
    cautious = [row for row in sums if row.measure == "P@10" and row.setting.startswith("mixed 5, exchanged")]
    assert all(0.04 <= 1 - row.held <= 0.06 for row in alike if row not in cautious)
    assert all(0.029 <= 1 - row.held <= 0.06 for row in cautious)
