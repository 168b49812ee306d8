"""Every classic measure to 1e-12 of its definition, computed one ranking at a time in fractions."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings

from tests.conftest import Qrels, RunDict, collections
from tests.oracles.definitions import (
    Labels,
    ap,
    bpref,
    err,
    inf_ap,
    iprec,
    ndcg,
    precision,
    rbp,
    rbp_residual,
    recall,
    rprec,
    rr,
    set_f,
    set_precision,
    share_judged,
    share_unjudged,
    success,
)
from unjudged import evaluate

DEFINITIONS: dict[str, Callable[..., object]] = {
    "AP": ap,
    "AP(rel=2)@3": lambda r, j: ap(r, j, 2, 3),
    "P@4": lambda r, j: precision(r, j, 1, 4),
    "P(rel=3)@20": lambda r, j: precision(r, j, 3, 20),
    "R": recall,
    "R(rel=2)@3": lambda r, j: recall(r, j, 2, 3),
    "Rprec": rprec,
    "Rprec(rel=2)": lambda r, j: rprec(r, j, 2),
    "RR": rr,
    "RR(rel=2)@2": lambda r, j: rr(r, j, 2, 2),
    "Success@2": lambda r, j: success(r, j, 1, 2),
    "IPrec@0.0": lambda r, j: iprec(r, j, 1, 0.0),
    "IPrec@0.3": lambda r, j: iprec(r, j, 1, 0.3),
    "IPrec(rel=2)@1.0": lambda r, j: iprec(r, j, 2, 1.0),
    "Bpref": bpref,
    "Bpref(rel=2)": lambda r, j: bpref(r, j, 2),
    "infAP": inf_ap,
    "infAP(rel=2, c=1.5)": lambda r, j: inf_ap(r, j, 2, 1.5),
    "RBP": rbp,
    "RBP(p=0.5, rel=2)@3": lambda r, j: rbp(r, j, 0.5, 2, 3),
    "RBPResidual(p=0.9)": lambda r, j: rbp_residual(r, j, 0.9),
    "nDCG": ndcg,
    "nDCG@3": lambda r, j: ndcg(r, j, 3),
    "nDCG(dcg='exp-log2')@5": lambda r, j: ndcg(r, j, 5, lambda grade: 2.0**grade - 1),
    "nDCG(gains={0: 0.25, 2: 0.75})": lambda r, j: ndcg(
        r, j, gain=lambda grade: {0: 0.25, 2: 0.75}.get(grade, float(grade))
    ),
    "ERR": err,
    "ERR(max_grade=3)@4": lambda r, j: err(r, j, 4, 3),
    "Judged": share_judged,
    "Judged@3": lambda r, j: share_judged(r, j, 3),
    "Unjudged@5": lambda r, j: share_unjudged(r, j, 5),
    "NumRet": lambda r, _: len(r),
    "NumRel(rel=2)": lambda _, j: sum(grade >= 2 for grade in j),
    "NumRelRet": lambda r, _: sum(label is not None and label >= 1 for label in r),
    "SetP": set_precision,
    "SetR": recall,
    "SetF": set_f,
    "SetF(beta=2.0)": lambda r, j: set_f(r, j, 1, 2.0),
}


def labels_of(qrels: Qrels, run: RunDict, query: str) -> Labels:
    documents = sorted(run.get(query, {}).items(), key=lambda item: (item[1], item[0]), reverse=True)
    return [qrels[query].get(document) for document, _ in documents]


@settings(max_examples=300, deadline=None)
@given(collections())
def test_definition(collection: tuple[Qrels, RunDict]) -> None:
    qrels, run = collection
    scores = evaluate(qrels, run, list(DEFINITIONS))
    for name, definition in DEFINITIONS.items():
        for query, judgments in qrels.items():
            wanted = definition(labels_of(qrels, run, query), list(judgments.values()))
            got = scores.value(name, query=query)
            assert got == pytest.approx(float(wanted), rel=1e-12, abs=1e-12), (name, query)  # type: ignore[arg-type]


def test_every_measure_of_the_registry_has_a_definition_here() -> None:
    from unjudged import MEASURES

    defined = {name.split("(")[0].split("@")[0] for name in DEFINITIONS}
    ours = {name for name, m in MEASURES.items() if m.function.__module__.startswith("unjudged.")}
    assert ours <= defined
