"""Runs whose group is left out of the pool: their intervals, and the truth under all judgments."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from unjudged.base.segments import Floats, Integers, Mask, ends
from unjudged.collection.collection import judged_rankings
from unjudged.evidence.calibration import Calibration, FirstDocuments, LeftOut, mean_bounds
from unjudged.evidence.contrast import alone
from unjudged.evidence.intervals import Asked, How
from unjudged.evidence.rankings_evidence import RankingsEvidence, StreamedRankings
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

MEASURES = ("AP", "nDCG@10", "RBP(p=0.8)", "RBP(p=0.95)", "P@10", "RR")
ROUNDING = 1e-12
PARTS = ("estimate", "calibrated_low", "calibrated_high")


@dataclass(frozen=True)
class Track:
    """Where a collection is, how deep its pool, which levels its groups can give, and which runs differ."""

    name: str
    folder: Path
    depth: int
    levels: tuple[float, ...]
    unlike: str
    unlike_level: float

    @property
    def judgments(self) -> Path:
        return next(self.folder.glob("qrels.*.gz"))

    @property
    def runs(self) -> list[Path]:
        """All runs, those outside the pool too: 129 of TREC-8, 61 of DL-2019."""
        folder = "runs" if self.unlike == "manual" else "track/runs"
        return sorted((self.folder / folder).glob("*.gz"))


def tracks(folder: Path) -> tuple[Track, Track]:
    """TREC-8, in this folder, with 71 pooled runs of 40 groups; DL-2019, beside it, with 37 of 12."""
    return (
        Track("TREC-8", folder, 100, (0.95, 0.9, 0.8), "manual", 0.95),
        Track("DL-2019", folder.parent / "dl2019", 10, (0.9, 0.8), "neural", 0.6),
    )


@dataclass(frozen=True)
class Case:
    """One interval of one run: where it lay, and where the truth was; `unlike` if it is bounds instead."""

    measure: str
    setting: str
    level: float
    value: float
    low: float
    high: float
    truth: float
    bounds_width: float
    unjudged: float = 0.0
    unlike: bool = False

    @property
    def covered(self) -> bool:
        return self.low - ROUNDING <= self.truth <= self.high + ROUNDING


@dataclass(frozen=True, eq=False)
class Pooled:
    """Pooled runs cut at the depth of the pool, their groups, and which of them are manual or neural."""

    rankings: JudgedRankings
    group: Integers
    unlike: Mask

    @staticmethod
    @cache
    def read(track: Track) -> Pooled:
        """The pooled runs of TREC-8 (`run-info.tsv`) or the official ones of DL-2019 (`track/runs.tsv`)."""
        first = track.unlike == "manual"
        with (track.folder / ("run-info.tsv" if first else "track/runs.tsv")).open() as file:
            rows = list(csv.DictReader(file, delimiter="\t"))
        rows = [row for row in rows if (row["pooled"] == "yes" if first else row["kind"] == "official")]
        files = [f"runs/input.{row['run']}.gz" if first else f"track/runs/{row['run']}.gz" for row in rows]
        named = {row["run"]: track.folder / file for row, file in zip(rows, files, strict=True)}
        groups = sorted({row["group"] for row in rows})
        unlike = [row["type"] == "manual" if first else "bm25" not in row["run"] for row in rows]
        return Pooled(
            judged_rankings(Judgments.read(track.judgments), named).cut(track.depth),
            np.array([groups.index(row["group"]) for row in rows]),
            np.array(unlike),
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
        """What is left when these groups take no part: the pool, their runs over it, and which these are."""
        reduced, mine = self.reduced(out), np.isin(self.group, out)
        own = np.flatnonzero(mine)
        return replace(self, rankings=reduced).chosen(~mine), of_runs(reduced, own), own

    def reduced(self, out: Sequence[int]) -> JudgedRankings:
        """All runs over the pool without the documents that only these groups retrieved."""
        hidden = only_by(LeftOut(self.rankings, self.group), out)
        judgments = chosen_rows(self.rankings.judgments, ~hidden)
        return self.rankings.moved(judgments, np.where(hidden, -1, np.cumsum(~hidden) - 1))

    def chosen(self, mask: Mask) -> Pooled:
        """Some of the runs over the same pool; the groups are numbered anew."""
        _, group = np.unique(self.group[mask], return_inverse=True)
        return Pooled(of_runs(self.rankings, np.flatnonzero(mask)), group, self.unlike[mask])


def only_by(left_out: LeftOut, groups: Sequence[int]) -> Mask:
    """Return the judged documents that no group brought but these."""
    mine = np.isin(np.arange(left_out.groups), groups)
    some, others = (left_out.contributors[:, chosen].any(axis=1) for chosen in (mine, ~mine))
    return some & ~others & (left_out.rankings.judgments.grade >= 0)


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
    levels: Sequence[float],
    *,
    calibration: Calibration,
) -> list[Case]:
    """The calibrated intervals of runs that were left out, beside the truth.

    Runs of which every document that counts is judged are left out: they have nothing to estimate.
    """
    queries = len(rankings.judgments.queries)
    streamed = StreamedRankings.of(rankings)
    evidence = (RankingsEvidence.of(streamed, m, calibration=lambda: calibration) for m in measures)
    contrasts = list(map(alone, evidence))
    limits = [mean_bounds(measure, rankings, queries) for measure in measures]
    unjudged = FirstDocuments.of(rankings, queries).unjudged
    found = []
    for level in levels:
        asked = Asked.of("calibrated", How(level))
        for k, contrast in enumerate(contrasts):
            columns = asked.columns(contrast)
            if isinstance(columns, Refusal):
                continue
            for i, (value, low, high) in enumerate(zip(*map(columns.get, PARTS), strict=True)):
                width = float(limits[k][1][i] - limits[k][0][i])
                if width > ROUNDING:
                    told = (float(value), float(low), float(high), float(truths[k][i]), width)
                    made = Case(str(measures[k]), setting, level, *told)
                    unlike = columns["confidence"][i] == 1
                    found.append(replace(made, unjudged=float(unjudged[i]), unlike=unlike))
    return found
