"""The differences by query, and the documents that could turn a comparison, against trying each of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.comparison.small_collections import completed_differences, several_runs
from tests.conftest import Qrels, RunDict, examples
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
    found = compare(qrels, runs, measure).per_query("one", "two")
    effects = {(one.query, one.document): one.effect for one in found.documents}
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
    sizes = [abs(one.effect) for one in found.documents]
    assert sizes == sorted(sizes, reverse=True)
    assert all(one.favours == ("one" if one.effect > 0 else "two") for one in found.documents)


@examples(60)
@given(several_runs(), st.sampled_from(MEASURES))
def test_bounds_by_query(collection: Several, measure: str) -> None:
    comparison = compare(*collection, measure)
    found = comparison.per_query("one", "two")
    chosen, shared = comparison.result().measure, comparison.shared
    assert shared is not None
    completed = completed_differences(shared, chosen, chosen.max_grade(shared.judgments))
    for one in found.queries:
        differences = completed[list(comparison.queries).index(one.query)]
        exact = measure in MEASURES[:2]
        assert one.low <= differences.min() + 1e-12
        assert one.high >= differences.max() - 1e-12
        if exact:
            expected = (differences.min(), differences.max())
            assert (one.low, one.high) == pytest.approx(expected, abs=1e-12)


def test_the_sample() -> None:
    comparison = compare(sample.qrels, PAIR)
    found = comparison.per_query()
    gaps = [one.difference for one in found.queries]
    assert np.mean(gaps) == pytest.approx(comparison.difference.value)
    assert np.mean([one.low for one in found.queries]) == pytest.approx(comparison.difference.low)
    assert np.mean([one.high for one in found.queries]) == pytest.approx(comparison.difference.high)
    assert [abs(gap) for gap in gaps] == sorted(map(abs, gaps), reverse=True)
    best = {
        one.query: max((d for d in found.documents if d.query == one.query), key=lambda d: abs(d.effect))
        for one in found.queries
    }
    assert all(
        (one.document, one.effect) == (best[one.query].document, best[one.query].effect)
        for one in found.queries
    )
    assert "unjudged documents that matter most" in found.documents_grid().title


def test_how_few_documents_reverse_the_order() -> None:
    comparison = compare(sample.qrels, PAIR)
    found = comparison.per_query()
    against = [-one.effect for one in found.documents if one.effect < 0]
    assert found.needed is not None
    gap = comparison.difference.value
    assert sum(against[: found.needed]) > gap >= sum(against[: found.needed - 1])
    assert f"{found.needed} relevant documents suffice" in found.documents_grid().notes[0]
    settled = compare(sample.qrels, {name: sample.runs[name] for name in ("reranked", "fused")})
    assert settled.per_query().needed is None
