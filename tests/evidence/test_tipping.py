"""What unjudged documents are expected to turn, against all subsets of them, and the share seen."""

from __future__ import annotations

from collections import defaultdict
from math import ceil, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from tests.evidence.completions import Several, completed, depths, evidence_of, favouring_rows, open_rows
from tests.evidence.small_collections import several_runs
from unjudged.base.segments import Floats
from unjudged.evidence.contrast import Tip
from unjudged.evidence.rankings_evidence import RankingsEvidence

STRAIGHT = ["RBP(p=0.8)", "RBP(p=0.5, rel=2)@3", "RBP(p=0.5, max_grade=2)", "P@3", "DCG", "DCG@2"]
TERMS = ["nDCG", "nDCG@2", "nDCG(dcg='exp-log2')@3", "AP", "AP(rel=2)", "AP@3", "R", "R@2", "SetR"]
DRAWN = ["RR", "RR@2", "ERR(max_grade=2)@3", "Rprec", "Bpref", "GMAP", "IAP"]
shares = st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0])


def tip_of(evidence: RankingsEvidence, ahead: int = 0, behind: int = 1) -> Tip:
    tips = evidence.contrast(np.array([ahead]), np.array([behind])).tips
    assert tips is not None
    return tips(np.array([ahead]), np.array([behind]))


def expected(evidence: RankingsEvidence, share: float, ahead: int = 0, behind: int = 1) -> Floats:
    """Return the mean difference on each query, over all subsets of what favours the system behind."""
    top = evidence.measure.max_grade(evidence.whole.original)
    rows = np.flatnonzero(favouring_rows(evidence, ahead, behind)).tolist()
    found = []
    for query in range(len(evidence.queries)):
        one = completed(evidence, ahead, behind, query, dict.fromkeys(rows, (-1, top)))
        start = evidence.whole.judgments.offsets[query]
        own = [row - start for row in rows if 0 <= row - start < one.grades.shape[1]]
        relevant = (one.grades[:, own] == top).sum(axis=1)
        found.append(float(one.differences @ (share**relevant * (1 - share) ** (len(own) - relevant))))
    return np.array(found)


@pytest.mark.parametrize("name", [*STRAIGHT, *TERMS])
@examples(20)
@given(collection=several_runs(runs=3, highest=2), depth=depths, share=shares)
def test_expected_differences_are_those_over_all_subsets(
    name: str, collection: Several, depth: int | None, share: float
) -> None:
    evidence = evidence_of(collection, name, depth)
    found = tip_of(evidence).at(np.array([share]))
    np.testing.assert_allclose(found[0], expected(evidence, share), atol=1e-12)


@pytest.mark.parametrize("name", DRAWN)
@examples(8)
@given(collection=several_runs(runs=3, highest=2), depth=depths, share=shares)
def test_other_measures_are_drawn(name: str, collection: Several, depth: int | None, share: float) -> None:
    """A difference is averaged over at least 500 completions: five standard errors are below 0.25."""
    evidence = evidence_of(collection, name, depth)
    found = tip_of(evidence).at(np.array([share]))
    reach = 12.0 if evidence.measure.geometric else 1.0
    allowed = 1e-12 if share in {0.0, 1.0} else 0.12 * reach
    np.testing.assert_allclose(found[0], expected(evidence, share), atol=allowed)


@pytest.mark.parametrize("name", [*STRAIGHT, *TERMS, *DRAWN])
@examples(15)
@given(collection=several_runs(runs=3, highest=2), depth=depths)
def test_as_judged_and_several_pairs_and_some_queries(
    name: str, collection: Several, depth: int | None
) -> None:
    """At share 0 differences are as judged; pairs, queries and runs do not depend on those beside them."""
    evidence = evidence_of(collection, name, depth)
    ahead, behind = np.array([0, 1, 2, 2]), np.array([1, 0, 0, 1])
    contrast = evidence.contrast(ahead, behind)
    assert contrast.tips is not None
    tip, share = contrast.tips(ahead, behind), np.array([0.3, 0.6, 0.0, 1.0])
    np.testing.assert_allclose(tip.at(np.zeros(4)), contrast.values, atol=1e-12)
    every = tip.at(share)
    for k, (a, b) in enumerate(zip(ahead, behind, strict=True)):
        alone = tip_of(evidence, a, b)
        assert alone.seen[0] == tip.seen[k]
        np.testing.assert_allclose(alone.at(share[k : k + 1])[0], every[k], atol=1e-12)
    last = np.arange(len(evidence.queries)) == len(evidence.queries) - 1
    some = tip.over(last)
    np.testing.assert_array_equal(some.seen, tip.seen)
    np.testing.assert_allclose(some.at(share), every[:, last], atol=1e-12)
    qrels, runs = collection
    two = tip_of(evidence_of((qrels, {run: runs[run] for run in ("one", "two")}), name, depth))
    assert two.seen[0] == tip.seen[0]
    np.testing.assert_allclose(two.at(share[:1])[0], every[0], atol=1e-12)


