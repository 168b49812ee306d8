"""Prediction-powered means against ppi_py, and what they do with good and useless predictions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unjudged.rankings.runs
from tests.conftest import examples
from unjudged import InputError, Judgments, Run, UsageError, evaluate, sample
from unjudged.predictions import (
    Judges,
    Predictions,
    combined_scores,
    estimate_by_query,
    prediction_powered,
)

Nested = dict[str, dict[str, int]]


def oracle(
    human: np.ndarray, predicted: np.ndarray, further: np.ndarray, alpha: float
) -> tuple[float, float, float, float]:
    """Estimate, ends of the interval and lambda, as ppi_py has them."""
    ppi_py = pytest.importorskip("ppi_py")
    value = ppi_py.ppi_mean_pointestimate(human, predicted, further).item()
    low, high = ppi_py.ppi_mean_ci(human, predicted, further, alpha=alpha)
    weight = ppi_py.ppi._calc_lam_glm(
        (human - human.mean())[:, None],
        (predicted - human.mean())[:, None],
        (further - human.mean())[:, None],
        np.eye(1),
        clip=True,
    )
    return value, low.item(), high.item(), weight


@examples(60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 60),
    further=st.integers(2, 200),
    skill=st.floats(-1, 1),
    confidence=st.floats(0.5, 0.99),
)
def test_equals_ppi_py(seed: int, n: int, further: int, skill: float, confidence: float) -> None:
    """Value and lambda are ppi_py's; the interval is wider by the degrees of freedom alone."""
    from scipy.stats import norm, t

    rng = np.random.default_rng(seed)
    human = rng.random(n)
    predicted, more = skill * human + rng.random(n), rng.random(further)
    found = prediction_powered(human, predicted, more)
    value, low, high, weight = oracle(human, predicted, more, 1 - confidence)
    assert found.weight == pytest.approx(weight, abs=1e-9)
    assert found.value == pytest.approx(value, abs=1e-9)
    theirs = ((high - low) / 2 / norm.ppf((1 + confidence) / 2)) ** 2
    residuals = (human - weight * predicted).var()
    half = t.ppf((1 + confidence) / 2, n - 2) * np.sqrt(theirs + residuals * (1 / (n - 2) - 1 / n))
    assert found.interval(confidence) == pytest.approx((value - half, value + half), abs=1e-9)
    assert found.p == pytest.approx(2 * t.sf(abs(value) / found.error, n - 2), abs=1e-9)


def test_useless_predictions_have_no_weight() -> None:
    human = np.array([0.1, 0.5, 0.9, 0.3])
    constant = prediction_powered(human, np.full(4, 0.7), np.full(50, 0.7))
    assert constant.weight == 0
    assert (constant.value, constant.error) == pytest.approx((human.mean(), human.std() / np.sqrt(2)))
    wrong_way = prediction_powered(human, 1 - human, np.linspace(0, 1, 50))
    assert wrong_way.weight == 0


def test_random_predictions_cost_little_and_perfect_ones_help_most() -> None:
    rng = np.random.default_rng(7)
    widths = {"none": [], "random": [], "perfect": []}  # type: dict[str, list[float]]
    for _ in range(300):
        human, more = rng.random(40), rng.random(4000)
        widths["none"].append(human.std() / np.sqrt(40))
        widths["random"].append(prediction_powered(human, rng.random(40), more).error)
        widths["perfect"].append(prediction_powered(human, human, more).error)
    mean = {name: np.mean(values) for name, values in widths.items()}
    assert mean["random"] <= 1.05 * mean["none"]
    assert mean["perfect"] <= 0.15 * mean["none"]


@pytest.mark.thorough
@pytest.mark.parametrize(("queries", "further"), [(5, 5), (5, 200), (10, 200), (20, 20), (60, 400)])
def test_coverage(queries: int, further: int) -> None:
    """Independent queries, a biased judge: the interval holds the human mean as often as it should.

    With Normal quantiles it held .78 to .82 with 5 queries and .88 with 10.
    """
    rng = np.random.default_rng(11)
    held = 0
    for _ in range(1000):
        truth = rng.beta(2, 3, queries + further)
        judge = np.clip(truth + 0.2 + 0.1 * rng.standard_normal(len(truth)), 0, 1)
        found = prediction_powered(truth[:queries], judge[:queries], judge[queries:])
        low, high = found.interval(0.95)
        held += low <= 0.4 <= high
    assert 0.93 <= held / 1000 <= 0.98


