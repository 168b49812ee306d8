"""Comparisons with predictions: segments, gates, and pairs that no other run changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unjudged import Collection, InputError, Judgments, compare, gate

RNG = np.random.default_rng(11)
TRUTH = {f"q{i:02}": {f"d{j}": int(RNG.random() < 0.4) for j in range(12)} for i in range(24)}
MODEL = {q: {d: 0.6 * g + 0.4 * RNG.random() for d, g in docs.items()} for q, docs in TRUTH.items()}
RUNS = {
    name: {
        q: {d: skill * g + RNG.random() for d, g in list(docs.items())[first:]} for q, docs in TRUTH.items()
    }
    for name, skill, first in (("a", 0.2, 0), ("b", 0.5, 2), ("c", 0.1, 4))
}
ANSWERS = ("difference", "estimate_low", "estimate_high", "query_low", "query_high", "p", "headline")


def by_query() -> Judgments:
    return Judgments.of({q: TRUTH[q] for q in list(TRUTH)[:12]})


def drawn(design: str) -> Judgments:
    whole = Judgments.of(TRUTH)
    rng = np.random.default_rng(3)
    chance = np.tile(np.linspace(0.9, 0.3, 12), len(TRUTH))
    stratum = np.tile(np.repeat([1, 2], 6), len(TRUTH)).astype(np.int32)
    if design == "Poisson":
        grade = np.where(rng.random(len(chance)) < chance, whole.grade, -1).astype(np.int32)
        return replace(whole, grade=grade, probability=chance)
    keep = rng.permuted(np.tile([True, True, True, True, False, False], (2 * len(TRUTH), 1)), axis=1).ravel()
    return replace(whole, grade=np.where(keep, whole.grade, -1).astype(np.int32), stratum=stratum)


SOURCES: dict[str, tuple[Any, str]] = {
    "Poisson": (drawn("Poisson"), "P@5"),
    "stratified": (drawn("stratified"), "RBP(p=0.8)"),
    "by query": (by_query(), "AP"),
}


def pair(runs: dict[str, Any], people: Judgments, measure: str) -> dict[str, Any]:
    row = compare(people, runs, measures=measure, predictions=MODEL, correction="none").pair("b", "a")
    return {name: row.get(name) for name in ANSWERS}


@pytest.mark.parametrize("source", SOURCES)
def test_a_pair_depends_on_its_runs_alone(source: str) -> None:
    people, measure = SOURCES[source]
    two = {name: RUNS[name] for name in ("a", "b")}
    assert pair(RUNS, people, measure) == pytest.approx(pair(two, people, measure), abs=1e-12)


@pytest.mark.parametrize("source", SOURCES)
def test_a_gate_answers_as_compare_does(source: str) -> None:
    people, measure = SOURCES[source]
    (check,) = gate(people, RUNS["a"], RUNS["b"], measures=measure, predictions=MODEL).checks
    own = pair(RUNS, people, measure)
    assert check["difference"] == pytest.approx(own["difference"], abs=1e-12)
    assert check["p"] == pytest.approx(own["p"], abs=1e-12)


def test_segments_with_predictions_by_query() -> None:
    people = by_query()
    of = {query: "even" if k % 2 == 0 else "odd" for k, query in enumerate(TRUTH)}
    found = compare(people, RUNS, measures="AP", predictions=MODEL, segments=of)
    sizes = {(row["segment"], row["queries"]) for row in found.segments}
    assert sizes == {("even", 6), ("odd", 6), ("all", 12)}
    assert all(row["headline"] for row in found.segments)


def test_a_description_brings_the_predictions(tmp_path: Path) -> None:
    lines = [f"{q} 0 {d} {g}\n" for q, docs in TRUTH.items() if q < "q12" for d, g in docs.items()]
    (tmp_path / "people.qrels").write_text("".join(lines))
    labels = [f"{q} 0 {d} {int(p > 0.5)}\n" for q, docs in MODEL.items() for d, p in docs.items()]
    (tmp_path / "model.qrels").write_text("".join(labels))
    for name, run in RUNS.items():
        rows = [f"{q} Q0 {d} 1 {s} t\n" for q, docs in run.items() for d, s in docs.items()]
        (tmp_path / f"{name}.run").write_text("".join(rows))
    by = '[[judgments]]\nfile = "model.qrels"\nby = "model"\nname = "llama"\n'
    runs = '[runs]\na = "a.run"\nb = "b.run"\n'
    (tmp_path / "collection.toml").write_text(f'[[judgments]]\nfile = "people.qrels"\n{by}{runs}')
    collection = Collection(tmp_path / "collection.toml")
    named = compare(collection, measures="AP", predictions="llama").pair("b", "a")
    alone = compare(collection, measures="AP").pair("b", "a")
    assert named["p"] != alone["p"]
    checked = gate(collection, "a", "b", measures="AP", predictions="llama").checks[0]
    assert checked["p"] == pytest.approx(named["p"], abs=1e-12)
    with pytest.raises(InputError, match="nobody: no such file"):
        compare(collection, measures="AP", predictions="nobody")
