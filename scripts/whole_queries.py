"""How often intervals from whole queries hold with a model's predictions, and how narrow they are."""

from __future__ import annotations

import argparse
import csv
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from held import Held, write_held, write_rows

from unjudged import Judgments, evaluate
from unjudged.base.segments import Floats
from unjudged.predictions import Predictions, prediction_powered

RUNS = ("ICT-BERT2", "ICT-CKNRM_B", "ICT-CKNRM_B50")
THRESHOLD = 9.0
Scores = dict[str, dict[str, float]]


class Collection(NamedTuple):
    """TREC Deep Learning 2019: human judgments, runs, and a model's scores from 0 to 12."""

    qrels: Judgments
    runs: dict[str, Path]
    scores: Scores

    @classmethod
    def read(cls, data: Path) -> Collection:
        scores: Scores = {}
        with gzip.open(data / "llama70b-scores.tsv.gz", "rt") as lines:
            for query, document, score in csv.reader(lines, delimiter="\t"):
                scores.setdefault(query, {})[document] = float(score)
        runs = {run: data / "runs" / f"{run}.gz" for run in RUNS}
        return cls(Judgments.read(data / "qrels.dl2019-passage.gz"), runs, scores)


def by_query_rows(found: Collection, repetitions: int, judged: int = 20) -> Iterator[list[str]]:
    """Yield for AP how wide intervals are from 20 queries alone, and with predictions of the other 23."""
    rng = np.random.default_rng(0)
    human, model = _scores(found, "AP(rel=2)")
    for i, run in enumerate(RUNS):
        trials = []
        for _ in range(repetitions):
            chosen = rng.permutation(human.shape[1])
            first, rest = chosen[:judged], chosen[judged:]
            alone = prediction_powered(human[i, first], np.zeros(judged), np.zeros(0))
            both = prediction_powered(human[i, first], model[i, first], model[i, rest])
            widths = [float(np.diff(one.interval(0.95))[0]) for one in (alone, both)]
            trials.append([*widths, both.weight])
        numbers = [human[i].mean(), model[i].mean(), *np.mean(trials, axis=0)]
        yield [run, *(f"{number:.4f}" for number in numbers)]


def _scores(found: Collection, measure: str) -> tuple[Floats, Floats]:
    """Return runs x queries by people, and by the model."""
    predicted = Predictions.of(found.scores).judgments(THRESHOLD, rel=2)
    scores = [evaluate(source, found.runs, measure) for source in (found.qrels, predicted)]
    order = [scores[1].queries.index(query) for query in scores[0].queries]
    return scores[0].values[:, :, 0], scores[1].values[:, order, 0]


JUDGED = (3, 5, 10, 20, 40)
"""Queries that people judge, for the table of coverage."""
FURTHER = 200


def coverage(found: Collection, repetitions: int) -> Iterator[Held]:
    """Yield how often 95 % intervals by query hold, in simulated worlds and on queries of DL-2019."""
    worlds: list[tuple[str, str, str, Any, float]] = [
        ("simulated", "skewed", "skewed scores", _skewed, 0.6 / 2.2),
        ("simulated", "Normal", "Normal scores", _normal, 0.0),
    ]
    for measure in ("nDCG@10", "AP(rel=2)"):
        human, model = _scores(found, measure)
        for i, run in enumerate(RUNS):
            worlds.append(
                ("DL-2019", f"mean of {run}", measure, _redrawn(human[i], model[i]), human[i].mean())
            )
            for j in range(i):
                gap, predicted = human[i] - human[j], model[i] - model[j]
                named = f"difference of {run} and {RUNS[j]}"
                worlds.append(("DL-2019", named, measure, _redrawn(gap, predicted), gap.mean()))
    for queries in JUDGED:
        for collection, of, measure, world, truth in worlds:
            held = _held(world, truth, queries, repetitions)
            yield Held(collection, f"{of}, {queries} queries", measure, 0.95, held, repetitions)


def _held(world: Any, truth: float, queries: int, repetitions: int) -> float:
    rng, held = np.random.default_rng(queries), 0
    for _ in range(repetitions):
        human, model = world(rng, queries + FURTHER)
        powered = prediction_powered(human[:queries], model[:queries], model[queries:])
        low, high = powered.interval(0.95)
        held += low <= truth <= high
    return held / repetitions


def _skewed(rng: np.random.Generator, queries: int) -> tuple[Floats, Floats]:
    """Scores as skewed as AP's, and a model that follows them half."""
    human = rng.beta(0.6, 1.6, queries)
    return human, 0.5 * human + 0.3 * rng.random(queries)


def _normal(rng: np.random.Generator, queries: int) -> tuple[Floats, Floats]:
    human = rng.standard_normal(queries)
    return human, human + rng.standard_normal(queries)


def _redrawn(human: Floats, model: Floats) -> Any:
    """Queries drawn with replacement from those of a collection."""

    def world(rng: np.random.Generator, queries: int) -> tuple[Floats, Floats]:
        chosen = rng.integers(0, len(human), queries)
        return human[chosen], model[chosen]

    return world


BY_QUERY = ("run", "by_people", "by_model", "width_alone", "width_with_predictions", "weight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--repetitions", type=int, default=4000)
    chosen = parser.parse_args()
    found = Collection.read(chosen.data / "dl2019")
    write_rows("predictions-by-query", BY_QUERY, by_query_rows(found, 400))
    write_held("predictions", coverage(found, chosen.repetitions))


if __name__ == "__main__":
    main()
