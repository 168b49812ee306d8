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
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from unjudged.errors import InputError, UsageError
from unjudged.measures.averages import mean_over_queries
from unjudged.measures.registry import Measure
from unjudged.rankings.judged import Floats, Integers, JudgedRankings
from unjudged.uncertainty.bounds import bounds
from unjudged.uncertainty.left_out import LeftOut, unjudged_share

MOST_PAIRS = 200
LARGEST_FILE = 1 << 24
UNITS = ("runs", "groups")
SCHEMA = "unjudged calibration 1"


@dataclass(frozen=True)
class Calibration:
    """What leaving out each group taught: a score per left-out run (or group) and measure.

    `prevalence` is the share of relevant documents among those that only one group retrieved, at ranks 1, 2,
    3-4, 5-8, ...; `unjudged` is the share of unjudged documents in the first ten of each left-out run.
    """

    groups: int
    runs: int
    queries: int
    depth: int
    unit: str
    prevalence: tuple[float, ...]
    unjudged: tuple[float, ...]
    scores: Mapping[str, tuple[float, ...]]
    differences: Mapping[str, tuple[float, ...]]

    def radius(self, measure: Measure, confidence: float, *, difference: bool = False) -> float:
        """The score that so large a share of left-out runs (or pairs of them) does not exceed."""
        known = self.differences if difference else self.scores
        self.check_has(measure, difference=difference)
        scores = np.sort(known[str(measure)])
        _check_reach(self.groups, "groups", confidence)
        _check_reach(
            len(scores), f"left-out runs with unjudged documents that count for {measure}", confidence
        )
        return float(scores[_place(len(scores), confidence) - 1])

    def check_has(self, measure: Measure, *, difference: bool = False) -> None:
        """Refuse a measure for which nothing was learnt."""
        known = self.differences if difference else self.scores
        if str(measure) not in known:
            raise UsageError(f"the calibration has no {measure}; it has {', '.join(known) or 'no measure'}")

    def describe(self, share: float) -> str:
        """What was assumed, and where the share of unjudged documents of a new run lies."""
        above = float(np.mean(np.asarray(self.unjudged) < share - 1e-12))
        return (
            f"calibrated on {self.runs} runs of {self.groups} groups, each group left out in turn; assumes a "
            f"run like theirs ({share:.0%} of its top 10 is unjudged, more than in {above:.0%} of the "
            "left-out runs)"
        )

    def save(self, path: str | Path) -> None:
        """Write the calibration to a small JSON file, for use without the runs."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    def to_json(self) -> str:
        return json.dumps({"schema": SCHEMA, **asdict(self)}, indent=1) + "\n"

    @classmethod
    def load(cls, path: str | Path) -> Calibration:
        """Read a file that `save` or `unjudged calibrate` wrote."""
        try:
            with Path(path).open("rb") as file:
                data = file.read(LARGEST_FILE + 1)
            fields = json.loads(data.decode()) if len(data) <= LARGEST_FILE else {}
        except OSError as error:
            raise InputError(f"{path}: cannot be read: {error.strerror}") from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"{path}: not a calibration: {error}") from None
        return cls._checked(path, fields)

    @classmethod
    def _checked(cls, path: str | Path, fields: object) -> Calibration:
        problem = f"{path}: not a calibration: use a file written by `unjudged calibrate`"
        if not isinstance(fields, dict) or fields.get("schema") != SCHEMA:
            raise InputError(problem)
        try:
            found = cls(
                groups=_count(fields["groups"]),
                runs=_count(fields["runs"]),
                queries=_count(fields["queries"]),
                depth=_count(fields["depth"]),
                unit=str(fields["unit"]),
                prevalence=_numbers(fields["prevalence"]),
                unjudged=_numbers(fields["unjudged"]),
                scores=_by_measure(fields["scores"]),
                differences=_by_measure(fields["differences"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError):
            raise InputError(problem) from None
        if found.unit not in UNITS:
            raise InputError(problem)
        return found


def _place(count: int, confidence: float) -> int:
    """Which of so many sorted scores bounds the score of a new run: ceil((n + 1) confidence)."""
    return math.ceil((count + 1) * confidence - 1e-9)


def _check_reach(count: int, what: str, confidence: float) -> None:
    """Refuse a level that so many scores cannot give."""
    if _place(count, confidence) > count:
        most = math.floor(1000 * count / (count + 1)) / 10
        raise UsageError(
            f"{count} {what} cannot give {confidence:.0%} confidence; the most they can give is {most:g} %"
        )


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value < 1 << 31:
        raise ValueError("not a number of things")
    return value


def _numbers(values: object) -> tuple[float, ...]:
    if not isinstance(values, list) or not all(isinstance(value, float | int) for value in values):
        raise TypeError("not a list of numbers")
    if not all(math.isfinite(number) and number >= 0 for number in values):
        raise ValueError("a score is not a number from 0")
    return tuple(map(float, values))


def _by_measure(scores: dict[str, object]) -> dict[str, tuple[float, ...]]:
    if not all(name.isprintable() for name in scores):
        raise ValueError("not the name of a measure")
    return {name: _numbers(own) for name, own in scores.items()}


def calibrated(
    rankings: JudgedRankings,
    group: Sequence[int] | Integers,
    measures: Sequence[Measure],
    *,
    depth: int = 100,
    unit: str = "runs",
    differences: bool = True,
) -> Calibration:
    """Leave out each group of the pooled runs in turn, and each pair of groups for differences.

    `unit` is 'runs', or 'groups' for one score per group, its largest, which is safer and wider.
    """
    if unit not in UNITS:
        raise UsageError(f"unit is {unit!r}: use 'runs' or 'groups'")
    if depth < 1:
        raise UsageError(f"depth is {depth}: use a whole number of at least 1")
    left_out = LeftOut.of(rankings, group, depth)
    if left_out.groups < 2:
        raise UsageError("calibration needs at least two groups of pooled runs")
    each = left_out.each()
    scores = {}
    for measure in measures:
        measure.check_completable()
        measure.check_mean()
        truth, value, width = _left_out_values(left_out, measure, each)
        open_to_judging = width > 1e-12
        score = np.abs(truth - value)[open_to_judging] / np.sqrt(width[open_to_judging])
        scores[str(measure)] = _by_unit(score, left_out.group[open_to_judging], unit)
    queries = len(rankings.judgments.queries)
    return Calibration(
        groups=left_out.groups,
        runs=len(left_out.group),
        queries=queries,
        depth=depth,
        unit=unit,
        prevalence=tuple(left_out.prevalence().tolist()),
        unjudged=tuple(unjudged_share(each, queries).tolist()),
        scores=scores,
        differences=_difference_scores(left_out, measures) if differences else {},
    )


def _left_out_values(
    left_out: LeftOut, measure: Measure, each: JudgedRankings
) -> tuple[Floats, Floats, Floats]:
    """Of each run the true mean, the mean without its group's documents, and the width of its bounds."""
    low, high = mean_bounds(measure, each, len(left_out.rankings.judgments.queries))
    return left_out.means(measure, left_out.rankings), left_out.means(measure, each), high - low


