"""Designs and experiments on TREC-8, the collection of Yilmaz and Aslam (2008)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from unjudged import AP, Judgments, statAP
from unjudged.judging.pooling import REST, Pool
from unjudged.studies.experimenting import experiment


@pytest.fixture(scope="module")
def pool(data: Path) -> Pool:
    runs = sorted((data / "trec8" / "runs").iterdir())
    return Pool.of(data / "trec8" / "qrels.trec8.gz", runs)


def test_induced_ap_on_the_depth_4_pool_as_the_paper_prints_it(pool: Pool) -> None:
    found = experiment(pool, design="pool", levels=[4], measures="indAP")
    assert round(found.find("tau", "indAP", 4)["mean"], 4) == 0.8992


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


def test_what_is_estimated_without_bias_from_stratified_samples(pool: Pool) -> None:
    """The number of relevant documents, and the sum that statAP divides by it.

    With 5 % drawn below the depth-10 pool, over 300 samples, both are within three standard errors of the
    actual ones. The quotient has the bias of a quotient, above zero; xinfAP's sum has one too.
    """
    samples, queries = 300, len(pool.judgments.queries)
    some = [pool.rankings.run(i) for i in range(0, len(pool.runs), 40)]
    actual = np.stack([AP.compute(run) for run in some])
    relevant = pool.judgments.count(1)
    numbers, sums, quotients = np.empty((3, samples))
    for seed in range(samples):
        drawn = pool.stratified({10: 1.0, REST: 0.05}, seed=seed)
        assert drawn.probability is not None
        weights = np.where(drawn.grade >= 1, 1 / np.maximum(drawn.probability, 1e-9), 0.0)
        number = np.bincount(drawn.query, weights, queries)
        values = np.stack([statAP.compute(run.relabelled(drawn)) for run in some])
        numbers[seed] = (number / relevant).mean() - 1
        sums[seed] = (values * number / relevant - actual).mean()
        quotients[seed] = (values - actual).mean()
    for errors in (numbers, sums):
        assert abs(errors.mean()) < 3 * errors.std(ddof=1) / samples**0.5
    assert 0 < quotients.mean() < 0.02
