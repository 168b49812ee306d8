"""One answer: every question says the same of a pair, whatever the source, and a pair stands alone."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, examples
from tests.evidence.small_collections import several_runs, skilled_runs
from tests.report.test_page import read, said
from unjudged import (
    Collection,
    Comparison,
    InputError,
    Scores,
    compare,
    compare_collections,
    evaluate,
    gate,
    judging,
    report_page,
)
from unjudged.evidence.value_bounds import bounds
from unjudged.inference.gate_checks import PASS
from unjudged.inference.verdict import BETTER, BLUR, ENOUGH_QUERIES, FEW_QUERIES, FLIP, HEADLINES
from unjudged.results.fields import Row
from unjudged.results.rendering import render

Several = tuple[Qrels, dict[str, RunDict]]
Source = tuple[Any, Any, dict[str, Any]]
"""Judgments or scores, runs, and further arguments."""

MEASURES = ["RBP(p=0.8)", "P@3", "nDCG@3", "nDCG@10", "AP", "R@3", "RR"]
SUMS = ["RBP(p=0.8)", "P@3", "DCG@3"]


def rankings(collection: Several, _: str) -> Source:
    return *collection, {}


def table(collection: Several, measure: str) -> Source:
    return scores_of(collection, measure, ends=False), None, {}


def table_with_ends(collection: Several, measure: str) -> Source:
    """Ends of each value, as a cluster computes them run by run."""
    return scores_of(collection, measure, ends=True), None, {}


def scores_of(collection: Several, measure: str, *, ends: bool) -> Scores:
    qrels, runs = collection
    columns: dict[str, list[Any]] = {name: [] for name in ("run", "query", "measure", "value", "low", "high")}
    for run, ranking in runs.items():
        scores = evaluate(qrels, {run: ranking}, measure)
        own = bounds(scores.cube.measures[0], scores.rankings) if ends else None
        for k, row in enumerate(scores):
            for name, value in row._asdict().items():
                columns[name].append(value)
            if own is not None:
                columns["low"].append(min(float(own.low[k]), row.value))
                columns["high"].append(max(float(own.high[k]), row.value))
    return Scores.read({name: column for name, column in columns.items() if column})


def labels_of(qrels: Qrels) -> Qrels:
    """A label of every document that runs retrieve."""
    return {q: {f"d{k}": max(own.get(f"d{k}", 0), 0) for k in range(12)} for q, own in qrels.items()}


def chances_of(labels: Qrels) -> dict[str, dict[str, float]]:
    """What a model says of them."""
    return {
        q: {d: (0.7 if grade else 0.2) + len(q) / 50 for d, grade in own.items()} for q, own in labels.items()
    }


def sample(collection: Several, _: str) -> Source:
    """A random sample of what the runs retrieve, labelled."""
    qrels, runs = collection
    drawn = judging.next(None, runs, design="uniform(80%)", seed=1).sample
    assert drawn is not None
    labels = labels_of(qrels)
    for own in labels.values():  # so that no query is without a relevant document in the sample
        own |= {f"d{k}": 1 for k in range(4)}
    return judging.merge(drawn, {"them": labels}).judgments, runs, {}


def predictions(collection: Several, _: str) -> Source:
    """A random sample of what the runs retrieve, labelled, beside what a model says of each document."""
    qrels, runs = collection
    labels = labels_of(qrels)
    drawn = judging.next(None, runs, design="uniform(70%)", seed=1).sample
    assert drawn is not None
    judged = judging.merge(drawn, {"them": labels}).judgments
    return judged, runs, {"predictions": chances_of(labels)}


def predictions_by_query(collection: Several, _: str) -> Source:
    """Queries that people judged completely, and three more that a model labelled alone."""
    qrels, runs = collection
    labels = labels_of(qrels)
    people = dict(list(labels.items())[3:])
    return people, runs, {"predictions": chances_of(labels)}


SOURCES = {
    "rankings": (rankings, MEASURES),
    "table": (table, MEASURES),
    "table with ends": (table_with_ends, SUMS),
    "sample": (sample, ["AP", "nDCG@3", "infP@3", *SUMS]),
    "predictions": (predictions, SUMS[:2]),
    "predictions by query": (predictions_by_query, SUMS[:2]),
}
JUDGED = ("rankings",)
"""Sources of which `next` can be asked, by measures that are no estimates."""
of_sources = pytest.mark.parametrize("kind", SOURCES)


def drawn_source(data: st.DataObject, kind: str, collection: Several) -> tuple[Source, str]:
    make, measures = SOURCES[kind]
    measure = data.draw(st.sampled_from(measures))
    return make(collection, measure), measure


def some(source: Source, *names: str) -> Source:
    """Return the same source with these systems alone, in this order."""
    qrels, runs, more = source
    if runs is not None:
        return qrels, {name: runs[name] for name in names}, more
    places = [list(qrels.runs).index(name) for name in names]
    columns: dict[str, Any] = {"run": [], "query": [], "measure": [], "value": []}
    columns |= {} if qrels.ends is None else {"low": [], "high": []}
    for name, place in zip(names, places, strict=True):
        for j, query in enumerate(qrels.queries):
            columns["run"].append(name)
            columns["query"].append(query)
            columns["measure"].append(str(qrels.measures[0]))
            columns["value"].append(qrels.values[place, j, 0])
            if qrels.ends is not None:
                columns["low"].append(qrels.ends[0][place, j, 0])
                columns["high"].append(qrels.ends[1][place, j, 0])
    return Scores.read(columns), None, more


def compared(source: Source, measure: str, **options: Any) -> Comparison:
    qrels, runs, more = source
    return compare(qrels, runs, measure, **more, **options)


def gated(source: Source, measure: str, old: str, new: str, **options: Any) -> Row:
    qrels, runs, more = source
    before, after = (old, new) if runs is None else (runs[old], runs[new])
    (check,) = gate(qrels, before, after, measure, margin=0, **more, **options).checks
    return dict(check)


def on_page(source: Source, measure: str) -> Row:
    """The only pair of a report, from the page's data."""
    qrels, runs, more = source
    one = qrels if runs is None else Collection(qrels, runs, **more)
    facts = read(report_page(one, None, measure).html)
    (one,) = facts["measures"]
    row = {name: column[0] for name, column in one["pairs"].items() if len(column) == 1}
    row |= {name: words[row[name]] for name, words in facts["words"].items()}
    ahead = one["pairs"]["sentences"][0].startswith("{ahead}")
    leads = (row["difference"] > 0) == (one["sign"] > 0)
    return row | {"ahead": facts["runs"][row["a" if leads else "b"]] if ahead else None}


