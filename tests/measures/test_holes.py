"""Hole@k and R_cap@k against what BEIR's definitions say, one query at a time over plain dicts."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.conftest import Qrels, RunDict, collections, examples
from unjudged import UsageError, evaluate, experiment, sample
from unjudged.engines.spark import Task
from unjudged.measures.kernel.names import parse_measures

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 1, "p": -1}}
RUN = {"q1": {"a": 5.0, "c": 4.0, "x": 3.0, "p": 2.0}, "q2": {"b": 3.0, "y": 2.0, "c": 1.0}}


def first(run: RunDict, query: str, k: int) -> list[str]:
    """The first k documents, ties by document descending."""
    scores = run.get(query, {})
    return sorted(scores, key=lambda d: (scores[d], d), reverse=True)[:k]


def hole(qrels: Qrels, run: RunDict, query: str, k: int) -> float:
    annotated = {d for judged in qrels.values() for d, grade in judged.items() if grade >= 0}
    return sum(d not in annotated for d in first(run, query, k)) / k


def capped_recall(qrels: Qrels, run: RunDict, query: str, k: int) -> float:
    relevant = {d for d, grade in qrels[query].items() if grade > 0}
    found = sum(d in relevant for d in first(run, query, k))
    return found / min(len(relevant), k) if relevant else 0.0


def test_worked_numbers() -> None:
    """Of a, c, x only x is judged for no query; p is pooled for q2, and nobody judged it."""
    scores = evaluate(QRELS, {"r": RUN}, ["Hole@3", "Hole@10", "Unjudged@3", "R_cap@3"])
    assert scores.values[0].tolist() == [
        [pytest.approx(1 / 3), pytest.approx(2 / 10), pytest.approx(2 / 3), 1.0],
        [pytest.approx(1 / 3), pytest.approx(1 / 10), pytest.approx(2 / 3), 1.0],
    ]


@examples(200)
@given(collection=collections())
def test_as_beir_defines_them(collection: tuple[Qrels, RunDict]) -> None:
    qrels, run = collection
    names = ["Hole@1", "Hole@4", "Hole@20", "R_cap@1", "R_cap@4", "R_cap@20", "Unjudged@4"]
    values = evaluate(qrels, run, names).values[0]
    for j, query in enumerate(qrels):
        wanted = [f(qrels, run, query, k) for f in (hole, capped_recall) for k in (1, 4, 20)]
        assert values[j, :6].tolist() == pytest.approx(wanted)
        assert values[j, 1] <= values[j, 6] + 1e-12


def test_other_measures_are_the_same_bits_beside_it() -> None:
    with_it = evaluate(sample.qrels, sample.runs, ["AP", "infAP", "nDCG@10", "Judged@10", "Hole@10"])
    without = evaluate(sample.qrels, sample.runs, ["AP", "infAP", "nDCG@10", "Judged@10"])
    assert with_it.values[:, :, :4].tobytes() == without.values.tobytes()


def test_a_depth_hides_what_is_below_it() -> None:
    values = evaluate(QRELS, {"r": RUN}, "Hole@10", depth=2).values
    assert values[0, :, 0].tolist() == [0.0, pytest.approx(0.1)]


def test_where_other_queries_are_not_known_it_is_refused() -> None:
    runs: dict[str, Any] = {"a": RUN, "b": RUN}
    for call in (
        lambda: experiment(QRELS, runs, measures=["Hole@3"]),
        lambda: Task.of(["a"], parse_measures("Hole@3")),
    ):
        with pytest.raises(UsageError, match="Hole needs to know what is judged for other queries"):
            call()