def test_p_values_are_uniform_without_a_difference() -> None:
    rng = np.random.default_rng(5)
    p = [prediction_powered(*(rng.standard_normal(n) for n in (8, 8, 50))).p for _ in range(2000)]
    assert [np.mean(np.array(p) <= level) for level in (0.05, 0.5)] == pytest.approx([0.05, 0.5], abs=0.03)
    assert prediction_powered([1.0] * 3, [0.0] * 3, [0.0]).p == 0
    assert prediction_powered([0.0] * 3, [0.0] * 3, [0.0]).p == 1


def scattered(labels: int) -> tuple[Nested, Nested, dict[str, dict[str, float]], float]:
    """40 queries of ten documents: some labels in each of the first 30, a model for all, the true P@10."""
    rng = np.random.default_rng(1)
    truth = {f"q{i}": {f"d{j}": int(rng.random() < 0.5) for j in range(10)} for i in range(40)}
    people = {q: dict(list(docs.items())[:labels]) for q, docs in list(truth.items())[:30]}
    run = {q: {d: float(rng.random()) for d in docs} for q, docs in truth.items()}
    return truth, people, run, float(np.mean([list(docs.values()) for docs in truth.values()]))


def test_scattered_labels_are_not_complete_queries() -> None:
    """One label in each of 30 queries counted as 30 complete queries: .0572 [.0399, .0745], truth .4875."""
    truth, people, run, _ = scattered(1)
    model = Judgments.read(truth)
    with pytest.raises(InputError, match="3 queries or more that people judged completely to rank 10") as one:
        estimate_by_query(people, {"mine": run}, model, "P@10")
    said = str(one.value)
    assert "there are 0. They judged 30 of the 300 documents that count in 30 queries (10.0 %)" in said
    assert "Judge 90 more documents, which completes 10 queries" in said
    assert 'drawn at random (unjudged next --design "holes(50)")' in said
    with pytest.raises(InputError, match="judged completely to rank 10"):
        evaluate(people, {"mine": run}, "P@10", predictions=model)
    with pytest.raises(InputError, match="that people judged completely, and there are 0"):
        evaluate(people, {"mine": run}, "AP", predictions=model)


def test_only_complete_queries_count() -> None:
    truth, people, run, _ = scattered(9)
    mixed = people | {q: truth[q] for q in list(truth)[:12]}
    found = estimate_by_query(mixed, {"mine": run}, Judgments.read(truth), "P@10")
    assert (found.human.shape, found.further.shape, found.partly) == ((1, 12), (1, 1, 28), 18)
    assert "18 queries judged by people in part for P@10: counted by predictions only." in found.notes()
    exact = evaluate(truth, {"mine": run}, "P@10").values[0, :, 0]
    assert found.powered("mine").value == pytest.approx(
        prediction_powered(exact[:12], exact[:12], exact[12:]).value
    )
    shallow = estimate_by_query(
        people,
        {"mine": {q: dict(sorted(d.items())[:5]) for q, d in run.items()}},
        Judgments.read(truth),
        "P@10",
    )
    assert shallow.human.shape == (1, 30)


def test_what_neither_labels_is_outside_the_pool() -> None:
    """Below the first ten, documents without a prediction need no judgment; above, they do."""
    rng = np.random.default_rng(2)
    ranking = {f"d{j:02d}": -float(j) for j in range(14)}
    run = {f"q{i}": ranking for i in range(8)}
    labels = {q: {d: int(rng.random() < 0.5) for d in list(ranking)[:12]} for q in run}
    people = {q: labels[q] for q in list(run)[:4]}
    found = estimate_by_query(people, {"mine": run}, Judgments.read(labels), "AP")
    assert (found.human.shape, found.unlabelled) == ((1, 4), 8)
    assert "neither people nor predictions label: 8, counted as nonrelevant." in found.notes()[-1]
    holes = {q: {d: g for d, g in docs.items() if d != "d09"} for q, docs in labels.items()}
    with pytest.raises(InputError, match=r"there are 0\. They judged 44 of the 48 documents"):
        estimate_by_query({q: holes[q] for q in people}, {"mine": run}, Judgments.read(holes), "AP")


