"""A pool has an identity: judgments of the same pool relabel each other's rankings, others do not."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from unjudged.base.errors import InputError, UsageError
from unjudged.collection.collection import judged_rankings
from unjudged.evidence.filled import Filled
from unjudged.measures.precision import AP
from unjudged.rankings.extension import chosen_rows, extended
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.pooled import PooledDocuments
from unjudged.rankings.runs import run_table

QRELS = {"q1": {"a": 1, "b": 0, "c": -1}, "q2": {"a": 2}}
RUN = {"q1": {"c": 3.0, "a": 2.0, "x": 1.0}, "q2": {"a": 1.0}}


def test_a_pool_lists_the_query_of_each_row() -> None:
    pooled = Judgments.read(QRELS).pooled
    assert pooled.query.tolist() == [0, 0, 0, 1]
    assert list(pooled.queries) == ["q1", "q2"]
    assert list(pooled.documents) == ["a", "b", "c", "a"]


def test_new_grades_keep_the_pool_and_relabel_its_rankings() -> None:
    judgments = Judgments.read(QRELS)
    other = judgments.with_grades(np.array([0, 0, 1, 0], np.int32))
    assert other.pooled is judgments.pooled
    rankings = judged_rankings(judgments, {"run": RUN})
    assert AP.compute(rankings).tolist() == [0.5, 1.0]
    assert AP.compute(rankings.relabelled(other)).tolist() == [1.0, 0.0]


def test_judgments_of_another_pool_are_refused() -> None:
    judgments = Judgments.read(QRELS)
    rankings = judged_rankings(judgments, {"run": RUN})
    others = {
        "equal": Judgments.read(QRELS),
        "extended": extended(judgments, [run_table(RUN)]),
        "chosen": chosen_rows(judgments, np.ones(4, bool)),
        "completed": Filled.of(rankings).rankings.judgments,
        "pickled": pickle.loads(pickle.dumps(judgments)),
    }
    for other in others.values():
        with pytest.raises(UsageError, match="another pool"):
            rankings.relabelled(other)


def test_a_pickled_pool_is_its_columns_and_stays_one_pool() -> None:
    judgments = Judgments.read(QRELS)
    assert judgments.index is judgments.pooled.__dict__["index"]
    rankings = judged_rankings(judgments, {"run": RUN})
    again_judgments, again = pickle.loads(pickle.dumps((judgments, rankings)))
    assert set(again_judgments.pooled.__dict__) == {"queries", "offsets", "documents"}
    assert AP.compute(again.relabelled(again_judgments)).tolist() == [0.5, 1.0]
    assert AP.compute(judged_rankings(again_judgments, {"run": RUN})).tolist() == [0.5, 1.0]


def test_pickled_judgments_do_not_depend_on_what_was_computed() -> None:
    judgments = Judgments.read(QRELS)
    before = pickle.dumps(judgments)
    AP.compute(judged_rankings(judgments, {"run": RUN}))
    assert judgments.sampled_share.tolist() == [2 / 3, 1.0]
    assert pickle.dumps(judgments) == before


def test_a_pool_without_names_matches_nothing() -> None:
    unnamed = PooledDocuments.unnamed(np.array([0, 1, 3]))
    assert len(unnamed.queries) == 2
    assert unnamed.query.tolist() == [0, 1, 1]
    with pytest.raises(UsageError, match="no names"):
        unnamed.index  # noqa: B018
    with pytest.raises(UsageError, match="no names"):
        unnamed.keys(["q1"])


def test_a_document_listed_twice_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="'a'"):
        Judgments.read([("q", "a", 1), ("q", "a", 0)])
