"""What `next` lists: documents that narrow bounds, those that tell about pairs, and pools."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from unjudged import MEASURES, Judgments, UsageError, compare, evaluate, sample
from unjudged.judging import merge
from unjudged.judging import next as next_documents
from unjudged.rankings.origin import CHOSEN, POOL, Origin
from unjudged.rankings.runs import Run

RBP = "RBP(p=0.8)"


def test_what_is_judged_is_not_listed_again() -> None:
    judgments, run = Judgments.read(sample.qrels), sample.runs["dense"]
    found = next_documents(judgments, run, n=40)
    assert found.notes[0] == "40 documents to judge, which say most about nDCG@10 of dense."
    gains = [one["gain"] for one in found.wanted]
    assert gains == sorted(gains, reverse=True)
    later: dict[str, dict[str, int]] = {}
    for one in found.wanted:
        later.setdefault(one["query"], {})[one["document"]] = 0
    again = next_documents(merge(judgments, {"ann": later}).judgments, run, n=40).wanted
    names = [{(one["query"], one["document"]) for one in wanted} for wanted in (found.wanted, again)]
    assert not names[0] & names[1]


def test_an_open_pair_says_what_compare_says_of_it() -> None:
    two = {name: sample.runs[name] for name in ("dense", "reranked")}
    found = next_documents(sample.qrels, two, n=1, measure=RBP)
    (pair,) = found.pairs
    row = compare(sample.qrels, two, RBP).pair()
    shares = {"flip", "loss"}
    assert repr(pair) == repr({name: value for name, value in row.items() if name not in shares})
    assert pair["headline"] == "needs judging"
    assert found.open_pairs == [pair]
    assert found.notes[:3] == [
        "More judging could change what RBP(p=0.8) says of dense and reranked.",
        "This list promises nothing: to be sure of the order, judge until better.",
        "reranked is ahead of dense, but unjudged documents could reverse it: needs judging.",
    ]


def test_equal_runs_are_not_open() -> None:
    run = {f"q{i}": {"known": 1.0} for i in range(5)}
    qrels = {f"q{i}": {"known": int(i < 2)} for i in range(5)}
    found = next_documents(qrels, {"a": run, "c": run})
    assert found.wanted == []
    stop = "Stop: more judging cannot, or is unlikely to, change what nDCG@10 says of a and c."
    assert found.sentence() == stop


@pytest.mark.parametrize("name", ["xinfAP", "infAP", "statAP", "AP(unjudged='condensed')", "RBP(chance=100)"])
def test_measures_that_would_refuse_the_documents_are_refused_first(name: str) -> None:
    """`next -m xinfAP` listed documents, and xinfAP refused their judgments."""
    with pytest.raises(UsageError, match=r"use AP, or draw a sample|use it without"):
        next_documents(sample.qrels, sample.runs, measure=name)


def test_the_documents_name_the_estimates_that_refuse_them(tmp_path: Path) -> None:
    found = next_documents(sample.qrels, sample.runs, n=5)
    (tmp_path / "next.qrels").write_text(found.text().replace(" -1\n", " 1\n"))
    told = re.search("Estimates from samples will refuse these judgments: (.*)[.]", found.text())
    assert told
    assert told[0] in found.notes
    judged = merge(sample.qrels, {"ann": tmp_path / "next.qrels"}).judgments
    assert judged.origin.kind == CHOSEN
    for name, known in MEASURES.items():
        if known.traits.estimates:
            assert name in told[1].split(", ")
            with pytest.raises(UsageError, match="needs a random sample"):
                evaluate(
                    judged,
                    sample.runs["dense"],
                    f"{name}@10" if name.endswith("P") and name[-2] != "A" else name,
                )


def test_a_pool_is_the_first_documents_of_every_run_that_nobody_judged(tmp_path: Path) -> None:
    """Sorted by name, so that nobody can infer ranks; without judgments it is a whole pool."""
    first: set[tuple[str, str]] = set()
    for path in sample.runs.values():
        run = Run.read(path)
        for q, query in enumerate(run.queries):
            start = int(run.offsets[q])
            first |= {(query, document) for document in list(run.documents)[start : start + 10]}
    file = tmp_path / "pool.qrels"
    for qrels, origin in ((None, Origin(POOL, 10)), (sample.qrels, Origin(POOL))):
        known: set[tuple[str, str]] = set()
        if qrels is not None:
            lines = [line.split() for line in qrels.read_text().splitlines() if line[0] != "#"]
            known = {(query, document) for query, _, document, grade in lines if grade != "-1"}
        found = next_documents(qrels, sample.runs, design="pool(10)")
        names = [(one["query"], one["document"]) for one in found.wanted]
        assert names == sorted(first - known)
        file.write_text(found.text())
        assert Judgments.read(file).origin == origin
        assert len(Judgments.read(file).grade) == len(names)
