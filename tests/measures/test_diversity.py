"""Judgments by subtopic and measures of diversity: worked numbers, files, commands and refusals."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import permutations
from math import log2
from pathlib import Path

import numpy as np
import pytest

from unjudged import (
    AssumptionWarning,
    Collection,
    InputError,
    Judgments,
    UsageError,
    compare,
    evaluate,
    sample,
)
from unjudged.cli.main import main
from unjudged.judging.choosing.next_documents import next_documents

TEXT = """1 1 a 1
1 1 b 0
1 2 a 1
1 2 c 2
1 3 d 1
2 1 x 0
2 2 x 1
2 1 y 1
"""
RUNS = {"one": {"1": ["c", "z", "a"], "2": ["x", "y"]}, "two": {"1": ["d", "w"], "2": ["y", "v"]}}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "qrels.txt").write_text(TEXT)
    for name, run in RUNS.items():
        lines = [f"{q} Q0 {d} {r} {-r} {name}\n" for q, docs in run.items() for r, d in enumerate(docs, 1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    return {name: str(tmp_path / name) for name in ("qrels.txt", "one.run", "two.run")}


def test_worked_numbers() -> None:
    """Query 1 has the subtopics {a}, {a, c} and {d}; the ranking is c, unjudged, a.

    c has gain 1 at rank 1. a has 1 for its first subtopic and 1/2 for the second, at rank 3. At best a has 2,
    then d has 1 and c 1/2.
    """
    rows = [line.split() for line in TEXT.splitlines()[:5]]
    judgments = Judgments.by_subtopic([(query, s, name, int(g)) for query, s, name, g in rows])
    found = evaluate(judgments, {"1": ["c", "z", "a"]}, MEASURES).values[0, 0]
    dcg, ideal = 1 + 1.5 / 2, 2 + 1 / log2(3) + 0.5 / 2
    every = 3 * (1 + 0.5 / log2(3) + 0.25 / 2)
    assert found == pytest.approx(
        [
            dcg / ideal,
            dcg / every,
            (1 + 1.5 / 3) / (3 * (1 + 0.5 / 2 + 0.25 / 3)),
            (1 + 1.5 / 3) / (2 + 1 / 2 + 0.5 / 3),
            3 / 9,
            ((1 / 3) + (1 + 2 / 3) / 2 + 0) / 3,
            2 / 3,
            1 / 3,
        ],
        abs=1e-15,
    )


MEASURES = [f"{name}@3" for name in ("alpha_nDCG", "alpha_DCG", "ERR_IA", "nERR_IA", "P_IA", "StRecall")]
MEASURES[5:5] = ["AP_IA"]
MEASURES += ["StRecall@2"]


def test_greedy_is_not_best() -> None:
    """By name {1, 3} is first, though {1, 2} and {3, 4} cover more: their ranking has more than 1."""
    rows = [("q", s, d, 1) for d, own in {"a": (1, 2), "b": (3, 4), "c": (1, 3)}.items() for s in own]
    value = evaluate(Judgments.by_subtopic(rows), {"q": ["a", "b"]}, "alpha_nDCG@2").value("alpha_nDCG@2")
    assert value == pytest.approx((2 + 2 / log2(3)) / (2 + 1.5 / log2(3)))
    assert value > 1


def test_a_file_is_recognised(files: dict[str, str]) -> None:
    judgments = Judgments.with_fractions(files["qrels.txt"])
    assert judgments.origin.kind == "by subtopic"
    assert list(judgments.documents) == ["a", "b", "c", "d", "x", "y"]
    assert judgments.grade.tolist() == [3, 0, 2, 4, 2, 1]
    assert (Judgments.by_subtopic(files["qrels.txt"]).grade == judgments.grade).all()


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("1 0 a 1\n1 0 b 0\n", "pool"),
        ("1 1 a 1\n1 2 b 0\n", "pool"),  # rounds of judging, as in TREC-COVID
        ("# unjudged-origin by subtopic\n1 1 a 1\n1 2 b 1\n", "by subtopic"),
        ("".join(f"1 1 {n:09} 0\n" for n in range(9_000)) + "1 1 x 1\n1 2 x 1\n", "by subtopic"),
    ],
)
def test_what_the_second_column_is(tmp_path: Path, text: str, kind: str) -> None:
    file = tmp_path / "qrels"
    file.write_text(text)
    assert Judgments.with_fractions(file).origin.kind == kind


def test_states_of_documents() -> None:
    """A document is judged if it has a grade for some subtopic."""
    rows = [("q", 1, "a", 1), ("q", 2, "a", -1), ("q", 1, "b", -1), ("q", 2, "b", -1), ("q", 2, "c", 0)]
    judgments = Judgments.by_subtopic(rows)
    assert judgments.grade.tolist() == [1, -1, 0]
    assert judgments.waiting.tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1 1 a 1\n1 2 a 1\n1 1 a 0\n", r":3: document 'a' of query '1' is already on line 1"),
        ("1 0 a 1\n1 0 a 1\n", r":2: document 'a' of query '1' is already on line 1"),
        ("1 1 a 1\n1 2 a 0.5\n", r":2: the grade is '0.5', expected a whole number for each subtopic"),
        ("".join(f"1 {s} a 1\n" for s in range(32)), "has 32 subtopics with relevant documents"),
    ],
)
def test_what_is_wrong_with_a_file(tmp_path: Path, text: str, problem: str) -> None:
    file = tmp_path / "qrels"
    file.write_text(text)
    with pytest.raises(InputError, match=problem):
        Judgments.with_fractions(file)


def test_rows_need_four_fields() -> None:
    with pytest.raises(InputError, match=r"row 1 \(from 0\) has 3 fields, expected \(query, subtopic"):
        Judgments.by_subtopic([("q", 1, "a", 1), ("q", "a", 1)])  # type: ignore[list-item]


def test_31_subtopics(tmp_path: Path) -> None:
    rows = [("q", s, "a", 1) for s in range(31)]
    judgments = Judgments.by_subtopic([*rows, ("q", 30, "b", 1)])
    found = evaluate(judgments, {"q": ["b", "n"]}, ["StRecall@1", "alpha_nDCG@5"], pool_depth=9)
    assert found.values[0, 0] == pytest.approx([1 / 31, 1 / (31 + 0.5 / log2(3))])


def test_without_subtopics_a_query_is_one() -> None:
    with pytest.warns(AssumptionWarning, match="have no subtopics, so every query counts as one subtopic"):
        scores = evaluate(sample.qrels, sample.runs["fused"], ["P_IA@10", "P@10", "AP_IA", "AP"])
    assert scores.values[..., 0] == pytest.approx(scores.values[..., 1])
    assert scores.values[..., 2] == pytest.approx(scores.values[..., 3])


REFUSING: dict[str, Callable[[Judgments], object]] = {
    "AP needs one grade for each document": lambda j: evaluate(j, RUNS, "AP"),
    "infAP needs one grade for each document": lambda j: evaluate(j, RUNS, "infAP"),
    "choosing what to judge needs one grade": lambda j: next_documents(j, RUNS, 1, "P_IA@5"),
    "'model' interval needs one grade": lambda j: evaluate(j, RUNS, "P_IA@5").estimate(
        "model", prevalence=0.1
    ),
}


@pytest.mark.parametrize("sentence", REFUSING)
def test_what_needs_one_grade_refuses(files: dict[str, str], sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        REFUSING[sentence](Judgments.by_subtopic(files["qrels.txt"]))


def test_what_writes_judgments_refuses(files: dict[str, str]) -> None:
    with pytest.raises(InputError, match="a grade for each subtopic, expected one: evaluate, compare, gate"):
        Judgments.of(files["qrels.txt"])
    with pytest.raises(InputError, match="a grade for each subtopic"):
        Collection.of(files["qrels.txt"], RUNS)


def test_comparison(files: dict[str, str]) -> None:
    """Ends of the difference: one system at its lowest against the other at its highest."""
    compared = compare(files["qrels.txt"], RUNS, "StRecall@2")
    pair = compared.pair("one", "two", "StRecall@2")
    assert pair.difference.value == pytest.approx((1 / 3 + 1) / 2 - (1 / 3 + 1 / 2) / 2)
    assert (pair.difference.low, pair.difference.high) == pytest.approx(
        ((1 / 3 + 1) / 2 - 1, (1 + 1) / 2 - (1 / 3 + 1 / 2) / 2)
    )
    assert pair.reversible
    assert not pair.reversal_known


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(list(words))
    return (int(ended.value.code or 0), *capsys.readouterr())


def test_commands(files: dict[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    named = [files[name] for name in ("qrels.txt", "one.run", "two.run")]
    code, out, _ = said(
        capsys, "evaluate", *named, "-m", "alpha-nDCG@10", "ERR-IA@20", "strec@10", "--format", "json"
    )
    rows = json.loads(out)["rows"]
    assert code == 0
    assert [row["measure"] for row in rows[:3]] == ["alpha_nDCG@10", "ERR_IA@20", "StRecall@10"]
    assert rows[0]["value"] == pytest.approx(0.8037, abs=1e-4)
    _, out, _ = said(capsys, "doctor", *named)
    assert "judgments by subtopic: 6 judged documents, 5 of them relevant; 2 to 3 subtopics" in out
    assert "choosing what to judge needs one grade for each document" in out
    _, out, _ = said(capsys, "compare", *named, "-m", "ERR-IA@5", "--per-query")
    assert "unjudged documents that matter most" in out
    code, out, _ = said(capsys, "compare", *named, "--format", "latex")
    assert code == 0
    assert "alpha" in out
    code, _, err = said(capsys, "evaluate", *named[:2], "-m", "AP")
    assert code != 0
    assert "use alpha_nDCG, ERR_IA, P_IA, AP_IA or StRecall" in err


def test_ties_are_expected_over_all_orders() -> None:
    judgments = Judgments.by_subtopic([("q", 1, "a", 1), ("q", 1, "b", 1), ("q", 2, "c", 1)])
    run = {"q": {"a": 1, "b": 1, "c": 1, "z": 1}}
    for name in ("alpha_nDCG@3", "StRecall@2", "P_IA@2", "AP_IA", "ERR_IA@2"):
        expected = evaluate(judgments, run, name, ties="expected").value(name)
        orders = [evaluate(judgments, {"q": list(order)}, name).value(name) for order in permutations("abcz")]
        assert expected == pytest.approx(np.mean(orders), abs=1e-12)


def test_measures_of_ir_measures() -> None:
    irm = pytest.importorskip("ir_measures")
    theirs = [irm.alpha_nDCG(alpha=0.3) @ 10, irm.ERR_IA @ 20, irm.P_IA @ 5, irm.AP_IA, irm.StRecall @ 10]
    judgments = Judgments.by_subtopic([("q", 1, "a", 1), ("q", 2, "b", 1)])
    found = evaluate(judgments, {"q": ["a"]}, theirs)
    assert list(map(str, found.measures)) == [
        *("alpha_nDCG(alpha=0.3)@10", "ERR_IA@20", "P_IA@5", "AP_IA", "StRecall@10")
    ]
    assert found.value("StRecall@10") == 0.5
