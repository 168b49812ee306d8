"""What to judge next, and that judging it does what was promised."""

from __future__ import annotations

import pytest

from unjudged import UsageError, evaluate, sample, to_judge
from unjudged.judging.collecting.merging import merge
from unjudged.rankings.judgments import Judgments


def test_judging_the_documents_narrows_the_interval_by_their_gain() -> None:
    judgments, run = Judgments.of(sample.qrels), sample.runs["dense"]
    wanted = to_judge(judgments, run, 40)
    gains = [one.gain for one in wanted]
    assert gains == sorted(gains, reverse=True)
    later: dict[str, dict[str, int]] = {}
    for one in wanted:
        later.setdefault(one.query, {})[one.document] = 0
    after = merge(judgments, {"ann": later}).judgments
    residual = "RBPResidual(p=0.8)"
    before, now = (evaluate(j, run, residual).value(residual) for j in (judgments, after))
    assert before - now == pytest.approx(sum(gains), abs=1e-12)
    again = to_judge(after, run, 40)
    assert not {(w.query, w.document) for w in wanted} & {(w.query, w.document) for w in again}


def test_for_a_difference_what_both_share_matters_less() -> None:
    qrels = {"q": {"x": 1}}
    runs = {
        "a": {"q": {"both": 3.0, "only": 2.0, "x": 1.0}},
        "b": {"q": {"both": 3.0, "x": 2.0}},
    }
    assert [one.document for one in to_judge(qrels, runs, 5)] == ["both", "only"]
    assert [one.document for one in to_judge(qrels, runs, 5, difference=True)] == ["only"]
    with pytest.raises(UsageError, match="the difference of 1 runs was asked for: give two"):
        to_judge(qrels, {"a": runs["a"]}, 5, difference=True)
    with pytest.raises(UsageError, match="budget is 0"):
        to_judge(qrels, runs, 0)
    with pytest.raises(UsageError, match="AP is no sum over relevant documents"):
        to_judge(qrels, runs, 1, "AP")
