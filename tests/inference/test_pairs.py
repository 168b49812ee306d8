"""Rows of pairs and of systems: direction, headlines, places, and cases without variance or queries."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, examples
from tests.evidence.small_collections import several_runs
from unjudged import Comparison, Scores, UsageError, compare, sample
from unjudged.inference.verdict import (
    BETTER,
    CANNOT,
    FEW_QUERIES,
    HEADLINES,
    MAY_DIFFER,
    NEEDS_BOTH,
    NEEDS_JUDGING,
    NEEDS_QUERIES,
    UNKNOWN,
)
from unjudged.results.fields import Row
from unjudged.results.words import ANSWERS, MEANS, headline_sentence

TWO = {name: sample.runs[name] for name in ("fused", "reranked")}


def same(one: Row, other: Row) -> None:
    """Every field; numbers to rounding, since a sum over pairs may be taken in another order."""
    assert one.keys() == other.keys()
    for name, value in one.items():
        if isinstance(value, float):
            assert other[name] == pytest.approx(value, abs=1e-12, nan_ok=True), name
        else:
            assert other[name] == value, name


def negated(row: Row) -> Row:
    """The same pair as B minus A, field by field."""

    def less(name: str) -> Any:
        return -row[name] if name in row else None

    return {
        **row,
        **{name: less(name) for name in ("difference", "effect")},
        **{low: less(high) for low, high in ENDS if low in row},
        **{high: less(low) for low, high in ENDS if low in row},
        **{one: row[other] for one, other in SIDES},
    }


ENDS = [(f"{name}low", f"{name}high") for name in ("", "query_", "effect_")]
SIDES = [("a", "b"), ("b", "a"), ("mean_a", "mean_b"), ("mean_b", "mean_a")]
SIDES += [("wins", "losses"), ("losses", "wins")]


@pytest.mark.parametrize("correction", ["holm", "tukey"])
@examples(30)
@given(
    collection=several_runs(runs=3, highest=2),
    measure=st.sampled_from(["RBP(p=0.8)", "P@3", "AP", "nDCG@3", "RR", "Bpref"]),
)
def test_every_field_is_mirrored(
    correction: str, collection: tuple[Qrels, dict[str, RunDict]], measure: str
) -> None:
    qrels, runs = collection
    settings: dict[str, Any] = {"correction": correction, "draws": 50, "test": "randomization"}
    one = compare(qrels, runs, measure, **settings)
    other = compare(qrels, dict(reversed(runs.items())), measure, **settings)
    for row in one.pairs:
        same(negated(row), one.pair(row["b"], row["a"]))
        same(negated(row), other.pair(row["b"], row["a"]))
        assert other.pair(row["b"], row["a"]) in other.pairs


def test_every_headline_says_what_it_means() -> None:
    base = compare(sample.qrels, TWO).pair()
    assert set(ANSWERS) == set(MEANS) == set(HEADLINES)
    for headline in HEADLINES:
        said = headline_sentence({**base, "headline": headline, "sure": False})
        assert said.startswith("reranked is ")
        assert ("is better than fused" in said) == (headline == BETTER)
        assert MEANS[headline].startswith(headline)


# Ten queries. best beats good on nine of them, and good beats bad, by judged documents alone.
TEN = [f"q{i}" for i in range(10)]
JUDGED = {q: {"x": 1, "y": 1, "z": 0, "w": 0} for q in TEN}


def ranked(*orders: str) -> RunDict:
    """One ranking per query, from letters; the last order is that of all further queries."""
    given = [*orders, *[orders[-1]] * (10 - len(orders))]
    return {q: {d: -float(k) for k, d in enumerate(order)} for q, order in zip(TEN, given, strict=True)}


@pytest.fixture(scope="module")
def four() -> Comparison:
    """`best` and `twin` differ on one query; `unsure` might be the best of all."""
    runs = {
        "bad": ranked("zw", "zx", "wz"),
        "unsure": ranked("uv", "xu", "uv"),
        "best": ranked("xzy", "xwz", "xyz"),
        "twin": ranked("xyz", "xyz"),
    }
    return compare(JUDGED, runs, "P@2", correction="none")


def test_headlines_places_and_marks(four: Comparison) -> None:
    """Of the judged documents that favour `unsure` all are relevant: it retrieves no other."""
    assert {(row["b"], row["a"]): row["headline"] for row in four.pairs} == {
        ("bad", "unsure"): NEEDS_BOTH,
        ("bad", "best"): BETTER,
        ("bad", "twin"): BETTER,
        ("unsure", "best"): NEEDS_JUDGING,
        ("unsure", "twin"): NEEDS_JUDGING,
        ("best", "twin"): NEEDS_QUERIES,
    }
    places = {row["system"]: (row["place_low"], row["place_high"]) for row in four.systems}
    assert places == {"bad": (3, 4), "unsure": (1, 4), "best": (1, 3), "twin": (1, 3)}
    rows = {row[1]: (row[0], row[-1]) for row in four.grid().rows}
    assert rows == {"twin": ("a", "c, d?"), "best": ("b", "c, d?"), "bad": ("c", None), "unsure": ("d", None)}
    assert "? needs judging. " in four.grid().notes[0]


def test_the_sentence_has_the_numbers(four: Comparison) -> None:
    flip = four.pair("best", "unsure")["flip"]
    assert flip == pytest.approx(17 / 19, abs=1e-9)  # 17 of the 19 unjudged documents of ten queries
    text = " ".join(
        compare(JUDGED, {"unsure": RUNS_OF_FOUR["unsure"], "best": RUNS_OF_FOUR["best"]}, "P@2").sentences()
    )
    assert "if 89 % of unsure's unjudged documents are relevant; 100 % of the judged ones are" in text


RUNS_OF_FOUR = {"unsure": ranked("uv", "xu", "uv"), "best": ranked("xzy", "xwz", "xyz")}


def test_too_many_pairs_for_completions_have_no_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = {name: sample.runs[name] for name in ("reranked", "dense")}
    known = compare(sample.qrels, runs, "RR").pair()
    monkeypatch.setattr("unjudged.inference.pair_tests.MOST_DRAWN", 0)
    row = compare(sample.qrels, runs, "RR").pair()
    assert np.isnan([row["flip"], row["loss"]]).all()
    assert np.isfinite(known["flip"])
    assert (row["headline"], row["more_judging"]) == (known["headline"], known["more_judging"])


def test_places_count_who_is_better() -> None:
    found = compare(sample.qrels, sample.runs)
    better = [(row["better"], {row["a"], row["b"]} - {row["better"]}) for row in found.pairs if row["better"]]
    over = {name: [winner for winner, (loser,) in better if loser == name] for name in found.runs}
    under = {name: [loser for winner, (loser,) in better if winner == name] for name in found.runs}
    for row in found.systems:
        assert row["place_low"] == 1 + len(over[row["system"]])
        assert row["place_high"] == len(found.runs) - len(under[row["system"]])
        assert sorted(row["better_than"]) == sorted(under[row["system"]])
    assert [row["mean"] for row in found.systems] == sorted((r["mean"] for r in found.systems), reverse=True)


def test_identical_runs() -> None:
    """The same ranking, with unjudged documents: no judgment can tell the two apart."""
    run = ranked("uxv")
    for measure in ("RBP(p=0.8)", "P@2", "AP", "nDCG@2", "Bpref"):
        found = compare(JUDGED, {"one": run, "two": run}, measure)
        assert (found.headline, found.better, found.ahead) == (NEEDS_QUERIES, None, None)
        assert found["more_judging"] == CANNOT
        assert (found["low"], found["high"], found["p"]) == (0, 0, 1)
        assert "have the same mean whatever is judged." in str(found)
        assert "The two systems score the same on every query: p is 1." in found.notes


def test_a_note_names_the_measures_that_it_is_about() -> None:
    runs = {"one": ranked("xy", "xz"), "two": ranked("xz")}
    note = "The two systems score the same on every query: p is 1."
    assert compare(JUDGED, runs, ["P@1", "RR"]).notes == [note]
    assert compare(JUDGED, runs, ["P@1", "R@2", "RR"]).notes[0] == f"P@1, RR: {note}"


def test_a_notebook_shows_the_headline_of_two_runs() -> None:
    found = compare(JUDGED, {"<one>": ranked("x"), "two": ranked("z")}, ["P@1", "RR"])
    shown = found._repr_html_()
    assert shown.count("&lt;one&gt; is better than two, whatever is judged.") == 2
    assert "<one>" not in shown
    assert "<table>" in compare(sample.qrels, sample.runs)._repr_html_()


def test_one_query() -> None:
    found = compare({"q": {"x": 1, "y": 0}}, {"one": {"q": {"x": 1.0}}, "two": {"q": {"y": 1.0}}}, "P@1")
    assert (found.headline, found.ahead, found.better, found["p"]) == (FEW_QUERIES, "one", None, 1)
    assert found["other_queries"] == MAY_DIFFER
    assert "One query says nothing about other queries" in str(found)


def test_the_same_difference_on_every_query() -> None:
    found = compare(JUDGED, {"one": ranked("x"), "two": ranked("z")}, "P@1")
    assert found["p"] == 2.0**-9
    assert (found.headline, found.better) == (BETTER, "one")
    assert found["effect"] == -np.inf
    assert "The two systems differ by the same amount on every query: p is 2^-9." in str(found)
    assert "hold: no interval, p = 0.0020" in str(found)


@pytest.mark.parametrize("test", ["t", "randomization"])
def test_equal_differences_have_no_interval_of_no_width(test: Any) -> None:
    """Beside p = 0.25 stood the interval -0.1 to -0.1, and advice that could not be followed."""
    old = np.array([0.1, 0.2, 0.4])
    found = compare(Scores.read(np.stack([old, old + 0.1]), runs=["a", "b"]), test=test)
    assert found["p"] == 0.25
    assert not np.isfinite([found["query_low"], found["query_high"]]).any()
    assert "may differ: no interval" in str(found)
    assert str(found).count("Differences that are all equal do not show how far") == 1
    assert found.headline == FEW_QUERIES
    varied = compare(Scores.read(np.stack([old, old[::-1] + 0.1]), runs=["a", "b"]), test=test)
    assert np.isfinite([varied["query_low"], varied["query_high"]]).all()


def test_all_runs_equal() -> None:
    runs = {name: ranked("xy") for name in ("one", "two", "three")}
    found = compare(JUDGED, runs, ["AP", "RBP(p=0.8)"])
    assert {(row["headline"], row["ahead"]) for row in found.pairs} == {(NEEDS_QUERIES, None)}
    assert {(row["place_low"], row["place_high"]) for row in found.systems} == {(1, 3)}


def test_a_baseline() -> None:
    found = compare(sample.qrels, sample.runs, baseline="fused")
    assert len(found.pairs) == len(found.runs) - 1
    assert {row["b"] for row in found.pairs} == {"fused"}
    assert found.pair("fused", "lexical")["difference"] > 0
    assert not any("place_low" in row for row in found.systems)
    with pytest.raises(UsageError, match="dense and lexical were not compared: leave out the baseline"):
        found.pair("dense", "lexical")
    alone = compare(sample.qrels, {n: sample.runs[n] for n in ("fused", "lexical")}, correction="none")
    assert alone.pair("fused", "lexical")["p"] == found.pair("fused", "lexical")["p"]


def test_refusals() -> None:
    runs = {name: sample.runs[name] for name in ("fused", "lexical", "dense")}
    for arguments, problem in (
        ({"baseline": "none"}, "the baseline 'none' is not among the runs: fused, lexical, dense"),
        ({"alpha": 5}, "alpha is 5, expected a number between 0 and 1"),
        ({"test": "u"}, "test is 'u', expected one of t, randomization"),
        ({"correction": "u"}, "correction is 'u', expected one of holm"),
    ):
        with pytest.raises(UsageError, match=problem):
            compare(sample.qrels, runs, **arguments)
    with pytest.raises(UsageError, match="one run cannot be compared: give two or more"):
        compare(sample.qrels, sample.runs["fused"])
    found = compare(sample.qrels, runs, ["P@5", "P@10"])
    with pytest.raises(UsageError, match="several measures were compared: name one of P@5, P@10"):
        found.pair("fused", "dense")
    with pytest.raises(UsageError, match="name two systems of fused, lexical, dense"):
        found.pair(measure="P@5")
    with pytest.raises(UsageError, match="no system is called 'nobody'; there are fused, lexical, dense"):
        found.pair("fused", "nobody", "P@5")
    with pytest.raises(UsageError, match="no measure is called 'AP'; there are P@5, P@10"):
        found.pair("fused", "dense", "AP")
    with pytest.raises(UsageError, match="fused was not compared with itself"):
        found.pair("fused", "fused", "P@5")


def test_policies_and_estimates_have_no_bounds() -> None:
    runs = {name: sample.runs[name] for name in ("fused", "lexical")}
    for name, why in (
        ("RBP(unjudged='condensed')", "of the plain measure"),
        ("RBP(scale='query')", "a new grade would move the scale"),
        ("infP@10", "infP has no bounds"),
    ):
        found = compare(sample.qrels, runs, name)
        assert found["more_judging"] == UNKNOWN
        assert found.headline in (BETTER, NEEDS_QUERIES)
        assert not found.pair().keys() & {"low", "high", "flip", "seen"}
        assert why in found["missing"]
        assert why in str(found)


def test_a_difference_of_rounding_is_no_difference() -> None:
    qrels = {q: {"a": 1, "b": 0} for q in "xyz"}
    first = {"x": {"a": 2.0, "b": 1.0}, "y": {"b": 2.0, "a": 1.0}, "z": {"b": 1.0}}
    second = {"x": {"b": 1.0}, "y": {"a": 2.0, "b": 1.0}, "z": {"b": 2.0, "a": 1.0}}
    found = compare(qrels, {"one": first, "two": second})
    assert (found.ahead, found.better, found["difference"]) == (None, None, 0)


def test_a_pooled_document_that_neither_run_retrieved_counts() -> None:
    """AP falls when it turns out relevant: from 1 and 1/2 to 1/2 and 1/4."""
    qrels = {"q": {"d1": 1, "d2": -1, "d3": 0}}
    found = compare(qrels, {"b": {"q": {"d3": 2.0, "d1": 1.0}}, "a": {"q": {"d1": 1.0}}}, "AP")
    assert found["difference"] == 0.5
    assert found["low"] <= 0.25
    assert found["high"] >= 0.5


def test_counts_are_compared_by_their_mean() -> None:
    found = compare(sample.qrels, {n: sample.runs[n] for n in ("fused", "dense")}, "NumRelRet").pair()
    assert found["difference"] == pytest.approx(found["mean_a"] - found["mean_b"])
    assert found["low"] <= found["difference"] <= found["high"]


PAIR = {name: sample.runs[name] for name in ("reranked", "dense")}


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "nDCG@10"])
def test_the_sample(measure: str) -> None:
    comparison = compare(sample.qrels, PAIR, measure)
    queries = comparison.by_query().rows["queries"]
    for name in ("difference", "low", "high"):
        assert np.mean([one[name] for one in queries]) == pytest.approx(comparison[name])
    gaps = [one["difference"] for one in queries]
    assert [one["value_a"] - one["value_b"] for one in queries] == pytest.approx(gaps, abs=1e-12)
    assert [abs(gap) for gap in gaps] == sorted(map(abs, gaps), reverse=True)


def test_queries_of_a_pair_the_other_way_round() -> None:
    comparison = compare(sample.qrels, PAIR)
    one, other = comparison.by_query("reranked", "dense"), comparison.by_query("dense", "reranked")
    for row, turned in zip(one.rows["queries"], other.rows["queries"], strict=True):
        assert row["query"] == turned["query"]
        assert (row["value_a"], row["value_b"]) == (turned["value_b"], turned["value_a"])
        assert (row["low"], row["high"]) == pytest.approx((-turned["high"], -turned["low"]), abs=1e-15)
