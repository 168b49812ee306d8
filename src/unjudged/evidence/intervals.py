"""Intervals of systems: the methods of this package, and the registry for any other.

    @interval("mine", "what the interval covers", judgments=ALL_JUDGED)
    def mine(contrast: Contrast, how: How, *, share: float = 0.5) -> Columns: ...

makes `mine(share=0.2)` an interval everywhere. A method returns columns of registered fields, a value per
system, and `method`, how they were made. What it needs from a source is a part of the contrast that `needs`
names; where the source lacks it, or the method refuses a measure, the value stands alone with the reason.

Where predictions of further queries are known, the mean over other queries is prediction-powered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from unjudged.base.choices import Choices, called, check_confidence, check_parameters, checked_int
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.evidence.calibration import Calibration
from unjudged.evidence.completions import Completions, GivenPrevalence, in_threads
from unjudged.evidence.contrast import Contrast, Ends, ends_of_estimates, in_own_direction, independent
from unjudged.evidence.distributions import t_quantile
from unjudged.evidence.mean_intervals import (
    FEW,
    FEW_IN_RANGE,
    HALL,
    has_range,
    interval_of_mean,
    shape_of,
    t_half,
    within,
)
from unjudged.evidence.powered import powered_means
from unjudged.evidence.rankings_evidence import BOUNDING, ends_of
from unjudged.evidence.unjudged_sums import FEW_QUERIES, UnjudgedSum, is_sum
from unjudged.evidence.value_bounds import bounds, check_bounded
from unjudged.measures.kernel.measure import mean_over_queries
from unjudged.measures.kernel.permitted import (
    ALL_JUDGED,
    AS_THEY_ARE,
    LEAVING_OUT,
    OTHER,
    POOL_JUDGED,
    SAMPLED,
    THESE,
    UNKNOWN_JUDGMENTS,
    Use,
    permitted,
)
from unjudged.measures.kernel.registry import BOUNDS, Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.origin import ANY, CHECKED, SAMPLES, Kind

Columns = dict[str, Any]
Progress = Callable[[int, int], None]
NEEDS = {
    "ends": "judgments",
    "rankings": "judgments and runs",
    "calibration": "judgments.calibration=FILE, or judgments.pooled and groups, in the description",
}
"""Parts of a contrast that methods need, in words."""


class NoIntervalError(UsageError):
    """None of the measures can have the interval."""


def rankings_of(contrast: Contrast) -> JudgedRankings:
    """Return the judged rankings of a contrast, for a method that needs them."""
    if contrast.rankings is None:
        raise UsageError(f"this interval needs {NEEDS['rankings']}, and {contrast.missing}")
    return contrast.rankings


@dataclass(frozen=True)
class How:
    """How an interval is made by any method."""

    confidence: float = 0.95
    seed: int = 0
    on_progress: Progress | None = None

    def report(self, done: int, runs: int) -> None:
        """Report that this number of runs is done."""
        if self.on_progress is not None:
            self.on_progress(done, runs)


Make = Callable[..., Columns]


@dataclass(frozen=True)
class Interval:
    """A way to make intervals: what it covers in a few words, what it estimates, and from which judgments."""

    name: str
    covers: str
    make: Make
    needs: str
    use: Use
    cite: tuple[str, ...] = ()
    """Keys of the works to cite."""

    @property
    def parameters(self) -> list[str]:
        """Names of what may be written in brackets."""
        return [*(self.make.__kwdefaults__ or {}), "confidence", "seed"]


INTERVALS: Choices[Interval] = Choices("interval")
"""Every interval method by name."""


def interval(
    name: str,
    covers: str,
    *,
    needs: str = "",
    queries: str = THESE,
    judgments: str = AS_THEY_ARE,
    takes: frozenset[Kind] = ANY,
    instead: str = "",
    check: Callable[[Measure], None] | None = None,
    geometric: bool = False,
    cite: tuple[str, ...] = (),
) -> Callable[[Make], Make]:
    """Register a function as the interval method `name`; its keywords are what may be written in brackets.

    `needs` is a part of the contrast. `instead` says what to use for judgments that it does not take.
    `geometric` if it can be of a geometric mean. `cite` are keys of the works that define it.
    """
    use = Use(f"the {name!r} interval", takes, queries, judgments, instead, check, geometric=geometric)

    def register(make: Make) -> Make:
        INTERVALS.add(name, Interval(name, covers, make, needs, use, cite))
        return make

    return register


@dataclass(frozen=True)
class Asked:
    """An interval method with what was written in brackets."""

    method: Interval
    how: How = How()
    given: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""

    def __str__(self) -> str:
        return self.text

    @classmethod
    def of(cls, text: str, how: How = How()) -> Asked:
        """Parse a text such as `model(prevalence=0.2, confidence=0.9)`."""
        name, given = called(text)
        method = INTERVALS.find(name)
        check_parameters(text, given, method.parameters)
        how = replace(how, **{word: given.pop(word) for word in ("confidence", "seed") if word in given})
        check_confidence(how.confidence)
        checked_int("seed", how.seed)
        return cls(method, how, given, text)

    def columns(self, contrast: Contrast) -> Columns | Refusal:
        """Return what the method finds of each system, or why the measure or the source cannot have it."""
        name, needs = self.method.name, self.method.needs
        judgments = None if contrast.rankings is None else contrast.rankings.judgments
        answer = permitted(contrast.measure, judgments, self.method.use)
        if isinstance(answer, Refusal) and judgments is not None:
            return answer
        if needs and getattr(contrast, needs) is None:
            return Refusal(f"{name!r} intervals need {NEEDS[needs]}, and {contrast.missing}", "use 'queries'")
        if isinstance(answer, Refusal):
            return answer
        try:
            made = self.method.make(contrast, self.how, **self.given)
        except UsageError as error:
            return Refusal(str(error), "")
        return {"confidence": self.how.confidence, **made}


@interval(
    "queries",
    "other queries, these judgments",
    queries=OTHER,
    geometric=True,
    cite=("student1908", "hall1992"),
)
def queries(contrast: Contrast, how: How) -> Columns:
    """Return intervals of means over other queries; unjudged documents count as the measure takes them."""
    measure, count = contrast.measure, independent(contrast.scores.shape[1], contrast.clusters)
    clusters = contrast.clusters
    if contrast.surrogate is not None:
        powered, (_, low, high) = powered_means(contrast, 1 - how.confidence)
        low, high = np.maximum(low, measure.range[0]), np.minimum(high, measure.range[1])
        told = [f"other queries (prediction-powered, lambda {one.weight:.3f})" for one in powered]
        return {"query_low": low, "query_high": high, "method": told}
    unit = "query" if clusters is None else "cluster"
    if count < 2 and not has_range(measure):
        raise UsageError(f"{measure.name} has no lowest or no highest value, so one {unit} gives no interval")
    if contrast.error is not None:
        return _of_estimates(contrast, how)
    ranged = has_range(measure)
    said = HALL if ranged else f"Student's t{' of logarithms' * measure.geometric}"
    if 1 < count < (few := FEW_IN_RANGE if ranged else FEW):
        of = "queries" if clusters is None else "clusters"
        said += f", which holds less often than it says with fewer than {few} {of}"
    said += "" if clusters is None else f" of {counted(len(clusters), 'cluster')}"
    taken = SAMPLED if measure.traits.estimates else "unjudged documents as the measure takes them"
    if contrast.rankings is None:
        taken = UNKNOWN_JUDGMENTS
    values = measure.mean_of(measure.sign * contrast.values)
    low, high = interval_of_mean(measure, values, how.confidence, clusters)
    return {
        "query_low": low,
        "query_high": high,
        "method": f"other queries of the same kind ({said}); {taken}",
    }


def _of_estimates(contrast: Contrast, how: How) -> Columns:
    """Return Student's intervals of unbiased estimates, which may lie outside the range."""
    measure = contrast.measure
    values = measure.sign * contrast.values
    _, deviation, _, n = shape_of(values, contrast.clusters)
    if n < 2:
        raise UsageError("an interval over queries needs two queries or more")
    half = t_half(deviation, n, how.confidence)
    each = zip(mean_over_queries(values).tolist(), half.tolist(), strict=True)
    low, high = np.array([within(mean, own, measure.range) for mean, own in each]).T
    return {"query_low": low, "query_high": high, "method": "other queries (Student's t)"}