ALIKE = ("difference", "low", "high", "p", "headline", "other_queries", "more_judging")


def same(one: Any, other: Any, names: Any, tolerance: float = 1e-12) -> None:
    for name in names:
        if isinstance(one.get(name), float):
            assert other[name] == pytest.approx(one[name], abs=tolerance, nan_ok=True), name
        else:
            assert other.get(name) == one.get(name), name


@of_sources
@examples(8)
@given(collection=skilled_runs(), data=st.data())
def test_all_questions_say_the_same(kind: str, collection: Several, data: st.DataObject) -> None:
    """`compare`, its JSON, the page, `gate` at margin 0 and `next` have one leader, ends, p and headline."""
    source, measure = drawn_source(data, kind, collection)
    found = compared(some(source, "one", "two"), measure)
    row = found.pair()
    check = gated(source, measure, "one", "two")
    same(row, check, ALIKE)
    assert (row["ahead"] == "two", row["ahead"] is None) == (
        check["ahead"] == check["a"],
        check["ahead"] is None,
    )
    (written,) = json.loads(str(render(found.records("pairs"), "json")))["rows"]
    same({n: v for n, v in row.items() if n in written}, written, {*ALIKE, "better"} & written.keys())
    same(row, on_page(some(source, "one", "two"), measure), ALIKE, 1e-6)
    if kind in JUDGED and measure in MEASURES:
        (other,) = judging.next(*some(source, "one", "two")[:2], n=1, measure=measure).pairs
        same(row, other, (*ALIKE, "a", "b", "ahead", "better", "seen"))


@of_sources
@examples(8)
@given(collection=skilled_runs(), data=st.data())
def test_better_passes_and_needs_no_judging(kind: str, collection: Several, data: st.DataObject) -> None:
    source, measure = drawn_source(data, kind, collection)
    found = compared(some(source, "one", "two"), measure)
    if found.better is not None:
        behind = ({"one", "two"} - {found.better}).pop()
        assert gated(source, measure, behind, found.better, judging="seen")["outcome"] == PASS
    if kind in JUDGED and measure in MEASURES:
        qrels, runs, _ = some(source, "one", "two")
        wanted = judging.next(qrels, runs, n=1, measure=measure)
        assert bool(wanted.open_pairs) == (found["more_judging"] in (FLIP, BLUR))
        assert found.headline != BETTER or not (wanted.open_pairs or wanted.wanted)


