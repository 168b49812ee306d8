"""How much predictions help beside human judgments: tables and a figure, `make predictions`."""

from __future__ import annotations

import argparse
import csv
import gzip
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from held import Held, write_held, write_rows
from rehearsal import Rehearsal, rehearse

from unjudged import Judgments, evaluate
from unjudged.measures.kernel.estimand import Estimand
from unjudged.predictions import Predictions, prediction_powered
from unjudged.predictions.poisson_sample import LEAST_DOUBT
from unjudged.predictions.population import Population
from unjudged.predictions.sums import Sum
from unjudged.rankings.judged import Floats

DOCS = Path(__file__).parent.parent / "docs"
RUNS = ("ICT-BERT2", "ICT-CKNRM_B", "ICT-CKNRM_B50")
MEASURE = "RBP(p=0.8, rel=2)"
THRESHOLD = 9.0
BUDGET, BUDGETS = 430, (100, 200, 430, 800)
COLOURS = ["#000000", "#D55E00", "#0072B2"]
NOT_RETRIEVED = 100.0
"""The rank that a document counts as having where a run does not retrieve it."""
BEST = 12.0
"""The model's highest score."""
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

    @property
    def labels(self) -> Scores:
        """The model's hard labels."""
        return {
            query: {document: float(score >= THRESHOLD) for document, score in documents.items()}
            for query, documents in self.scores.items()
        }

    def size(self) -> Floats:
        """For each document the mean over the runs of 1 / rank."""
        population = Population.of(self.qrels, self.runs)
        share = np.full((len(RUNS), len(population.drawn)), 1 / NOT_RETRIEVED)
        run = population.rankings.ranking // population.queries
        share[run, population.rankings.row] = 1 / population.rankings.rank
        size: Floats = share.mean(axis=0)
        return size

    def doubt(self) -> Floats:
        """What `unjudged next --design doubt` draws by: mean weight x sqrt(m (1 - m))."""
        population = Population.of(self.qrels, self.runs)
        rankings, rows = population.rankings, len(population.drawn)
        weight = np.bincount(rankings.row, Sum.of(MEASURE).weights(rankings.rank), rows)
        score = Predictions.of(self.scores).aligned(population.judgments).value / BEST
        chance = np.clip(np.where(np.isnan(score), 0.5, score), LEAST_DOUBT, 1 - LEAST_DOUBT)
        size: Floats = weight * np.sqrt(chance * (1 - chance))
        return size


WAYS = ("no predictions", "the model's labels as they are", "the model's scores, calibrated")


def rehearsals(
    found: Collection, repetitions: int, *, by: str, budget: float = BUDGET, ways: Sequence[str] = WAYS
) -> dict[str, Rehearsal]:
    """The same samples in each of the ways.

    Documents are drawn by 'rank', by 'weight', or by weight and 'doubt', as `unjudged next` draws them.
    """
    size = {"rank": found.size, "weight": lambda: None, "doubt": found.doubt}[by]()
    floor = 0.0 if by == "rank" else min(0.01, 0.1 * budget / len(found.qrels.grade))
    given: dict[str, tuple[Scores | None, bool]] = dict(
        zip(WAYS, [(None, True), (found.labels, False), (found.scores, True)], strict=True)
    )
    return {
        way: rehearse(
            found.qrels,
            found.runs,
            budget,
            given[way][0],
            MEASURE,
            size=size,
            floor=floor,
            calibrate=given[way][1],
            repetitions=repetitions,
        )
        for way in ways
    }


def mean_rmse(found: Rehearsal) -> float:
    return float(np.mean([found.rmse(run) for run in found.runs]))


def rmse_rows(found: Collection, repetitions: int) -> Iterator[list[str]]:
    """Yield how good estimates are, for each way of drawing and of using the predictions."""
    for by, budget in (("rank", BUDGET), ("weight", BUDGET), ("doubt", BUDGET), ("doubt", 200)):
        for way, one in rehearsals(found, repetitions, by=by, budget=budget).items():
            coverage = [one.coverage(run) for run in RUNS] + [one.coverage(*RUNS[:2])]
            shares = [f"{min(coverage):.3f}", f"{max(coverage):.3f}"]
            yield [by, str(budget), way, f"{mean_rmse(one):.4f}", f"{one.rmse(*RUNS[:2]):.4f}", *shares]


def rmse_figure(found: Collection, repetitions: int) -> Any:
    """RMSE over the budget, a line for each way."""
    chart = import_module("altair")
    rows = []
    for budget in BUDGETS:
        for way, one in rehearsals(found, repetitions, by="weight", budget=budget).items():
            rows.append({"budget": budget, "way": way, "of": "a run's mean", "rmse": mean_rmse(one)})
            rows.append({"budget": budget, "way": way, "of": "a difference", "rmse": one.rmse(*RUNS[:2])})
    ways = list(dict.fromkeys(row["way"] for row in rows))
    return (
        chart.Chart(chart.Data(values=rows))
        .mark_line(point=chart.OverlayMarkDef(size=50))
        .encode(
            chart.X(
                "budget:Q",
                title="human judgments",
                scale=chart.Scale(type="log", domain=[90, 900]),
                axis=chart.Axis(values=list(BUDGETS)),
            ),
            chart.Y("rmse:Q", title="RMSE of RBP(p=0.8)"),
            chart.Color("way:N", title=None, scale=chart.Scale(domain=ways, range=COLOURS)),
            chart.Shape("way:N", title=None, scale=chart.Scale(domain=ways)),
            chart.Column("of:N", title=None, sort=["a run's mean", "a difference"]),
        )
        .properties(width=260, height=220)
        .configure_legend(orient="bottom", labelLimit=300, labelFontSize=12)
    )


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
            widths = [one.interval(0.95, Estimand("AP")).width for one in (alone, both)]
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
        interval = powered.interval(0.95, Estimand("mean"))
        held += interval.low <= truth <= interval.high
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


RMSE = ("drawn_by", "judgments", "way", "rmse_mean", "rmse_difference", "coverage_lowest", "coverage_highest")
BY_QUERY = ("run", "by_people", "by_model", "width_alone", "width_with_predictions", "weight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--repetitions", type=int, default=4000)
    chosen = parser.parse_args()
    found = Collection.read(chosen.data / "dl2019")
    write_rows("predictions-rmse", RMSE, rmse_rows(found, chosen.repetitions))
    write_rows("predictions-by-query", BY_QUERY, by_query_rows(found, 400))
    write_held("predictions", coverage(found, chosen.repetitions))
    rmse_figure(found, 400).save(DOCS / "figures" / "predictions-rmse.svg")


if __name__ == "__main__":
    main()
