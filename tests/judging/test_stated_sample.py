"""Labels whose drawing is stated, not recorded: what the statement makes of them, and that intervals hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import everything, refused, unjudged
from tests.intervals import intervals
from tests.predictions.test_by_query import DOCUMENTS, QUERIES, RUNS, TRUTH, judge
from unjudged import InputError, Judgments, Run, UsageError, compare, evaluate
from unjudged.base.errors import AssumptionWarning
from unjudged.judging import stated_sample
from unjudged.rankings.origin import STRATIFIED, UNIFORM, Origin

PAIRS = [(q, d) for q in QUERIES for d in DOCUMENTS]
MODEL = judge(0.5, 1)


def scattered(labels: int, seed: int) -> dict[str, dict[str, int]]:
    """Labels of pairs drawn at random, whatever their query."""
    chosen = np.random.default_rng(seed).choice(len(PAIRS), labels, replace=False)
    found: dict[str, dict[str, int]] = {}
    for q, d in (PAIRS[i] for i in sorted(chosen)):
        found.setdefault(q, {})[d] = TRUTH[q][d]
    return found


def test_every_retrieved_pair_was_equally_likely() -> None:
    sample = stated_sample(scattered(60, 1), RUNS)
    assert len(sample.grade) == 600
    assert (sample.grade >= 0).sum() == 60
    assert sample.probability is not None
    assert set(sample.probability.tolist()) == {0.1}
    assert sample.origin == Origin(UNIFORM)
    assert len(sample.queries) == 30


def test_per_query_each_query_is_a_stratum() -> None:
    labels = {q: dict(list(docs.items())[3::5]) for q, docs in list(TRUTH.items())[:12]}
    sample = stated_sample(labels, RUNS, "sample per query")
    assert len(sample.queries) == 12
    assert sample.probability is None
    assert sample.origin == Origin(STRATIFIED)
    np.testing.assert_allclose(np.nanmax(sample.inclusion), 4 / 20)


def test_to_a_depth_only_the_first_documents_count() -> None:
    run = {"a": Run.read({q: {d: -float(j) for j, d in enumerate(DOCUMENTS)} for q in QUERIES})}
    labels = scattered(60, 1)
    inside = sum(d in DOCUMENTS[:5] for docs in labels.values() for d in docs)
    with pytest.warns(
        AssumptionWarning, match=f"{60 - inside} labels of documents that no run has down to rank 5"
    ):
        sample = stated_sample(labels, run, depth=5)
    assert len(sample.grade) == 150
    assert sample.probability is not None
    assert sample.probability[0] == pytest.approx(inside / 150)
    assert sample.origin == Origin(UNIFORM, 5)


def test_what_cannot_have_been_drawn_so_is_refused() -> None:
    run = {"a": Run.read({q: {d: -float(j) for j, d in enumerate(DOCUMENTS)} for q in QUERIES})}
    pooled = {q: dict(list(docs.items())[:4]) for q, docs in TRUTH.items()}
    with pytest.raises(InputError, match="not a random sample of what the runs retrieve"):
        stated_sample(pooled, run)
    with pytest.raises(UsageError, match="record how they were made"):
        stated_sample(stated_sample(scattered(60, 1), RUNS), RUNS)
    with pytest.raises(UsageError, match="how is 'somehow'"):
        stated_sample(scattered(60, 1), RUNS, "somehow")
    with pytest.raises(InputError, match="no labelled document is retrieved"):
        stated_sample({"q00": {"x": 1}}, RUNS)


@pytest.mark.thorough
def test_estimates_with_predictions_hold() -> None:
    """90 labels of 600 pairs: unbiased, and 95 % intervals of means and differences hold."""
    truth = evaluate(TRUTH, RUNS, "P@5").means[:, 0]
    held, errors = [], []
    for seed in range(200):
        labels = stated_sample(scattered(90, seed), RUNS)
        found = compare(labels, RUNS, "P@5", predictions=MODEL)
        (mean,), gap = [row for row in found.systems if row["system"] == "a"], found.pair()
        ends = [[one["estimate_low"], one["estimate_high"]] for one in (mean, gap)]
        held.append([ends[0][0] <= truth[0] <= ends[0][1], ends[1][0] <= truth[1] - truth[0] <= ends[1][1]])
        errors.append(mean["mean"] - truth[0])
    assert abs(np.mean(errors)) <= 3.5 * np.std(errors) / np.sqrt(len(errors))
    assert (np.mean(held, axis=0) >= 0.91).all()
    assert (np.mean(held, axis=0) <= 0.99).all()


@pytest.mark.thorough
@pytest.mark.parametrize("measure", ["nDCG@10", "AP"])
def test_quotients_hold_with_enough_labels(measure: str) -> None:
    """300 labels of 600 pairs, on average ten per query, three of them relevant."""
    truth = evaluate(TRUTH, RUNS, measure).means[:, 0]
    held = []
    for seed in range(120):
        scores = evaluate(stated_sample(scattered(300, seed), RUNS), RUNS, measure)
        for found, true in zip(intervals(scores, "sampling"), truth, strict=True):
            held.append(found[0].low <= true <= found[0].high)
    assert 0.91 <= np.mean(held) <= 0.99


def test_too_few_labels_are_refused_with_a_number() -> None:
    labels = scattered(120, 3)
    scores = evaluate(stated_sample(labels, RUNS, "sample per query"), RUNS, "nDCG@10")
    with pytest.raises(UsageError, match=r"\(about [0-9,]+ or more in all, drawn likewise\)"):
        intervals(scores, "sampling")
    few = evaluate(stated_sample(scattered(30, 3), RUNS), RUNS, "P@5")
    with pytest.raises(UsageError, match="192 documents drawn at random from all queries have one of each"):
        intervals(few, "sampling")


def test_the_option(tmp_path: Path) -> None:
    qrels, model = tmp_path / "labels.qrels", tmp_path / "model.run"
    labels = scattered(90, 2)
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in labels.items() for d, g in docs.items()))
    model.write_text("".join(f"{q} Q0 {d} 1 {s} m\n" for q, docs in MODEL.items() for d, s in docs.items()))
    runs = [str(tmp_path / f"{name}.run") for name in RUNS]
    for path, run in zip(runs, RUNS.values(), strict=True):
        Path(path).write_text(run.text(Path(path).stem))
    words = ["evaluate", str(qrels), *runs, f"model={model}", "-m", "P@5"]
    assert "say so (--set judgments.how=sample" in refused(1, *words)
    stated = [*words, "--set", "judgments.how=sample"]
    named = {Path(run).stem: run for run in runs}
    stated_labels = stated_sample(Judgments.read(qrels), named)
    expected = evaluate(stated_labels, named, "P@5", predictions=Run.read(model))["a"]
    assert f"{expected['mean']:.4f}" in everything(*stated)
    assert (
        "say so (--set judgments.how=sample)"
        in unjudged(*words[:4], "--interval", "sampling").stderr.decode()
    )
    compared = everything("compare", *stated[1:])
    assert "90 of 600 unjudged documents drawn and judged" in compared
