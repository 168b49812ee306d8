"""The audit on documents and on the order of systems, and how often its intervals hold."""

from __future__ import annotations

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
from unjudged import Collection, InputError, Judgments, Result, UsageError, audit, evaluate, sample
from unjudged.predictions import Judges, Predictions
from unjudged.rankings.origin import WEIGHTED, Origin
from unjudged.results.fields import Row
from unjudged.results.rendering import FORMATS, render
from unjudged.studies.agreement import QueryDraws, rho, rms, tau, tau_ap, weighted_kappa
from unjudged.studies.auditing import AuditedLabels, coefficient_estimates

QRELS = Judgments.read(sample.qrels)


def another(seed: int = 1, share: float = 0.15) -> Judgments:
    """A judge who gives other grades to some documents."""
    rng = np.random.default_rng(seed)
    other = np.where(rng.random(len(QRELS.grade)) < share, rng.integers(0, 3, len(QRELS.grade)), QRELS.grade)
    return QRELS.with_grades(np.where(QRELS.grade < 0, QRELS.grade, other).astype(np.int32))


def of(found: Result, view: str, coefficient: str, judge: str = "predictions") -> Row:
    """The row of a coefficient."""
    return next(r for r in found.rows[view] if (r["coefficient"], r["judge"]) == (coefficient, judge))


def labels(query: Any, human: Any, predicted: Any, weight: Any) -> AuditedLabels:
    return AuditedLabels(query, human, predicted, weight, np.asarray(predicted, float))


def kappa(found: AuditedLabels) -> Any:
    return coefficient_estimates(found.tables(), found.grades, 0.95, ["kappa"])["kappa"]


def test_documents_and_orders_by_two_judges() -> None:
    judges = {"model": another(), "bob": another(2)}
    found = audit(QRELS, judges, sample.runs, "AP", draws=50)
    judged = QRELS.grade >= 0
    same = of(found, "agreement", "same grade", "model")
    assert same["value"] == pytest.approx((QRELS.grade == judges["model"].grade)[judged].mean())
    assert same["query_low"] < same["value"] < same["query_high"]
    by = [evaluate(qrels, sample.runs, "AP").means[:, 0] for qrels in (QRELS, *judges.values())]
    for judge, own in zip(("people", "model", "bob"), by, strict=True):
        rows = [row for row in found.rows["means"] if row["judge"] == judge]
        means = {row["system"]: row["mean"] for row in rows}
        assert [means[run] for run in sample.runs] == pytest.approx(own)
        ranked = [row["system"] for row in sorted(rows, key=lambda row: row["rank"])]
        assert sorted(means, key=lambda run: -means[run]) == ranked
    for name, function in {"tau": tau, "tau_AP": tau_ap, "rho": rho, "RMS error": rms}.items():
        assert of(found, "orders", name, "bob")["value"] == pytest.approx(function(by[2], by[0]))
    assert "Order of 6 systems by the judge and by people" in str(found)


def test_by_hand() -> None:
    people = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 0, "d2": 1, "d4": 0}}
    model = {"q1": {"d1": 2, "d2": 1, "d3": 1}, "q2": {"d1": 0, "d2": 0}}
    run = {"q1": {"d2": 3.0, "d1": 2.0}, "q2": {"d2": 2.0, "d1": 1.0}}
    found = audit(people, Judgments.read(model), {"a": run}, "P@2")
    shares = [(r["grade"], r["other_grade"], r["documents"], r["share"]) for r in found.rows["confusion"]]
    counts = [[1, 1, 0], [1, 1, 0], [0, 0, 1]]
    assert shares == [(str(i), str(j), counts[i][j], counts[i][j] / 5) for i in range(3) for j in range(3)]
    assert list(next(iter(found.grid("confusion").rows))) == ["0", 1, 1, 0]
    ratings = [tuple(row.values())[1:] for row in found.rows["ratings"]]
    assert ratings == [("0", 2, 0.5, 0.5), ("1", 2, 0.5, -0.5), ("2", 1, 2.0, 0.0)]
    (bias,) = found.rows["bias"]
    assert (bias["by_people"], bias["bias"]) == pytest.approx((0.5, (0.5 - 0.5) / 2))
    assert "1 document that people judged has no label by the judge." in found.notes
    assert "quadratic kappa" in str(found)


