"""Two runs that share unknown documents, and what to judge next, against enumeration."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unjudged import UsageError, evaluate, sample
from unjudged.comparison.verdicts import compare, to_judge
from unjudged.formats.readers.memory import table_of
from unjudged.measures.names import parse
from unjudged.rankings.extension import extended, updated
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import run_table
from unjudged.uncertainty.shared import Shared

DOCUMENTS = [f"d{i}" for i in range(7)]
rankings = st.permutations(DOCUMENTS).map(lambda order: {d: -float(k) for k, d in enumerate(order[:5])})


@settings(max_examples=60, deadline=None)
@given(rankings, rankings, st.sampled_from(["RBP(p=0.8)", "P@3", "AP", "nDCG@3", "RR"]))
def test_the_interval_holds_every_completion(a: dict[str, float], b: dict[str, float], name: str) -> None:
    """A document unjudged in both runs gets one grade in both."""
    qrels = {"q": {"d0": 1, "d1": 0, "d2": -1}}
    unknown = [d for d in DOCUMENTS[2:] if d in a or d in b]
    (measure,) = parse(name)
    found = compare(
        Judgments.of(qrels),
        (table_of({"q": a}, "score"), table_of({"q": b}, "score")),
        measure,
        q=0.3,
        draws=20,
    )
    gaps = []
    for grades in product([0, 1], repeat=len(unknown)):
        complete = {"q": {**qrels["q"], **dict(zip(unknown, grades, strict=True))}}
        scores = evaluate(complete, {"a": {"q": a}, "b": {"q": b}}, name)
        gaps.append(scores.value(name, run="a") - scores.value(name, run="b"))
    low, high = found.difference.low, found.difference.high
    assert low <= min(gaps) + 1e-12
    assert high >= max(gaps) - 1e-12
    if "exact" in found.difference.method:
        assert (low, high) == pytest.approx((min(gaps), max(gaps)), abs=1e-12)
    assert (found.verdict == "settled") == (low > 0 or high < 0)


def test_probability_under_the_model() -> None:
    """One unknown document decides: A retrieves it, B does not."""
    qrels = {"q": {"x": 1, "y": 0}}
    a, b = table_of({"q": {"u": 2.0, "y": 1.0}}, "score"), table_of({"q": {"y": 2.0, "x": 1.0}}, "score")
    found = compare(Judgments.of(qrels), (a, b), parse("P@1")[0], q=0.3, draws=4000)
    assert found.difference.value == 0.0
    assert (found.difference.low, found.difference.high) == (0.0, 1.0)
    # Better with probability 0.3, a tie (half) otherwise.
    assert found.probability == pytest.approx(0.3 + 0.7 / 2, abs=0.02)
    assert found.verdict == "open"


def test_judging_what_was_asked_for_narrows_by_what_was_said() -> None:
    judgments = Judgments.of(sample.qrels)
    tables = [run_table(sample.runs["dense"])]
    (measure,) = parse("RBP(p=0.8)")
    wanted = to_judge(judgments, tables, measure, budget=40)
    assert [w.gain for w in wanted] == sorted((w.gain for w in wanted), reverse=True)
    later: dict[str, dict[str, int]] = {}
    for one in wanted:
        later.setdefault(one.query, {})[one.document] = 0
    after = updated(judgments, Judgments.of(later))
    residual = [
        evaluate(j, sample.runs["dense"], "RBPResidual(p=0.8)").value("RBPResidual(p=0.8)")
        for j in (judgments, after)
    ]
    assert residual[0] - residual[1] == pytest.approx(sum(w.gain for w in wanted), abs=1e-12)
    again = to_judge(after, tables, measure, budget=40)
    assert not {(w.query, w.document) for w in wanted} & {(w.query, w.document) for w in again}


def test_for_a_difference_what_both_share_matters_less() -> None:
    qrels = {"q": {"x": 1}}
    a = table_of({"q": {"both": 3.0, "only": 2.0, "x": 1.0}}, "score")
    b = table_of({"q": {"both": 3.0, "x": 2.0}}, "score")
    (measure,) = parse("RBP(p=0.8)")
    assert [w.document for w in to_judge(Judgments.of(qrels), [a, b], measure, 5)] == ["both", "only"]
    assert [w.document for w in to_judge(Judgments.of(qrels), [a, b], measure, 5, difference=True)] == [
        "only"
    ]
    with pytest.raises(UsageError, match="expected two"):
        to_judge(Judgments.of(qrels), [a], measure, 5, difference=True)
    with pytest.raises(UsageError, match="budget is 0"):
        to_judge(Judgments.of(qrels), [a], measure, 0)
    with pytest.raises(UsageError, match="AP is no sum over relevant documents; these are: P, RBP"):
        to_judge(Judgments.of(qrels), [a], parse("AP")[0], 1)


def test_extended_and_updated_judgments() -> None:
    judgments = Judgments.of({"q": {"a": 1}, "r": {"b": 0}})
    wider = extended(judgments, [table_of({"q": {"a": 1.0, "c": 0.5}, "s": {"z": 1.0}}, "score")])
    assert list(wider.queries) == ["q", "r"]
    assert list(wider.documents) == ["a", "c", "b"]
    assert wider.grade.tolist() == [1, -1, 0]
    after = updated(judgments, Judgments.of({"r": {"b": 2, "d": -1}, "s": {"e": 1}}))
    assert list(after.queries) == ["q", "r", "s"]
    assert dict(zip(after.documents, after.grade.tolist(), strict=True)) == {"a": 1, "b": 2, "d": -1, "e": 1}
    same = updated(judgments, Judgments.of({"q": {"a": 0}}))
    assert same.index is judgments.index
    assert same.grade.tolist() == [0, 0]


def test_every_document_of_shared_rankings_has_a_row() -> None:
    shared = Shared.of(
        Judgments.of(sample.qrels), [run_table(sample.runs[name]) for name in ("dense", "fused")]
    )
    np.testing.assert_array_equal(shared.rankings.counts, shared.rankings.retrieved)
    plain = evaluate(sample.qrels, [sample.runs["dense"], sample.runs["fused"]], "AP").values[:, :, 0]
    (measure,) = parse("AP")
    np.testing.assert_array_equal(measure.compute(shared.rankings), plain.ravel())
