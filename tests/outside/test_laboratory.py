"""Designs and experiments on TREC-8, the collection of Yilmaz and Aslam (2008)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unjudged import AP, Judgments, statAP, xinfAP
from unjudged.designs.pool import REST, Pool
from unjudged.experiments.robustness import experiment


@pytest.fixture(scope="module")
def pool(data: Path) -> Pool:
    runs = sorted((data / "trec8" / "runs").iterdir())
    return Pool.of(data / "trec8" / "qrels.trec8.gz", runs)


def test_induced_ap_on_the_depth_4_pool_as_the_paper_prints_it(pool: Pool) -> None:
    found = experiment(pool, design="depth", levels=[4], measures="indAP")
    assert round(found.find("tau", "indAP", 4).mean, 4) == 0.8992


def test_the_depth_100_pool_of_the_pooled_runs_is_what_was_judged(data: Path) -> None:
    lines = (data / "trec8" / "run-info.tsv").read_text().splitlines()[1:]
    pooled = [name for name, _, _, pooled, *_ in (line.split("\t") for line in lines) if pooled == "yes"]
    runs = [data / "trec8" / "runs" / f"input.{name}.gz" for name in pooled]
    judged = Pool.of(data / "trec8" / "qrels.trec8.gz").judgments
    made = Pool.of_runs(runs, depth=100).judgments
    assert len(pooled) == 71

    def rows(judgments: Judgments) -> set[tuple[str, str]]:
        queries = list(judgments.queries)
        pairs = zip(judgments.query.tolist(), judgments.documents, strict=True)
        return {(queries[q], document) for q, document in pairs}

    assert rows(made) == rows(judged)


def test_estimates_from_stratified_samples(pool: Pool) -> None:
    """What is summed is estimated without bias; a quotient of two estimates has one, below its own spread.

    xinfAP and statAP estimate AP as a sum over relevant documents divided by their estimated number. Both sum
    and number are within three standard errors of the actual ones; the quotient's bias, positive as that of
    1/x, is less than the standard deviation of a sample.
    """
    samples, queries = 24, len(pool.judgments.queries)
    actual = AP.compute(pool.rankings).reshape(-1, queries)
    relevant = pool.judgments.count(1)
    errors: dict[str, list[float]] = {}
    for seed in range(samples):
        drawn = pool.stratified({10: 1.0, REST: 0.3}, seed=seed)
        assert drawn.probability is not None
        weights = np.where(drawn.grade >= 1, 1 / np.maximum(drawn.probability, 1e-9), 0.0)
        number = np.bincount(drawn.query, weights, queries)
        errors.setdefault("number", []).append(float((number / relevant).mean() - 1))
        for measure in (xinfAP, statAP):
            values = measure.compute(pool.rankings.relabelled(drawn)).reshape(-1, queries)
            errors.setdefault(f"{measure} quotient", []).append(float((values - actual).mean()))
            sums = values * number / relevant
            errors.setdefault(f"{measure} sum", []).append(float((sums - actual).mean()))
    for name, found in errors.items():
        mean, deviation = np.mean(found), np.std(found, ddof=1)
        if name.endswith("quotient"):
            assert abs(mean) < deviation, name
        else:
            assert abs(mean) < 3 * deviation / samples**0.5, name
