"""Calibrated intervals: how far off were the pooled groups when each was left out?

For each left-out run, truth is its mean under all judgments, and value its mean with the documents of its
own group unjudged. The score |truth - value| / sqrt(high - low), with the bounds in the root, says how far
off the value was. Split conformal prediction turns the scores into an interval: value +- s sqrt(high - low),
s the ceil((n + 1) confidence)-th smallest score, cut to the bounds. It holds for a run that is like the
left-out ones.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.errors import AssumptionWarning, InputError, UsageError, announce
from unjudged.base.wording import counted
from unjudged.formats.small_files import number_in_file, read_small, whole_in_file
from unjudged.formats.streams import PathLike, display_name
from unjudged.formats.writing import write_whole
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings, Mask
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.left_out import mean_bounds, unjudged_share

UNITS = ("runs", "groups")
SCHEMA, VERSION = "unjudged calibration", 2


@dataclass(frozen=True, eq=False)
class CalibratedMeans:
    """Mean of each run, the ends of its interval, and the share of unjudged documents in its top ten.

    Runs that are `unlike` the left-out ones have bounds instead.
    """

    value: Floats
    low: Floats
    high: Floats
    share: Floats
    unlike: Mask


class LeftOutShare(NamedTuple):
    """Highest plausible share of relevant documents among those that a new run brings.

    `share` was not exceeded in so many of 100 left-out groups, `level` of them, or in none of too few groups.
    """

    share: float
    groups: int
    level: float

    def __str__(self) -> str:
        shown = f"{self.share:.2g}" if self.share == 0 else f"{100 * self.share:.2g}%"
        if self.level == 1:
            return f"among {self.groups} left-out groups the share was never above {shown}"
        return f"among left-out groups the share was at most {shown} in {100 * self.level:g} of 100 cases"


@dataclass(frozen=True)
class Calibration:
    """Lessons of leaving out each group: a score per left-out run (or group) and measure.

    `prevalence` is the share of relevant documents among those that only one group retrieved, at ranks 1, 2,
    3-4, 5-8, ...; `unjudged` is the share of unjudged documents in the first ten of each left-out run;
    `brought` is the share of relevant documents among those that each group alone brought.

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
    scores: Mapping[str, tuple[float, ...]]
    topics: str = ""
    fingerprint: str = ""
    judgments: str = ""
    made_by: str = ""
    brought: tuple[float, ...] = ()

    def left_out_share(self) -> LeftOutShare | None:
        """Return the share that 5 of 100 left-out groups exceed, or the largest of fewer than 19 groups."""
        shares, level = sorted(self.brought), 0.95
        if not shares:
            return None
        place = _place(len(shares), level)
        few = place > len(shares)
        return LeftOutShare(shares[-1 if few else place - 1], len(shares), 1.0 if few else level)

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

    def radius(self, measure: Measure, confidence: float, runs: int = 1) -> float:
        """Return the score that a share `confidence` of left-out runs does not exceed.

        The intervals of two `runs` hold at once with this confidence if each has half of the error
        (Bonferroni).
        """
        self.check_has(measure)
        scores = np.sort(self.scores[str(measure)])
        which = f" with unjudged documents that count for {measure}"
        problem = self.too_few_groups(confidence, runs)
        problem = problem or _too_few(len(scores), "left-out run", confidence, runs, which)
        if problem:
            raise UsageError(problem)
        return float(scores[_place(len(scores), _of_each(confidence, runs)) - 1])

    def level(self, confidence: float, runs: int = 1) -> float:
        """Return this confidence, or the highest that the groups can give."""
        return _most(self.groups, runs) if self.too_few_groups(confidence, runs) else confidence

    def too_few_groups(self, confidence: float, runs: int = 1) -> str:
        """Say that the groups cannot give this confidence, and which they can; nothing if they can."""
        return _too_few(self.groups, "group", confidence, runs)

    def refusal(self, measure: Measure, confidence: float, runs: int = 1) -> str:
        """Say why a measure has no interval; nothing if it has one."""
        try:
            self.radius(measure, confidence, runs)
        except UsageError as error:
            return str(error)
        return ""

    def check_has(self, measure: Measure) -> None:
        """Refuse a measure for which nothing was learnt."""
        if str(measure) not in self.scores:
            known = ", ".join(self.scores) or "no measure"
            raise UsageError(f"the calibration has no {measure}; it has {known}")

    def means(
        self, measure: Measure, rankings: JudgedRankings, confidence: float, at_once: int = 1
    ) -> CalibratedMeans:
        """Return the mean of each run with its calibrated interval.

        A run with more unjudged documents than any left-out run is not like them: it gets its bounds.
        """
        self.check_collection(rankings.judgments)
        rankings, queries = rankings.cut(self.depth), len(rankings.judgments.queries)
        value = mean_over_queries(measure.compute(rankings).reshape(-1, queries))
        low, high = mean_bounds(measure, rankings, queries)
        share = unjudged_share(rankings, queries)
        unlike = share > max(self.unjudged, default=0.0) + 1e-12
        reach = np.where(unlike, np.inf, self.radius(measure, confidence, at_once)) * np.sqrt(
            np.maximum(high - low, 1e-300)
        )
        return CalibratedMeans(
            value, np.maximum(value - reach, low), np.minimum(value + reach, high), share, unlike
        )

    def difference(
        self, measure: Measure, rankings: JudgedRankings, a: int, b: int, confidence: float
    ) -> tuple[float, float, float]:
        """Return the difference of the means of runs a and b with its interval: value, low, high.

        A run without unjudged documents that count has no error, so the other may have all of it.
        """
        sure = self.means(measure, rankings, confidence)
        alone = min(sure.high[a] - sure.low[a], sure.high[b] - sure.low[b]) <= 1e-12
        found = sure if alone else self.means(measure, rankings, confidence, at_once=2)
        return (
            float(found.value[a] - found.value[b]),
            float(found.low[a] - found.high[b]),
            float(found.high[a] - found.low[b]),
        )

    def describe(self, share: float, *, unlike: bool = False) -> str:
        """Say what was assumed, and where the share of unjudged documents of a new run lies."""
        learnt = f"calibrated on {self.runs} runs of {self.groups} groups, cut at rank {self.depth}"
        if unlike:
            more = f"more of its top 10 is unjudged ({share:.0%}) than of any left-out run"
            return f"{learnt}; {more}, so these are bounds"
        above = float(np.mean(np.asarray(self.unjudged) < share - 1e-12))
        return (
            f"{learnt}, each group left out in turn; assumes a run like theirs ({share:.0%} of its top 10 is "
            f"unjudged, more than in {above:.0%} of the left-out runs)"
        )

    def save(self, path: PathLike) -> None:
        """Write the calibration to a small JSON file, whole or not at all, for use without the runs."""
        write_whole(path, self.to_json())

    def to_json(self) -> str:
        return json.dumps({"schema": f"{SCHEMA} {VERSION}", **asdict(self)}, indent=1) + "\n"

    @classmethod
    def load(cls, path: PathLike) -> Calibration:
        """Read a file that `save` or `unjudged calibrate` wrote."""
        remedy, source = "use a file written by `unjudged calibrate`", display_name(path)
        try:
            fields = json.loads(read_small(path, "a calibration"))
        except (ValueError, RecursionError):
            fields = None
        fields = fields if isinstance(fields, dict) else {}
        schema, _, version = str(fields.get("schema")).rpartition(" ")
        if schema != SCHEMA or not version.isdecimal():
            raise InputError(f"not a calibration: {remedy}", source=source)
        if version != str(VERSION):
            older = "version 0.2 wrote it, which did not record the collection: make it again"
            newer = "a newer version of this package wrote it, which this one cannot read: update"
            raise InputError(older if version == "1" else newer, source=source)
        try:
            return cls._of_fields(fields)
        except InputError as error:
            raise InputError(f"not a calibration: {error.problem}; {remedy}", source=source) from None

    @classmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Calibration:
        """Check every field of a file."""
        if fields.get("unit") not in UNITS:
            raise InputError(f"its unit is none of {', '.join(UNITS)}")
        scores = fields.get("scores")
        if not isinstance(scores, dict) or not all(name.isprintable() for name in scores):
            raise InputError("its scores have no measures")
        groups, runs, queries, depth = (
            whole_in_file(name, fields.get(name), 1) for name in ("groups", "runs", "queries", "depth")
        )
        prevalence, unjudged = (_numbers(name, fields.get(name)) for name in ("prevalence", "unjudged"))
        by_measure = {measure: _numbers("a score", own) for measure, own in scores.items()}
        names = ("topics", "fingerprint", "judgments", "made_by")
        texts: list[Any] = [fields.get(name) for name in names]
        if not all(isinstance(text, str) and text.isprintable() for text in texts):
            raise InputError(f"it does not say what it was made from ({', '.join(names)})")
        counts = groups, runs, queries, depth
        brought = _numbers("a share of relevant documents", fields.get("brought", []))
        return cls(
            *counts,
            fields["unit"],
            prevalence,
            unjudged,
            by_measure,
            **dict(zip(names, texts, strict=True)),
            brought=brought,
        )


