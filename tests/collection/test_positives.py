"""Judgments that list relevant documents alone: recognised, not by mistake, never in need of judging."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import Collection, InputError, UsageError, compare, evaluate, gate
from unjudged.compat import pytrec_eval
from unjudged.inference.verdict import NEEDS_BOTH, NEEDS_JUDGING, UNKNOWN
from unjudged.rankings.origin import POOL, POSITIVES

Grades = dict[str, dict[str, int]]
Runs = dict[str, dict[str, dict[str, float]]]


def made(queries: int, listed: int) -> tuple[Grades, Runs]:
    """Up to so many relevant documents of each query, and runs that find some of them."""
    rng = random.Random(7)
    names = [f"d{k}" for k in range(300)]
    grades = {f"q{k}": dict.fromkeys(rng.sample(names, rng.randint(1, listed)), 1) for k in range(queries)}
    runs: Runs = {}
    for name, share in (("old", 0.3), ("new", 0.6), ("best", 0.8)):
        found = {
            q: rng.sample(names, 30) + [d for d in own if rng.random() < share] for q, own in grades.items()
        }
        runs[name] = {q: {d: rng.random() + (d in grades[q]) / 2 for d in ds} for q, ds in found.items()}
    return grades, runs


def beir_folder(folder: Path, grades: Grades) -> Path:
    (folder / "qrels").mkdir()
    lines = (f"{q}\t{d}\t{g}\n" for q, own in grades.items() for d, g in own.items())
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
    return folder


@pytest.mark.parametrize("listed", [1, 4], ids=["MS MARCO", "BEIR"])
def test_no_headline_needs_judging_for_lack_of_grade_0(tmp_path: Path, listed: int) -> None:
    grades, runs = made(60, listed)
    folder = beir_folder(tmp_path, grades)
    found = compare(Collection(folder, runs), measures=["nDCG@10", "RR@10", "R@100", "AP"])
    assert found.rows["pairs"]
    for row in found.rows["pairs"]:
        assert row["headline"] not in (NEEDS_JUDGING, NEEDS_BOTH)
        assert row["more_judging"] == UNKNOWN
        assert row.get("low") is None
    as_pool = compare(Collection(folder, runs, how="pool"), measures=["nDCG@10", "RR@10", "R@100", "AP"])
    for row, other in zip(found.rows["pairs"], as_pool.rows["pairs"], strict=True):
        for field in ("difference", "p", "p_adjusted", "other_queries", "query_low", "query_high"):
            assert row[field] == other[field], field
    assert sum("all others count as not relevant" in note for note in found.notes) == 1
    assert any(note.startswith("AP needs every relevant document to be listed") for note in found.notes)
    assert gate(folder, runs["old"], runs["best"], margin=0.01).passed
    assert str(evaluate(folder, runs)).splitlines()[0].split() == ["system", "nDCG@10", "RR@10", "R@100"]


GRADES = st.lists(
    st.lists(st.sampled_from([-2, -1, 0, 1, 2]), min_size=1, max_size=3), min_size=1, max_size=14
)


@given(GRADES, st.booleans())
@examples(150)
def test_a_list_with_any_other_grade_is_never_taken_for_it(table: list[list[int]], positive: bool) -> None:
    if positive:
        table = [[abs(grade) or 1 for grade in row] for row in table]
    grades = {f"q{k}": {f"d{i}": grade for i, grade in enumerate(row)} for k, row in enumerate(table)}
    listed = all(grade > 0 for row in table for grade in row)
    assert (Collection(grades).judgments.origin.kind == POSITIVES) == (listed and len(table) >= 10)
    assert Collection(grades, how="pool").judgments.origin.kind == POOL
    if listed:
        assert Collection(grades, how="positives").judgments.origin.kind == POSITIVES
    else:
        with pytest.raises(UsageError, match="a grade of 0 or below: say pool"):
            Collection(grades, how="positives")


def test_what_needs_more_says_so(tmp_path: Path) -> None:
    grades, runs = made(12, 3)
    for measure, said in {
        "Bpref": "Bpref needs documents judged not relevant, and these judgments are positives only",
        "infAP": "infAP needs a random sample, and these judgments are positives only",
        "statAP": "statAP needs a random sample",
    }.items():
        with pytest.raises(UsageError, match=said):
            evaluate(grades, runs, measure)
    with pytest.raises(UsageError, match="needs documents judged not relevant"):
        evaluate(grades, runs, interval="bounds")
    described = tmp_path / "collection.toml"
    (tmp_path / "q.qrels").write_text("q 0 a 1\nq 0 b 0\n")
    described.write_text('[[judgments]]\nfile = "q.qrels"\nhow = "positives"\n')
    with pytest.raises(
        InputError, match=r"collection\.toml:3: judgments\.how is 'positives', and 1 document"
    ):
        Collection(described)


def test_drop_ins_take_any_judgments_as_the_originals_do() -> None:
    grades, runs = made(12, 3)
    evaluator = pytrec_eval.RelevanceEvaluator(grades, {"bpref", "infAP"})
    values = evaluator.evaluate(runs["new"])
    pool = Collection(grades, {"new": runs["new"]}, how="pool")
    for measure, name in {"Bpref": "bpref", "infAP": "infAP"}.items():
        own = {row.query: row.value for row in evaluate(pool, measures=measure)}
        assert own == {query: row[name] for query, row in values.items()}
