"""The worked ranking: R = 6, nine judged nonrelevant documents.

    rank   1  2  3  4  5  6  7  8  9  10 11 12
    label  0  1  U  N  1  N  0  U  1  N  N  1

The values are those that the definitions of Yilmaz and Aslam (2006, 2008), Buckley and Voorhees (2004) and
Moffat and Zobel (2008) give by hand.
"""

from __future__ import annotations

import pytest

from unjudged import JudgedRankings
from unjudged.measures.kernel.names import parse

RANKING = JudgedRankings.spelled("0 1 U N 1 N 0 U 1 N N 1", missed="1 1 0 0 0 0 0 0 0")

WORKED = {
    "AP": 0.2611111111,
    "Bpref": 0.5,
    "Bpref(form='paper')": 0.5,
    "Bpref10": 0.6041666667,
    "indAP": 0.3047619048,
    "indAP(unpooled='removed')": 0.4055555556,
    "AP(unjudged='condensed')": 0.4055555556,
    "subAP(share=0.5)": 0.3497685185,
    "subAP(share=1.0)": 0.3047619048,
    "infAP": 0.3129637574,
    "infAP(c=1.5)": 0.3129640102,
    "infAP(pool=False)": 0.3814822537,
    "NCP": 0.2611111111,
    "NCP(stop='first')": 0.5,
    "RR": 0.5,
    "RBP(p=0.8)": 0.2926543012,
    "RBPResidual(p=0.8)": 0.4549168988,
    "RBPUpper(p=0.8)": 0.7475712000,
}


@pytest.mark.parametrize("name", WORKED)
def test_value(name: str) -> None:
    (measure,) = parse(name)
    assert measure.compute(RANKING)[0] == pytest.approx(WORKED[name], abs=5e-11)


def test_the_ranking_is_as_stated() -> None:
    assert RANKING.known(1).tolist() == [6]
    assert RANKING.known(0, 1).tolist() == [9]
    assert RANKING.retrieved.tolist() == [12]


def test_chapelle_2009_err_by_hand() -> None:
    """Grades 3, 2, 4 with g_max = 4: 7/16 + (9/16)(3/16)/2 + (9/16)(13/16)(15/16)/3."""
    (measure,) = parse("ERR")
    value = measure.compute(JudgedRankings.spelled("3 2 4"))[0]
    wanted = 7 / 16 + (9 / 16) * (3 / 16) / 2 + (9 / 16) * (13 / 16) * (15 / 16) / 3
    assert value == pytest.approx(wanted, abs=1e-15)


def test_jarvelin_2002_ndcg_by_hand() -> None:
    """Gains 3, 2, 0, 1 against 3, 2, 1 with the log2(rank + 1) discount."""
    (measure,) = parse("nDCG")
    value = measure.compute(JudgedRankings.spelled("3 2 0 1"))[0]
    wanted = (3 + 2 / 1.584962500721156 + 1 / 2.321928094887362) / (3 + 2 / 1.584962500721156 + 0.5)
    assert value == pytest.approx(wanted, abs=1e-15)