def mean_bounds(measure: Measure, rankings: JudgedRankings, queries: int) -> tuple[Floats, Floats]:
    """The bounds of each run's mean; documents after the end of a ranking do not count."""
    found = bounds(measure, rankings, after_end=False)
    low, high = (mean_over_queries(end.reshape(-1, queries)) for end in (found.low, found.high))
    return low, high


def _by_unit(score: Floats, group: Integers, unit: str) -> tuple[float, ...]:
    if unit == "groups":
        score = np.array([score[group == g].max() for g in np.unique(group)])
    return tuple(np.sort(score).tolist())


def _difference_scores(left_out: LeftOut, measures: Sequence[Measure]) -> dict[str, tuple[float, ...]]:
    """Scores of differences between runs of two groups that were left out together.

    The bounds of a difference are those of its runs, one low and the other high.
    """
    found: dict[str, list[float]] = {str(measure): [] for measure in measures}
    queries = len(left_out.rankings.judgments.queries)
    truths = {str(m): left_out.means(m, left_out.rankings) for m in measures}
    for runs, rankings in left_out.pairs(MOST_PAIRS):
        one, other = np.nonzero(left_out.group[runs][:, None] < left_out.group[runs][None, :])
        for measure in measures:
            low, high = mean_bounds(measure, rankings, queries)
            value, truth = left_out.means(measure, rankings), truths[str(measure)][runs]
            width = (high - low)[one] + (high - low)[other]
            error = np.abs((truth - value)[one] - (truth - value)[other])
            scores = error[width > 1e-12] / np.sqrt(width[width > 1e-12])
            found[str(measure)].extend(scores.tolist())
    return {name: tuple(np.sort(scores).tolist()) for name, scores in found.items()}
