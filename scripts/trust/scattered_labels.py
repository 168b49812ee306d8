"""How often intervals hold from labels that are scattered over pairs of query and document, on DL-2019.

Pairs are what eight official runs have among their first ten; a passage that NIST did not judge is not
relevant. Labels are drawn from all pairs alike, and nothing but this statement is told. P@10 is estimated
with the help of Llama, the others from the labels alone.
"""

from __future__ import annotations

import gzip
import warnings
from math import isnan
from pathlib import Path
from typing import NamedTuple

import numpy as np
from held import Held

from unjudged import Judgments, Run, UsageError, evaluate
from unjudged.judging import stated_sample
from unjudged.predictions import estimate_by_document

DEPTH, RUNS, LEVEL, STUDIES = 10, 8, 0.95, 400
LABELS = (200, 300, 400, 800)
PREDICTED, QUOTIENTS = "P(rel=2)@10", ("nDCG@10", "AP(rel=2)@10")


class Pairs(NamedTuple):
    """What the runs retrieve, with the grade of each pair, and the predictions."""

    runs: dict[str, Run]
    truth: dict[str, dict[str, int]]
    model: dict[str, dict[str, float]]

    @classmethod
    def read(cls, folder: Path) -> Pairs:
        grades = grades_of(folder.parent / "dl2019" / "qrels.dl2019-passage.gz")
        files = official_runs(folder)
        chosen = {name: files[name] for name in [*files][:: len(files) // RUNS][:RUNS]}
        runs: dict[str, Run] = {}
        truth: dict[str, dict[str, int]] = {query: {} for query in grades}
        for name, path in chosen.items():
            own: dict[str, dict[str, float]] = {}
            with gzip.open(path, "rt") as lines:
                for line in lines:
                    query, _, document, rank, score, _ = line.split()
                    if query in grades and int(rank) <= DEPTH:
                        own.setdefault(query, {})[document] = float(score)
                        truth[query][document] = grades[query].get(document, 0)
            runs[name] = Run.read(own)
        model: dict[str, dict[str, float]] = {}
        with gzip.open(folder.parent / "dl2019" / "llama70b-scores.tsv.gz", "rt") as lines:
            for line in lines:
                query, document, score = line.split()
                model.setdefault(query, {})[document] = float(score)
        return cls(runs, truth, model)

    def labels(self, count: int, rng: np.random.Generator) -> dict[str, dict[str, int]]:
        """Draw labels of pairs, all alike."""
        pairs = [(q, d) for q, docs in self.truth.items() for d in docs]
        found: dict[str, dict[str, int]] = {}
        for place in np.sort(rng.choice(len(pairs), count, replace=False)).tolist():
            query, document = pairs[place]
            found.setdefault(query, {})[document] = self.truth[query][document]
        return found


def scattered_coverage(folder: Path, count: int) -> list[Held]:
    """Draw labels many times, estimate, and compare with the truth."""
    pairs, rng = Pairs.read(folder), np.random.default_rng(count)
    measures = (PREDICTED, *QUOTIENTS)
    whole = evaluate(pairs.truth, pairs.runs, measures)
    held: dict[str, list[float]] = {measure: [] for measure in measures}
    refused = dict.fromkeys(measures, 0.0)
    for _ in range(STUDIES):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sample = stated_sample(pairs.labels(count, rng), pairs.runs, depth=DEPTH)
            for k, measure in enumerate(measures):
                try:
                    found = _estimates(sample, pairs, measure)
                except UsageError:
                    refused[measure] += 1
                    continue
                given = [
                    (ends, one) for ends, one in zip(found, whole.means[:, k].tolist(), strict=True) if ends
                ]
                refused[measure] += 1 - len(given) / len(found)
                held[measure] += [low <= one <= high for (low, high), one in given]
    rows = []
    for measure in measures:
        share = refused[measure] / STUDIES
        kept = float(np.mean(held[measure] or [np.nan]))
        trials = round(STUDIES * (1 - share))
        rows.append(Held("DL-2019", f"{count} labels", measure, LEVEL, kept, trials, refused=share))
    return rows


def _estimates(sample: Judgments, pairs: Pairs, measure: str) -> list[tuple[float, float] | None]:
    """Return the intervals of all runs; None where it is refused."""
    if measure == PREDICTED:
        found = estimate_by_document(sample, pairs.runs, pairs.model, measure, outside="nonrelevant")
        means = [found.mean(run, confidence=LEVEL) for run in pairs.runs]
    else:
        evaluated = evaluate(sample, pairs.runs, measure, interval="sampling")
        rows = [evaluated[run] for run in evaluated.runs]
        ends = [(row["estimate_low"], row["estimate_high"]) for row in rows]
        return [None if isnan(low) else (low, high) for low, high in ends]
    return [(mean.low, mean.high) if mean.has_interval else None for mean in means]


def official_runs(folder: Path) -> dict[str, Path]:
    """Return the official runs of the track."""
    track = folder.parent / "dl2019" / "track"
    rows = [line.split("\t") for line in (track / "runs.tsv").read_text().splitlines()[1:]]
    return {row[0]: track / "runs" / f"{row[0]}.gz" for row in rows if row[1] != "later"}


def grades_of(path: Path) -> dict[str, dict[str, int]]:
    """Read the grades of a file by query and document."""
    found: dict[str, dict[str, int]] = {}
    with gzip.open(path, "rt") as file:
        for line in file:
            query, _, document, grade = line.split()
            found.setdefault(query, {})[document] = int(grade)
    return found
