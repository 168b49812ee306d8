"""Estimates from drawn documents: by enumeration, by simulation, and in the loop of four commands."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.in_process import everything, unjudged
from tests.report.test_page import read
from unjudged import Collection, Judgments, Run, UsageError, audit, compare, evaluate, gate, judging, sample
from unjudged.evidence.drawn.by_design import FEWEST
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.origin import CHECKED, WEIGHTED, DrawOrder, Origin
from unjudged.results.words import sentences_of_pair

QUERIES, DOCUMENTS = 25, 14
NAMES = [f"d{j:02d}" for j in range(DOCUMENTS)]


def world(seed: int) -> tuple[Judgments, dict[str, dict[str, float]], dict[str, Run]]:
    """Judgments of all documents, what a model says of them, and two runs."""
    rng = np.random.default_rng(seed)
    difficulty = rng.uniform(0.4, 1.6, (QUERIES, 1))
    grade = rng.binomial(2, np.clip(0.5 * 0.9 ** np.arange(DOCUMENTS) * difficulty, 0, 0.9))
    model = grade + 0.6 * rng.standard_normal(grade.shape)
    queries = [f"q{i:02d}" for i in range(QUERIES)]

    def named(table: Any) -> dict[str, Any]:
        return {q: dict(zip(NAMES, row, strict=True)) for q, row in zip(queries, table.tolist(), strict=True)}

    ranks = np.tile(np.arange(DOCUMENTS), (QUERIES, 1))
    scores = {"one": grade + 1.5 * rng.standard_normal(grade.shape), "two": -ranks / 2.0}
    runs = {name: Run.read(named(own)) for name, own in scores.items()}
    return Judgments.read(named(grade)), named(model), runs


def one_by_one(whole: Judgments, rng: np.random.Generator) -> Judgments:
    """A sample in which every document has a chance of its own."""
    chance = np.tile(np.clip(1.2 / np.arange(1, DOCUMENTS + 1) ** 0.5, 0.2, 0.9), QUERIES)
    grade = np.where(rng.random(len(chance)) < chance, whole.grade, -1).astype(np.int32)
    return replace(whole, grade=grade, probability=chance, origin=Origin(WEIGHTED))


def checked(whole: Judgments, rng: np.random.Generator, labels: int = 60) -> Judgments:
    """A pool of the first four documents, and checks of the others in an order by size."""
    place = np.tile(np.arange(DOCUMENTS), QUERIES)
    size = np.where(place >= 4, 1 / (place + 1.0), 0.0)
    rows = np.flatnonzero(size)
    order = np.zeros(len(size), np.int64)
    order[rows[np.argsort(rng.exponential(size=len(rows)) / size[rows])]] = np.arange(1, len(rows) + 1)
    batch = ((order > 0) & (order <= labels)).astype(np.int64)
    grade = np.where((size == 0) | (batch > 0), whole.grade, -1).astype(np.int32)
    frame = DrawOrder(size, order, batch, {}, place + 1)
    return replace(whole, grade=grade, frame=frame, origin=Origin(CHECKED, DOCUMENTS))


DESIGNS = {"one by one": one_by_one, "checked": checked}


@pytest.mark.thorough
@pytest.mark.parametrize(("measure", "samples"), [("nDCG@10", 20), ("RBP(p=0.8)", 40)])
@pytest.mark.parametrize("predicted", [True, False])
@pytest.mark.parametrize("design", DESIGNS)
def test_intervals_of_means_and_differences_hold(
    design: str, measure: str, samples: int, predicted: bool
) -> None:
    """In 95 % of samples, never outside what is possible, and without bias. docs/evidence has thousands."""
    held, errors = [], []
    for seed in range(samples):
        whole, model, runs = world(seed)
        drawn = DESIGNS[design](whole, np.random.default_rng(1000 + seed))
        found = compare(drawn, runs, measure, predictions=model if predicted else None)
        one, two = evaluate(whole, runs, measure).means[:, 0]
        rows = {row["system"]: row for row in found.systems}
        for row, true in ((rows["one"], one), (rows["two"], two), (found.pair(), two - one)):
            if row["labels"] < FEWEST:
                assert np.isnan(row["estimate_low"])
                continue
            low, high = row["estimate_low"] - 1e-9, row["estimate_high"] + 1e-9
            assert row["low"] - 2e-9 <= low <= high <= row["high"] + 2e-9
            held.append(low <= true <= high)
            errors.append(row.get("mean", row.get("difference")) - true)
    assert len(held) >= 2.8 * samples
    assert np.mean(held) >= 0.91
    assert abs(np.mean(errors)) <= max(4 * np.std(errors) / len(errors) ** 0.5, 0.003)


@pytest.mark.thorough
@pytest.mark.parametrize("design", DESIGNS)
def test_every_question_has_the_same_estimate(design: str) -> None:
    whole, model, runs = world(3)
    drawn = DESIGNS[design](whole, np.random.default_rng(3))
    for predictions in (None, model, {"a": Run.read(model), "b": Run.read(model)}):
        given: dict[str, Any] = {} if predictions is None else {"predictions": predictions}
        own = evaluate(drawn, runs, "nDCG@10", **given)
        row = compare(drawn, runs, "nDCG@10", **given).pair()
        (check,) = gate(drawn, runs["one"], runs["two"], "nDCG@10", **given).checks
        means = [own[name]["mean"] for name in runs]
        assert [row["mean_b"], row["mean_a"]] == pytest.approx(means, abs=1e-12)
        for one in (row, check):
            assert one["difference"] == pytest.approx(means[1] - means[0], abs=1e-12)
        assert own["one"]["as_judged"] == pytest.approx(own.value("nDCG@10", run="one"))
        assert own["one"]["labels"] >= FEWEST
        again = evaluate(drawn, runs, "nDCG@10", interval="sampling", **given)["one"]
        assert again["estimate_low"] == pytest.approx(own["one"]["estimate_low"], abs=1e-12)


def few_of(whole: Judgments, rng: np.random.Generator) -> Judgments:
    """Half of the documents were judged before, and a tenth of the others was drawn."""
    drawn, before = (rng.random(len(whole.grade)) < share for share in (0.1, 0.5))
    chance = np.where(before, 1.0, 0.1)
    grade = np.where(before | drawn, whole.grade, -1).astype(np.int32)
    return replace(whole, grade=grade, probability=chance, origin=Origin(WEIGHTED))


@pytest.mark.parametrize("name", ["P@5", "RBP(p=0.8)", "nDCG@5"])
def test_nothing_that_is_printed_contradicts_itself(name: str) -> None:
    """Unbiased estimates outside what is possible are moved inside before anything is made of them."""
    for seed in range(12):
        whole, _, runs = world(seed)
        drawn = few_of(whole, np.random.default_rng(seed))
        own, row = evaluate(drawn, runs, name), compare(drawn, runs, name).pair()
        (check,) = gate(drawn, runs["one"], runs["two"], name).checks
        means = [own[system]["mean"] for system in runs]
        assert [row["mean_b"], row["mean_a"]] == pytest.approx(means, abs=1e-12)
        for one in (row, check):
            assert one["difference"] == pytest.approx(means[1] - means[0], abs=1e-12)
        for one, value in (
            (row, row["difference"]),
            *((own[system], own[system]["mean"]) for system in runs),
        ):
            for kind in ("", "estimate_", "query_"):
                if not np.isnan(one.get(f"{kind}low", np.nan)):
                    assert one[f"{kind}low"] - 1e-12 <= value <= one[f"{kind}high"] + 1e-12, kind


def test_a_share_that_could_flip_an_estimate_is_said_only_if_as_many_were_relevant() -> None:
    """Else the interval of the estimate is the reason, and it is said."""
    drawn = judging.next(sample.qrels, {"dense": sample.runs["dense"]}, design="holes(20)").sample
    assert drawn is not None
    judged = judging.merge(drawn, {"them": str(sample.answers)}).judgments
    found = compare(judged, {name: sample.runs[name] for name in ("lexical", "dense")}, "P@10")
    (row,), settings = found.rows["pairs"], found.settings
    assert row["more_judging"] == "could flip it"
    more = {
        share: sentences_of_pair({**row, "flip": share, "seen": 0.5}, settings)[-1] for share in (0.4, 0.6)
    }
    assert "if 40 % of" in more[0.4]
    assert "it is estimated between -0.0033 and" in more[0.6]


def test_a_model_that_is_described_is_used_without_an_option() -> None:
    whole, model, runs = world(4)
    drawn = checked(whole, np.random.default_rng(4))
    labels = {q: {d: int(max(round(s), 0)) for d, s in own.items()} for q, own in model.items()}
    collection = Collection(drawn, runs, predictions={"model": Judgments.read(labels)})
    given: dict[str, Any] = {"predictions": {"model": Judgments.read(labels)}}
    found, named = evaluate(collection, measures="nDCG@10"), evaluate(drawn, runs, "nDCG@10", **given)
    plain = evaluate(drawn, runs, "nDCG@10")
    assert found["one"] == named["one"]
    assert found["one"]["mean"] != plain["one"]["mean"]


def test_too_few_labels_have_bounds_and_say_so() -> None:
    whole, _, runs = world(5)
    drawn = checked(whole, np.random.default_rng(5), labels=2)
    found = evaluate(drawn, runs, "nDCG@10")
    row = found["one"]
    assert np.isnan(row["estimate_low"])
    assert row["mean"] == pytest.approx(row["as_judged"])
    assert row["low"] <= row["mean"] <= row["high"]
    assert any("of 2 labels bear on nDCG@10 of any system" in note for note in found.notes), found.notes


def test_a_list_of_drawn_documents_alone_stands_for_all_that_were_retrieved() -> None:
    """As in a file of prels: other documents could have been drawn, and were not."""
    whole, _, runs = world(6)
    drawn = one_by_one(whole, np.random.default_rng(6))
    alone = chosen_rows(drawn, drawn.grade >= 0)
    both = [evaluate(one, runs, "P@10")["one"]["mean"] for one in (drawn, alone)]
    truth = evaluate(whole, runs, "P@10")["one"]["mean"]
    assert both[1] == pytest.approx(truth, abs=0.1)


def test_the_bias_of_a_judge_is_a_contrast_with_the_same_estimate() -> None:
    whole, model, runs = world(7)
    drawn = checked(whole, np.random.default_rng(7))
    labels = {q: {d: int(min(max(round(s), 0), 2)) for d, s in own.items()} for q, own in model.items()}
    judge = Judgments.read(labels)
    rows = audit(drawn, {"model": judge}, runs, "nDCG@10").rows["bias"]
    by_judge = evaluate(judge, runs, "nDCG@10")
    by_people = evaluate(drawn, runs, "nDCG@10", predictions={"model": judge})
    for row in rows:
        own = by_people[row["system"]]
        assert (row["by_people"], row["labels"]) == pytest.approx((own["mean"], own["labels"]))
        assert row["bias"] == pytest.approx(by_judge[row["system"]]["mean"] - own["mean"], abs=1e-9)


def test_what_cannot_be_estimated_says_why() -> None:
    whole, _, runs = world(8)
    drawn = checked(whole, np.random.default_rng(8))
    found = evaluate(drawn, runs, ["nDCG@10", "Bpref"])
    assert any("Bpref is not estimated from drawn documents" in note for note in found.notes)
    with pytest.raises(UsageError, match="the 'sampling' interval needs a pool with checks"):
        evaluate(whole, runs, "nDCG@10", interval="sampling")


def test_the_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Holes closed in four commands, and what every question says then."""
    monkeypatch.chdir(tmp_path)
    assert unjudged("demo", "--files", ".").returncode == 0
    everything("next", "qrels.txt", *RUNS, "--design", "holes(50)", "--seed", "1", "-o", "holes.qrels")
    everything("merge", "holes.qrels", "answers.qrels", "-o", "judged.qrels")
    done = unjudged("evaluate", "judged.qrels", *RUNS)
    rests = b"50 of 210 unjudged documents checked: nDCG@10 of dense is "
    assert rests in done.stderr
    assert b"was never judged" not in done.stderr
    (dense,) = (
        row
        for row in json.loads(unjudged("evaluate", "judged.qrels", *RUNS, "--format", "json").stdout)["rows"]
        if row["system"] == "dense" and row["measure"] == "nDCG@10"
    )
    assert dense["low"] <= dense["estimate_low"] < 0.378 < dense["estimate_high"] <= dense["high"]
    assert not dense["estimate_low"] <= 0.2374 <= dense["estimate_high"]
    for command in ("compare", "gate"):
        done = unjudged(command, "judged.qrels", "dense.run", "reranked.run")
        assert rests in done.stderr
        assert b"estimated" in done.stdout
    assert unjudged("report", "judged.qrels", *RUNS, "-o", "page.html").returncode == 0
    notes = read(Path("page.html").read_text("utf-8"))["notes"]
    assert any("50 of 210 unjudged documents checked" in note for note in notes)


