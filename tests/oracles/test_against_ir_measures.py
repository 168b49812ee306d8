"""Shared measures against ir_measures, under the same names."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.conftest import Qrels, RunDict, collections, examples
from unjudged import evaluate

ir_measures = pytest.importorskip("ir_measures")

# Not here: Judged (ir_measures breaks its ties the other way) and exponential gains (its provider is a
# script that prints five decimals).
NAMES = [
    "AP",
    "AP(rel=2)@5",
    "P@5",
    "P(rel=2)@10",
    "R@5",
    "RR",
    "Rprec",
    "Bpref",
    "infAP",
    "nDCG",
    "nDCG@5",
    "Success@1",
    "IPrec@0.1",
    "SetP",
    "SetR",
    "SetF",
    "NumRet",
    "NumRelRet",
]


@examples(100)
@given(collections(lowest=0))
def test_same_name_same_value(collection: tuple[Qrels, RunDict]) -> None:
    qrels, run = collection
    measures = {ir_measures.parse_measure(name): name for name in NAMES}
    scores = evaluate(qrels, run, NAMES)
    for metric in ir_measures.iter_calc(measures, qrels, run):
        value = scores.value(measures[metric.measure], query=metric.query_id)
        assert value == pytest.approx(metric.value, rel=1e-12, abs=1e-12), metric