@interval(
    "bounds",
    "all that judging could make of it",
    needs="ends",
    judgments=ALL_JUDGED,
    takes=BOUNDING.takes,
    instead="use 'queries'",
    check=check_bounded,
    geometric=True,
    cite=("moffat2008",),
)
def between_bounds(contrast: Contrast, _: How, *, extra_relevant: int = 0) -> Columns:
    """Return the lowest and highest mean that any completion of the judgments gives.

    `extra_relevant` documents in neither the ranking nor the pool may be relevant too.
    """
    measure, ends, holds = contrast.measure, contrast.ends, contrast.holds
    if extra_relevant:
        if contrast.rankings is None:
            raise UsageError(f"documents outside the pool need {NEEDS['rankings']}: omit extra_relevant")
        found, holds = ends_of(measure, contrast.rankings, contrast.scores, extra_relevant)
        ends = Ends(*(mean_over_queries(end[contrast.first]) for end in found))
    assert ends is not None  # noqa: S101 (it is needed)
    low, high = (np.where(contrast.known, measure.mean_of(end), np.nan) for end in ends)
    low, high = in_own_direction(measure.sign, low, high)
    return {"low": low, "high": high, "confidence": 1.0, "method": holds}


@interval(
    "sampling",
    "these queries, other documents drawn",
    judgments=POOL_JUDGED,
    takes=SAMPLES | {CHECKED},
    instead="use 'bounds'; 'sampling' is for judgments that were drawn at random (unjudged next): if these "
    "were, say so (--set judgments.how=sample)",
    cite=("horvitz1952", "desraj1956", "yilmaz2008b", "hall1992"),
)
def sampling(contrast: Contrast, how: How) -> Columns:
    """Return intervals of estimates from drawn documents, had others been drawn."""
    measure = contrast.measure
    if contrast.error is None:
        raise UsageError(
            contrast.unestimated or f"{measure} is not estimated from the documents that were drawn"
        )
    means = measure.sign * mean_over_queries(contrast.values)
    low, high = ends_of_estimates(contrast, means, how.confidence, measure.range)
    return {"estimate_low": low, "estimate_high": high, "method": "other documents drawn"}