@examples(60)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(4, 60), grades=st.integers(2, 4))
def test_kappa_equals_scikit_learns(seed: int, n: int, grades: int) -> None:
    rng = np.random.default_rng(seed)
    human, model = rng.integers(0, grades, n), rng.integers(0, grades, n)
    human[:2] = model[:2] = [0, 1]
    weight = rng.uniform(1, 9, n)
    expected = pytest.importorskip("sklearn.metrics").cohen_kappa_score(human, model, sample_weight=weight)
    both = labels(rng.integers(0, 5, n), human, model, weight)
    assert kappa(both).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.thorough
def test_intervals_hold_over_queries() -> None:
    """Queries differ in difficulty for the model; the limit values are those of a very large sample."""
    rng = np.random.default_rng(4)

    def drawn(queries: int) -> AuditedLabels:
        query = np.repeat(np.arange(queries), 30)
        skill = rng.uniform(0.2, 2.5, queries)[query]
        relevant = rng.random(len(query)) < 0.3
        score = skill * relevant + rng.standard_normal(len(query))
        return labels(query, relevant.astype(int), (score > 0.8).astype(int), np.ones(len(query)))

    limit = float(weighted_kappa(0)(drawn(20000).tables().sum(0), np.array([0.0, 1.0])))
    estimates = [kappa(drawn(40)) for _ in range(500)]
    assert 0.925 <= np.mean([one.low <= limit <= one.high for one in estimates]) <= 0.975


@pytest.mark.thorough
def test_intervals_hold_for_other_sets_of_queries() -> None:
    """Two judges of 12 systems: 95 % intervals of tau hold the mean tau of sets of 30 queries."""
    rng = np.random.default_rng(5)
    quality, bias = rng.normal(0, 0.05, 12), rng.normal(0, 0.03, 12)

    def scores(sets: int) -> tuple[np.ndarray, np.ndarray]:
        noise = rng.normal(0, 0.15, (sets, 30, 12))
        first = quality + noise
        return first, first + bias + rng.normal(0, 0.09, (sets, 30, 12))

    truth = np.mean([tau(a.mean(0), b.mean(0)) for a, b in zip(*scores(1500), strict=True)])
    held = []
    for a, b in zip(*scores(200), strict=True):

        def drawn(weights: np.ndarray, a: np.ndarray = a, b: np.ndarray = b) -> dict[str, np.ndarray]:
            return {"tau": np.array([tau(x, y) for x, y in zip(weights @ a, weights @ b, strict=True)])}

        draws = QueryDraws(30, confidence=0.95, draws=100, seed=0)
        whole = {"tau": tau(a.mean(0), b.mean(0))}
        estimate = draws.estimates(whole, drawn, {"tau": (-1.0, 1.0)})["tau"]
        held.append(estimate.low <= truth <= estimate.high)
    assert 0.92 <= np.mean(held) <= 0.99


def test_a_description_brings_its_models(tmp_path: Path) -> None:
    (tmp_path / "model.qrels").write_text("".join(f"q 0 d{i} {i % 2}\n" for i in range(6)))
    (tmp_path / "people.qrels").write_text("".join(f"q 0 d{i} {int(i > 2)}\n" for i in range(6)))
    by = '[[judgments]]\nfile = "model.qrels"\nby = "model"\nname = "llama"\n'
    (tmp_path / "collection.toml").write_text(f'relevant = 1\n[[judgments]]\nfile = "people.qrels"\n{by}')
    found = audit(Collection(tmp_path / "collection.toml"))
    assert {row["judge"] for row in found.rows["agreement"]} == {"llama"}
    with pytest.raises(UsageError, match="no judge to audit"):
        audit(sample.qrels)


def test_documents_in_other_orders_are_matched_alike() -> None:
    rng = np.random.default_rng(2)
    people, model = (
        {f"q{q}": {f"d{d}": int(g) for d, g in enumerate(rng.integers(-1, 3, 12))} for q in range(8)}
        for _ in range(2)
    )
    turned = {q: dict(reversed(docs.items())) for q, docs in reversed(model.items())}
    same, other = (audit(people, Judgments.read(given)).rows["agreement"] for given in (model, turned))
    for one, again in zip(same, other, strict=True):
        for name in ("value", "query_low", "query_high"):
            assert one[name] == pytest.approx(again[name], abs=1e-12)


