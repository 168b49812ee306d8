"""The audit against scikit-learn, against the bootstrap over queries, and on cases worked by hand."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import InputError, Judgments, Result, UsageError, evaluate, sample
from unjudged.agreement.coefficients import weighted_kappa
from unjudged.cli.main import main
from unjudged.predictions import Predictions, audit, estimate_by_document
from unjudged.predictions.auditing import Documents
from unjudged.results.rendering import FORMATS, render

metrics = pytest.importorskip("sklearn.metrics")


def values(found: Result) -> dict[str, float]:
    """Coefficients by name."""
    return {row["coefficient"]: row["value"] for row in found.rows["agreement"]}


def biases(found: Result) -> dict[str, Any]:
    """The bias of each run by its name."""
    return {row["system"]: row["bias"] for row in found.rows["bias"]}


@examples(60)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 60), grades=st.integers(2, 4))
def test_kappa_equals_scikit_learns(seed: int, n: int, grades: int) -> None:
    rng = np.random.default_rng(seed)
    human, model = rng.integers(0, grades, n), rng.integers(0, grades, n)
    human[:2] = model[:2] = [0, 1]
    weight = rng.uniform(1, 9, n)
    both = Documents(rng.integers(0, 5, n), human, model, weight)
    kappa = metrics.cohen_kappa_score(human, model, sample_weight=weight)
    assert both.kappa(0.95).value == pytest.approx(kappa, abs=1e-12)


@pytest.mark.thorough
def test_intervals_hold_over_queries() -> None:
    """Queries differ in difficulty for the model; the limit values are those of a very large sample."""
    rng = np.random.default_rng(4)

    def drawn(queries: int) -> Documents:
        query = np.repeat(np.arange(queries), 30)
        skill = rng.uniform(0.2, 2.5, queries)[query]
        relevant = rng.random(len(query)) < 0.3
        score = skill * relevant + rng.standard_normal(len(query))
        return Documents(query, relevant.astype(int), (score > 0.8).astype(int), np.ones(len(query)))

    tables = drawn(20000).tables().sum(0)
    limit = float(weighted_kappa(0)(tables, np.array([0.0, 1.0])))
    estimates = [drawn(40).kappa(0.95) for _ in range(500)]
    assert 0.925 <= np.mean([one.low <= limit <= one.high for one in estimates]) <= 0.975


def test_by_hand() -> None:
    people = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d2": 1, "d4": 0}}
    model = {"q1": {"d1": 2, "d2": 1, "d3": 1}, "q2": {"d1": 0, "d2": 0}}
    run = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d2": 2.0, "d1": 1.0}}
    found = audit(people, Judgments.of(model), {"a": run}, "P@2")
    shares = [(r["grade"], r["other_grade"], r["documents"], r["share"]) for r in found.rows["shares"]]
    counts = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert shares == [(str(i), str(j), counts[i][j], counts[i][j] / 5) for i in range(3) for j in range(3)]
    ratings = [tuple(row.values()) for row in found.rows["ratings"]]
    assert ratings == [("0", 2, 0.5, 0.5), ("1", 2, 0.5, -0.5), ("2", 1, 2.0, 0.0)]
    (bias,) = found.rows["bias"]
    assert (bias["by_people"], bias["bias"]) == pytest.approx((0.5, (0.5 - 0.5) / 2))
    text = str(found)
    assert "1 document that people judged has no prediction." in text
    assert "kappa, grades" in text


def test_the_bias_of_any_measure_under_complete_judgments() -> None:
    rng = np.random.default_rng(0)
    people = {f"q{i}": {f"d{j}": int(rng.integers(0, 2)) for j in range(8)} for i in range(6)}
    model = {q: {d: float(rng.random()) for d in docs} for q, docs in people.items()}
    runs = {
        name: {q: {d: float(rng.random()) for d in docs} for q, docs in people.items()} for name in ("a", "b")
    }
    hard = {q: {d: int(s >= 0.5) for d, s in docs.items()} for q, docs in model.items()}
    for measure in ("AP", "nDCG@5", "RBP(p=0.8)", "P@5", "DCG@4"):
        found = audit(people, model, runs, measure)
        gap = evaluate(hard, runs, measure).values[:, :, 0] - evaluate(people, runs, measure).values[:, :, 0]
        rows = found.rows["bias"]
        assert [row["bias"] for row in rows] == pytest.approx(gap.mean(axis=1).tolist())
        half = 2.5705818 * gap.std(axis=1, ddof=1) / np.sqrt(6)
        assert [row["query_high"] - row["bias"] for row in rows] == pytest.approx(half.tolist())


@pytest.mark.thorough
def test_a_sample_stands_for_the_whole() -> None:
    """Weighted by 1 / pi, the audit of many samples is on average that of all documents."""
    rng = np.random.default_rng(8)
    people = Judgments.of({f"q{i}": {f"d{j}": int(rng.integers(0, 2)) for j in range(40)} for i in range(12)})
    names = list(people.queries)
    scores: dict[str, dict[str, float]] = {name: {} for name in names}
    run: dict[str, dict[str, float]] = {name: {} for name in names}
    for q, d, grade in zip(people.query, people.documents, people.grade, strict=True):
        scores[names[q]][d] = float(np.clip(0.3 * grade + 0.7 * rng.random(), 0, 1))
        run[names[q]][d] = float(rng.random())
    pi = np.where(np.arange(len(people.grade)) % 3 == 0, 0.9, 0.3)
    whole = audit(people, scores, {"a": run}, "RBP(p=0.9)")
    found = []
    for _ in range(150):
        drawn = rng.random(len(pi)) < pi
        part = replace(people, grade=np.where(drawn, people.grade, -1).astype(np.int32), probability=pi)
        one = audit(part, scores, {"a": run}, "RBP(p=0.9)")
        assert any(note.startswith("Each document is weighted") for note in one.notes)
        found.append([values(one)["kappa, relevant or not"], biases(one)["a"]])
    exact = [values(whole)["kappa, relevant or not"], biases(whole)["a"]]
    error = 3.5 * np.std(found, axis=0) / np.sqrt(150)
    assert (np.abs(np.mean(found, axis=0) - exact) <= error).all()
    with pytest.raises(UsageError, match="needs complete judgments"):
        audit(part, scores, {"a": run}, "AP")


def drawn_world(rng: np.random.Generator) -> tuple[Judgments, dict[str, dict[str, float]], Judgments]:
    """Ten queries of twenty documents: a drawn sample, a model of all documents, and the truth."""
    truth = {f"q{i:02d}": {f"d{j:02d}": int(rng.integers(0, 4)) for j in range(20)} for i in range(10)}
    model = {q: {d: float(g + rng.integers(0, 2)) for d, g in docs.items()} for q, docs in truth.items()}
    whole = Judgments.of(truth)
    pi = np.tile(np.clip(2.0 / np.arange(1, 21), 0.15, 0.9), 10)
    grade = np.where(rng.random(200) < pi, whole.grade, -1).astype(np.int32)
    return replace(whole, grade=grade, probability=pi), model, whole


def test_by_people_is_what_evaluate_estimates() -> None:
    """It was the plain sum over the sample, without an interval: 9.32 where `evaluate` had 7.24."""
    rng = np.random.default_rng(3)
    drawn, model, _ = drawn_world(rng)
    run = {q: {d: -float(j) for j, d in enumerate(docs)} for q, docs in model.items()}
    found = audit(drawn, Predictions.of(model, kind="grades"), {"a": run}, "DCG@10")
    expected = estimate_by_document(drawn, {"a": run}, model, "DCG@10")
    (row,), mean = found.rows["bias"], expected.mean("a")
    assert (row["by_people"], row["estimate_low"], row["estimate_high"]) == (mean.value, mean.low, mean.high)
    predicted = evaluate(
        Judgments.of({q: {d: int(s) for d, s in v.items()} for q, v in model.items()}), run, "DCG@10"
    )
    assert row["by_people"] + row["bias"] == pytest.approx(predicted.means.item())
    columns = [column.name for column in found.grid("bias").columns]
    assert columns == ["measure", "system", "by people", "estimated", "bias", "for other queries"]


@pytest.mark.thorough
def test_by_people_and_bias_hold() -> None:
    rng, held, errors = np.random.default_rng(9), [], []
    for _ in range(150):
        drawn, model, whole = drawn_world(rng)
        run = {q: {d: -float(j) for j, d in enumerate(docs)} for q, docs in model.items()}
        (found,) = audit(drawn, Predictions.of(model, kind="grades"), {"a": run}, "DCG@10").rows["bias"]
        exact = evaluate(whole, run, "DCG@10").means.item()
        held.append(found["estimate_low"] <= exact <= found["estimate_high"])
        errors.append(found["by_people"] - exact)
    assert 0.9 <= np.mean(held) <= 0.99
    assert abs(np.mean(errors)) <= 3.5 * np.std(errors) / np.sqrt(150)


def test_scattered_labels_have_no_bias_by_run() -> None:
    """One label per query counted as complete judgments: P@10 by people was a tenth of what it is."""
    rng = np.random.default_rng(1)
    truth = {f"q{i}": {f"d{j}": int(rng.random() < 0.5) for j in range(10)} for i in range(30)}
    people = {q: dict(list(docs.items())[:1]) for q, docs in truth.items()}
    model, run = Judgments.of(truth), {q: dict.fromkeys(docs, 1.0) for q, docs in truth.items()}
    for measure in ("P@10", "AP"):
        with pytest.raises(InputError, match="judged 30 of the 300 documents that count in 30 queries"):
            audit(people, model, {"a": run}, measure)
    assert "Agreement on 30 documents" in str(audit(people, model))
    some = people | {q: truth[q] for q in list(truth)[:8]}
    found = audit(some, model, {"a": run, "b": {q: {"d0": 1.0} for q in truth}}, "P@10")
    assert list(biases(found)) == ["a", "b"]
    assert "a: 22 queries left out, judged in part for P@10." in found.grid().notes
    holes = audit(
        some, model, {"a": {q: {"x": 1.0} for q in truth}, "b": {q: {"d0": 1.0} for q in truth}}, "P@10"
    )
    assert list(biases(holes)) == ["b"]
    assert any(note.startswith("a: no bias. P@10 needs 2 queries") for note in holes.notes)


def test_raw_scores_need_a_threshold() -> None:
    people = {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 1, "d2": 0}}
    scores = {q: {"d1": 7.0, "d2": 3.0} for q in people}
    with pytest.raises(UsageError, match="threshold"):
        audit(people, scores)
    assert biases(audit(people, scores, {"a": scores}, threshold=5.0)) == {"a": 0}


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(InputError, match="no document that people judged has a prediction"):
        audit({"q1": {"d1": 1, "d2": -1}}, {"q1": {"d2": 1.0}})
    many = {"q1": {f"d{i}": i for i in range(200)}}
    with pytest.raises(InputError, match="200 different grades"):
        audit(many, Judgments.of(many))
    one_label = audit({"q1": {"d1": 1, "d2": 1}}, {"q1": {"d1": 0.9, "d2": 0.8}})
    assert values(one_label) == {"kappa, relevant or not": None}


def run_command(*words: str) -> int:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    return int(stopped.value.code or 0)


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judgments = Judgments.of(sample.qrels)
    predictions = tmp_path / "model.run"
    names = list(judgments.queries)
    rows = zip(judgments.query.tolist(), judgments.documents, judgments.grade.tolist(), strict=True)
    predictions.write_text(
        "".join(
            f"{names[q]} Q0 {d} 1 {0.8 if (g > 0) ^ (i % 7 == 0) else 0.3} model\n"
            for i, (q, d, g) in enumerate(rows)
        )
    )
    files = [str(sample.qrels), str(predictions), str(sample.runs["dense"]), str(sample.runs["fused"])]
    assert run_command("audit", *files, "-m", "P@10") == 0
    text = capsys.readouterr().out
    assert "P@10 by the predictions minus by people" in text
    assert "dense" in text
    assert run_command("audit", *files, "--format", "json") == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [row["system"] for row in tables[-1]["rows"]] == ["dense", "fused"]
    assert (
        tables[0]["title"] == f"Agreement on {int((judgments.grade >= 0).sum())} documents that people judged"
    )
    output = tmp_path / "audit.json"
    assert run_command("audit", *files[:2], "-o", str(output)) == 0
    assert len(json.loads(output.read_text())["tables"]) == 3
    assert run_command("audit", files[0], str(tmp_path / "absent")) == 1


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_same_numbers(form: str, tmp_path: Path) -> None:
    people = {f"q{i}": {"d1": 1, "d2": 0, "d3": i % 2} for i in range(4)}
    scores = {q: {"d1": 0.9, "d2": 0.4, "d3": 0.6} for q in people}
    found = audit(people, scores, {"mine": scores})
    single = form in ("csv", "tsv", "jsonl", "parquet")
    written = render(found.records() if single else found.grids(), form)
    kappa = values(found)["kappa, relevant or not"]
    if form == "parquet":
        (tmp_path / "audit.parquet").write_bytes(cast("bytes", written))
        rows = pyarrow.parquet.read_table(tmp_path / "audit.parquet").to_pylist()
        assert [row["value"] for row in rows if row["table"] == "agreement"] == [kappa]
        assert {row["system"] for row in rows if row["table"] == "bias"} == {"mine"}
        return
    digits = f"{kappa!r}" if single or form == "json" else f"{kappa:.4f}"
    assert digits in str(written)
    assert "mine" in str(written)


def test_a_sample_without_a_recorded_design_is_called_assumed() -> None:
    """The weights came from the judged share of each query's pool, and nothing said so."""
    people = {"q1": {"d1": 1, "d2": 0, "d3": -1}, "q2": {"d1": 1, "d2": 0}}
    scores = {q: {"d1": 0.9, "d2": 0.4, "d3": 0.6} for q in people}
    said = "the judged documents count as a uniform sample of each query's pool"
    said = f"No design of the sample is recorded: {said}."
    assert said in audit(people, scores).grid().notes
    assert said not in audit({"q2": people["q2"]}, scores).grid().notes
    rows = [("q1", "d1", 1, 0.5), ("q1", "d2", 0, 1.0), ("q2", "d1", 1, 0.5), ("q2", "d2", 0, 1.0)]
    drawn = pandas.DataFrame(rows, columns=["qid", "docno", "label", "probability"]).assign(method=1)
    recorded = audit(drawn, scores)
    assert any(note.startswith("Each document is weighted") for note in recorded.notes)
    assert said not in recorded.grid().notes