@interval(
    "calibrated",
    "these queries, a run like the pooled groups",
    needs="rankings",
    judgments=ALL_JUDGED,
    takes=LEAVING_OUT.takes,
    instead=LEAVING_OUT.instead,
    cite=("vovk2005", "lei2018"),
)
def calibrated(contrast: Contrast, how: How, *, file: str | None = None) -> Columns:
    """Return intervals that held for the share `confidence` of the left-out runs of the pool.

    The calibration is the collection's, or in a file that `Calibration.save` wrote. If there are too
    few groups for that, they have the highest level that the groups can give, and say so.
    """
    find = contrast.calibration
    calibration = Calibration.load(file) if file is not None else None if find is None else find()
    if calibration is None or contrast.rankings is None:
        raise UsageError(f"'calibrated' intervals need {NEEDS['calibration']}")
    level, problem = calibration.level(how.confidence), calibration.too_few_groups(how.confidence)
    calibration.check(contrast.measure, level)
    means = calibration.means(contrast.measure, contrast.rankings, level)
    told, confidence = [], []
    for system in contrast.first.tolist():
        said = calibration.describe(means, system, contrast.systems[system])
        unlike = bool(means.unlike[system])
        told.append(f"{said}; {problem}" if problem and not unlike else said)
        confidence.append(1.0 if unlike else level)
    return {
        "estimate": means.value[contrast.first],
        "calibrated_low": means.low[contrast.first],
        "calibrated_high": means.high[contrast.first],
        "confidence": confidence,
        "method": told,
        "estimated_measure": contrast.measure.cut_at(calibration.depth),
    }


