"""Predictions from every kind of source, aligned to the judgments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import polars
import pytest

from unjudged import InputError, Judgments, Run, UsageError
from unjudged.predictions import Predictions

SCORES = {"q1": {"d1": 0.9, "d2": 0.25}, "q2": {"d1": 0.5}}
GRADES = {"q1": {"d1": 2, "d2": 0}, "q2": {"d1": 1}}
POOL = Judgments.read({"q2": {"d1": 0, "d9": 1}, "q1": {"d2": 1, "d1": 0}})


def rows(nested: dict[str, dict[str, float]]) -> list[tuple[str, str, float]]:
    return [(q, d, value) for q, documents in nested.items() for d, value in documents.items()]


def test_scores_from_every_source_are_the_same(tmp_path: Path) -> None:
    run = tmp_path / "model.run"
    run.write_text("".join(f"{q} Q0 {d} 1 {value} model\n" for q, d, value in rows(SCORES)))
    columns = dict(zip(("query_id", "doc_id", "score"), zip(*rows(SCORES), strict=True), strict=True))
    sources = [
        SCORES,
        rows(SCORES),
        Run.read(SCORES),
        run,
        str(run),
        pandas.DataFrame(columns),
        polars.DataFrame({name: list(values) for name, values in columns.items()}),
        Predictions.of(SCORES),
    ]
    for source in sources:
        found = Predictions.of(source)
        assert found.kind == "scores"
        aligned = found.aligned(POOL)
        np.testing.assert_array_equal(aligned.value, [0.5, np.nan, 0.25, 0.9])
        assert (aligned.missing, aligned.unused) == (1, 0)


def test_grades_from_every_source_are_the_same(tmp_path: Path) -> None:
    qrels = tmp_path / "model.qrels"
    qrels.write_text("".join(f"{q} 0 {d} {grade}\n" for q, d, grade in rows(GRADES)))  # type: ignore[arg-type]
    columns = dict(
        zip(("query_id", "doc_id", "relevance"), zip(*rows(GRADES), strict=True), strict=True)  # type: ignore[arg-type]
    )
    for found in (
        Predictions.of(Judgments.read(GRADES)),
        Predictions.of(qrels),
        Predictions.of(pandas.DataFrame(columns)),
        Predictions.of(GRADES, kind="grades"),
        Predictions.of(Predictions.of(GRADES), kind="grades"),
    ):
        assert found.kind == "grades"
        np.testing.assert_array_equal(found.aligned(POOL).value, [1, np.nan, 0, 2])


def test_a_negative_grade_predicts_nothing() -> None:
    found = Predictions.of({"q1": {"d1": -1, "d2": 1}}, kind="grades").aligned(POOL)
    np.testing.assert_array_equal(found.value, [np.nan, np.nan, 1, np.nan])
    assert found.missing == 3


def test_predictions_of_other_documents_are_counted() -> None:
    found = Predictions.of({"q1": {"d1": 0.1, "elsewhere": 0.4}, "q7": {"d1": 1.0}}).aligned(POOL)
    assert (found.missing, found.unused) == (3, 2)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"Q1": {"d1": 1.0}}, "no query in common with the judgments: for example 'Q1' in the predictions"),
        (
            {"q1": {"D1": 1.0}},
            "no document in common with the judgments: for example 'D1' in the predictions",
        ),
    ],
)
def test_ids_that_do_not_match_are_an_error(source: dict[str, dict[str, float]], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Predictions.of(source).aligned(POOL)


def test_a_file_that_is_neither_a_run_nor_qrels(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("q1 d1 0.5\n")
    with pytest.raises(InputError, match=r"(?s)must be a run or qrels.*As a run:.*notes.txt.*As qrels:"):
        Predictions.of(path)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="kind is 'stars'"):
        Predictions.of(SCORES, kind="stars")
    with pytest.raises(InputError, match=r"a prediction is 0\.9, expected whole numbers"):
        Predictions.of(Run.read(SCORES), kind="grades")
    with pytest.raises(UsageError, match="standard input"):
        Predictions.of("-")
    with pytest.raises(UsageError, match="scores from 1 to 7; say from which threshold"):
        Predictions.of({"q1": {"d1": 7.0, "d2": 1.0}}).judgments()


def test_judgments_of_predictions_alone() -> None:
    made = Predictions.of(SCORES).judgments(rel=2)
    assert sorted(zip(made.documents, made.grade.tolist(), strict=True)) == [("d1", 2), ("d1", 2), ("d2", 0)]
    strict = Predictions.of(SCORES).judgments(threshold=0.6)
    assert sorted(strict.grade.tolist()) == [0, 0, 1]
    graded = Predictions.of(GRADES, kind="grades").judgments()
    assert sorted(graded.grade.tolist()) == [0, 1, 2]