@pytest.mark.parametrize(("name", "allowed"), [("nDCG", 2e-4), ("AP", 2e-3), ("R", 2e-3), ("nDCG@10", 2e-3)])
def test_many_documents_have_nearly_the_exact_expectation(name: str, allowed: float) -> None:
    """Of 40 documents the number that is relevant stands for its distribution by two numbers."""
    rng = np.random.default_rng(3)
    judged = {f"j{k}": int(grade) for k, grade in enumerate(rng.integers(0, 2, 20))}
    runs = {
        "ahead": {"q": {f"j{k}": float(-k) for k in range(20)}},
        "behind": {
            "q": {name: float(score) for name, score in zip(_documents(), rng.random(60), strict=True)}
        },
    }
    evidence = evidence_of(({"q": judged}, runs), name)
    share, draws = 0.3, 4000
    rows = np.flatnonzero(favouring_rows(evidence, 0, 1))
    mean = np.zeros(2)
    grade = np.tile(evidence.whole.judgments.grade, (draws, 1))
    grade[:, rows] = np.where(rng.random((draws, len(rows))) < share, 1, -1)
    for way in grade:
        pool = evidence.whole.judgments.with_grades(way)
        mean += evidence.measure.compute(evidence.whole.rankings.relabelled(pool)) / draws
    found = tip_of(evidence).at(np.array([share]))[0, 0]
    assert found == pytest.approx(mean[0] - mean[1], abs=allowed + 0.003)


def _documents() -> list[str]:
    return [*(f"j{k}" for k in range(20)), *(f"u{k}" for k in range(40))]


SEEN = ["RBP(p=0.8)", "P@3", "RBP(p=0.5, max_grade=2)", "nDCG@3", "nDCG(dcg='exp-log2')", "AP", "AP(rel=2)"]
SEEN += ["RR", "R", "R@2"]


@pytest.mark.parametrize("name", SEEN)
@examples(40)
@given(collection=several_runs(runs=3, highest=2), depth=depths)
def test_share_seen_by_its_definition(name: str, collection: Several, depth: int | None) -> None:
    evidence = evidence_of(collection, name, depth)
    for ahead, behind in ((0, 1), (1, 0), (2, 0)):
        found = tip_of(evidence, ahead, behind).seen[0]
        assert found == pytest.approx(seen_of(evidence, ahead, behind), abs=1e-12)


def weight_of(evidence: RankingsEvidence, rank: float) -> float:
    """Return what a rank counts."""
    measure = evidence.measure
    if rank == np.inf:
        return 0.0
    if measure.name == "RBP":
        p = measure.given["p"]
        return float((1 - p) * p ** (rank - 1))
    if measure.name == "nDCG":
        return 1 / log2(rank + 1)
    return 1.0 if measure.name in {"P", "R"} else 1 / rank


def seen_of(evidence: RankingsEvidence, ahead: int, behind: int) -> float:
    """Return the share of relevant weight among the judged, in bands, weighted by the unjudged."""
    shared, measure = evidence.whole, evidence.measure
    cutoff = measure.given.get("cutoff", np.inf)
    ranks = [dict(_ranks(evidence, run, cutoff)) for run in (ahead, behind)]
    there = set(open_rows(shared, ahead, behind, evidence.depth).tolist())
    top = float(measure.gain(measure.max_grade(shared.original)))
    wanted, judged, relevant = (defaultdict[int, float](float) for _ in range(3))
    every, relevant_of_every = 0.0, 0.0
    for row, rank in ranks[1].items():
        band, grade = ceil(log2(rank)), int(shared.judgments.grade[row])
        gain = float(measure.gain(max(grade, 0))) / top
        excess = weight_of(evidence, rank) - weight_of(evidence, ranks[0].get(row, np.inf))
        if grade >= 0:
            every += weight_of(evidence, rank)
            relevant_of_every += weight_of(evidence, rank) * gain
        if excess > 0 and grade >= 0:
            judged[band] += excess
            relevant[band] += excess * gain
        elif excess > 0 and row in there:
            wanted[band] += excess
    if not sum(wanted.values()):
        return 1.0
    last = relevant_of_every / every if every else 1.0
    if sum(judged.values()):
        last = sum(relevant.values()) / sum(judged.values())
    found = 0.0
    for band in range(5):
        last = relevant[band] / judged[band] if judged[band] else last
        found += wanted[band] * last
    return found / sum(wanted.values())


def _ranks(evidence: RankingsEvidence, run: int, cutoff: float) -> list[tuple[int, int]]:
    own = evidence.whole.rankings.run(run)
    return [
        (row, rank) for row, rank in zip(own.row.tolist(), own.rank.tolist(), strict=True) if rank <= cutoff
    ]
