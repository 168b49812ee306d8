"""Clusters of queries: by the matrices of CR2, by every sign flip, and as no clusters at all."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

from unjudged import (
    Collection,
    InputError,
    Judgments,
    Scores,
    UsageError,
    compare,
    compare_collections,
    evaluate,
    gate,
    sample,
)
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Clusters
from unjudged.evidence.mean_intervals import limits_of_mean, shape_of
from unjudged.inference.corrections import find_correction
from unjudged.inference.interaction import clustered_interaction_p
from unjudged.inference.pairs import Pairs, effect_size, t_interval
from unjudged.inference.several_collections import macro_differences
from unjudged.inference.significance import TESTS, careful, p_values

NAMES = list("aaabbcdddddee")
TWO = {name: sample.runs[name] for name in ("fused", "reranked")}
QUERIES = list(Judgments.read(sample.qrels).queries)
SESSIONS = {query: f"s{k // 2 % 12}" for k, query in enumerate(QUERIES)}


def against_zero(differences: Floats, names: list[Any]) -> Pairs:
    scores = np.vstack([differences, np.zeros((1, differences.shape[1]))])
    rows = len(differences)
    return Pairs(scores, np.arange(rows), np.full(rows, rows), Clusters.of(names))


def cr2(design: Floats, names: list[str], contrast: Floats, values: Floats) -> tuple[float, float, float]:
    """Return estimate, variance and Satterthwaite's degrees of freedom by the matrices of least squares."""
    n, bread = len(values), np.linalg.inv(design.T @ design)
    rest = np.eye(n) - design @ bread @ design.T
    columns = []
    for name in dict.fromkeys(names):
        own = np.array([one == name for one in names])
        level, vectors = np.linalg.eigh(rest[np.ix_(own, own)])
        adjusted = vectors @ np.diag(level**-0.5) @ vectors.T
        columns.append(rest[:, own] @ adjusted @ design[own] @ bread @ contrast)
    within = np.stack(columns).T
    middle = within.T @ within
    variance = float(((values @ within) ** 2).sum())
    freedom = float(np.trace(middle) ** 2 / (middle**2).sum())
    return float(contrast @ bread @ design.T @ values), variance, freedom


def test_the_t_test_is_cr2_with_satterthwaites_degrees_of_freedom() -> None:
    differences = np.random.default_rng(1).normal(0.3, 1, (4, len(NAMES)))
    pairs = against_zero(differences, NAMES)
    p, interval = p_values(pairs, "t").p, t_interval(pairs)
    for k, row in enumerate(differences):
        mean, variance, freedom = cr2(np.ones((len(row), 1)), NAMES, np.ones(1), row)
        half = stats.t.ppf(0.975, freedom) * variance**0.5
        assert p[k] == pytest.approx(2 * stats.t.sf(abs(mean) / variance**0.5, freedom), rel=1e-9)
        assert (interval.low[k], interval.high[k]) == pytest.approx((mean - half, mean + half), rel=1e-9)


def test_two_segments_differ_as_in_a_regression_on_them() -> None:
    values, which = np.random.default_rng(2).normal(size=len(NAMES)), np.arange(len(NAMES)) % 3 == 0
    design = np.stack([which, ~which], axis=1).astype(float)
    gap, variance, freedom = cr2(design, NAMES, np.array([1.0, -1.0]), values)
    clusters = Clusters.of(NAMES)
    assert clusters is not None
    found = clustered_interaction_p(values, [which, ~which], clusters)
    assert found == pytest.approx(2 * stats.t.sf(abs(gap) / variance**0.5, freedom), rel=1e-9)


def test_whole_clusters_are_flipped() -> None:
    differences = np.random.default_rng(3).normal(0.4, 1, (3, len(NAMES)))
    number = [sorted(set(NAMES)).index(name) for name in NAMES]
    found = p_values(against_zero(differences, NAMES), "randomization").p
    for p, row in zip(found, differences, strict=True):
        flips = [abs((np.array(signs)[number] * row).sum()) for signs in product((1, -1), repeat=5)]
        assert p == np.mean(np.array(flips) >= abs(row.sum()) - 1e-12)


@pytest.mark.parametrize("test", ["t", "randomization", "bootstrap"])
def test_clusters_of_one_query_are_queries(test: str) -> None:
    """By the formulas of clusters, which one query each never asks for."""
    rng = np.random.default_rng(4)
    differences, alone = rng.gamma(0.5, size=(5, 14)) - 0.4, Clusters(np.arange(14))
    assert Clusters.of(range(14)) is None
    plain = {"tolerance": 1e-12, "draws": 2000, "seed": 1}
    function = TESTS.find(test).function
    np.testing.assert_allclose(function(differences, **plain, clusters=alone), function(differences, **plain))
    both: list[tuple[Any, Any]] = [
        (shape_of(differences, alone), shape_of(differences)),
        (careful(differences, 0.1, 2.0, alone), careful(differences, 0.1, 2.0)),
        (limits_of_mean(differences, 0.025, (-1, 9), alone), limits_of_mean(differences, 0.025, (-1, 9))),
        (macro_differences([differences] * 2, 0.95, [alone] * 2), macro_differences([differences] * 2, 0.95)),
    ]
    for found, expected in both:
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-12)
    scores = rng.random((4, 14))
    each, own = Pairs.of(scores), Pairs(scores, *np.triu_indices(4, 1), alone)
    for end, other in zip(effect_size(own), effect_size(each), strict=True):
        np.testing.assert_allclose(end, other, rtol=1e-12)
    tukey = find_correction("tukey").function
    np.testing.assert_array_equal(tukey(own, draws=500, seed=2), tukey(each, draws=500, seed=2))


