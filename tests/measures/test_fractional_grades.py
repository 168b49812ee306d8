"""Fractional grades are gains: exact in measures of gain, compared with a threshold elsewhere."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from tests.intervals import intervals
from unjudged import InputError, Judgments, UsageError, compare, evaluate, sample

GRADES = {"q": {"a": 0.25, "b": 1.0, "c": 0.0, "d": 0.5, "e": 0.7, "x": -1}}
RUN = {"q": {"c": 9, "e": 8, "x": 7, "n": 6, "a": 5, "b": 4}}


def dcg(gains: list[float]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))


def value(measure: str, qrels: Any = GRADES, run: Any = RUN) -> float:
    return float(evaluate(qrels, run, measure).values[0, 0, 0])


def test_gains_by_hand() -> None:
    ranked, best = [0, 0.7, 0, 0, 0.25, 1.0], [1.0, 0.7, 0.5, 0.25]
    assert value("DCG") == pytest.approx(dcg(ranked), rel=1e-15)
    assert value("IdealDCG") == pytest.approx(dcg(best), rel=1e-15)
    assert value("nDCG") == pytest.approx(dcg(ranked) / dcg(best), rel=1e-15)
    assert value("nDCG@3") == pytest.approx(dcg(ranked[:3]) / dcg(best[:3]), rel=1e-15)
    exponential = [2**gain - 1 for gain in ranked], [2**gain - 1 for gain in best]
    wanted = dcg(exponential[0]) / dcg(exponential[1])
    assert value("nDCG(dcg='exp-log2')") == pytest.approx(wanted, rel=1e-15)
    assert value("RBP(p=0.5, max_grade=1)") == pytest.approx(
        0.5 * math.fsum(gain * 0.5**rank for rank, gain in enumerate(ranked)), rel=1e-15
    )


@examples(60)
@given(
    st.dictionaries(
        st.sampled_from("abcdefgh"), st.floats(0, 4, allow_nan=False).filter(lambda g: g % 1), min_size=1
    ),
    st.permutations("abcdefgh"),
    st.integers(1, 8),
)
def test_ndcg_of_any_gains(grades: dict[str, float], order: list[str], cutoff: int) -> None:
    ranked = [grades.get(document, 0.0) for document in order][:cutoff]
    best = sorted(grades.values(), reverse=True)[:cutoff]
    assert value(f"nDCG@{cutoff}", {"q": grades}, {"q": order}) == pytest.approx(
        dcg(ranked) / dcg(best), rel=1e-12
    )


@pytest.mark.parametrize("rel", [0.25, 0.3, 0.5, 0.7, 0.75, 1, 1.5])
def test_thresholds(rel: float) -> None:
    binary = {"q": {d: g if g < 0 else int(g >= rel) for d, g in GRADES["q"].items()}}
    for name in ("AP", "RR", "P@2", "Bpref", "infAP", "RBP", "SetF", "NumRel"):
        bare, at, k = name.partition("@")
        assert value(f"{bare}(rel={rel}){at}{k}") == value(name, binary)


@pytest.mark.parametrize("measure", ["NumRet", "Judged@4", "Unjudged@4", "RBPResidual"])
def test_what_does_not_depend_on_grades(measure: str) -> None:
    rounded = {"q": {d: g if g < 0 else math.ceil(g) for d, g in GRADES["q"].items()}}
    assert value(measure) == value(measure, rounded)


def test_whole_numbers_as_floats_are_whole_numbers() -> None:
    whole = Judgments.read(sample.qrels)
    rows = [
        (whole.queries[int(q)], document, grade)
        for q, document, grade in zip(whole.query, whole.documents, whole.grade.tolist(), strict=True)
    ]
    measures = ["AP", "nDCG", "ERR", "RBP(max_grade=4)", "infNDCG"]
    wanted = evaluate(sample.qrels, sample.runs["lexical"], measures)
    floats = [(q, d, float(g)) for q, d, g in rows]
    frame = pandas.DataFrame(floats, columns=["qid", "docno", "label"])
    for held in (floats, frame):
        found = evaluate(held, sample.runs["lexical"], measures)
        assert found.rankings is not None
        assert found.rankings.judgments.scale is None
        np.testing.assert_array_equal(found.values, wanted.values)


def test_any_source(tmp_path: Path) -> None:
    rows = [("q", document, grade) for document, grade in GRADES["q"].items()]
    text, csv, lines = (tmp_path / name for name in ("qrels.txt", "qrels.csv", "qrels.jsonl"))
    text.write_text("".join(f"{q} 0 {d} {g}\n" for q, d, g in rows))
    csv.write_text("qid,docno,label\n" + "".join(f"{q},{d},{g}\n" for q, d, g in rows))
    lines.write_text("".join(f'{{"qid": "{q}", "docno": "{d}", "label": {g}}}\n' for q, d, g in rows))
    frame = pandas.DataFrame(rows, columns=["qid", "docno", "label"])
    frame.to_parquet(tmp_path / "qrels.parquet")
    for held in (text, csv, lines, frame, rows, tmp_path / "qrels.parquet"):
        assert value("nDCG", held) == value("nDCG")


@pytest.mark.parametrize("measure", ["AP", "P@10", "RBP", "infAP"])
def test_measures_that_need_a_threshold(measure: str) -> None:
    with pytest.raises(UsageError, match=r"say which are relevant, such as .*rel=0.5"):
        value(measure)


@pytest.mark.parametrize("measure", ["ERR", "infNDCG", "nDCG(gains={1: 3})", "RBP(rel=1, scale='query')"])
def test_measures_that_need_whole_grades(measure: str) -> None:
    with pytest.raises(UsageError, match="needs whole grades, and these have fractions: round the grades"):
        value(measure)


def test_what_takes_only_whole_grades() -> None:
    fractions = Judgments.read(GRADES)
    assert fractions.scale is not None
    for given_qrels in (GRADES, fractions):
        with pytest.raises(InputError, match=r"'a' of query 'q' is '0.25', expected a whole .* round them"):
            Judgments.whole(given_qrels)
    with pytest.raises(UsageError, match="judgments with fractional grades cannot be written"):
        fractions.text()
    scores = evaluate({"q": GRADES["q"], "r": GRADES["q"]}, {"q": RUN["q"], "r": RUN["q"]}, "nDCG")
    assert intervals(scores, "queries")[0][0].value == value("nDCG")
    assert intervals(scores, "bounds")[0][0].value == value("nDCG")
    compared = compare(fractions, {"a": RUN, "b": RUN}, "nDCG")
    assert compared.measures == ["nDCG"]
    assert [row["mean"] for row in compared.systems] == [value("nDCG")] * 2


def test_a_fractional_threshold_of_whole_grades() -> None:
    whole = {"q": {"a": 1, "b": 2, "c": 0}}
    for rel, same in ((0.5, 1), (1.5, 2)):
        found = evaluate(whole, RUN, f"AP(rel={rel})")
        assert found.measures == [f"AP(rel={rel})"]
        assert found.values[0, 0, 0] == value(f"AP(rel={same})", whole)


def test_a_negative_fraction() -> None:
    with pytest.raises(InputError, match=r"is '-0.5', expected a whole number"):
        value("nDCG", {"q": {"a": -0.5}})