ANSWERS = {"p_adjusted", "p_careful", "headline", "other_queries", "more_judging"}
ANSWERS |= {"better", "sure", "in_other_orders"}
"""What a correction for many comparisons changes."""


@pytest.mark.parametrize("correction", ["none", "holm"])
@of_sources
@examples(8)
@given(collection=skilled_runs(), data=st.data())
def test_a_further_system_changes_no_row_of_the_others(
    kind: str, correction: Any, collection: Several, data: st.DataObject
) -> None:
    """All fields but those that a correction changes; without a correction all fields."""
    source, measure = drawn_source(data, kind, collection)
    alone = compared(some(source, "one", "two"), measure, correction=correction)
    beside = compared(source, measure, correction=correction)
    fields = alone.pair().keys() - (ANSWERS if correction == "holm" else set())
    same(alone.pair(), beside.pair("two", "one"), fields, 1e-9)
    for row in alone.systems:
        (other,) = [one for one in beside.systems if one["system"] == row["system"]]
        same(row, other, ("mean", "low", "high", "query_low", "query_high"))


@of_sources
@examples(8)
@given(collection=skilled_runs(), data=st.data())
def test_swapping_two_systems_negates_the_row(kind: str, collection: Several, data: st.DataObject) -> None:
    source, measure = drawn_source(data, kind, collection)
    row = compared(some(source, "one", "two"), measure).pair()
    other = compared(some(source, "two", "one"), measure).pair()
    assert (row["a"], row["b"]) == (other["b"], other["a"]) == ("two", "one")
    for low, high in [("low", "high"), *((f"{n}_low", f"{n}_high") for n in ("query", "effect", "estimate"))]:
        if low in row:
            assert (row[low], row[high]) == pytest.approx((-other[high], -other[low]), abs=1e-12)
    for name in ("difference", "effect"):
        assert row.get(name, 0) == pytest.approx(-other.get(name, 0), abs=1e-12)
    assert (row.get("wins"), row.get("mean_a")) == (other.get("losses"), other.get("mean_b"))
    same(row, other, (*ALIKE[3:], "p_adjusted", "flip", "loss", "seen", "ahead", "better"), 1e-9)


@of_sources
@examples(8)
@given(collection=skilled_runs(), data=st.data())
def test_segments_and_collections_have_headlines(kind: str, collection: Several, data: st.DataObject) -> None:
    source, measure = drawn_source(data, kind, collection)
    queries = sorted(collection[0])
    halves = {query: str(k % 3 == 0) for k, query in enumerate(queries)}
    found = compared(source, measure, segments=halves)
    for row in found.segments:
        assert row["headline"] in HEADLINES
        assert (row["headline"] == FEW_QUERIES) == (row["queries"] < ENOUGH_QUERIES)
    whole = [row for row in found.segments if row["segment"] == "all"]
    for row, total in zip(found.pairs, whole, strict=True):
        same(row, total, ALIKE)
    qrels, runs, more = source
    one = qrels if runs is None else Collection(qrels, runs, **more)
    judge = "predictions" if more else None
    several = compare_collections({"a": one, "b": one}, measure, predictions=judge)
    assert {row["headline"] for row in several.rows["collections"]} <= {*HEADLINES}
    for row, total in zip(found.pairs, several.pairs, strict=True):
        assert (row["a"], row["b"], row["ahead"]) == (total["a"], total["b"], total["ahead"])


@examples(60)
@given(several_runs(runs=3, highest=2, queries=4), st.sampled_from(MEASURES))
def test_so_do_very_small_collections(collection: Several, measure: str) -> None:
    """One to four queries, graded documents, and documents of the pool that nobody judged."""
    source: Source = (*collection, {})
    row = compared(some(source, "one", "two"), measure).pair()
    assert row["headline"] == FEW_QUERIES
    with suppress(InputError):  # hardly any retrieved document is judged, and the gate does not decide
        same(row, gated(source, measure, "one", "two"), ALIKE)
    same(row, compared(source, measure, correction="none").pair("two", "one"), row.keys(), 1e-9)
    if any(grade >= 0 for documents in collection[0].values() for grade in documents.values()):
        (other,) = judging.next(*some(source, "one", "two")[:2], n=1, measure=measure).pairs
        same(row, other, ALIKE)


