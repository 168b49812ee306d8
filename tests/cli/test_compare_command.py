"""`unjudged compare`: sentences, tables and files, and what `unjudged next` does for a comparison."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused, unjudged
from tests.report.test_page import said
from unjudged import compare, sample

QRELS = str(sample.qrels)
NAMES = ("reranked", "fused", "dense")
RERANKED, FUSED, DENSE = (str(sample.runs[name]) for name in NAMES)
RBP = "RBP(p=0.8)"
COLUMNS = ["measure", "a", "b", "difference", "p", "p_adjusted", "low", "high"]
QUERIES = ["query_low", "query_high"]
ANSWERS = ["headline", "other_queries", "more_judging"]


def table(*arguments: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(printed(*arguments))))


def test_two_runs_in_sentences() -> None:
    better = printed("compare", QRELS, FUSED, RERANKED, "-m", RBP)
    assert better.splitlines()[0] == "reranked is better than fused."
    assert "RBP(p=0.8): 0.3883 -> 0.4889, difference +0.1006" in better
    unsure = " ".join(printed("compare", QRELS, RERANKED, DENSE, "-m", RBP).split())
    assert unsure.startswith(
        "reranked is ahead of dense, but unjudged documents could reverse it: needs judging. "
        "RBP(p=0.8): 0.4889 -> 0.2634, difference -0.2255 other queries hold: "
    )
    assert "could flip it: if 33% of dense's unjudged documents are relevant; 77% of the judged" in unsure
    pair = compare(sample.qrels, [RERANKED, DENSE], RBP).pair()
    assert (pair["low"], pair["high"]) == pytest.approx((-0.2705, 0.4533), abs=5e-5)


def test_sentences_fit_the_terminal() -> None:
    for width in (40, 80, 120):
        text = unjudged("compare", QRELS, RERANKED, DENSE, COLUMNS=str(width)).stdout.decode()
        assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("options", [[], ["--pairs"], ["--baseline", "fused"], ["-m", "AP", "-m", "P@10"]])
def test_tables_fit_80_columns(options: list[str]) -> None:
    text = printed("compare", QRELS, *map(str, sample.runs.values()), *options)
    assert max(map(len, text.splitlines())) <= 80
    assert "Paired t test, Holm's step-down correction over " in text
    assert "expanded has no ranking for 1 query of 30: q17." in text


def test_differences_by_query_fit_80_columns() -> None:
    text = printed("compare", QRELS, RERANKED, DENSE, "--per-query")
    assert max(map(len, text.splitlines())) <= 80
    assert "Unjudged documents that matter most" in text
    assert text.startswith("nDCG@10 by query\n")


def test_differences_by_query_as_csv() -> None:
    rows = table("compare", QRELS, RERANKED, DENSE, "-q", "-m", "AP", "-m", "P@10", "--format", "csv")
    assert rows[0][:4] == ["measure", "a", "b", "query"]
    ends = ["low", "high", "document", "document_effect"]
    assert rows[0][4:-2] == ["value_a", "value_b", "difference", *ends]
    assert rows[0][-2:] == ["influence", "p_without"]
    assert [row[0] for row in rows[1:]] == ["AP"] * 30 + ["P@10"] * 30
    assert {(row[1], row[2]) for row in rows[1:]} == {("dense", "reranked")}


def test_pairs_as_csv() -> None:
    rows = list(
        csv.reader(
            io.StringIO(printed("compare", QRELS, RERANKED, FUSED, DENSE, "--pairs", "--format", "csv"))
        )
    )
    assert rows[0][:14] == [*COLUMNS, *QUERIES, *ANSWERS, "flip"]
    found = compare(sample.qrels, [RERANKED, FUSED, DENSE])
    expected = [[row[name] for name in [*COLUMNS, *QUERIES, "headline"]] for row in found.pairs]
    assert [[*row[:3], *map(float, row[3:10]), row[10]] for row in rows[1:]] == expected
    assert [row[1:3] for row in rows[1:]] == [
        ["fused", "reranked"],
        ["dense", "reranked"],
        ["dense", "fused"],
    ]
    two = table("compare", QRELS, RERANKED, FUSED, "--format", "csv")
    assert two[0][:8] == COLUMNS
    assert len(two) == 2


def test_systems_as_data_have_the_interval_for_other_queries() -> None:
    document = json.loads(printed("compare", QRELS, RERANKED, FUSED, DENSE, "--format", "json"))
    first = document["rows"][0]
    assert (first["system"], first["better_than"]) == ("reranked", "")
    assert (first["place_low"], first["place_high"]) == (1, 3)
    for row in document["rows"]:
        assert row["query_low"] < row["mean"] < row["query_high"]
        assert row["low"] <= row["mean"] <= row["high"]
    second = document["rows"][1]
    assert (second["versus"], second["wins"], second["ties"], second["losses"]) == ("reranked", 9, 0, 21)
    assert second["effect_low"] < second["effect"] < second["effect_high"] < 0
    method = "Paired t test, Holm's step-down correction over 3 pairs, alpha = 0.05."
    assert [note["text"] for note in document["notes"]] == [method]


def test_pairs_as_json_have_everything() -> None:
    rows = json.loads(printed("compare", QRELS, RERANKED, FUSED, DENSE, "--pairs", "--format", "json"))[
        "rows"
    ]
    assert list(rows[0])[:8] == COLUMNS
    pair = compare(sample.qrels, [RERANKED, DENSE]).pair()
    assert rows[1]["flip"] == pytest.approx(pair["flip"])
    assert rows[0]["flip"] is None
    assert 0 < rows[1]["seen"] < 1
    assert (rows[0]["wins"], rows[0]["ties"], rows[0]["losses"]) == (9, 0, 21)


def test_latex() -> None:
    boolean = str(sample.runs["boolean"])
    words = ["compare", QRELS, RERANKED, FUSED, boolean, "-m", "nDCG@10", "-m", "P@10", "--format", "latex"]
    text = printed(*words)
    assert r"\toprule" in text
    marks = r"\textsuperscript{bc}"
    assert rf"a & reranked & \textbf{{0.4485}}{marks} & \textbf{{0.5067}}{marks} \\" in text
    caption = text.split(r"\begin{tabular}")[0]
    assert "Paired t test, Holm's step-down correction over 3 pairs per measure, alpha = 0.05." in caption
    expanded = printed("compare", QRELS, RERANKED, str(sample.runs["expanded"]), "--format", "latex")
    assert "expanded has no ranking for 1 query of 30: q17." in expanded


def test_markdown_has_the_best_in_bold() -> None:
    text = printed("compare", QRELS, RERANKED, FUSED, "-m", RBP, "--format", "markdown")
    assert "| a | reranked | **0.4889** |" in text


def test_notes_that_have_no_place_go_to_standard_error() -> None:
    done = unjudged("compare", QRELS, RERANKED, FUSED, str(sample.runs["expanded"]), "--format", "csv")
    said = "unjudged: expanded has no ranking for 1 query of 30: q17. Each counts as empty.\n"
    assert done.stderr.decode() == said


def test_judging_the_documents_asked_for_answers_the_comparison(tmp_path: Path) -> None:
    asked = tmp_path / "to-judge.qrels"
    printed("next", QRELS, RERANKED, DENSE, "-m", RBP, "--difference", "--budget", "500", "-o", str(asked))
    lines = asked.read_text().splitlines()
    assert lines[0] == "# 500 documents to judge: replace each -1 by a grade."
    assert len(lines) == 504
    asked.write_text("\n".join(lines).replace(" -1", " 0"))
    assert "reranked is better than dense" in printed(
        "compare", QRELS, RERANKED, DENSE, "-m", RBP, "--judged", str(asked)
    )


def test_refusals(tmp_path: Path) -> None:
    assert refused(2, "compare", QRELS, RERANKED).startswith("two or more runs are needed")
    assert refused(2, "compare", QRELS, RERANKED, FUSED, DENSE, "-q") == (
        "--per-query is about two runs, and there are 3"
    )
    assert refused(2, "compare", QRELS, RERANKED, FUSED, "-q", "--pairs") == (
        "--per-query and --pairs cannot be used together"
    )
    assert refused(2, "compare", QRELS, RERANKED, FUSED, "--baseline", "best").startswith(
        "the baseline 'best' is not among the runs: reranked, fused"
    )
    assert refused(2, "compare", QRELS, RERANKED, RERANKED).endswith("is given twice")
    chosen = tmp_path / "chosen.txt"
    chosen.write_text("# unjudged-origin chosen: ...\n" + Path(QRELS).read_text())
    needs = "infAP needs a random sample, and these judgments are chosen documents"
    assert refused(2, "compare", str(chosen), RERANKED, FUSED, "-m", "infAP").startswith(needs)
    assert refused(1, "next", QRELS, DENSE, "nowhere").endswith("nowhere: no such file")
    assert "give two runs or more" in refused(2, "next", QRELS, RERANKED, "-m", "AP")
    assert "--difference is for RBP and P" in refused(
        2, "next", QRELS, RERANKED, DENSE, "-m", "AP", "--difference"
    )
    asked = printed("next", QRELS, RERANKED, DENSE, "-m", "AP", "-b", "2")
    assert "# More judging could change what AP says of reranked and dense.\n" in asked
    copy = tmp_path / "copy.run"
    copy.write_bytes(sample.runs["fused"].read_bytes())
    equal = printed("compare", QRELS, FUSED, str(copy))
    assert equal.startswith("copy and fused have the same mean whatever is judged.\n")
    assert "more judging   cannot change it" in equal


def test_a_bad_line_is_named_as_by_evaluate(tmp_path: Path) -> None:
    run = tmp_path / "twice.run"
    lines = Path(DENSE).read_text().splitlines()
    run.write_text("\n".join([*lines, lines[0], ""]))
    expected = refused(1, "evaluate", QRELS, str(run))
    assert expected.startswith(f"{run}:{len(lines) + 1}: document 'd145'")
    assert refused(1, "compare", QRELS, DENSE, str(run)) == expected
    assert refused(1, "next", QRELS, DENSE, str(run)) == expected


def test_a_file_of_predictions_that_is_not_there(tmp_path: Path) -> None:
    absent = str(tmp_path / "absent")
    assert refused(1, "audit", QRELS, absent) == f"{absent}: no such file"


def test_judgments_that_were_not_filled_in_are_reported(tmp_path: Path) -> None:
    """The file that `next` wrote, given back as it is, changed nothing and nothing was said."""
    asked = tmp_path / "asked.qrels"
    printed("next", QRELS, DENSE, "-m", RBP, "--budget", "2", "-o", str(asked))
    done = unjudged("evaluate", QRELS, DENSE, "-m", "AP", "--judged", str(asked))
    assert (
        done.stderr.decode() == f"unjudged: {asked}: Nothing in the answers is judged: every grade is -1.\n"
    )
    asked.write_text(asked.read_text().replace(" -1\n", " 1\n", 1))
    done = unjudged("evaluate", QRELS, DENSE, "-m", "AP", "--judged", str(asked))
    assert done.stderr == b""


def test_rel_is_that_of_every_measure_without_its_own() -> None:
    asked = ["compare", QRELS, FUSED, DENSE, "--format", "csv"]
    spelled = printed(*asked, "-m", "RBP(p=0.8, rel=2)", "AP(rel=2)", "P(rel=1)@10")
    assert printed(*asked, "--rel", "2", "-m", "RBP(p=0.8)", "AP", "P(rel=1)@10") == spelled
    assert printed(*asked, "--rel", "2", "-m", RBP) == printed(*asked, "-m", "RBP(p=0.8, rel=2)")
    assert refused(2, *asked, "-m", RBP, "--rel", "0").startswith(
        "RBP: rel is 0, expected a whole number of at least 1"
    )


def test_rel_of_a_report() -> None:
    page = said(printed("report", QRELS, FUSED, "-m", "AP", "--rel", "2", "-o", "-"))
    assert "AP(rel=2)" in page
    assert "--rel 2" in page


def test_intervals_for_other_queries_are_those_of_evaluate() -> None:
    """They were t intervals of the means, which cover too little, beside the intervals of evaluate."""
    asked = [QRELS, RERANKED, FUSED, DENSE, "-m", "AP", "RBP(p=0.8)", "DCG@10", "--format", "json"]
    compared = json.loads(printed("compare", *asked, "--alpha", "0.1"))["rows"]
    interval = ["--interval", "queries", "--confidence", "0.9"]
    evaluated = json.loads(printed("evaluate", *asked, *interval))["rows"]
    ends = {(row["run"], row["measure"]): (row["low"], row["high"]) for row in evaluated}
    assert {(r["system"], r["measure"]): (r["query_low"], r["query_high"]) for r in compared} == ends
    assert None not in ends["dense", "DCG@10"]