def test_runs_on_the_sample_collection() -> None:
    """Human judgments of ten queries, predictions (here: the full judgments, raised) of all thirty."""
    whole = Judgments.read(sample.qrels)
    queries = list(whole.queries)
    names, grades = list(whole.documents), whole.grade.tolist()
    nested: dict[str, dict[str, int]] = {}
    for q, document, grade in zip(whole.query.tolist(), names, grades, strict=True):
        nested.setdefault(queries[q], {})[document] = grade
    human = {query: nested[query] for query in queries[:10]}
    runs = {name: sample.runs[name] for name in ("lexical", "fused")}
    found = estimate_by_query(human, runs, Judgments.read(nested), "AP")
    ap = evaluate(nested, runs, "AP").values[:, :, 0]
    expected = prediction_powered(ap[0, :10], ap[0, :10], ap[0, 10:])
    assert found.powered("lexical").value == pytest.approx(expected.value, abs=1e-12)
    pair = prediction_powered(*((ap[0] - ap[1])[part] for part in (slice(10), slice(10), slice(10, None))))
    assert found.powered("lexical", "fused").value == pytest.approx(pair.value, abs=1e-12)
    assert "10 queries judged by people, 20 queries with predictions only" in found.notes()[0]


def test_refusals() -> None:
    people, run = (
        {"q1": {"d1": 1}, "q2": {"d1": 0}},
        {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}, "q3": {"d1": 1.0}},
    )
    with pytest.raises(InputError, match="expected further queries"):
        estimate_by_query(people, {"a": run}, {"q1": {"d1": 1.0}, "q2": {"d1": 0.0}})
    with pytest.raises(InputError, match="no query that people judged has predictions"):
        estimate_by_query(people, {"a": run}, {"q3": {"d1": 1.0}})
    with pytest.raises(InputError, match="needs 3 queries or more that people judged completely"):
        estimate_by_query(people, {"a": run}, {"q1": {"d1": 1.0}, "q3": {"d1": 0.0}})
    with pytest.raises(UsageError, match="people judged 2 of the queries, expected 3 or more"):
        prediction_powered([0.1, 0.2], [0.1, 0.3], [0.5])
    people, run = {f"q{i}": {"d1": 1} for i in range(3)}, {f"q{i}": {"d1": 1.0} for i in range(4)}
    with pytest.raises(UsageError, match="no run is called 'b'"):
        estimate_by_query(people, {"a": run}, {q: {"d1": 1.0} for q in run}).powered("b")
    with pytest.raises(InputError, match="2 queries that people judged completely for AP have predictions"):
        estimate_by_query(people, {"a": run}, {f"q{i}": {"d1": 1.0} for i in range(1, 4)})


def test_runs_are_read_once_for_all_measures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    labels = {f"q{i}": {f"d{j}": int(rng.random() < 0.4) for j in range(12)} for i in range(12)}
    people = {q: labels[q] for q in list(labels)[:7]}
    runs = []
    for name in "ab":
        runs.append(tmp_path / f"{name}.run")
        lines = [f"{q} Q0 {d} 1 {rng.random()} {name}\n" for q, docs in labels.items() for d in docs]
        runs[-1].write_text("".join(lines))
    opened: list[object] = []
    read = unjudged.rankings.runs.run_table

    def counted(source: Any, **columns: str) -> Any:
        opened.append(source)
        return read(source, **columns)

    monkeypatch.setattr(unjudged.rankings.runs, "run_table", counted)
    measures = ["P@5", "RBP(p=0.8)", "DCG@10"]
    found = evaluate(people, runs, measures, predictions=Judgments.read(labels))
    assert found.measures == measures
    assert opened == runs


Scores = dict[str, dict[str, float]]

