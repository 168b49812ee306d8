"""Runs of TREC-8 whose group is left out of the pool: their intervals, and the truth under all judgments."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from unjudged.base.segments import ends
from unjudged.evaluation.collection import judged_rankings
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.intervals import IntervalRequest, make_intervals
from unjudged.uncertainty.left_out import LeftOut, mean_bounds

MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)", "RBP(p=0.95)", "P@10", "RR")
LEVELS = (0.95, 0.9, 0.8)
DEPTH = 100
ROUNDING = 1e-12


@dataclass(frozen=True)
class Case:
    """One interval of one run: where it lay, and where the truth was."""

    measure: str
    setting: str
    level: float
    value: float
    low: float
    high: float
    truth: float
    bounds_width: float

    @property
    def covered(self) -> bool:
        return self.low - ROUNDING <= self.truth <= self.high + ROUNDING


@dataclass(frozen=True, eq=False)
class Pooled:
    """Pooled runs cut at the depth of the pool, their groups, and which of them are manual."""

    rankings: JudgedRankings
    group: Integers
    manual: Mask

    @staticmethod
    @cache
    def read(folder: Path) -> Pooled:
        """The pooled runs of TREC-8 from `qrels.trec8.gz`, `run-info.tsv` and `runs/`."""
        with (folder / "run-info.tsv").open() as file:
            rows = [row for row in csv.DictReader(file, delimiter="\t") if row["pooled"] == "yes"]
        names = sorted({row["group"] for row in rows})
        runs = {row["run"]: folder / "runs" / f"input.{row['run']}.gz" for row in rows}
        rankings = judged_rankings(Judgments.read(folder / "qrels.trec8.gz"), runs)
        return Pooled(
            rankings.cut(DEPTH),
            np.array([names.index(row["group"]) for row in rows]),
            np.array([row["type"] == "manual" for row in rows]),
        )

    @property
    def groups(self) -> int:
        return int(self.group.max()) + 1

    @property
    def queries(self) -> int:
        return len(self.rankings.judgments.queries)

    def means(self, measure: Measure) -> Floats:
        """The true mean of each run: under all judgments."""
        return measure.over_queries(measure.compute(self.rankings).reshape(-1, self.queries))

    def without(self, out: Sequence[int]) -> tuple[Pooled, JudgedRankings, Integers]:
        """What is left when these groups take no part: the pool, their runs over it, and which these are.

        Documents that nobody else retrieved are in no pool then.
        """
        hidden = self.only_by(out)
        judgments = chosen_rows(self.rankings.judgments, ~hidden)
        new_row = np.where(hidden, -1, np.cumsum(~hidden) - 1)
        reduced = self.rankings.moved(judgments, new_row)
        mine = np.isin(self.group, out)
        own = np.flatnonzero(mine)
        return replace(self, rankings=reduced).chosen(~mine), of_runs(reduced, own), own

    def chosen(self, mask: Mask) -> Pooled:
        """Some of the runs over the same pool; the groups are numbered anew."""
        _, group = np.unique(self.group[mask], return_inverse=True)
        return Pooled(of_runs(self.rankings, np.flatnonzero(mask)), group, self.manual[mask])

    def only_by(self, out: Sequence[int]) -> Mask:
        """The judged documents that only these groups brought."""
        return LeftOut(self.rankings, self.group).only_by(out)


def of_runs(rankings: JudgedRankings, runs: Iterable[int]) -> JudgedRankings:
    """The rankings of some runs, in this order."""
    parts = [rankings.run(int(run)) for run in runs]
    return replace(
        rankings,
        rank=np.concatenate([part.rank for part in parts]),
        row=np.concatenate([part.row for part in parts]),
        offsets=ends(np.concatenate([part.counts for part in parts])),
        retrieved=np.concatenate([part.retrieved for part in parts]),
        query=np.concatenate([part.query for part in parts]),
    )


def cases(
    rankings: JudgedRankings,
    truths: Sequence[Floats],
    measures: Sequence[Measure],
    setting: str,
    levels: Sequence[float] = LEVELS,
    **request: Any,
) -> list[Case]:
    """The intervals of runs that were left out, beside the truth; `request` is what their method needs.

    Runs of which every document that counts is judged are left out: they have nothing to estimate.
    """
    queries = len(rankings.judgments.queries)
    values = np.stack([measure.compute(rankings).reshape(-1, queries) for measure in measures], axis=-1)
    asked = IntervalRequest(rankings, [f"run {i}" for i in range(len(values))], measures, values)
    method = request.pop("method")
    limits = [mean_bounds(measure, rankings, queries) for measure in measures]
    found = []
    for level in levels:
        rows = make_intervals(method, replace(asked, confidence=level, **request))
        for i, row in enumerate(rows):
            for k, estimate in enumerate(row):
                width = float(limits[k][1][i] - limits[k][0][i])
                if width > ROUNDING:
                    found.append(case(estimate, setting, str(measures[k]), float(truths[k][i]), width))
    return found


def case(estimate: Estimate, setting: str, measure: str, truth: float, width: float) -> Case:
    return Case(
        measure, setting, estimate.confidence, estimate.value, estimate.low, estimate.high, truth, width
    )
