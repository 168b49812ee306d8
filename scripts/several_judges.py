"""How good estimates are with several judges, on DL-2019: RMSE beside each judge alone, and coverage."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

from unjudged import Judgments
from unjudged.evidence.intervals.quantiles import normal_quantile
from unjudged.judging import sampling
from unjudged.predictions import Judges
from unjudged.predictions.by_document import per_query_estimates
from unjudged.predictions.calibrated_gains import combined, folds_of
from unjudged.predictions.poisson_sample import FLOOR, SHARE_FOR_FLOOR, probabilities
from unjudged.predictions.population import POISSON, Population
from unjudged.predictions.sums import SamplingError, Sum
from unjudged.rankings.hashing import unit
from unjudged.rankings.judged import Floats

MEASURE = "RBP(p=0.8, rel=2)"
BUDGETS = (200, 430, 1000)
TEAMS = 8
"""Runs that are estimated: the first official one of each of the first eight teams."""
FAVOURED, RAISED, FIRST = "IDST", 6.0, 10
"""The third judge is Llama, but raises the first documents of one team's run by 6 of 12 points."""
NONE, TOGETHER = "people alone", "all three together"


class Track(NamedTuple):
    """DL-2019: judgments, runs by name, and the raw scores of three judges."""

    qrels: Judgments
    runs: dict[str, Path]
    judges: Judges

    @classmethod
    def read(cls, data: Path) -> Track:
        """Read the runs of eight teams; the third judge favours one of them."""
        with (data / "track" / "runs.tsv").open() as lines:
            listed = [row for row in csv.DictReader(lines, delimiter="\t") if row["kind"] != "later"]
        first: dict[str, str] = {}
        for row in listed:
            first.setdefault(row["group"], row["run"])
        runs = {run: data / "track" / "runs" / f"{run}.gz" for run in [*first.values()][:TEAMS]}
        llama, t5 = (
            read_scores(data / name) for name in ("llama70b-scores.tsv.gz", "track/flan-t5-scores.tsv.gz")
        )
        biased = {query: dict(scores) for query, scores in llama.items()}
        with gzip.open(runs[first[FAVOURED]], "rt") as lines:
            for line in lines:
                query, _, document, rank, _, _ = line.split()
                if int(rank) <= FIRST and document in biased.get(query, {}):
                    biased[query][document] = min(biased[query][document] + RAISED, 12.0)
        named = {"Llama": llama, "flan-t5": t5, f"Llama, favouring {FAVOURED}": biased}
        return cls(Judgments.read(data / "qrels.dl2019-passage.gz"), runs, Judges.of(named))


def read_scores(file: Path) -> dict[str, dict[str, float]]:
    """Return scores by query and document."""
    scores: dict[str, dict[str, float]] = {}
    with gzip.open(file, "rt") as lines:
        for query, document, score in csv.reader(lines, delimiter="\t"):
            scores.setdefault(query, {})[document] = float(score)
    return scores


class Study(NamedTuple):
    """Errors of means, then of differences, and whether intervals held: repetitions x targets."""

    errors: Mapping[str, Floats]
    held: Floats
    """Of the combination."""
    means: int

    def rmse(self, way: str) -> tuple[float, float]:
        """Return the RMSE of a mean and of a difference, over all of them."""
        squared = self.errors[way] ** 2
        parts = squared[:, : self.means], squared[:, self.means :]
        return float(np.sqrt(parts[0].mean())), float(np.sqrt(parts[1].mean()))

    def coverage(self) -> tuple[Floats, Floats]:
        """Return how often the intervals of each mean and of each difference held."""
        held = self.held.mean(axis=0)
        return held[: self.means], held[self.means :]


def study(track: Track, budget: float, repetitions: int) -> Study:
    """Draw samples by the documents' weights, and estimate by each judge alone and by all of them."""
    whole, chosen = Population.of(track.qrels, track.runs), Sum.of(MEASURE)
    listed, runs = whole.judgments.grade >= 0, len(track.runs)
    weight, gain = chosen.weights(whole.rankings.rank), np.zeros(len(listed))
    gain[listed] = chosen.gains(whole.judgments.grade[listed])
    size = np.where(listed, np.bincount(whole.rankings.row, weight, len(gain)), 0.0)
    open_ = size > 0
    pi = probabilities(size, open_, budget, min(FLOOR, SHARE_FOR_FLOOR * budget / int(open_.sum())))
    population = replace(whole, inclusion=np.where(open_, pi, 1.0), design=POISSON)
    scores, fold = list(track.judges.aligned(whole.judgments)), folds_of(whole.judgments)
    identity, inclusion = sampling.identities(whole.judgments), population.inclusion
    pairs = [np.eye(runs)[i] - np.eye(runs)[j] for i, j in combinations(range(runs), 2)]
    shares = np.stack([*np.eye(runs), *pairs])
    everything = replace(whole, drawn=listed, inclusion=np.ones(len(gain)))
    truth = per_query_estimates(everything, weight, gain, np.zeros(len(gain))).mean(axis=1)
    errors: dict[str, list[Floats]] = {}
    held = []
    for k in range(repetitions):
        drawn = open_ & (unit(sampling.numbers(identity, 0, k)) < pi)
        sample = replace(population, drawn=drawn)
        together = combined(scores, gain, drawn, inclusion, fold)
        alone = dict(zip(track.judges.names, together.alone, strict=True))
        ways = {NONE: np.zeros(len(gain)), **alone, TOGETHER: together.expected}
        for way, expected in ways.items():
            known = np.where(listed, expected, 0.0)
            means = per_query_estimates(sample, weight, gain, known).mean(axis=1)
            errors.setdefault(way, []).append(shares @ (means - truth))
        error = SamplingError.of(sample, weight, gain, np.where(listed, ways[TOGETHER], 0.0))
        half = normal_quantile(0.95) * np.array([error.deviation(share) for share in shares])
        held.append(np.abs(errors[TOGETHER][-1]) <= half)
    return Study({way: np.stack(each) for way, each in errors.items()}, np.stack(held), runs)


def rows_of_studies(track: Track, repetitions: int, budgets: Sequence[int] = BUDGETS) -> list[Sequence[str]]:
    """Return two rows per budget: RMSE of a mean and a difference by each way, the ratio, and coverage."""
    rows: list[Sequence[str]] = []
    for budget in budgets:
        found = study(track, budget, repetitions)
        by_way = {way: found.rmse(way) for way in found.errors}
        best = [min(by_way[name][i] for name in track.judges.names) for i in (0, 1)]
        coverage = [f"{own.min():.3f} to {own.max():.3f}" for own in found.coverage()]
        for i, target in enumerate(("a mean", "a difference")):
            ratio = f"{by_way[TOGETHER][i] / best[i]:.3f}"
            numbers = [f"{rmse[i]:.4f}" for rmse in by_way.values()]
            rows.append([str(budget), target, *numbers, ratio, coverage[i], f"{repetitions:,}"])
    return rows


def head(track: Track) -> list[str]:
    """Return the names of the columns."""
    ways = [NONE, *track.judges.names, TOGETHER]
    return ["human labels", "RMSE of", *ways, "ratio to the best judge", "coverage of 95 %", "samples"]