RNG = np.random.default_rng(5)
QUERIES = [f"q{i:02d}" for i in range(30)]
DOCUMENTS = [f"d{j:02d}" for j in range(20)]
RELEVANT = RNG.random((30, 20)) < 0.3
TRUTH = {
    q: dict(zip(DOCUMENTS, row, strict=True))
    for q, row in zip(QUERIES, RELEVANT.astype(int).tolist(), strict=True)
}
RUNS = {
    name: Run.read({q: dict(zip(DOCUMENTS, RNG.random(20).tolist(), strict=True)) for q in QUERIES})
    for name in ("a", "b")
}


def judge(noise: float, seed: int) -> Scores:
    """Scores that follow the truth as closely as the noise lets them."""
    score = RELEVANT + noise * np.random.default_rng(seed).standard_normal(RELEVANT.shape)
    return {q: dict(zip(DOCUMENTS, row, strict=True)) for q, row in zip(QUERIES, score.tolist(), strict=True)}


def test_by_query_the_scores_are_combined_before_they_are_powered() -> None:
    rng = np.random.default_rng(3)
    human = rng.random(20)
    predicted = np.stack([human + 0.1 * rng.standard_normal(20), rng.random(20)])
    further = rng.random((2, 40))
    fold = np.arange(20) % 10
    found = combined_scores(human, predicted, further, fold)
    assert found.weights[0] > 0.8
    assert found.weights.sum() == pytest.approx(1)
    again = combined_scores(human, predicted[::-1], further[::-1], fold)
    np.testing.assert_allclose(again.predicted, found.predicted, atol=1e-12)
    few = combined_scores(human[:5], predicted[:, :5], further, fold[:5])
    np.testing.assert_allclose(few.predicted, predicted[:, :5].mean(axis=0))
    one = combined_scores(human, predicted[:1], further[:1], fold)
    alone = prediction_powered(human, predicted[0], further[0])
    assert prediction_powered(human, one.predicted, one.further) == alone


def test_estimates_by_query_of_several_judges() -> None:
    people = {q: TRUTH[q] for q in QUERIES[:15]}
    judges = {"one": Predictions.of(judge(0.3, 1)), "two": Predictions.of(judge(1.0, 2))}
    found = estimate_by_query(people, RUNS, judges, "AP", threshold=0.5)
    assert found.predicted.shape == (2, 2, 15)
    assert found.further.shape == (2, 2, 15)
    assert "Weights of the judges for AP: a: one" in found.notes()[1]
    one = estimate_by_query(people, RUNS, judges["one"], "AP", threshold=0.5)
    same = estimate_by_query(people, RUNS, {"one": judges["one"]}, "AP", threshold=0.5)
    assert one.powered("a") == same.powered("a")
    assert one.powered("a", "b") == same.powered("a", "b")


def test_only_queries_that_every_judge_knows_count() -> None:
    people = {q: TRUTH[q] for q in QUERIES[:15]}
    two = judge(1.0, 2)
    short = {q: two[q] for q in QUERIES[5:25]}
    judges = Judges.of({"one": judge(0.3, 1), "two": short})
    found = estimate_by_query(people, RUNS, judges, "AP", threshold=0.5)
    assert (found.human.shape[1], found.further.shape[2], found.without_predictions) == (10, 10, 5)


def test_what_judges_are() -> None:
    model = judge(1.0, 1)
    assert Judges.of(model).names == ["predictions"]
    assert Judges.of({"m": model}).names == ["m"]
    both: dict[str, Any] = {"m": Judgments.read(TRUTH), "n": Run.read(model)}
    assert Judges.of(both).names == ["m", "n"]
    assert Judges.of(Judges.of(model)).names == ["predictions"]
    with pytest.raises(UsageError, match="or of several by name"):
        Judges.of([])


def test_rows_by_query_are_what_people_say() -> None:
    people = {q: TRUTH[q] for q in QUERIES[:15]}
    found = evaluate(people, RUNS, "AP", predictions=judge(0.3, 1), threshold=0.5)
    values = {(row["system"], row["query"]): row["value"] for row in found.rows["queries"]}
    judged = evaluate(people, RUNS, "AP").values[:, :, 0]
    assert values == {
        (run, q): judged[i, k] for i, run in enumerate(RUNS) for k, q in enumerate(QUERIES[:15])
    }
