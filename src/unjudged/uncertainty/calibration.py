"""Calibrated intervals: how far off were the pooled groups when each was left out?

For each left-out run, truth is its mean under all judgments, and value its mean with the documents of its
own group unjudged, with the bounds low and high. Were unjudged documents relevant as often as the judged ones
of its first ranks, a share p, they would be worth about p (high - low). A power of this is the scale:

    score = (truth - value) / scale,    scale = (p (high - low)) ** 1.15

Split conformal prediction turns the scores into an interval: value +- s scale, cut to the bounds, s the
ceil((n + 1) confidence)-th smallest |score|. It holds for a run that is like the left-out ones; others get
their bounds.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import NamedTuple

import numpy as np

from unjudged.base.errors import AssumptionWarning, UsageError, announce
from unjudged.base.wording import counted
from unjudged.formats.streams import PathLike
from unjudged.formats.writing import write_whole
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import JudgedRankings, Mask
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.calibrated_means import NEW_GROUPS, CalibratedMeans, Learnt, place_of, scale_of
from unjudged.uncertainty.calibration_file import calibration_fields, calibration_text
from unjudged.uncertainty.left_out import FIRST, FirstDocuments, mean_bounds, unusual

SPOT_CHECK = "for an interval judge a spot check (`unjudged spot-check`)"


class LeftOutShare(NamedTuple):
    """Highest plausible share of relevant documents among those that a new run brings.

    `share` was not exceeded in so many of 100 left-out groups, `level` of them, or in none of too few groups.
    """

    share: float
    groups: int
    level: float

    @classmethod
    def of(cls, brought: Iterable[float], level: float = 0.95) -> LeftOutShare:
        """Return the share that so many groups do not exceed, from the share of each group."""
        shares = sorted(brought)
        place = place_of(len(shares), level)
        few = place > len(shares)
        return cls(shares[-1 if few else place - 1], len(shares), 1.0 if few else level)

    def __str__(self) -> str:
        shown = f"{self.share:.2g}" if self.share == 0 else f"{100 * self.share:.2g}%"
        if self.level == 1:
            return f"among {self.groups} left-out groups the share was never above {shown}"
        return f"among left-out groups the share was at most {shown} in {100 * self.level:g} of 100 cases"


@dataclass(frozen=True)
class Calibration:
    """Lessons of leaving out each group: rows of group, score and dilution of left-out runs, by measure.

    Dilution is by what share a run's new relevant documents lower the means of other runs, over the scale.
    `prevalence` is the share of relevant documents among those that only one group retrieved, at ranks 1, 2,
    3-4, 5-8, ...; `unjudged` and `relevant` are shares of the first 30 documents of each left-out run. The
    `runs` that are unlike the others in these shares have no scores. `brought` is the share of relevant
    documents among those that each group alone brought.

    It holds for runs on the same queries and judgments: `topics` and `fingerprint` are those of the judgments
    that it was made from, `judgments` is their name.
    """

    groups: int
    runs: int
    queries: int
    depth: int
    unit: str
    prevalence: tuple[float, ...]
    unjudged: tuple[float, ...]
    relevant: tuple[float, ...]
    scores: Mapping[str, tuple[tuple[int, float, float], ...]]
    topics: str = ""
    fingerprint: str = ""
    judgments: str = ""
    made_by: str = ""
    brought: tuple[float, ...] = ()

    def by_groups(self) -> Calibration:
        """Return the same with one score of each group, its largest, which is safer and wider."""
        scores = {
            name: tuple({row[0]: row for row in rows}.values())  # the lowest |score| comes first
            for name, rows in self.scores.items()
        }
        return replace(self, unit="groups", scores=scores)

    def left_out_share(self) -> LeftOutShare | None:
        """Return the share that 5 of 100 left-out groups exceed, or the largest of fewer than 19 groups."""
        return LeftOutShare.of(self.brought) if self.brought else None

    def check_collection(self, judgments: Judgments) -> None:
        """Refuse judgments of other queries; warn of other judgments of these queries."""
        if not self.topics or not len(judgments.queries.data):
            return
        named = f"{self.judgments or 'judgments'} ({counted(self.queries, 'query')})"
        if self.topics != judgments.topics:
            problem = f"the calibration was made from {named}, which have other queries than these judgments"
            raise UsageError(f"{problem}: calibrations hold for their own collection only")
        if self.fingerprint != judgments.fingerprint:
            what = f"The calibration was made from other judgments of these queries ({named})"
            announce([AssumptionWarning(f"{what}: make it again if many documents were judged since.")])

    def learnt(self, measure: Measure) -> Learnt:
        """Return the scores of a measure; refuse one for which nothing was learnt."""
        if str(measure) not in self.scores:
            known = ", ".join(self.scores) or "no measure"
            raise UsageError(f"the calibration has no {measure}; it has {known}")
        rows = np.array(self.scores[str(measure)], float).reshape(-1, 3)
        return Learnt(rows[:, 0].astype(np.int64), rows[:, 1], rows[:, 2])

    def check(self, measure: Measure, confidence: float, runs: int = 1) -> None:
        """Refuse a level that the groups, or the scores of this measure, cannot give."""
        self.learnt(measure)
        if problem := self.too_few_groups(confidence, runs, [measure]):
            raise UsageError(problem)

    def refusal(self, measure: Measure, confidence: float, runs: int = 1) -> str:
        """Say why a measure has no interval; nothing if it has one."""
        try:
            self.check(measure, confidence, runs)
        except UsageError as error:
            return str(error)
        return ""

    def level(self, confidence: float, runs: int = 1, measures: Sequence[Measure] = ()) -> float:
        """Return this confidence, or the highest that some of the measures can have."""
        most = _most(self._deciding(measures, runs)[0], runs)
        return most if self.too_few_groups(confidence, runs, measures) else confidence

    def too_few_groups(self, confidence: float, runs: int = 1, measures: Sequence[Measure] = ()) -> str:
        """Say that none of the measures can have this confidence, and which they can; nothing if one can."""
        count, what, which = self._deciding(measures, runs)
        return _too_few(count, what, confidence, runs, which)

    def _deciding(self, measures: Sequence[Measure], runs: int) -> tuple[int, str, str]:
        """Count what limits the level: the groups, or the scores of the measure that has the most."""
        learnt = {measure: self.learnt(measure) for measure in measures if str(measure) in self.scores}
        counts = {m: len(own.score) if runs == 1 else own.groups for m, own in learnt.items()}
        most = max(counts, key=lambda measure: counts[measure], default=None)
        if most is None or self.groups <= counts[most]:
            return self.groups, "group", ""
        kind = "left-out run" if runs == 1 else "left-out group"
        return counts[most], kind, f" with unjudged documents that count for {most}"

    def means(self, measure: Measure, rankings: JudgedRankings, confidence: float) -> CalibratedMeans:
        """Return the mean of each run with its calibrated interval, or bounds if it is unlike the others."""
        self.check_collection(rankings.judgments)
        self.check(measure, confidence)
        learnt = self.learnt(measure)
        rankings, queries = rankings.cut(self.depth), len(rankings.judgments.queries)
        value = mean_over_queries(measure.compute(rankings).reshape(-1, queries))
        least, most = mean_bounds(measure, rankings, queries)
        first = FirstDocuments.of(rankings, queries)
        scale = scale_of(most - least, first.relevant)
        unlike = (scale > 0) & self.unlike_runs(rankings)
        reach = np.where(unlike, most - least, scale * learnt.radius(confidence))
        low, high = np.maximum(value - reach, least), np.minimum(value + reach, most)
        return CalibratedMeans(measure, learnt, value, low, high, least, most, scale, first, unlike)

    def unlike_runs(self, rankings: JudgedRankings) -> Mask:
        """Return the runs whose first documents are unlike those of the left-out ones."""
        first = FirstDocuments.of(rankings.cut(self.depth), len(rankings.judgments.queries))
        return unusual(first, FirstDocuments(np.array(self.unjudged), np.array(self.relevant)))

    def describe(self, means: CalibratedMeans, run: int, name: str) -> str:
        """Say what was assumed, and where the run lies among the left-out ones."""
        learnt = f"calibrated on {self.runs} runs of {self.groups} groups, cut at rank {self.depth}"
        shares = self._shares(means, run, name)
        if means.unlike[run]:
            return f"{learnt}; unlike them ({shares}), so these are bounds: {SPOT_CHECK}"
        return f"{learnt}, each group left out in turn; assumes a run like theirs ({shares})"

    def unlike(self, means: CalibratedMeans, names: Sequence[str]) -> list[str]:
        """Say which runs are unlike the left-out ones, so that their differences have no interval."""
        said = "No calibrated interval with {}, which is unlike the pooled runs ({}): {}."
        unlike = np.flatnonzero(means.unlike).tolist()
        return [said.format(names[run], self._shares(means, run, names[run]), SPOT_CHECK) for run in unlike]

    def _shares(self, means: CalibratedMeans, run: int, name: str) -> str:
        """Say where the shares of a run's first documents lie among those of the left-out runs."""
        unjudged, relevant = float(means.first.unjudged[run]), float(means.first.relevant[run])
        above = [
            f"{np.mean(np.array(known) < own - 1e-12):.0%}"
            for known, own in ((self.unjudged, unjudged), (self.relevant, relevant))
        ]
        return (
            f"of the first {FIRST} documents of {name}, {unjudged:.0%} are unjudged, more than in {above[0]} "
            f"of the left-out runs, and {relevant:.0%} of the judged are relevant, more than in {above[1]}"
        )

    def save(self, path: PathLike) -> None:
        """Write the calibration to a small JSON file, whole or not at all, for use without the runs."""
        write_whole(path, self.to_json())

    def to_json(self) -> str:
        return calibration_text(asdict(self))

    @classmethod
    def load(cls, path: PathLike) -> Calibration:
        """Read a file that `save` or `unjudged calibrate` wrote."""
        return cls(**calibration_fields(path))


def _most(count: int, runs: int) -> float:
    """Return the highest confidence that this number of scores can give, in whole thousandths."""
    return math.floor(1000 * count / (count + NEW_GROUPS[runs]) + 1e-9) / 1000


def _too_few(count: int, what: str, confidence: float, runs: int, which: str = "") -> str:
    """Say that this number of scores cannot give a level, and which they can; nothing if they can."""
    if confidence * (count + NEW_GROUPS[runs]) <= count + 1e-9:
        return ""
    level = f"{100 * confidence:.4g} % confidence" + ("" if runs == 1 else " to the difference of two runs")
    least = f"{'it' if count == 1 else 'they'} can give at most {100 * _most(count, runs):g} %"
    return f"{counted(count, what)}{which} cannot give {level}; {least}"
