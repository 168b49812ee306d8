"""`-m`: several measures after one option, lists with commas, and the spellings of other tools."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused
from unjudged import evaluate, sample
from unjudged.cli.arguments import listed_measures

QRELS, RUN = str(sample.qrels), str(sample.runs["fused"])

ASKED = {
    "after one option": ["-m", "AP", "nDCG@10"],
    "with a comma": ["-m", "AP,nDCG@10"],
    "repeated": ["-m", "AP", "-m", "nDCG@10"],
    "as in ir_measures": ["-m", "AP nDCG@10"],
    "with a comma and a space": ["-m", "AP, nDCG@10"],
    "by the long name": ["--measure", "AP", "nDCG@10"],
    "as in ranx": ["-m", "map", "ndcg@10"],
    "as in BEIR": ["-m", "MAP,NDCG@10"],
    "as in trec_eval": ["-m", "map", "ndcg_cut_10"],
    "in another case": ["-m", "ap", "Ndcg@10"],
}


@pytest.mark.parametrize("asked", ASKED)
def test_two_measures(asked: str) -> None:
    out = printed("evaluate", QRELS, RUN, *ASKED[asked], "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    scores = evaluate(QRELS, RUN, ["AP", "nDCG@10"])
    assert [row["measure"] for row in rows] == ["AP", "nDCG@10"]
    assert [float(row["value"]) for row in rows] == scores.means[0].tolist()


def test_brackets_keep_their_commas() -> None:
    out = printed("evaluate", QRELS, RUN, "-m", "nDCG(gains={1: 1, 2: 5})@5,P@5,10", "--format", "csv")
    assert [row["measure"] for row in csv.DictReader(io.StringIO(out))] == [
        "nDCG(gains={1: 1, 2: 5})@5",
        "P@5",
        "P@10",
    ]


def test_files_come_before_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-m` takes all words up to the next option; a measure may also be a file."""
    said = f"{QRELS} is a file, not a measure: files come before -m"
    assert refused(2, "evaluate", "-m", "AP", QRELS, RUN) == refused(2, "evaluate", "-m", QRELS, RUN) == said
    monkeypatch.chdir(tmp_path)
    Path("ndcg").write_bytes(Path(RUN).read_bytes())
    out = printed("evaluate", QRELS, "ndcg", "-m", "ndcg", "AP", "--format", "csv")
    assert [(row["run"], row["measure"]) for row in csv.DictReader(io.StringIO(out))] == [
        ("ndcg", "nDCG"),
        ("ndcg", "AP"),
    ]
    assert refused(2, "evaluate", "-m", "AP", "x.run") == (
        "QRELS is missing: unjudged evaluate QRELS RUN...; files come before options"
    )
    out = printed("evaluate", "-m", "AP", "--format", "csv", QRELS, RUN)
    assert out == printed("evaluate", "-m", "AP", "-f", "csv", "--", QRELS, RUN)


def test_a_wrong_name_gets_suggestions() -> None:
    message = refused(2, "evaluate", QRELS, RUN, "-m", "ndgc@10")
    assert message.startswith("no measure is called 'ndgc'; did you mean ")
    assert "ndcg" in message.lower()


def test_a_quoted_list_keeps_its_brackets() -> None:
    out = printed("evaluate", QRELS, RUN, "-m", "RBP(p=0.8, rel=2) P@5,10", "--format", "csv")
    found = [row["measure"] for row in csv.DictReader(io.StringIO(out))]
    assert found == ["RBP(p=0.8, rel=2)", "P@5", "P@10"]


@pytest.mark.parametrize("wrong", ["AP(", "A P)", "(", " ", "nDCG(gains={1: (2)})"])
def test_brackets_that_do_not_match_are_left_to_the_grammar(wrong: str) -> None:
    assert listed_measures(wrong) == [wrong]


def test_a_measure_that_is_none() -> None:
    assert refused(2, "evaluate", QRELS, RUN, "-m", "AP", "hits@5").startswith("no measure is called 'hits'")


def test_measures_that_only_a_table_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{system},q{k},0.{k},0.5" for system in ("old", "new") for k in range(1, 6)]
    Path("own.csv").write_text("\n".join(["system,query,nDCG@10,hallucination", *rows, ""]))
    table = printed("evaluate", "--scores", "own.csv", "-m", "nDCG@10", "hallucination")
    assert "hallucination" in table.splitlines()[0]
    assert "the table has no measure 'x'; it has nDCG@10, hallucination" in refused(
        2, "evaluate", "--scores", "own.csv", "-m", "nDCG@10", "x"
    )
