"""Values and trec_eval's names against pytrec_eval-terrier, which runs trec_eval 9.0.8."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.conftest import Qrels, RunDict, collections, examples
from unjudged import MEASURES, evaluate
from unjudged.measures.kernel.names import parse

pytrec_eval = pytest.importorskip("pytrec_eval")

# The first came with trec_eval 10; pytrec_eval has no yaap; the last two are logarithms there.
OTHERS = {"unj", "dcg", "ideal_dcg", "yaap", "gm_map", "gm_bpref"}
NAMES = [name for m in MEASURES.values() for name in m.traits.trec_eval if name not in OTHERS]
PARSED = {
    name: measure
    for plain in NAMES
    for measure in parse(plain)
    for name in [*pytrec_eval.RelevanceEvaluator({"q": {"d": 1}}, {plain}).evaluate({"q": {"d": 1.0}})["q"]]
    if parse(name) == [measure]
}


def judged_somewhere(qrels: Qrels) -> Qrels:
    """pytrec_eval crashes on a query whose documents are all -1, so it is not shown any."""
    return {q: grades for q, grades in qrels.items() if any(grade >= 0 for grade in grades.values())}


@examples(300)
@given(collections())
def test_every_name_of_trec_eval(collection: tuple[Qrels, RunDict]) -> None:
    qrels, run = judged_somewhere(collection[0]), collection[1]
    if not set(qrels) & set(run):
        return
    for level in (1, 2):
        if level > max(max(grades.values()) for grades in qrels.values()):
            continue  # trec_eval 9 reads past its buffer there
        oracle = pytrec_eval.RelevanceEvaluator(qrels, set(NAMES), relevance_level=level).evaluate(run)
        names = list(next(iter(oracle.values())))
        ours = [m(rel=level) if "rel" in m.parameters else m for m in map(PARSED.__getitem__, names)]
        scores = evaluate(qrels, run, ours)
        for query, values in oracle.items():
            got = scores.values[0, list(scores.queries).index(query)]
            assert list(got) == pytest.approx([values[n] for n in names], rel=1e-12, abs=1e-12), names


@examples(150)
@given(collections())
def test_condensed_rankings(collection: tuple[Qrels, RunDict]) -> None:
    """trec_eval's -J for every measure that has a name there."""
    qrels, run = judged_somewhere(collection[0]), collection[1]
    shared = [q for q in qrels if any(qrels[q].get(document, -1) >= 0 for document in run.get(q, {}))]
    if not shared:
        return
    # 0/0 there where nothing is left
    names = [name for name in NAMES if name not in ("iprec_at_recall", "11pt_avg")]
    oracle = pytrec_eval.RelevanceEvaluator(qrels, set(names), judged_docs_only_flag=True).evaluate(run)
    printed = list(oracle[shared[0]])
    scores = evaluate(qrels, run, [PARSED[name](unjudged="condensed") for name in printed])
    for query in shared:
        got = scores.values[0, list(scores.queries).index(query)]
        assert list(got) == pytest.approx([oracle[query][n] for n in printed], rel=1e-12, abs=1e-12), printed


def test_the_oracle_knows_every_name() -> None:
    assert set(NAMES) <= set(pytrec_eval.supported_measures)