DRAWS, DRAWS_OF_MANY_QUERIES = 1000, 128
"""A mean over many queries is close to Normal, so its deviation is enough and needs fewer completions.

The interval then is Student's for one more draw, which allows for their number.
"""
FIRST_RANKS, MOST_RANKS = 1 << 8, 1 << 16
UNSEEN_WEIGHT = 1e-13
"""What the ranks together weigh that no user reaches."""
NEEDED = "the probability that an unjudged document is relevant, as a number or one per rank band"

Found = tuple[float, float, float, str]
"""Value, low and high end, and how they were made."""


def check_completed(measure: Measure) -> None:
    """Refuse a measure that completed judgments say nothing about."""
    measure.check_completable()
    if not (measure.traits.quality or measure.traits.monotone):
        raise UsageError(f"{measure.name} describes the judgments, which completing them would change")


@interval(
    "model",
    "these queries, given a prevalence",
    needs="rankings",
    judgments=ALL_JUDGED,
    check=check_completed,
    cite=("carterette2006", "park2016"),
)
def model(
    contrast: Contrast, how: How, *, prevalence: GivenPrevalence | None = None, draws: int | None = None
) -> Columns:
    """Return intervals of the means over these queries when unjudged documents are relevant so often."""
    if prevalence is None:
        raise UsageError(f"this interval needs a prevalence, {NEEDED}: give it, or use 'bounds'")
    asked: object = prevalence
    if isinstance(asked, str):
        raise UsageError(
            f"prevalence is {asked!r}, expected {NEEDED}: judged documents were chosen because they ranked "
            "high, so their share is too high; use 'bounds' or 'calibrated' if you know none"
        )
    given, measure, rankings = prevalence, contrast.measure, rankings_of(contrast)
    rel, length = int(measure.given.get("rel", 1)), last_rank(measure)

    def of_system(system: int) -> Found:
        run = rankings.run(system)
        completions = Completions.of_run(run.lengthened(length), given, rel=rel, seed=how.seed)
        if is_sum(measure):
            total = UnjudgedSum.of(completions, measure)
            value = float(mean_over_queries(total.expected))
            low, high, said = total.interval(how.confidence)
        else:
            value, low, high, said = _of_draws(completions, run, measure, how.confidence, draws)
        return value, min(low, value), max(high, value), f"{completions.prevalence.assumption}; {said}"

    found = []
    for one in in_threads(of_system, contrast.first.tolist()):
        found.append(one)
        how.report(len(found), len(contrast))
    value, low, high, said = zip(*found, strict=True)
    ends = {"estimate_low": np.array(low), "estimate_high": np.array(high)}
    return {"estimate": np.array(value), **ends, "method": list(said)}


def _of_draws(
    completions: Completions, run: JudgedRankings, measure: Measure, confidence: float, draws: int | None
) -> Found:
    """Return the interval from random completions, cut to the bounds where they are cheap."""
    queries, tail = len(run), (1 - confidence) / 2
    draws = draws or (DRAWS if queries < FEW_QUERIES else DRAWS_OF_MANY_QUERIES)
    graded = completions.rankings.judgments.highest > completions.rel
    said = f"{draws} completions{', grades as of the judged' * graded}"
    drawn = completions.values(measure, draws)
    value, means = float(mean_over_queries(drawn.mean(axis=0))), drawn.mean(axis=1)
    if queries >= FEW_QUERIES:
        deviation = float(means.std(ddof=1)) * (1 + 1 / draws) ** 0.5
        half = t_quantile(confidence, draws - 1) * deviation
        low, high = value - half, value + half
    else:
        low, high = map(float, np.quantile(means, [tail, 1 - tail]))
    least, most = measure.range
    if measure.traits.pointwise or measure.name in BOUNDS:
        both = bounds(measure, run)
        least, most = float(both.low.mean()), float(both.high.mean())
    return value, max(low, least), min(high, most), said


def last_rank(measure: Measure) -> int:
    """Return the rank below which a measure whose user goes on after the end of a ranking sees nothing."""
    tail, ranks = measure.traits.tail, FIRST_RANKS
    if tail is None:
        return 0
    while ranks < MOST_RANKS and tail(np.array([ranks]), **measure.own)[0] > UNSEEN_WEIGHT:
        ranks *= 2
    return int((tail(np.arange(1, ranks), **measure.own) > UNSEEN_WEIGHT).sum()) + 1
