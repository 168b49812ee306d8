"""What to judge next, and that judging it does what was promised."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from unjudged import MEASURES, UsageError, compare, evaluate, sample
from unjudged.judging import next as next_documents
from unjudged.judging.merging import merge
from unjudged.rankings.judgments import Judgments

RBP = "RBP(p=0.8)"


def test_judging_the_documents_narrows_the_interval_by_their_gain() -> None:
    judgments, run = Judgments.of(sample.qrels), sample.runs["dense"]
    wanted = next_documents(judgments, run, 40, RBP).wanted
    gains = [one["gain"] for one in wanted]
    assert gains == sorted(gains, reverse=True)
    later: dict[str, dict[str, int]] = {}
    for one in wanted:
        later.setdefault(one["query"], {})[one["document"]] = 0
    after = merge(judgments, {"ann": later}).judgments
    residual = "RBPResidual(p=0.8)"
    before, now = (evaluate(j, run, residual).value(residual) for j in (judgments, after))
    assert before - now == pytest.approx(sum(gains), abs=1e-12)
    again = next_documents(after, run, 40, RBP).wanted
    assert not {(w["query"], w["document"]) for w in wanted} & {(w["query"], w["document"]) for w in again}


def test_for_a_difference_what_both_share_matters_less() -> None:
    qrels = {"q": {"x": 1}}
    runs = {
        "a": {"q": {"both": 3.0, "only": 2.0, "x": 1.0}},
        "b": {"q": {"both": 3.0, "x": 2.0}},
    }
    assert [one["document"] for one in next_documents(qrels, runs, 5, RBP).wanted] == ["both", "only"]
    (one,) = next_documents(qrels, runs, 5, RBP, difference=True).wanted
    assert one["document"] == "only"
    with pytest.raises(UsageError, match="the difference of 1 runs was asked for: give two"):
        next_documents(qrels, {"a": runs["a"]}, 5, RBP, difference=True)
    with pytest.raises(UsageError, match="budget is 0"):
        next_documents(qrels, runs, 0)
    with pytest.raises(UsageError, match="AP is no sum over relevant documents"):
        next_documents(qrels, runs, 1, "AP", settle=False)


def two_runs(queries: int = 200) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, dict[str, float]]]]:
    """Run a has a judged document first, relevant for 3 queries of 10; run b has an unjudged one."""
    qrels = {f"q{i}": {"known": int(i % 10 < 3)} for i in range(queries)}
    runs = {
        name: {query: {document: 1.0} for query in qrels} for name, document in (("a", "known"), ("b", "x"))
    }
    return qrels, runs


def test_an_open_pair_says_what_compare_says_of_it() -> None:
    two = {name: sample.runs[name] for name in ("dense", "reranked")}
    found = next_documents(sample.qrels, two, 1, RBP, settle=True)
    told = compare(sample.qrels, two, RBP)
    (pair,) = found.pairs
    assert pair == told.pair()
    assert pair["headline"] == "needs judging"
    assert found.open_pairs == [pair]
    assert found.notes[:2] == [
        "More judging could change what RBP(p=0.8) says of dense and reranked.",
        "reranked is ahead of dense, but unjudged documents could reverse it: needs judging.",
    ]
    grid = found.grid("pairs")
    assert grid.rows[0][1:3] == [pair["ahead"], pair["b"] if pair["ahead"] == pair["a"] else pair["a"]]
    assert grid.as_columns()["a"] == [pair["a"]]


def test_equal_runs_are_not_open() -> None:
    qrels, runs = two_runs(5)
    found = next_documents(qrels, {"a": runs["a"], "c": runs["a"]}, 1, settle=True)
    assert found.wanted == []
    assert found.sentence() == (
        "Stop: more judging cannot, or is unlikely to, change what nDCG@10 says of a and c."
    )


@pytest.mark.parametrize("name", ["xinfAP", "infAP", "statAP", "AP(unjudged='condensed')", "RBP(chance=100)"])
@pytest.mark.parametrize("options", [{}, {"settle": True}])
def test_measures_that_would_refuse_the_documents_are_refused_first(
    name: str, options: dict[str, Any]
) -> None:
    """`next -m xinfAP` listed documents, and xinfAP refused their judgments."""
    with pytest.raises(UsageError, match=r"use AP, or draw a sample|use it without"):
        next_documents(sample.qrels, sample.runs, 5, name, **options)


def test_the_documents_name_the_estimates_that_refuse_them(tmp_path: Path) -> None:
    found = next_documents(sample.qrels, sample.runs, 5)
    (tmp_path / "next.qrels").write_text(found.task().replace(" -1\n", " 1\n"))
    told = re.search("Estimates from samples will refuse these judgments: (.*)[.]", found.task())
    assert told
    assert told[0] in str(found).replace("\n", " ")
    judged = merge(sample.qrels, {"ann": tmp_path / "next.qrels"}).judgments
    for name, known in MEASURES.items():
        if known.traits.estimates:
            assert name in told[1].split(", ")
            with pytest.raises(UsageError, match="needs a random sample"):
                evaluate(
                    judged,
                    sample.runs["dense"],
                    f"{name}@10" if name.endswith("P") and name[-2] != "A" else name,
                )


def test_the_best_runs_are_read_once() -> None:
    """`top` read every run twice; a generator can be read only once."""
    once = {
        name: ((query, document, score) for query, found in run.items() for document, score in found.items())
        for name, run in {**two_runs(5)[1], "c": {"q1": {"y": 1.0}}}.items()
    }
    assert next_documents(two_runs(5)[0], once, 3, "AP", top=2).settings["systems"] == ["a", "b"]
