"""Comparisons of systems: order, verdicts, ranks, tiers, and cases without variance or queries."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.comparison.small_collections import several_runs
from tests.conftest import Qrels, RunDict, examples
from unjudged import (
    Comparison,
    InputError,
    Pair,
    Scores,
    UsageError,
    compare,
    evaluate,
    sample,
)
from unjudged.comparison.verdicts import (
    CLEAR,
    HIGHER,
    OPEN,
    ROBUST,
    ROBUST_NOT_SIGNIFICANT,
    SETTLED,
    SIGNIFICANT,
    SIMILAR,
    UNRESOLVED,
    VERDICTS,
    verdict_of,
)

MIRRORED = ("difference", "other_queries", "effect")


def turned(pair: Pair) -> dict[str, Any]:
    """The same pair as B minus A."""

    def negative(estimate: Any) -> Any:
        if estimate is None:
            return None
        ends = {"value": -estimate.value, "low": -estimate.high, "high": -estimate.low}
        return replace(estimate, of=estimate.of.of(f"{pair.b} minus {pair.a}"), **ends)

    return {
        **values(pair),
        **{name: negative(getattr(pair, name)) for name in MIRRORED},
        "a": pair.b,
        "b": pair.a,
        "mean_a": pair.mean_b,
        "mean_b": pair.mean_a,
        "wins": pair.losses,
        "losses": pair.wins,
    }


def values(pair: Pair) -> dict[str, Any]:
    return {field.name: getattr(pair, field.name) for field in fields(pair)}


def test_the_order_of_the_arguments_does_not_matter() -> None:
    """With a prevalence estimated from each run, this example gave a different answer when turned round."""
    qrels = {"q": {"x": 1, "y": 0, "z": 0, "w": 0}}
    a = {"q": {d: -float(k) for k, d in enumerate(["u", "x", "v", "y"])}}
    b = {"q": {d: -float(k) for k, d in enumerate(["x", "z", "w", "u"])}}
    for measure in ("RBP(p=0.8)", "AP", "nDCG", "P@2"):
        one = compare(qrels, {"A": a, "B": b}, measure)
        other = compare(qrels, {"B": b, "A": a}, measure)
        assert values(other.pair("B", "A")) == turned(one.pair("A", "B"))
        assert one.verdict == other.verdict
        assert one.better == other.better
        assert one.ahead == other.ahead


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
    settings_: dict[str, Any] = {"correction": correction, "draws": 50, "test": "randomization"}
    one = compare(qrels, runs, measure, **settings_)
    other = compare(qrels, dict(reversed(runs.items())), measure, **settings_)
    for pair in one.pairs():
        assert values(one.pair(pair.b, pair.a)) == turned(one.pair(pair.a, pair.b))
        assert values(other.pair(pair.a, pair.b)) == values(one.pair(pair.a, pair.b))


def test_the_table_of_verdicts() -> None:
    table = {
        (True, True, False): CLEAR,
        (False, True, False): SETTLED,
        (True, False, True): SIGNIFICANT,
        (False, False, True): OPEN,
        (True, False, False): UNRESOLVED,
        (False, False, False): UNRESOLVED,
        (True, False, True, True): ROBUST,
        (True, False, False, True): ROBUST,
        (False, False, True, True): ROBUST_NOT_SIGNIFICANT,
        (True, True, False, True): CLEAR,
    }
    for facts, verdict in table.items():
        assert verdict_of(*facts) == verdict
    for significant, verdict in ((True, HIGHER), (False, SIMILAR)):
        assert verdict_of(significant, False, False, bounded=False) == verdict
    assert {*table.values(), HIGHER, SIMILAR} == set(VERDICTS)


def test_every_verdict_says_what_to_do() -> None:
    base = compare(sample.qrels, {name: sample.runs[name] for name in ("reranked", "fused")}).pair()
    advice = {
        CLEAR: "reranked is better than fused",
        ROBUST: "reranked is better than fused",
        SIGNIFICANT: "Judge more documents first",
        SETTLED: "Use more queries",
        ROBUST_NOT_SIGNIFICANT: "Use more queries",
        OPEN: "Judge more documents (`unjudged next`), and use more queries",
        UNRESOLVED: "no judgments that reverse it were found",
        HIGHER: "reranked is ahead of fused by more than the choice of queries explains",
        SIMILAR: "Use more queries",
    }
    for verdict, words in advice.items():
        pair = replace(base, verdict=verdict)
        assert words in pair.conclusion()
        assert pair.conclusion().startswith("reranked")
        assert (pair.better == "reranked") == (verdict in (CLEAR, ROBUST, HIGHER))


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
    return compare(JUDGED, runs, "P@2")


def test_ranks_tiers_and_marks(four: Comparison) -> None:
    result = four.result()
    assert {(pair.a, pair.b): pair.verdict for pair in four.pairs()} == {
        ("bad", "unsure"): OPEN,
        ("bad", "best"): CLEAR,
        ("bad", "twin"): CLEAR,
        ("unsure", "best"): ROBUST,
        ("unsure", "twin"): ROBUST,
        ("best", "twin"): SETTLED,
    }
    ranks = dict(zip(four.runs, result.rank_intervals(), strict=True))
    assert ranks == {"bad": (3, 4), "unsure": (3, 4), "best": (1, 2), "twin": (1, 2)}
    tiers = dict(zip(four.runs, result.tiers(), strict=True))
    assert tiers == {"twin": 1, "best": 1, "bad": 2, "unsure": 2}
    rows = {row[1]: (row[0], row[-1]) for row in four.systems_grid().rows}
    assert rows == {"twin": ("a", "c d~"), "best": ("b", "c d~"), "bad": ("c", ""), "unsure": ("d", "")}


def test_documents_that_can_only_make_systems_equal(four: Comparison) -> None:
    assert "can make the two equal, but they cannot reverse the order" in str(four.pair("twin", "unsure"))
    assert "can reverse the order" in str(four.pair("best", "unsure"))


def test_robust_is_more_than_among_judged_documents(four: Comparison) -> None:
    """Most of the unjudged documents of `unsure` would have to be relevant to make it lead `best`."""
    result = four.result()
    k, _ = result.place(*map(list(four.runs).index, ("best", "unsure")))  # type: ignore[misc]
    pair = four.pair("best", "unsure")
    assert pair.reversal is not None
    assert pair.judged_share is not None
    assert pair.judged_share < pair.reversal
    assert pair.verdict == ROBUST
    for share, verdict in ((pair.reversal + 0.01, SIGNIFICANT), (pair.reversal - 0.01, ROBUST)):
        judged = replace(result.judging.reversal, judged=np.full(len(result.verdicts), share))
        again = replace(result, judging=replace(result.judging, reversal=judged))
        assert again.verdicts[k] == verdict


def test_the_sentence_has_the_numbers(four: Comparison) -> None:
    text = str(four.pair("best", "unsure"))
    assert "unsure would need 89% of its unjudged documents to be relevant, best none; of the judged" in text


def test_too_many_pairs_for_completions_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unjudged.comparison.reversal.reversal_prevalence.MOST_PAIRS", 0)
    pair = compare(sample.qrels, {name: sample.runs[name] for name in ("reranked", "dense")}, "RR").pair()
    assert (pair.reversal, pair.reversal_known) == (None, False)
    assert "was not worked out" in str(pair)


def test_rank_intervals_count_what_is_clear_or_robust() -> None:
    found = compare(sample.qrels, sample.runs)
    result = found.result()
    clear = result.firmly_beats
    assert (clear >= result.clearly_beats).all()
    assert (result.beats >= clear).all()
    for system, (first, last) in enumerate(result.rank_intervals()):
        assert first == 1 + sum(bool(clear[other, system]) for other in range(len(clear)))
        assert last == len(clear) - sum(bool(clear[system, other]) for other in range(len(clear)))
    for tier in set(result.tiers()):
        members = [i for i, own in enumerate(result.tiers()) if own == tier]
        assert not clear[np.ix_(members, members)].any()


def test_identical_runs() -> None:
    """The same ranking, with unjudged documents: no judgment can tell the two apart."""
    run = ranked("uxv")
    for measure in ("RBP(p=0.8)", "P@2", "AP", "nDCG@2", "Bpref"):
        found = compare(JUDGED, {"one": run, "two": run}, measure)
        assert (found.verdict, found.better, found.ahead) == (SETTLED, None, None)
        assert (found.difference.low, found.difference.high) == (0, 0)
        assert found.pair().p == 1
        assert "have the same mean, whatever the unjudged documents turn out to be" in str(found)
        assert "The two systems score the same on every query: p is 1." in str(found)


def test_a_note_names_the_measures_that_it_is_about() -> None:
    runs = {"one": ranked("xy", "xz"), "two": ranked("xz")}
    note = "The two systems score the same on every query: p is 1."
    assert compare(JUDGED, runs, ["P@1", "RR"]).notes == [note]
    assert compare(JUDGED, runs, ["P@1", "R@2", "RR"]).notes[0] == f"P@1, RR: {note}"


def test_a_notebook_shows_the_verdict_on_two_runs() -> None:
    found = compare(JUDGED, {"<one>": ranked("x"), "two": ranked("z")}, ["P@1", "RR"])
    for shown in (found._repr_html_(), found.pair(measure="P@1")._repr_html_()):
        assert "<p>Verdict: clear. &lt;one&gt; is better than two:" in shown
    assert found._repr_html_().count("Verdict") == 2
    assert "<table>" in compare(sample.qrels, sample.runs)._repr_html_()


def test_one_query() -> None:
    found = compare({"q": {"x": 1, "y": 0}}, {"one": {"q": {"x": 1.0}}, "two": {"q": {"y": 1.0}}}, "P@1")
    assert (found.verdict, found.ahead, found.better, found.pair().p) == (SETTLED, "one", None, 1)
    assert "One query says nothing about other queries" in str(found)


def test_the_same_difference_on_every_query() -> None:
    found = compare(JUDGED, {"one": ranked("x"), "two": ranked("z")}, "P@1")
    assert found.pair().p == 2.0**-9
    assert found.verdict == CLEAR
    assert found.pair().effect.value == np.inf
    assert "The two systems differ by the same amount on every query: p is 2^-9." in str(found)
    assert "no interval for other queries" in str(found)


@pytest.mark.parametrize("test", ["t", "randomization"])
def test_equal_differences_have_no_interval_of_no_width(test: Any) -> None:
    """Beside p = 0.25 stood the interval -0.1 to -0.1, and advice that could not be followed."""
    old = np.array([0.1, 0.2, 0.4])
    found = compare(Scores.of(np.stack([old, old + 0.1]), runs=["a", "b"]), test=test)
    pair = found.pair()
    assert pair.p == 0.25
    assert not np.isfinite([pair.other_queries.low, pair.other_queries.high]).any()
    assert "no interval for other queries" in str(found)
    assert str(found).count("Differences that are all equal do not show how far") == 1
    assert pair.conclusion().endswith("other queries could say the opposite. Use more queries.")
    one = compare(Scores.of(np.array([[0.1], [0.3]]), runs=["a", "b"]), test=test)
    assert one.pair().conclusion().endswith("Use more queries.")
    varied = compare(Scores.of(np.stack([old, old[::-1] + 0.1]), runs=["a", "b"]), test=test)
    assert varied.pair().conclusion().endswith("Use more queries.")


def test_all_runs_equal() -> None:
    runs = {name: ranked("xy") for name in ("one", "two", "three")}
    found = compare(JUDGED, runs, ["AP", "RBP(p=0.8)"])
    assert {pair.verdict for pair in found.pairs()} == {SETTLED}
    for result in found.results:
        assert result.rank_intervals() == [(1, 3)] * 3
        assert result.tiers() == [1, 1, 1]


def test_a_baseline() -> None:
    found = compare(sample.qrels, sample.runs, baseline="fused")
    assert len(list(found.pairs())) == len(found.runs) - 1
    assert {pair.b for pair in found.pairs()} == {"fused"}
    assert found.pair("fused", "lexical").difference.value > 0
    with pytest.raises(UsageError, match="dense and lexical were not compared: only pairs with the baseline"):
        found.pair("dense", "lexical")
    alone = compare(sample.qrels, {n: sample.runs[n] for n in ("fused", "lexical")}, correction="none")
    assert alone.pair().p == found.pair("fused", "lexical").p


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
    with pytest.raises(UsageError, match="there are 3 runs: name the two that you mean"):
        found.pair(measure="P@5")
    with pytest.raises(UsageError, match="no run is called 'nobody'; there are fused, lexical, dense"):
        found.pair("fused", "nobody", "P@5")
    with pytest.raises(UsageError, match="no measure is called 'AP'; there are P@5, P@10"):
        found.pair("fused", "dense", "AP")
    with pytest.raises(UsageError, match="fused was not compared with itself"):
        found.pair("fused", "fused", "P@5")


def test_policies_and_estimates_have_no_bounds() -> None:
    runs = {name: sample.runs[name] for name in ("fused", "lexical")}
    for name, why in (
        ("RBP(unjudged='condensed')", "of the plain measure; verdicts by RBP"),
        ("RBP(scale='query')", "a new grade would move the scale; verdicts by RBP"),
        ("infAP", "infAP estimates AP with the pool judged"),
    ):
        found = compare(sample.qrels, runs, name)
        assert found.verdict in (HIGHER, SIMILAR)
        assert not found.difference.has_interval
        assert any(why in note for note in found.notes), found.notes


def test_a_difference_of_rounding_is_no_difference() -> None:
    qrels = {q: {"a": 1, "b": 0} for q in "xyz"}
    first = {"x": {"a": 2.0, "b": 1.0}, "y": {"b": 2.0, "a": 1.0}, "z": {"b": 1.0}}
    second = {"x": {"b": 1.0}, "y": {"a": 2.0, "b": 1.0}, "z": {"b": 2.0, "a": 1.0}}
    found = compare(qrels, {"one": first, "two": second})
    assert (found.ahead, found.better, found.difference.value) == (None, None, 0)


def test_a_run_without_a_common_query_is_refused() -> None:
    with pytest.raises(InputError, match="no query in common"):
        compare(JUDGED, {"one": ranked("x"), "two": {"other": {"x": 1.0}}})


def test_a_pooled_document_that_neither_run_retrieved_counts() -> None:
    """AP falls when it turns out relevant: from 1 and 1/2 to 1/2 and 1/4."""
    qrels = {"q": {"d1": 1, "d2": -1, "d3": 0}}
    found = compare(qrels, {"a": {"q": {"d1": 1.0}}, "b": {"q": {"d3": 2.0, "d1": 1.0}}}, "AP")
    assert found.difference.value == 0.5
    assert found.difference.low <= 0.25
    assert found.difference.high >= 0.5


def test_counts_are_compared_by_their_mean() -> None:
    found = compare(sample.qrels, {n: sample.runs[n] for n in ("fused", "dense")}, "NumRelRet").pair()
    assert found.difference.value == pytest.approx(found.mean_a - found.mean_b)
    assert found.difference.low <= found.difference.value <= found.difference.high


def test_means_are_those_of_evaluate_to_the_last_bit() -> None:
    """Sums rounded once, whatever the order of the queries."""
    found = compare(sample.qrels, sample.runs, ["AP", "RBP(p=0.8)", "nDCG@10"])
    scores = evaluate(sample.qrels, sample.runs, ["AP", "RBP(p=0.8)", "nDCG@10"])
    for k, result in enumerate(found.results):
        assert result.means.tobytes() == scores.means[:, k].tobytes()
