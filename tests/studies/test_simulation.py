"""Simulated systems are draws from the urn, and their files read back."""

from __future__ import annotations

from itertools import product
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import urn

from unjudged import InputError, Run, UsageError, evaluate
from unjudged.studies.random_rankings import simulate, urn_scores


def test_scores_rank_as_the_urn_draws() -> None:
    """The ranking of two relevant documents among five against the probability of each, chi-squared."""
    documents, relevant, w, drawn = 5, 2, 0.3, 40_000
    labels = np.tile(np.arange(documents) < relevant, (drawn, 1))
    order = np.argsort(-urn_scores(labels, w, np.random.default_rng(4)), axis=1)
    ranked = np.take_along_axis(labels, order, axis=1)
    statistic, cases = 0.0, 0
    for case in product((False, True), repeat=documents):
        if sum(case) != relevant:
            continue
        chance, found = 1.0, 0
        for k, hit in enumerate(case):
            p = float(urn.next_relevant(documents, relevant, w, k, found))
            chance *= p if hit else 1 - p
            found += hit
        expected = drawn * chance
        statistic += (int((ranked == case).all(axis=1).sum()) - expected) ** 2 / expected
        cases += 1
    assert cases == 10
    assert statistic < 27.9  # 9 degrees of freedom, 0.1 %


def test_accuracy_orders_the_systems() -> None:
    made = simulate(systems=6, queries=40, documents=300, seed=2)
    means = evaluate(made.judgments, made.runs, "AP").means[:, 0]
    assert (np.diff(means) < 0).all()
    assert list(made.w.values()) == sorted(made.w.values())
    assert means[-1] == pytest.approx(0.07, abs=0.02)  # at random: about the share of relevant documents


def test_a_run_does_not_depend_on_how_many_others_there_are() -> None:
    few, many = (simulate(systems, 3, 50, best=0.5, worst=0.5, seed=9) for systems in (1, 4))
    assert few.runs["s1"].scores.tolist() == many.runs["s1"].scores.tolist()


def test_depth_keeps_the_top() -> None:
    whole, top = simulate(2, 3, 50, seed=1), simulate(2, 3, 50, depth=7, seed=1)
    for name in whole.runs:
        for query in whole.runs[name].queries:
            assert whole.runs[name].ranking(query)[:7] == top.runs[name].ranking(query)


def test_files_read_back(tmp_path: Path) -> None:
    run = simulate(1, 3, 20, seed=1).runs["s1"]
    (tmp_path / "s1.run").write_text(run.text("s1"))
    again = Run.read(tmp_path / "s1.run")
    assert list(again.documents) == list(run.documents)
    assert again.scores.tolist() == run.scores.tolist()


WRONG: dict[str, list[dict[str, Any]]] = {
    "expected a whole number of at least 1": [
        {"systems": 0},
        {"queries": 0},
        {"documents": 0},
        {"depth": -1},
    ],
    "expected a number": [{"prevalence": 1.5}, {"prevalence": nan}, {"best": 0.0}, {"worst": inf}],
    "seed is": [{"seed": -1}, {"seed": inf}, {"seed": 1.5}],
}


@pytest.mark.parametrize("problem", WRONG)
def test_urns_that_cannot_be(problem: str) -> None:
    for wrong in WRONG[problem]:
        with pytest.raises(UsageError, match=problem):
            simulate(**wrong)


def test_print_says_what_was_made() -> None:
    made = simulate(8, 3, 50, seed=1)
    assert str(made) == f"Simulated(8 runs, {made.judgments})"
    assert len(made.w) == 8


def test_saved_to_a_folder(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "made"
    made = simulate(systems=3, queries=4, documents=50)
    made.save(folder)
    assert sorted(path.name for path in folder.iterdir()) == ["qrels.txt", "s1.run", "s2.run", "s3.run"]
    runs = {name: folder / f"{name}.run" for name in made.runs}
    read, held = evaluate(folder / "qrels.txt", runs, "AP"), evaluate(made.judgments, made.runs, "AP")
    np.testing.assert_array_equal(read.values, held.values)
    with pytest.raises(UsageError, match="already exists: give a new or an empty folder"):
        made.save(folder)
    with pytest.raises(InputError, match="the folder cannot be made"):
        made.save(folder / "qrels.txt" / "x")
