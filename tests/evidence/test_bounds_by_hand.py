"""Bounds of differences in cases that can be worked out by hand."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from unjudged import compare, evaluate


def test_a_shared_document_counts_once() -> None:
    """Both retrieve u at rank 1, so it cannot separate them; only v, which one alone retrieves, can."""
    qrels = {"q": {"x": 1, "y": 0}}
    runs = {"two": {"q": {"u": 3.0, "y": 2.0, "v": 1.0}}, "one": {"q": {"u": 3.0, "x": 2.0, "y": 1.0}}}
    row = compare(qrels, runs, "RBP(p=0.5)").pair()
    assert (row["difference"], row["low"], row["high"]) == (0.25, 0.125, 0.25)
    assert row["more_judging"] == "cannot change it"


def test_a_graded_comparison_takes_the_whole_scale() -> None:
    """By the lowest relevant grade u could never outweigh x; by the highest it does."""
    qrels = {"q": {"x": 3, "y": 1, "z": 0}}
    runs = {"two": {"q": {"u": 2.0, "y": 1.0}}, "one": {"q": {"x": 2.0, "z": 1.0}}}
    row = compare(qrels, runs, "nDCG(dcg='exp-log2')@2").pair()
    assert row["difference"] > 0 > row["low"]
    assert row["flip"] < 1


def test_documents_outside_pool_and_runs_can_turn_a_mean_but_no_query() -> None:
    """Everything listed is judged. One more relevant document halves the difference of its query alone."""
    none = [f"n{k}" for k in range(9)]
    qrels = {query: {"d": 1, **dict.fromkeys(none, 0)} for query in ("q1", "q2")}
    runs = {
        "a": {"q1": ["d", "n0"], "q2": [*none, "d"]},
        "b": {"q1": ["n0", "d"], "q2": ["n0", "d", *none[1:]]},
    }
    signs: dict[str, set[float]] = {"AP": set(), "RBP(p=0.8)": set(), "nDCG": set()}
    for name, found in signs.items():
        for counts in product(range(4), repeat=2):
            more = {
                query: qrels[query] | {f"outside{k}": 1 for k in range(count)}
                for query, count in zip(qrels, counts, strict=True)
            }
            values = evaluate(more, runs, name).values[:, :, 0]
            first, second = values[0] - values[1]
            assert first > 0 > second
            found.add(float(np.sign((first + second).round(9))))
        row = compare(qrels, runs, name).pair()
        assert row["more_judging"] == "cannot change it"  # of pool and runs
        assert row["low"] == row["difference"] == row["high"]
    assert signs["AP"] == {-1.0, 1.0}
    assert len(signs["RBP(p=0.8)"]) == 1


def test_judged_documents_at_the_same_ranks_are_what_was_seen() -> None:
    """Behind is b: of its judged documents that favour it none is, so all of b's judged ones say it."""
    qrels = {"p": {"x": 1, "y": 0}, "q": {"x": 1, "y": 0}}
    runs = {
        "a": {"p": {"x": 2.0, "y": 1.0}, "q": {"y": 2.0, "x": 1.0}},
        "b": {"p": {"u": 2.0, "v": 1.0}, "q": {"u": 2.0, "x": 1.0}},
    }
    row = compare(qrels, runs, "P@2").pair()
    assert row["difference"] == -0.25
    assert row["seen"] == pytest.approx(1.0)


def test_more_unjudged_documents_than_the_pool_has_places() -> None:
    """Two runs whose unjudged documents fill the cutoff twice over: nDCG's ideal has all of its places."""
    qrels = {"q": {"x": 1}}
    runs = {name: {"q": {f"{d}{k}": -float(k) for k, d in enumerate("uvwxyz")}} for name in "ab"}
    runs["a"]["q"]["x"] = 1.0
    row = compare(qrels, runs, "nDCG@3").pair()
    assert row["low"] == -1.0
    assert row["high"] <= 1.0
