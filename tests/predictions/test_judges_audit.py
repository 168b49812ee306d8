"""An audit of several judges, against `agree`, `audit` and arithmetic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.in_process import printed, refused, unjudged
from tests.predictions.test_several_judges import DOCUMENTS, QUERIES, RELEVANT, RUNS, TRUTH, judge, sampled
from unjudged import Judgments, UsageError, evaluate
from unjudged.agreement import agree
from unjudged.formats.writing import run_text
from unjudged.predictions import audit, audit_judges, estimate_by_document

JUDGES = {"one": judge(0.4, 1), "two": judge(0.9, 2)}
GRADED = Judgments.of(
    {
        q: dict(zip(DOCUMENTS, row, strict=True))
        for q, row in zip(
            QUERIES,
            (RELEVANT * np.random.default_rng(8).integers(0, 2, RELEVANT.shape)).tolist(),
            strict=True,
        )
    }
)


def test_agreement_is_that_of_agree_where_everything_is_judged() -> None:
    judges: dict[str, Any] = {"grades": GRADED, **JUDGES}
    found = audit_judges(TRUTH, judges, threshold=0.5)
    own = agree({"people": TRUTH, "grades": GRADED}).documents
    assert own is not None
    for name, title in (("kappa", "kappa"), ("quadratic", "quadratic kappa"), ("ac1", "AC1")):
        assert found.agreement["grades"][title] == own.estimates["people", "grades"][name]
    for name, scores in JUDGES.items():
        alone = audit(TRUTH, scores, threshold=0.5)
        assert found.agreement[name]["AUC"] == alone.auc
        assert alone.kappa is not None
        assert found.agreement[name]["kappa"].value == pytest.approx(alone.kappa.value)
        assert "quadratic kappa" not in found.agreement[name]


def test_a_sample_is_weighted() -> None:
    people = sampled(0.5, 1)
    found = audit_judges(people, JUDGES, threshold=0.5)
    for name, scores in JUDGES.items():
        kappa = audit(people, scores, threshold=0.5).kappa
        assert kappa is not None
        assert found.agreement[name]["kappa"].value == pytest.approx(kappa.value)


def test_scores_without_a_threshold_have_an_auc() -> None:
    found = audit_judges(TRUTH, JUDGES)
    assert list(found.agreement["one"]) == ["AUC"]
    assert "one has scores without a threshold, so AUC is all that they tell." in found.grid().notes


def test_biases_and_favoured_groups_are_differences_of_means() -> None:
    found = audit_judges(TRUTH, JUDGES, RUNS, "P@5", threshold=0.5, groups={"a": "one", "b": "rest"})
    people = evaluate(TRUTH, RUNS, "P@5").values[:, :, 0]
    labels = {q: {d: int(s >= 0.5) for d, s in scores.items()} for q, scores in JUDGES["one"].items()}
    model = evaluate(labels, RUNS, "P@5").values[:, :, 0]
    gaps = model - people
    one = found.biases["one"]
    assert [bias.bias.value for bias in one.by_run] == pytest.approx(gaps.mean(axis=1).tolist())
    favour = next(f for f in found.favours if (f.judge, f.group) == ("one", "one"))
    contrast = gaps[0] - gaps[1]
    assert favour.estimate.value == pytest.approx(contrast.mean())
    half = 2.045229642132703 * contrast.std(ddof=1) / np.sqrt(30)
    assert favour.estimate.high - favour.estimate.value == pytest.approx(half)
    assert [(f.judge, f.own) for f in found.favours if f.group == "one"] == [("one", True), ("two", False)]
    assert found.board is not None
    assert found.board.means[1] == pytest.approx(model.mean(axis=1))


def test_a_judge_that_raises_its_own_runs_is_found() -> None:
    """The judge calls the first five documents of run a relevant, and is right of all others."""
    raised = {q: {d: float(g) for d, g in docs.items()} for q, docs in TRUTH.items()}
    for query, top in _first(RUNS["a"].table, 5).items():
        raised[query] |= dict.fromkeys(top, 1.0)
    found = audit_judges(
        sampled(0.6, 2),
        {"own": raised, "fair": TRUTH},
        RUNS,
        "P@5",
        groups={"a": "own", "b": "rest"},
        threshold=0.5,
    )
    verdicts = {(f.judge, f.group): f.word for f in found.favours}
    assert verdicts["own", "own"] == "favoured"
    assert verdicts["own", "rest"] == "disfavoured"
    assert verdicts["fair", "own"] == "open"


def _first(table: object, depth: int) -> dict[str, list[str]]:
    """The first documents of each query of a run."""
    queries, top = [str(q) for q in table.queries], {}  # type: ignore[attr-defined]
    documents, score = list(table.documents), table.numbers[:, 0]  # type: ignore[attr-defined]
    for j, query in enumerate(queries):
        rows = np.arange(j * 20, j * 20 + 20)
        top[query] = [str(documents[i]) for i in rows[np.argsort(-score[rows])][:depth]]
    return top


@pytest.mark.thorough
def test_scores_by_people_come_from_all_judges_together() -> None:
    people = sampled(0.4, 3)
    found = audit_judges(people, JUDGES, RUNS, "P@5", threshold=0.5)
    together = estimate_by_document(people, RUNS, JUDGES, "P@5", outside="nonrelevant")
    for name in JUDGES:
        assert [bias.by_people for bias in found.biases[name].by_run] == [together.mean(r) for r in RUNS]
    assert found.sampled
    assert "its noise lowers the agreement" in str(found)


def test_groups_need_runs_and_two_families() -> None:
    with pytest.raises(UsageError, match="give the runs too"):
        audit_judges(TRUTH, JUDGES, groups={"a": "one"})
    with pytest.raises(UsageError, match="expected two or more"):
        audit_judges(TRUTH, JUDGES, RUNS, "P@5", threshold=0.5, groups={"a": "one", "b": "one"})


@pytest.mark.thorough
def test_the_command(tmp_path: Path) -> None:
    qrels, groups = tmp_path / "qrels.txt", tmp_path / "groups.txt"
    qrels.write_text("".join(f"{q} 0 {d} {g}\n" for q, docs in TRUTH.items() for d, g in docs.items()))
    groups.write_text("a one\nb rest\n")
    runs = [tmp_path / f"{name}.run" for name in RUNS]
    for path, run in zip(runs, RUNS.values(), strict=True):
        path.write_text(run_text(run, path.stem))
    files = []
    for name, scores in JUDGES.items():
        path = tmp_path / f"{name}.txt"
        path.write_text(
            "".join(f"{q} Q0 {d} 1 {s} m\n" for q, docs in scores.items() for d, s in docs.items())
        )
        files += ["--predictions", f"{name}={path}"]
    words = [
        "audit",
        str(qrels),
        *map(str, runs),
        *files,
        "--threshold",
        "0.5",
        "-m",
        "P@5",
        "-g",
        str(groups),
    ]
    text = printed(*words)
    for title in ("Agreement on documents", "P@5 by each judge", "Does a judge favour", "Order of 2 runs"):
        assert title in text
    found = audit_judges(TRUTH, JUDGES, RUNS, "P@5", threshold=0.5, groups={"a": "one", "b": "rest"})
    tables = json.loads(printed(*words, "--format", "json"))["tables"]
    assert tables[1]["rows"][0]["by people"] == found.biases["one"].by_run[0].human
    assert tables[1]["rows"][0]["bias"] == pytest.approx(found.biases["one"].by_run[0].bias.value)
    assert unjudged(*words, "--format", "csv").stdout.startswith(b"statistic,of,judge,value,low,high\n")
    assert "no predictions given" in refused(2, "audit", str(qrels))
    assert "--groups goes with" in refused(
        2, "audit", str(qrels), files[1].partition("=")[2], "-g", str(groups)
    )
    assert "--plot draws one judge" in refused(2, *words, "--plot", str(tmp_path / "x.svg"))
