"""`-m`: several measures after one option, lists with commas, and the spellings of other tools."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused
from unjudged import evaluate, sample
from unjudged.cli.argv import separate_measures

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


@pytest.mark.parametrize("place", ["before the files", "after the files"])
@pytest.mark.parametrize("asked", ASKED)
def test_two_measures(asked: str, place: str) -> None:
    options, files = ASKED[asked], [QRELS, RUN]
    words = [*options, *files] if place == "before the files" else [*files, *options]
    rows = list(csv.DictReader(io.StringIO(printed("evaluate", *words, "--format", "csv"))))
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


def test_measures_never_swallow_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that has the name of a measure is a file; after `-m` itself a measure is always meant."""
    monkeypatch.chdir(tmp_path)
    Path("ndcg").write_bytes(Path(RUN).read_bytes())
    assert separate_measures(["evaluate", "-m", "ndcg", "AP", "ndcg"]) == [
        *("evaluate", "-m", "ndcg", "-m", "AP", "ndcg"),
    ]
    out = printed("evaluate", QRELS, "-m", "ndcg", "AP", "ndcg", "--format", "csv")
    assert [(row["run"], row["measure"]) for row in csv.DictReader(io.StringIO(out))] == [
        ("ndcg", "nDCG"),
        ("ndcg", "AP"),
    ]


def test_where_the_list_ends() -> None:
    words = ["-m", "AP", "qrels", "RR", "--", "-m", "AP", "RR"]
    assert separate_measures(words) == words
    assert separate_measures(["-m", "AP", "RR", "-o", "P@5"]) == ["-m", "AP", "-m", "RR", "-o", "P@5"]


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
    assert separate_measures(["evaluate", "-m", wrong]) == ["evaluate", "-m", wrong]


def test_a_word_that_is_neither_a_measure_nor_a_file() -> None:
    """After `-m AP`, a wrong measure was called a missing file."""
    said = refused(2, "evaluate", QRELS, RUN, "-m", "AP", "hits@5")
    assert said == "hits@5: neither a file nor a measure (`unjudged measures` lists those)"


def test_measures_that_only_a_table_knows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second was taken for a file that does not exist."""
    monkeypatch.chdir(tmp_path)
    rows = [f"{system},q{k},0.{k},0.5" for system in ("old", "new") for k in range(1, 6)]
    Path("own.csv").write_text("\n".join(["system,query,nDCG@10,hallucination", *rows, ""]))
    for words in (
        ["own.csv", "-m", "nDCG@10", "hallucination"],
        ["-m", "nDCG@10", "hallucination", "own.csv"],
    ):
        assert "hallucination" in printed("evaluate", "--scores", *words).splitlines()[0]
    wrong = refused(1, "evaluate", "--scores", "-m", "nDCG@10", "--", "own.csv", "other.csv")
    assert "other.csv" in wrong
    assert "the table has no measure 'x'; it has nDCG@10, hallucination" in refused(
        2, "evaluate", "--scores", "own.csv", "-m", "nDCG@10", "x"
    )