@pytest.mark.parametrize("name", MEASURES)
@examples(8)
@given(collection=skilled_runs())
def test_the_loss_share_is_at_most_the_flip_share(name: str, collection: Several) -> None:
    row = compared(some((*collection, {}), "one", "two"), name).pair()
    flip, loss, seen = row.get("flip", np.nan), row.get("loss", np.nan), row["seen"]
    if not np.isnan(loss):
        assert loss <= flip + 1e-9
    if row["headline"] == BETTER:
        assert loss > seen or np.isinf(loss)


@pytest.mark.parametrize("measure", ["AP", "nDCG@3"])
def test_predictions_of_further_queries_are_in_the_gate_too(measure: str) -> None:
    """People judged 20 queries whole; of 30 more there are predictions alone."""
    rng = np.random.default_rng(5)
    queries = [f"q{k}" for k in range(50)]
    relevant = rng.random((50, 8)) < 0.4
    runs: dict[str, RunDict] = {}
    for name, skill in (("old", 0.3), ("new", 1.0)):
        scores = skill * relevant + rng.random((50, 8))
        runs[name] = {
            q: {f"d{j}": float(x) for j, x in enumerate(own)} for q, own in zip(queries, scores, strict=True)
        }
    labels = {q: {f"d{j}": int(x) for j, x in enumerate(relevant[k])} for k, q in enumerate(queries[:20])}
    guesses = {
        q: {f"d{j}": 0.8 if x else 0.1 for j, x in enumerate(relevant[k])} for k, q in enumerate(queries)
    }
    row = compare(labels, runs, measure, predictions=guesses).pair()
    (check,) = gate(labels, runs["old"], runs["new"], measure, predictions=guesses, margin=0).checks
    same(row, check, (*ALIKE, "mean_a", "mean_b", "query_low", "query_high"))
    two_sided = 2 * min(check["p_not_worse"], check["p_worse"])
    assert two_sided == pytest.approx(row["p"], rel=1e-9)
    assert check["limit_low"] > row["query_low"]
    plain = compare(labels, {name: {q: run[q] for q in labels} for name, run in runs.items()}, measure).pair()
    assert row["query_high"] - row["query_low"] < plain["query_high"] - plain["query_low"]
    halves = {query: str(k % 2) for k, query in enumerate(queries)}
    for found in compare(labels, runs, measure, predictions=guesses, segments=halves).segments:
        own = {query: docs for query, docs in labels.items() if found["segment"] in (halves[query], "all")}
        assert found["queries"] == len(own)
        if found["segment"] != "all":
            assert found["mean_a"] == pytest.approx(evaluate(own, runs["new"], measure).means[0, 0])
    twice = {name: Collection(labels, runs, predictions=guesses) for name in ("first", "second")}
    first, _, mean = compare_collections(twice, measure, predictions="predictions").rows["collections"]
    same(row, first, (*ALIKE, "mean_a", "mean_b", "query_low", "query_high"))
    assert [mean[name] for name in ("difference", "mean_a", "mean_b")] == pytest.approx(
        [row[name] for name in ("difference", "mean_a", "mean_b")], abs=1e-12
    )
    width = (mean["query_high"] - mean["query_low"]) / (row["query_high"] - row["query_low"])
    assert width == pytest.approx(0.5**0.5, rel=0.05)
    page = report_page(Collection(labels, runs, predictions=guesses), None, measure)
    assert "30 queries with predictions only" in said(page.html)


def test_means_that_are_equal_but_for_rounding_have_no_leader_with_predictions() -> None:
    """0.1 + 0.2 - 0.3 is not 0 for a computer. The mean over collections knew, and each of them did not."""
    more = {"q1": (1, 0), "q2": (2, 0), "q3": (0, 3)}
    places = [(run, k) for run in (0, 1) for k in range(9)]
    labels = {q: {f"{run}{k}": int(k < own[run]) for run, k in places} for q, own in more.items()}
    queries = (*more, "q4")
    runs = {f"run {one}": {q: {f"{one}{k}": 9.0 - k for k in range(9)} for q in queries} for one in (0, 1)}
    guesses = {q: {f"{run}{k}": 0.0 for run, k in places} for q in queries}
    row = compare(labels, runs, "P@10", predictions=guesses).pair()
    assert (row["difference"], row["ahead"], row["p"]) == (0.0, None, 1.0)
    whole = Collection(labels, runs, predictions=guesses)
    several = compare_collections({"a": whole, "b": whole}, "P@10", predictions="predictions")
    assert [one["ahead"] for one in several.rows["collections"]] == [None, None, None]
