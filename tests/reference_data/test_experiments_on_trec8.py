"""Designs and experiments on TREC-8, the collection of Yilmaz and Aslam (2008)."""

from __future__ import annotations

from pathlib import Path

import pytest

from unjudged import Judgments
from unjudged.judging.pooling import Pool
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