def test_only_a_recorded_sample_has_weights() -> None:
    people = {"q1": {"d1": 1, "d2": 0, "d3": -1}, "q2": {"d1": 1, "d2": 0}}
    scores = {q: {"d1": 0.9, "d2": 0.4, "d3": 0.6} for q in people}
    said = "Each document is weighted by 1 / its probability of being judged."
    assert said not in audit(people, scores).notes
    rows = [("q1", "d1", 1, 0.5), ("q1", "d2", 0, 1.0), ("q2", "d1", 1, 0.5), ("q2", "d2", 0, 1.0)]
    drawn = pandas.DataFrame(rows, columns=["qid", "docno", "label", "probability"]).assign(method=1)
    assert said in audit(drawn, scores).notes
    part = replace(Judgments.read(people), probability=np.array([0.5, 1, 0.5, 0.5, 1]))
    assert [row["share"] for row in audit(part, scores).rows["confusion"]] == pytest.approx(
        [2 / 6, 0, 0, 4 / 6]
    )


@pytest.mark.parametrize(
    ("people", "judge", "error", "message"),
    [
        ({"q1": {"d1": 1, "d2": -1}}, {"q1": {"d2": 1.0}}, InputError, "no document that people judged has"),
        ({"q": {"d": 1}}, {"q": {"e": 1.0}}, InputError, "no document in common"),
        ({"q": {f"d{i}": i for i in range(200)}}, None, InputError, "200 different grades"),
        ({"q": {"d": 1}}, {"q": {"d": 7.0}}, UsageError, "threshold"),
    ],
)
def test_what_cannot_be(people: Any, judge: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        audit(people, Judgments.read(people) if judge is None else judge)


def test_one_label_has_no_kappa() -> None:
    found = audit({"q1": {"d1": 1, "d2": 1}}, {"q1": {"d1": 0.9, "d2": 0.8}})
    assert [row["value"] for row in found.rows["agreement"]] == [None]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_the_same_numbers(form: str, tmp_path: Path) -> None:
    people = {f"q{i}": {"d1": 1, "d2": 0, "d3": i % 2} for i in range(4)}
    scores = {q: {"d1": 0.9, "d2": 0.4, "d3": 0.6} for q in people}
    found = audit(people, Predictions.of(scores), {"mine": scores})
    single = form in ("csv", "tsv", "jsonl", "parquet")
    written = render(found.grids(format=form), form)
    value = of(found, "agreement", "kappa, relevant or not")["value"]
    if form == "parquet":
        (tmp_path / "audit.parquet").write_bytes(cast("bytes", written))
        rows = pyarrow.parquet.read_table(tmp_path / "audit.parquet").to_pylist()
        assert [row["value"] for row in rows if row["table"] == "agreement"] == [value]
        assert {row["system"] for row in rows if row["table"] == "bias"} == {"mine"}
        return
    digits = f"{value!r}" if single or form == "json" else f"{value:.4f}"
    assert digits in str(written)
    assert "mine" in str(written)


def values(found: Result) -> dict[str, float]:
    """Coefficients by name."""
    return {row["coefficient"]: row["value"] for row in found.rows["agreement"]}


def biases(found: Result) -> dict[str, Any]:
    """The bias of each run by its name."""
    return {row["system"]: row["bias"] for row in found.rows["bias"]}


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
    people = Judgments.read(
        {f"q{i}": {f"d{j}": int(rng.integers(0, 2)) for j in range(40)} for i in range(12)}
    )
    names = list(people.queries)
    scores: dict[str, dict[str, float]] = {name: {} for name in names}
    run: dict[str, dict[str, float]] = {name: {} for name in names}
    for q, d, grade in zip(people.query, people.documents, people.grade, strict=True):
        scores[names[q]][d] = float(np.clip(0.3 * grade + 0.7 * rng.random(), 0, 1))
        run[names[q]][d] = float(rng.random())
    pi = np.where(np.arange(len(people.grade)) % 3 == 0, 0.9, 0.3)
    whole = audit(people, scores, {"a": run}, "RBP(p=0.9)")
    found = []
    for _ in range(70):
        drawn = rng.random(len(pi)) < pi
        part = replace(people, grade=np.where(drawn, people.grade, -1).astype(np.int32), probability=pi)
        one = audit(part, scores, {"a": run}, "RBP(p=0.9)")
        assert any(note.startswith("Each document is weighted") for note in one.notes)
        found.append([values(one)["kappa, relevant or not"], biases(one)["a"]])
    exact = [values(whole)["kappa, relevant or not"], biases(whole)["a"]]
    error = 3.5 * np.std(found, axis=0) / np.sqrt(70)
    assert (np.abs(np.mean(found, axis=0) - exact) <= error).all()
    (row,) = audit(part, scores, {"a": run}, "AP").rows["bias"]
    assert row["labels"] >= 3


def drawn_world(rng: np.random.Generator) -> tuple[Judgments, dict[str, dict[str, float]], Judgments]:
    """Ten queries of twenty documents: a drawn sample, a model of all documents, and the truth."""
    truth = {f"q{i:02d}": {f"d{j:02d}": int(rng.integers(0, 4)) for j in range(20)} for i in range(10)}
    model = {q: {d: float(g + rng.integers(0, 2)) for d, g in docs.items()} for q, docs in truth.items()}
    whole = Judgments.read(truth)
    pi = np.tile(np.clip(2.0 / np.arange(1, 21), 0.15, 0.9), 10)
    grade = np.where(rng.random(200) < pi, whole.grade, -1).astype(np.int32)
    return replace(whole, grade=grade, probability=pi, origin=Origin(WEIGHTED)), model, whole


def test_by_people_is_what_evaluate_estimates() -> None:
    """It was the plain sum over the sample, without an interval: 9.32 where `evaluate` had 7.24."""
    rng = np.random.default_rng(3)
    drawn, model, _ = drawn_world(rng)
    run = {q: {d: -float(j) for j, d in enumerate(docs)} for q, docs in model.items()}
    found = audit(drawn, Predictions.of(model, kind="grades"), {"a": run}, "DCG@10")
    judge = {"predictions": Predictions.of(model, kind="grades")}
    expected = evaluate(drawn, {"a": run}, "DCG@10", predictions=Judges(judge))["a"]
    (row,) = found.rows["bias"]
    fields = ("by_people", "estimate_low", "estimate_high", "labels")
    assert [row[name] for name in fields] == [expected[name] for name in ("mean", *fields[1:])]
    predicted = evaluate(
        Judgments.read({q: {d: int(s) for d, s in v.items()} for q, v in model.items()}), run, "DCG@10"
    )
    assert row["by_people"] + row["bias"] == pytest.approx(predicted.means.item())
    columns = [column.name for column in found.grid("bias").columns]
    shown = ["by people", "estimated", "labels", "bias", "for other queries"]
    assert columns == ["measure", "judge", "system", *shown]


@pytest.mark.thorough
def test_by_people_and_bias_hold() -> None:
    rng, held, errors = np.random.default_rng(9), [], []
    for _ in range(80):
        drawn, model, whole = drawn_world(rng)
        run = {q: {d: -float(j) for j, d in enumerate(docs)} for q, docs in model.items()}
        (found,) = audit(drawn, Predictions.of(model, kind="grades"), {"a": run}, "DCG@10").rows["bias"]
        exact = evaluate(whole, run, "DCG@10").means.item()
        held.append(found["estimate_low"] <= exact <= found["estimate_high"])
        errors.append(found["by_people"] - exact)
    assert 0.9 <= np.mean(held) <= 0.99
    assert abs(np.mean(errors)) <= 3.5 * np.std(errors) / np.sqrt(80)


def test_scattered_labels_have_no_bias_by_run() -> None:
    """One label per query counted as complete judgments: P@10 by people was a tenth of what it is."""
    rng = np.random.default_rng(1)
    truth = {f"q{i}": {f"d{j}": int(rng.random() < 0.5) for j in range(10)} for i in range(30)}
    people = {q: dict(list(docs.items())[:1]) for q, docs in truth.items()}
    model, run = Judgments.read(truth), {q: dict.fromkeys(docs, 1.0) for q, docs in truth.items()}
    for measure in ("P@10", "AP"):
        with pytest.raises(InputError, match="judged 30 of the 300 documents that count in 30 queries"):
            audit(people, model, {"a": run}, measure)
    assert "on 30 documents" in str(audit(people, model))
    some = people | {q: truth[q] for q in list(truth)[:8]}
    found = audit(some, model, {"a": run, "b": {q: {"d0": 1.0} for q in truth}}, "P@10")
    assert list(biases(found)) == ["a", "b"]
    assert "a: 22 queries left out, judged in part for P@10." in found.grid().notes
    holes = audit(
        some, model, {"a": {q: {"x": 1.0} for q in truth}, "b": {q: {"d0": 1.0} for q in truth}}, "P@10"
    )
    assert list(biases(holes)) == ["b"]
    assert any(note.startswith("a: the bias cannot be told. P@10 needs 2 queries") for note in holes.notes)