RUNS = [f"{name}.run" for name in sample.runs]


@pytest.mark.thorough
def test_fifty_labels_tell_and_a_hundred_decide() -> None:
    """Of ten draws: 50 labels contain the true score and not the judged one; 100 exclude that of fused."""
    whole = judging.merge(sample.qrels, {"people": sample.answers}, conflicts="last").judgments
    truth = evaluate(whole, sample.runs, "nDCG@10")
    judged = evaluate(sample.qrels, sample.runs, "nDCG@10")["dense"]["mean"]
    target, other = truth["dense"]["mean"], truth["fused"]["mean"]
    held = told = decided = 0
    for labels, seed in product((50, 100), range(10)):
        given: dict[str, Any] = {"design": f"holes({labels})", "measure": "nDCG@10", "seed": seed}
        drawn = judging.next(sample.qrels, sample.runs, **given).sample
        assert drawn is not None
        answered = judging.merge(drawn, {"people": sample.answers}).judgments
        row = evaluate(answered, sample.runs, "nDCG@10")["dense"]
        low, high = row["estimate_low"], row["estimate_high"]
        held += labels == 50 and low <= target <= high
        told += labels == 50 and not low <= judged <= high
        decided += labels == 100 and not low <= other <= high
    assert min(held, told) >= 8
    assert decided >= 7