@pytest.mark.parametrize("copies", [2, 5])
def test_copies_of_queries_say_nothing_new(copies: int) -> None:
    """Each query asked again is a cluster: tests and intervals are those of the queries asked once."""
    differences = np.random.default_rng(5).gamma(0.5, size=(3, 12)) - 0.3
    once, names = against_zero(differences, list("abcdefghijkl")), [*"abcdefghijkl"] * copies
    again = against_zero(np.tile(differences, copies), names)
    for test in ("t", "randomization", "bootstrap"):
        np.testing.assert_allclose(p_values(again, test).p, p_values(once, test).p, rtol=1e-9)
    np.testing.assert_allclose(t_interval(again), t_interval(once), rtol=1e-9)
    wide, narrow = shape_of(again.values, again.clusters), shape_of(once.values)
    np.testing.assert_allclose(wide.bend, narrow.bend, rtol=1e-9)


@pytest.mark.thorough
@pytest.mark.parametrize("icc", [0.0, 0.6])
@pytest.mark.parametrize("clusters", [10, 20])
def test_size_where_queries_of_a_cluster_are_alike(clusters: int, icc: float) -> None:
    """A sample of scripts/trust/cluster_samples.py, within three standard errors of its bars."""
    rng, trials = np.random.default_rng(clusters), 4000
    number = np.repeat(np.arange(clusters), np.resize(np.arange(1, 11), clusters))
    shared = rng.normal(size=(trials, clusters))[:, number] * icc**0.5
    values = shared + rng.normal(size=(trials, len(number))) * (1 - icc) ** 0.5
    size = float((p_values(against_zero(values, number.tolist()), "t").p <= 0.05).mean())
    assert 0.03 <= size <= 0.065


def test_everything_that_is_said_of_other_queries_goes_by_cluster() -> None:
    plain, by_session = Collection(sample.qrels, TWO), Collection(sample.qrels, TWO, clusters=SESSIONS)
    alone = Collection(sample.qrels, TWO, clusters={query: query for query in QUERIES})
    segments = {query: "even" if k % 2 else "odd" for k, query in enumerate(QUERIES)}
    how: dict[str, Any] = {"measures": ["AP"], "segments": segments}
    one, other, same = (compare(c, **how) for c in (plain, by_session, alone))
    assert str(one.rows) == str(same.rows)
    row, clustered = one.pair(), other.pair()
    kept = ("difference", "mean_a", "low", "high", "wins", "flip", "seen", "queries")
    assert {name: row[name] for name in kept} == {name: clustered[name] for name in kept}
    assert clustered["clusters"] == 12
    for name in ("p", "query_low", "query_high", "effect_low"):
        assert row[name] != clustered[name]
    assert "30 queries in 12 clusters" in str(other.sentences())
    parts = {row["segment"]: row["clusters"] for row in other.segments}
    assert parts == {"odd": 12, "even": 12, "all": 12}
    assert other.segments[0]["interaction_p"] != one.segments[0]["interaction_p"]
    limits = [gate(c, "fused", "reranked", "AP").checks[0]["limit_low"] for c in (plain, by_session, alone)]
    assert limits[0] == limits[2] != limits[1]
    means = [evaluate(c, measures="AP", interval="queries") for c in (plain, by_session, alone)]
    ends = [[row["query_low"] for row in found.rows["systems"]] for found in means]
    assert ends[0] == ends[2] != ends[1]
    assert means[1].rows["systems"][0]["clusters"] == 12
    macro = compare_collections({"one": plain, "two": by_session}, "AP")
    assert macro.pairs[0]["clusters"] == 42


def test_scores_of_a_table_have_clusters_too() -> None:
    table = {"system": [*"aabb" * 6], "query": [f"q{k // 4 * 2 + k % 2}" for k in range(24)]}
    table["AP"] = (np.random.default_rng(6).random(24).round(3)).tolist()
    sessions = {f"q{k}": f"s{k // 2}" for k in range(12)}
    found = compare(Collection(scores={"file": table}, clusters=sessions))
    assert found.pair()["clusters"] == 6
    assert found.headline == "few queries"


def test_what_takes_queries_for_independent_is_refused_by_name() -> None:
    by_session = Collection(sample.qrels, TWO, clusters=SESSIONS)
    with pytest.raises(UsageError, match=r"Wilcoxon .* use --test t or randomization or bootstrap"):
        compare(by_session, test="wilcoxon")
    with pytest.raises(InputError, match="30 queries of 30 have no cluster"):
        compare(Collection(sample.qrels, TWO, clusters={"other": "s1"}))
    one = compare(Collection(sample.qrels, TWO, clusters=dict.fromkeys(QUERIES, "s1")))
    assert one["p"] == 1
    assert Scores.read([[0.1], [0.2]]).clusters is None