def _numbers(what: str, values: object) -> tuple[float, ...]:
    """Return numbers of at least 0 that a file holds as a list."""
    if not isinstance(values, list):
        raise InputError(f"{what} is not a list of numbers")
    return tuple(number_in_file(what, value, 0) for value in values)


def _place(count: int, confidence: float) -> int:
    """Return the place of the sorted score that bounds a new run's: ceil((n + 1) confidence)."""
    return math.ceil((count + 1) * confidence - 1e-9)


def _of_each(confidence: float, runs: int) -> float:
    """Return the confidence that each of the intervals needs for all to hold with this one."""
    return 1 - (1 - confidence) / runs


def _most(count: int, runs: int) -> float:
    """Return the highest confidence that this number of scores can give, in whole thousandths."""
    return max(1000 * (count + 1 - runs) // (count + 1), 0) / 1000


def _too_few(count: int, what: str, confidence: float, runs: int, which: str = "") -> str:
    """Say that this number of scores cannot give a level, and which they can; nothing if they can."""
    if _place(count, _of_each(confidence, runs)) <= count:
        return ""
    level = f"{100 * confidence:.4g} % confidence" + ("" if runs == 1 else " to the difference of two runs")
    least = f"{'it' if count == 1 else 'they'} can give at most {100 * _most(count, runs):g} %"
    return f"{counted(count, what)}{which} cannot give {level}; {least}"
