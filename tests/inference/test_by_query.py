"""The differences by query, and the documents that could turn a comparison, against trying each of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, examples
from tests.evidence.small_collections import several_runs
from unjudged import compare, evaluate, sample

PAIR = {name: sample.runs[name] for name in ("reranked", "dense")}
Several = tuple[Qrels, dict[str, RunDict]]
MEASURES = ["RBP(p=0.8)", "P@3", "AP", "nDCG@3", "RR", "Bpref"]


@examples(80)
@given(several_runs(), st.sampled_from(MEASURES))
def test_effects_are_what_judging_the_document_relevant_does(collection: Several, measure: str) -> None:
    """All other unjudged documents are nonrelevant, as in the comparison itself.

    Below the cutoff, a relevant document lowers the values of all runs alike; such documents are not listed.
    """
    qrels, runs = collection
    found = compare(qrels, runs, measure).by_query("one", "two").rows["documents"]
    effects = {(one["query"], one["document"]): one["document_effect"] for one in found}
    retrieved = {(q, d) for run in runs.values() for q, ranking in run.items() for d in ranking}
    unjudged = {(q, d) for q, d in retrieved if qrels[q].get(d, -1) < 0}
    complete = {q: {**grades, **{d: 0 for p, d in unjudged if p == q}} for q, grades in qrels.items()}
    complete = {q: {d: max(g, 0) for d, g in grades.items()} for q, grades in complete.items()}

    def difference(judged: Qrels) -> float:
        scores = evaluate(judged, runs, measure)
        return scores.value(measure, run="one") - scores.value(measure, run="two")

    before, cutoff = difference(complete), 3 if measure.endswith("@3") else 9
    seen = {(q, d) for run in runs.values() for q, own in run.items() for d in list(own)[:cutoff]}
    for query, document in unjudged & seen:
        judged = {**complete, query: {**complete[query], document: 1}}
        expected = difference(judged) - before
        assert effects.get((query, document), 0.0) == pytest.approx(expected, abs=1e-12)
    assert effects.keys() <= unjudged & seen
    sizes = [abs(one["document_effect"]) for one in found]
    assert sizes == sorted(sizes, reverse=True)
    assert all(one["favours"] == ("one" if one["document_effect"] > 0 else "two") for one in found)


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "nDCG@10"])
def test_the_sample(measure: str) -> None:
    comparison = compare(sample.qrels, PAIR, measure)
    found = comparison.by_query()
    queries, documents = found.rows["queries"], found.rows["documents"]
    for name in ("difference", "low", "high"):
        assert np.mean([one[name] for one in queries]) == pytest.approx(comparison[name])
    gaps = [one["difference"] for one in queries]
    assert [one["value_a"] - one["value_b"] for one in queries] == pytest.approx(gaps, abs=1e-12)
    assert [abs(gap) for gap in gaps] == sorted(map(abs, gaps), reverse=True)
    for one in queries:
        own = [d for d in documents if d["query"] == one["query"]]
        best = max(own, key=lambda d: abs(d["document_effect"]))
        assert (one["document"], one["document_effect"]) == (best["document"], best["document_effect"])


def test_so_many_documents_turn_the_order() -> None:
    """Effects of single documents by a sum add up: the fewest that turn it are the largest of one side."""
    comparison = compare(sample.qrels, PAIR, "RBP(p=0.8)")
    behind = [one for one in comparison.by_query().rows["documents"] if one["favours"] == "dense"]
    against = [abs(one["document_effect"]) for one in behind]
    gap = abs(comparison["difference"])
    needed = next(n for n in range(len(against)) if sum(against[:n]) > gap)
    assert sum(against[: needed - 1]) <= gap < sum(against) == pytest.approx(gap / comparison["flip"])


def test_queries_of_a_pair_the_other_way_round() -> None:
    comparison = compare(sample.qrels, PAIR)
    one, other = comparison.by_query("reranked", "dense"), comparison.by_query("dense", "reranked")
    for row, turned in zip(one.rows["queries"], other.rows["queries"], strict=True):
        assert (row["query"], row["document"]) == (turned["query"], turned["document"])
        assert (row["value_a"], row["value_b"]) == (turned["value_b"], turned["value_a"])
        assert (row["low"], row["high"]) == pytest.approx((-turned["high"], -turned["low"]), abs=1e-15)
    assert len(one.grid("documents").rows) == min(len(one.rows["documents"]), 10)
