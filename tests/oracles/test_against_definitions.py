"""Measures to 1e-12 of their definitions, computed one ranking at a time in fractions."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf

import pytest
from hypothesis import given

from tests.conftest import Qrels, RunDict, collections, examples
from tests.oracles import definitions as d
from tests.oracles.definitions import Labels
from unjudged import MEASURES, evaluate

DEFINITIONS: dict[str, Callable[..., object]] = {
    "AP": d.ap,
    "AP(rel=2)@3": lambda r, j: d.ap(r, j, 2, 3),
    "AP(unjudged='condensed')": lambda r, j: d.ap(d.condensed(r), j),
    "AP(unjudged='nonrelevant')": d.ap,
    "P@4": lambda r, j: d.precision(r, j, 1, 4),
    "P(rel=3)@20": lambda r, j: d.precision(r, j, 3, 20),
    "R": d.recall,
    "R(rel=2)@3": lambda r, j: d.recall(r, j, 2, 3),
    "Rprec": d.rprec,
    "Rprec(rel=2)": lambda r, j: d.rprec(r, j, 2),
    "RR": d.rr,
    "RR(rel=2)@2": lambda r, j: d.rr(r, j, 2, 2),
    "Success@2": lambda r, j: d.success(r, j, 1, 2),
    "IPrec@0.0": lambda r, j: d.iprec(r, j, 1, 0.0),
    "IPrec@0.3": lambda r, j: d.iprec(r, j, 1, 0.3),
    "IPrec(rel=2)@1.0": lambda r, j: d.iprec(r, j, 2, 1.0),
    "IPrec(rounding='nearest')@0.3": lambda r, j: d.rounded_iprec(r, j, 0.3),
    "IAP": lambda r, j: d.iprec_mean(r, j, 1, [i / 10 for i in range(11)]),
    "IAP(rel=2, recalls=(0.2, 0.5, 0.8))": lambda r, j: d.iprec_mean(r, j, 2, [0.2, 0.5, 0.8]),
    "yaAP": d.ya_ap,
    "yaAP(rel=2)": lambda r, j: d.ya_ap(r, j, 2),
    "GMAP": lambda r, j: max(d.ap(r, j), Fraction(1, 100_000)),
    "GMBpref(rel=2, eps=0.25)": lambda r, j: max(d.bpref(r, j, 2), Fraction(1, 4)),
    "Bpref": d.bpref,
    "Bpref(rel=2)": lambda r, j: d.bpref(r, j, 2),
    "Bpref(form='paper')": lambda r, j: d.bpref_against(r, j, 0),
    "Bpref10(rel=2)": lambda r, j: d.bpref_against(r, j, 10, 2),
    "infAP": d.inf_ap,
    "infAP(rel=2, c=1.5)": lambda r, j: d.inf_ap(r, j, 2, 1.5),
    "infAP(pool=False)": lambda r, j: d.inf_ap([-1 if label is None else label for label in r], j),
    "indAP": d.ind_ap,
    "indAP(rel=2, unpooled='removed')": lambda r, j: d.ind_ap(r, j, 2, "removed"),
    "subAP": d.sub_ap,
    "subAP(rel=2, share=0.25)": lambda r, j: d.sub_ap(r, j, 2, Fraction(1, 4)),
    "NCP": d.ap,
    "NCP(stop='first', rel=2)": lambda r, j: d.rr(r, j, 2),
    "NCP(stop='geometric', decay=0.25)": lambda r, j: d.ncp(r, j, lambda i: Fraction(1, 4) ** (i - 1)),
    "NCP(stop='power', exponent=2.0)": lambda r, j: d.ncp(r, j, lambda i: Fraction(1, i * i)),
    "NCP(stop=(0.0, 3.0, 1.0))": lambda r, j: d.ncp(r, j, lambda i: Fraction({2: 3, 3: 1}.get(i, 0))),
    "RBP": d.rbp,
    "RBP(p=0.5, rel=2)@3": lambda r, j: d.rbp(r, j, 0.5, 2, 3),
    "RBP(max_grade=4, gains={1: 0.125})": lambda r, _: d.graded_rbp(r, {1: Fraction(1, 8)}, 4),
    "RBP(scale='query', p=0.9)": lambda r, j: d.rescaled_rbp(r, j, {}, 0.9),
    "RBP(scale='query', gains={1: 0.5, 3: 0.25})": lambda r, j: d.rescaled_rbp(
        r, j, {1: Fraction(1, 2), 3: Fraction(1, 4)}, 0.8
    ),
    "RBPResidual(p=0.9)": lambda r, j: d.rbp_residual(r, j, 0.9),
    "RBPUpper(p=0.9)": lambda r, j: d.rbp(r, j, 0.9) + d.rbp_residual(r, j, 0.9),
    "nDCG": d.ndcg,
    "nDCG@3": lambda r, j: d.ndcg(r, j, 3),
    "nDCG(dcg='exp-log2')@5": lambda r, j: d.ndcg(r, j, 5, lambda grade: 2.0**grade - 1),
    "nDCG(unjudged='condensed')@2": lambda r, j: d.ndcg(d.condensed(r), j, 2),
    "nDCG(gains={0: 0.25, 2: 0.75})": lambda r, j: d.ndcg(
        r, j, gain=lambda grade: {0: 0.25, 2: 0.75}.get(grade, float(grade))
    ),
    "DCG@3": lambda r, _: d.dcg([max(label or 0, 0) for label in r], 3),
    "IdealDCG": lambda _, j: d.dcg(sorted((grade for grade in j if grade > 0), reverse=True), inf),
    "ERR": d.err,
    "ERR(max_grade=3)@4": lambda r, j: d.err(r, j, 4, 3),
    "Judged": d.share_judged,
    "Judged@3": lambda r, j: d.share_judged(r, j, 3),
    "Unjudged@5": lambda r, j: d.share_unjudged(r, j, 5),
    "SetAP(rel=2)": lambda r, j: d.set_precision(r, j, 2) * d.recall(r, j, 2),
    "Utility": lambda r, j: d.utility(r, j, (1, -1, 0, 0), 0),
    "Utility(weights=(3, -2, -1, 1), documents=50)": lambda r, j: d.utility(r, j, (3, -2, -1, 1), 50),
    "SetP": d.set_precision,
    "SetR": d.recall,
    "xinfAP": d.one_stratum_inf_ap,
    "xinfAP(rel=2, dialect='trecvid')": lambda r, j: d.one_stratum_inf_ap(r, j, 2),
    "infNDCG": d.inf_ndcg,
    "infP@3": lambda r, j: d.inf_precision(r, j, 1, 3),
    "statAP": d.uniform_stat_ap,
    "statAPVariance(rel=2)": lambda r, j: d.uniform_stat_variance(r, j, 2),
    "statRprec": d.uniform_stat_rprec,
    "statP@3": lambda r, j: d.uniform_stat_precision(r, j, 1, 3),
}


def labels_of(qrels: Qrels, run: RunDict, query: str) -> Labels:
    documents = sorted(run.get(query, {}).items(), key=lambda item: (item[1], item[0]), reverse=True)
    return [qrels[query].get(document) for document, _ in documents]


@examples(300)
@given(collections())
def test_definition(collection: tuple[Qrels, RunDict]) -> None:
    qrels, run = collection
    values = evaluate(qrels, run, list(DEFINITIONS)).values[0]
    for k, (name, definition) in enumerate(DEFINITIONS.items()):
        for j, (query, judgments) in enumerate(qrels.items()):
            wanted = definition(labels_of(qrels, run, query), list(judgments.values()))
            got = values[j, k]
            assert got == pytest.approx(float(wanted), rel=1e-12, abs=1e-12), (name, query)  # type: ignore[arg-type]


def test_every_measure_of_the_registry_has_a_definition_or_an_oracle() -> None:
    """Those that are trec_eval's alone are compared with pytrec_eval, and Hole with BEIR's definition."""
    defined = {name.split("(")[0].split("@")[0] for name in DEFINITIONS}
    ours = {name: m for name, m in MEASURES.items() if m.function.__module__.startswith("unjudged.")}
    left = {name for name, m in ours.items() if not m.traits.trec_eval and not m.traits.across_queries}
    assert left <= defined
