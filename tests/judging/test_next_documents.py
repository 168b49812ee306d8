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


@pytest.mark.parametrize("design", ["narrowest(40)", "most telling(40)"])
def test_judging_the_documents_of_a_run_narrows_its_bounds_by_their_gain(design: str) -> None:
    judgments, run = Judgments.read(sample.qrels), sample.runs["dense"]
    wanted = next_documents(judgments, run, design=design, measure=RBP).wanted
    gains = [one["gain"] for one in wanted]
    assert gains == sorted(gains, reverse=True)
    later: dict[str, dict[str, int]] = {}
    for one in wanted:
        later.setdefault(one["query"], {})[one["document"]] = 0
    after = merge(judgments, {"ann": later}).judgments
    residual = "RBPResidual(p=0.8)"
    before, now = (evaluate(j, run, residual).value(residual) for j in (judgments, after))
    assert before - now == pytest.approx(sum(gains), abs=1e-12)
    again = next_documents(after, run, design=design, measure=RBP).wanted
    assert not {(w["query"], w["document"]) for w in wanted} & {(w["query"], w["document"]) for w in again}


def test_several_runs_have_the_mean_of_their_weights() -> None:
    runs = {"a": {"q": {"both": 3.0, "only": 2.0, "x": 1.0}}, "b": {"q": {"both": 3.0, "x": 2.0}}}
    found = next_documents({"q": {"x": 1}}, runs, design="narrowest", measure=RBP)
    assert [(one["document"], round(one["gain"], 4)) for one in found.wanted] == [
        ("both", 0.2),
        ("only", 0.08),
    ]
    assert (
        found.sentence() == f"Judging them narrows the bounds of {RBP} by 0.280000 in the mean of the runs."
    )


def test_an_open_pair_says_what_compare_says_of_it() -> None:
    two = {name: sample.runs[name] for name in ("dense", "reranked")}
    found = next_documents(sample.qrels, two, n=1, measure=RBP)
    (pair,) = found.pairs
    row = compare(sample.qrels, two, RBP).pair()
    shares = {"flip", "loss"}
    assert repr(pair) == repr({name: value for name, value in row.items() if name not in shares})
    assert pair["headline"] == "needs judging"
    assert found.open_pairs == [pair]
    assert found.notes[:2] == [
        "More judging could change what RBP(p=0.8) says of dense and reranked.",
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
@pytest.mark.parametrize("design", ["most telling", "narrowest"])
def test_measures_that_would_refuse_the_documents_are_refused_first(name: str, design: str) -> None:
    """`next -m xinfAP` listed documents, and xinfAP refused their judgments."""
    with pytest.raises(UsageError, match=r"use AP, or draw a sample|use it without"):
        next_documents(sample.qrels, sample.runs, design=design, measure=name)


def test_the_bounds_of_some_measures_are_no_sums_over_documents() -> None:
    with pytest.raises(UsageError, match="AP is not a sum over relevant documents"):
        next_documents(sample.qrels, sample.runs["dense"], measure="AP")


def test_the_documents_name_the_estimates_that_refuse_them(tmp_path: Path) -> None:
    found = next_documents(sample.qrels, sample.runs, n=5)
    (tmp_path / "next.qrels").write_text(found.text().replace(" -1\n", " 1\n"))
    told = re.search("Estimates from samples will refuse these judgments: (.*)[.]", found.text())
    assert told
    assert told[0] in str(found).replace("\n", " ")
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
