"""Measures by name: the grammar, trec_eval's spellings, and what is said of a wrong name."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import AP, MEASURES, JudgedRankings, P, UsageError, evaluate, nDCG
from unjudged import measure as measure_decorator
from unjudged.base.segments import Floats
from unjudged.measures.kernel.names import alike, parse, parse_measure, parse_measures, spellings

GOOD = {
    "AP": "AP",
    " AP ": "AP",
    "AP(rel=2)@10": "AP(rel=2)@10",
    "AP( rel = 2 ) @ 10": "AP(rel=2)@10",
    "nDCG(dcg='exp-log2')@10": "nDCG(dcg='exp-log2')@10",
    'nDCG(gains={1: 1, 2: 5}, dcg="log2")': "nDCG(gains={1: 1, 2: 5}, dcg='log2')",
    "RBP(p=0.95)": "RBP(p=0.95)",
    "MAP": "AP",
    "MRR@10": "RR@10",
    "NDCG@5": "nDCG@5",
    "IPrec@0.1": "IPrec@0.1",
    "map": "AP",
    "map_cut_10": "AP@10",
    "ndcg_cut_10": "nDCG@10",
    "ndcg_cut.5,10": "nDCG@5 nDCG@10",
    "P.5,10": "P@5 P@10",
    "P_30": "P@30",
    "success": "Success@1 Success@5 Success@10",
    "recip_rank": "RR",
    "iprec_at_recall_0.10": "IPrec@0.1",
    "iprec_at_recall..10,.20": "IPrec@0.1 IPrec@0.2",
    "set_recall": "SetR",
    "num_rel_ret": "NumRelRet",
    "gm_map": "GMAP",
    "11pt_avg": "IAP",
    "Rprec_mult.0.2,2": "RprecMult@0.2 RprecMult@2.0",
    "relative_P_5": "RelP@5",
    "Utility(weights=(2, -1, 0, 0))": "Utility(weights=(2.0, -1.0, 0.0, 0.0))",
    # ranx
    "ndcg@10": "nDCG@10",
    "mrr@10": "RR@10",
    "map@100": "AP@100",
    "recall@100": "R@100",
    "precision@5": "P@5",
    "precision@5-l2": "P(rel=2)@5",
    "hit_rate@5": "Success@5",
    "r-precision": "Rprec",
    "bpref": "Bpref",
    "f1": "SetF",
    "ndcg_burges@10": "nDCG(dcg='exp-log2')@10",
    "dcg_burges": "DCG(dcg='exp-log2')",
    "rbp.95": "RBP(p=0.95)",
    "rbp.05": "RBP(p=0.05)",
    # BEIR
    "NDCG@10": "nDCG@10",
    "MAP@100": "AP@100",
    "Recall@100": "R@100",
    "R_cap@100": "RelP@100",
    "Accuracy@5": "Success@5",
    # trec_eval and pytrec_eval
    "P_10": "P@10",
    "recall_100": "R@100",
    "rbp_0.80": "RBP(p=0.8)",
    # any case, several cutoffs, and cutoffs as benchmarks of embeddings write them
    "ap": "AP",
    "p@10": "P@10",
    "p_10": "P@10",
    "NDCG_CUT_10": "nDCG@10",
    "statap": "statAP",
    "Ndcg(dcg='exp-log2')@5": "nDCG(dcg='exp-log2')@5",
    "nDCG@5,10": "nDCG@5 nDCG@10",
    "ndcg_at_10": "nDCG@10",
}

BAD = {
    "nDGC@10": "no measure is called 'nDGC'; did you mean nDCG",
    "apx": "no measure is called 'apx'; did you mean AP",
    "xyzzyx": "no measure is called 'xyzzyx' (`unjudged explain` lists them; --set code=FILE adds yours)",
    "P": None,
    "AP(rel=0)": "AP: rel is 0, expected a whole number of at least 1",
    "AP(rel=-1)": "AP: rel is -1, expected a whole number of at least 1",
    "AP@0": "AP: cutoff is 0, expected a whole number of at least 1",
    "AP@1.5": "AP: cutoff is 1.5, expected a whole number of at least 1",
    "AP(level=2)": "AP has no parameter 'level'; it has: rel, cutoff",
    "Rprec@5": "Rprec takes no cutoff: write Rprec without @5",
    "RBP(p=1)": "RBP: p is 1, expected a number between 0 and 1",
    "nDCG(dcg='ln')": "nDCG: dcg is 'ln', expected 'log2' or 'exp-log2'",
    "nDCG(gains=[1])": "nDCG: gains is [1], expected gains of at least 0 by grade",
    "Utility(weights=(1, 2))": "Utility: weights is (1, 2), expected four numbers",
    "IAP(recalls=(2.0,))": "IAP: recalls is (2.0,), expected numbers from 0 to 1",
    "RprecMult@0": "RprecMult: multiple is 0, expected a number above 0",
    "AP(2)": "invalid measure 'AP(2)'",
    "AP(rel=open('x'))": "invalid measure \"AP(rel=open('x'))\"",
    "AP.__class__": "invalid measure 'AP.__class__'",
    "": "invalid measure ''",
    "hits@10": "no measure is called 'hits'",
    "hit_rat@5": "no measure is called 'hit_rat'; did you mean hit_rate",
    "precison@5": "no measure is called 'precison'; did you mean Precision",
    "AP@@5": "invalid measure 'AP@@5'",
    "rbp.": "invalid measure 'rbp.'",
    "ndcg@10-l2": "nDCG has no parameter 'rel'",
    "P_x": "no measure is called 'P_x'",
    "P_5..1": "'P_5..1' has invalid cutoffs '5..1': use numbers such as 5,10",
}


@pytest.mark.parametrize("text", GOOD)
def test_name(text: str) -> None:
    found = parse(text)
    assert " ".join(map(str, found)) == GOOD[text].replace("gains={1: 1, 2: 5}", "gains={1: 1, 2: 5}")
    for measure in found:
        assert parse(str(measure)) == [measure]


@pytest.mark.parametrize("text", [text for text, problem in BAD.items() if problem])
def test_wrong_name(text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_measures(text)
    assert str(error.value).startswith(str(BAD[text]))


LISTS = {
    "AP,nDCG@10": "AP nDCG@10",
    " AP , nDCG@10 ": "AP nDCG@10",
    "P.5,10,map": "P@5 P@10 AP",
    "nDCG(gains={1: 1, 2: 5})@5,AP": "nDCG(gains={1: 1, 2: 5})@5 AP",
    "Utility(weights=(2, -1, 0, 0)),ndcg@5,10": "Utility(weights=(2.0, -1.0, 0.0, 0.0)) nDCG@5 nDCG@10",
    "AP,AP": "AP",
}


@pytest.mark.parametrize("text", LISTS)
def test_a_list_in_one_text(text: str) -> None:
    assert " ".join(map(str, parse_measures(text))) == LISTS[text]


def test_case_hyphens_and_underscores_never_tell_measures_apart() -> None:
    """So whatever the case, a name stands for one measure."""
    for name, measure in spellings().items():
        assert set(alike(name.upper()).values()) == {measure}


def test_two_measures_that_differ_in_case_must_be_spelled() -> None:
    @measure_decorator()
    def aP(r: JudgedRankings) -> Floats:
        """Not AP."""
        return r.retrieved.astype(float)

    try:
        assert parse("AP") == [AP]
        assert parse("aP") == [aP]
        with pytest.raises(UsageError, match="'Ap' may be AP or aP: spell it as one of them"):
            parse("Ap")
    finally:
        del MEASURES["aP"]
    assert parse("Ap") == [AP]


@pytest.mark.parametrize("wrong", [7, [None], object])
def test_what_is_no_measure(wrong: Any) -> None:
    with pytest.raises(UsageError, match=r"is not a measure, expected a name such as 'AP' or 'nDCG@10'"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, wrong)


def test_one_measure_is_asked_for() -> None:
    assert parse_measure("ndcg@10") == nDCG @ 10
    with pytest.raises(UsageError, match=r"'P\.5,10' stands for 2 measures, expected one"):
        parse_measure("P.5,10")


def test_a_cutoff_that_must_be_given() -> None:
    with pytest.raises(UsageError, match="P needs a cutoff: write it as P@10"):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, P)
    with pytest.raises(UsageError, match=r"IPrec needs a recall: write it as IPrec@0\.1"):
        parse_measures("IPrec")


def test_measures_are_values() -> None:
    assert (P @ 10) == P(cutoff=10) == parse("P@10")[0]
    assert {AP: 1}[parse("map")[0]] == 1
    assert AP(rel=2) != AP
    assert str(AP(rel=2) @ 5) == "AP(rel=2)@5"
    assert parse_measures([AP, "AP", nDCG @ 3]) == [AP, nDCG @ 3]


def test_no_measures() -> None:
    with pytest.raises(UsageError, match="no measure given"):
        parse_measures([])
    with pytest.raises(UsageError, match="is not a measure"):
        parse_measures([7])  # type: ignore[list-item]


@examples(300)
@given(st.one_of(st.text(max_size=30), st.from_regex(r"[A-Za-z]{1,5}\([a-z]{0,3}=?.{0,5}\)@.{0,3}")))
def test_any_text_is_a_measure_or_a_clear_error(text: str) -> None:
    try:
        parse(text)
    except UsageError as error:
        assert str(error)


def test_a_cutoff_beyond_every_ranking() -> None:
    """Whatever its size, up to where a double ends."""
    names = ["P", "R", "AP", "RelP", "Unjudged", "Judged", "nDCG", "Success", "RBP"]
    for cutoff in (2**31, 2**63, 10**30):
        scores = evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, [f"{name}@{cutoff}" for name in names])
        assert scores.value(f"AP@{cutoff}") == scores.value(f"RelP@{cutoff}") == 1.0
        assert scores.value(f"P@{cutoff}") == pytest.approx(1 / cutoff)
