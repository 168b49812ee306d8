"""Predictions from every kind of source, aligned to the judgments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import polars
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import InputError, Judgments, Run, UsageError
from unjudged.evidence.drawn.grades import Curve, joined
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


@examples(80)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 80), levels=st.integers(1, 30))
def test_the_curve_is_isotonic_regression_drawn_to_the_mean(seed: int, n: int, levels: int) -> None:
    rng = np.random.default_rng(seed)
    score, gain = rng.integers(0, levels, n).astype(float), rng.integers(0, 2, n).astype(float)
    weight = rng.uniform(1, 20, n)
    oracle = (
        pytest.importorskip("sklearn.isotonic")
        .IsotonicRegression(out_of_bounds="clip")
        .fit(score, gain, weight)
    )
    at = np.linspace(-1, levels + 1, 57)
    count = weight.sum() ** 2 / (weight**2).sum()
    mean = np.average(gain, weights=weight)
    expected = (count * oracle.predict(at) + mean) / (count + 1)
    np.testing.assert_allclose(Curve.fitted(score, gain, weight)(at), expected, atol=1e-12)


def test_documents_without_a_score_have_their_own_share() -> None:
    score = np.array([1.0, 2.0, np.nan, np.nan, np.nan])
    gain = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    curve = Curve.fitted(score, gain, np.ones(5))
    assert curve(np.array([np.nan])).item() == pytest.approx((2 + 0.6) / 4)
    nothing = Curve.fitted(np.full(2, np.nan), np.array([1.0, 0.0]), np.ones(2))
    np.testing.assert_allclose(nothing(np.array([5.0, np.nan])), 0.5)
    assert Curve.fitted(np.zeros(0), np.zeros(0), np.zeros(0))(np.array([3.0, np.nan])).tolist() == [0, 0]


def test_weights_of_judges_are_least_squares_without_negative_ones() -> None:
    rng = np.random.default_rng(1)
    value, weight = rng.integers(0, 2, 80).astype(float), rng.uniform(1, 5, 80)
    judges = [value + s * rng.standard_normal(80) for s in (0.5, 1.0)] + [-value]
    found = scipy.optimize.nnls(np.sqrt(weight)[:, None] * np.array(judges).T, np.sqrt(weight) * value)[0]
    np.testing.assert_allclose(joined(judges, value, weight), found / found.sum(), atol=1e-12)
    assert joined(judges, value, weight)[2] == 0
    assert joined(judges[:1], value, weight).tolist() == [1.0]
    np.testing.assert_allclose(joined([-value, -2 * value], value, weight), 0.5)
