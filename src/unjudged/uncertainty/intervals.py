"""The registry of interval methods: one registered function per method.

A method takes an `IntervalRequest` and returns an estimate per run and measure. Methods of your own are
registered in the same way:

    @interval_method("mine", "what the interval covers", uncertainty=JUDGMENTS)
    def mine(request: IntervalRequest) -> list[list[Estimate]]: ...

`check` refuses a measure that cannot have the interval; it then appears with its value alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING

from unjudged.base.choices import Choices, check_confidence, checked_int
from unjudged.base.errors import UsageError
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.prevalence import PrevalenceLike

if TYPE_CHECKING:
    from unjudged.uncertainty.calibration import Calibration
    from unjudged.uncertainty.completions import Progress

EstimateRows = list[list[Estimate]]
"""Run by run, measure by measure."""

Check = Callable[[Measure, "IntervalRequest"], None]
"""Raises an error for a measure that cannot have the interval."""


@dataclass(frozen=True, eq=False)
class IntervalRequest:
    """What intervals are asked for, and what is known: the same for every method."""

    rankings: JudgedRankings
    runs: Sequence[str]
    measures: Sequence[Measure]
    values: Floats
    prevalence: PrevalenceLike | None = None
    calibration: Calibration | None = None
    confidence: float = 0.95
    extra_relevant: int = 0
    draws: int | None = None
    seed: int = 0
    on_progress: Progress | None = None

    def batches(self, runs: int = 16, *, report: bool = True) -> Iterator[tuple[int, JudgedRankings]]:
        """The first of so many runs, and their rankings; `report` progress between batches."""
        for first in range(0, len(self.runs), runs):
            last = min(first + runs, len(self.runs))
            yield first, self.rankings.runs(first, last)
            if report:
                self.report(last)

    def report(self, done: int) -> None:
        """Report that so many runs are done."""
        if self.on_progress is not None:
            self.on_progress(done, len(self.runs))


@dataclass(frozen=True)
class IntervalMethod:
    """A way to make intervals: its name, what it covers in a few words, and which uncertainty that is."""

    name: str
    covers: str
    uncertainty: str
    make: Callable[[IntervalRequest], EstimateRows]
    check: Check | None = None


INTERVALS: Choices[IntervalMethod] = Choices("interval")
"""Every interval method by name."""

Make = Callable[[IntervalRequest], EstimateRows]


def interval_method(
    name: str, covers: str, *, uncertainty: str, check: Check | None = None
) -> Callable[[Make], Make]:
    """Register a function as the interval method `name`."""

    def register(make: Make) -> Make:
        INTERVALS.add(name, IntervalMethod(name, covers, uncertainty, make, check))
        return make

    return register


def make_intervals(name: str, request: IntervalRequest) -> EstimateRows:
    """The intervals of one method for every run and measure.

    A measure that cannot have one gets its value alone; if none can, the first reason is an error.
    """
    import_module("unjudged.uncertainty.methods")
    method = INTERVALS.find(name)
    check_confidence(request.confidence)
    checked_int("seed", request.seed)
    if name != "queries" and request.rankings.judgments.scale is not None:
        raise UsageError(f"{name!r} intervals need whole grades, and these have fractions: use 'queries'")
    refused = {k: reason for k, m in enumerate(request.measures) if (reason := _refusal(method, m, request))}
    able = [k for k in range(len(request.measures)) if k not in refused]
    if not able:
        raise UsageError(refused[0])
    made = method.make(
        replace(request, measures=[request.measures[k] for k in able], values=request.values[:, :, able])
    )
    rows: EstimateRows = []
    for own, values in zip(made, request.values, strict=True):
        found = dict(zip(able, own, strict=True))
        for k, reason in refused.items():
            measure = request.measures[k]
            value = float(measure.over_queries(values[:, k]))
            problem = reason.partition(";")[0]
            found[k] = Estimate.without_interval(value, problem, str(measure), method.uncertainty)
        rows.append([found[k] for k in range(len(request.measures))])
    return rows


def _refusal(method: IntervalMethod, measure: Measure, request: IntervalRequest) -> str:
    """Why a measure cannot have such an interval, or nothing."""
    try:
        measure.check_mean()
        if method.check is not None:
            method.check(measure, request)
    except UsageError as error:
        return str(error)
    return ""
