"""The registry of interval methods: one registered function per method.

A method takes an `IntervalRequest` and returns an estimate per run and measure. Methods of your own are
registered in the same way:

    @interval_method("mine", "what the interval covers", uncertainty=JUDGMENTS)
    def mine(request: IntervalRequest) -> list[list[Estimate]]: ...
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from unjudged.errors import UsageError
from unjudged.measures.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.uncertainty.estimate import Estimate, check_confidence
from unjudged.uncertainty.prevalence import PrevalenceLike

if TYPE_CHECKING:
    from unjudged.uncertainty.calibration import Calibration
    from unjudged.uncertainty.completions import Progress

Estimates = list[list[Estimate]]
"""Run by run, measure by measure."""


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
    more: int = 0
    draws: int | None = None
    seed: int = 0
    on_progress: Progress | None = None

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
    make: Callable[[IntervalRequest], Estimates]


INTERVALS: dict[str, IntervalMethod] = {}
"""Every interval method by name."""


def interval_method(
    name: str, covers: str, *, uncertainty: str
) -> Callable[[Callable[[IntervalRequest], Estimates]], Callable[[IntervalRequest], Estimates]]:
    """Register a function as the interval method `name`."""

    def register(make: Callable[[IntervalRequest], Estimates]) -> Callable[[IntervalRequest], Estimates]:
        INTERVALS[name] = IntervalMethod(name, covers, uncertainty, make)
        return make

    return register


def make_intervals(name: str, request: IntervalRequest) -> Estimates:
    """The intervals of one method for every run and measure."""
    import_module("unjudged.uncertainty.methods")
    if name not in INTERVALS:
        raise UsageError(f"no interval method {name!r}: use one of {', '.join(INTERVALS)}")
    check_confidence(request.confidence)
    for measure in request.measures:
        measure.check_mean()
    return INTERVALS[name].make(request)
