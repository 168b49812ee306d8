"""Registry of interval methods: one registered function per method.

A method takes an `IntervalRequest` and returns an estimate per run and measure. Methods of your own are
registered in the same way:

    @interval_method("mine", "what the interval covers", judgments=ALL_JUDGED)
    def mine(request: IntervalRequest) -> list[list[Estimate]]: ...

`queries` and `judgments` say what is estimated, `takes` from which kinds of judgments. `check` refuses a
measure that cannot have the interval; it then appears with its value alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unjudged.base.choices import Choices, check_confidence, checked_int
from unjudged.base.errors import UsageError
from unjudged.measures.kernel.estimand import (
    AS_THEY_ARE,
    THESE,
    UNKNOWN_JUDGMENTS,
    Estimand,
    Use,
    estimand_of,
    permitted,
)
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.origin import ANY, Kind
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.prevalence import GivenPrevalence

if TYPE_CHECKING:
    from unjudged.uncertainty.calibration import Calibration
    from unjudged.uncertainty.completions import Progress

EstimateRows = list[list[Estimate]]
"""Run by run, measure by measure."""

Make = Callable[["IntervalRequest"], EstimateRows]

Check = Callable[[Measure, "IntervalRequest"], None]
"""Raises an error for a measure that cannot have the interval."""


class NoIntervalError(UsageError):
    """None of the measures can have the interval."""


@dataclass(frozen=True, eq=False)
class IntervalRequest:
    """Intervals that are asked for, and what is known: the same for every method."""

    rankings: Any
    """`JudgedRankings`; None for scores without them, which only the method 'queries' takes."""
    runs: Sequence[str]
    measures: Sequence[Measure]
    values: Floats
    prevalence: GivenPrevalence | None = None
    calibration: Calibration | None = None
    confidence: float = 0.95
    extra_relevant: int = 0
    pool_depth: int | None = None
    of_a_table: bool = False
    """Whether another tool computed the values."""
    draws: int | None = None
    seed: int = 0
    on_progress: Progress | None = None
    queries: str = THESE
    judgments: str = AS_THEY_ARE

    def of(self, measure: Measure) -> Estimand:
        """Return what an interval of the measure estimates, as the method declares it."""
        judgments = UNKNOWN_JUDGMENTS if self.of_a_table else self.judgments
        return replace(estimand_of(measure, self.queries, judgments), measure=str(measure))

    def batches(self, runs: int = 16, *, report: bool = True) -> Iterator[tuple[int, JudgedRankings]]:
        """Yield the first run and the rankings of each batch; `report` progress between batches."""
        for first in range(0, len(self.runs), runs):
            last = min(first + runs, len(self.runs))
            yield first, self.rankings.runs(first, last)
            if report:
                self.report(last)

    def estimate(self, measure: Measure, value: Any, low: Any, high: Any, method: str) -> Estimate:
        """Return a value of the measure with its interval of the confidence that is asked for."""
        return Estimate(float(value), float(low), float(high), self.confidence, method, self.of(measure))

    def by_run(self, estimates: Callable[[int, Measure], Iterable[Estimate]]) -> EstimateRows:
        """Return what a function makes of each measure, by its place, as rows of the runs."""
        columns = [estimates(k, measure) for k, measure in enumerate(self.measures)]
        rows = [list(row) for row in zip(*columns, strict=True)]
        self.report(len(rows))
        return rows

    def report(self, done: int) -> None:
        """Report that this number of runs is done."""
        if self.on_progress is not None:
            self.on_progress(done, len(self.runs))


@dataclass(frozen=True)
class IntervalMethod:
    """A way to make intervals: what it covers in a few words, what it estimates, and from which judgments."""

    name: str
    covers: str
    make: Make
    queries: str
    judgments: str
    takes: frozenset[Kind]
    instead: str
    check: Check | None = None
    uses: tuple[str, ...] | None = None
    geometric: bool = False
    cite: tuple[str, ...] = ()
    """Keys of the works to cite."""

    def use(self, request: IntervalRequest) -> Use:
        """Return the method as `permitted` sees it."""
        check, asked = self.check, f"the {self.name!r} interval"
        own = None if check is None else lambda measure: check(measure, request)
        given = (self.takes, self.queries, self.judgments, self.instead)
        return Use(asked, *given, own, geometric=self.geometric)


INTERVALS: Choices[IntervalMethod] = Choices("interval")
"""Every interval method by name; `interval_methods` imports those of this package."""


def interval_method(
    name: str,
    covers: str,
    *,
    queries: str = THESE,
    judgments: str = AS_THEY_ARE,
    takes: frozenset[Kind] = ANY,
    instead: str = "",
    check: Check | None = None,
    uses: tuple[str, ...] | None = None,
    geometric: bool = False,
    cite: tuple[str, ...] = (),
) -> Callable[[Make], Make]:
    """Register a function as the interval method `name`.

    `instead` says what to use for judgments that it does not take. `uses` names the options among prevalence,
    calibration and extra_relevant that it does not ignore. `geometric` if it can be of a geometric
    mean. `cite` are keys of the works that define it.
    """

    def register(make: Make) -> Make:
        options = (queries, judgments, takes, instead, check, uses, geometric, cite)
        INTERVALS.add(name, IntervalMethod(name, covers, make, *options))
        return make

    return register


def interval_methods() -> Choices[IntervalMethod]:
    """Return the registry with the methods of this package."""
    import_module("unjudged.uncertainty.methods")
    return INTERVALS


def make_intervals(name: str, request: IntervalRequest) -> EstimateRows:
    """Return the intervals of one method for every run and measure.

    A measure that cannot have one gets its value alone; if none can, the first reason is an error.
    """
    method = interval_methods().find(name)
    check_confidence(request.confidence)
    checked_int("seed", request.seed)
    known = request.rankings is not None
    if name != "queries" and not known:
        problem = f"{name!r} intervals need judgments, and these scores come from a table without them"
        raise UsageError(f"{problem}: use 'queries', or give judgments and runs")
    if known and (scale := request.rankings.judgments.scale) is not None:
        whole = request.rankings.relabelled(request.rankings.judgments.by_whole_grades())
        request = replace(request, rankings=whole, measures=[m.on_scale(scale) for m in request.measures])
    request = replace(request, queries=method.queries, judgments=method.judgments)
    asked, judgments = method.use(request), request.rankings.judgments if known else None
    answers = [permitted(measure, judgments, asked) for measure in request.measures]
    refused = {k: answer for k, answer in enumerate(answers) if isinstance(answer, Refusal)}
    able = [k for k in range(len(request.measures)) if k not in refused]
    if not able:
        raise NoIntervalError(str(refused[0]))
    made = method.make(
        replace(request, measures=[request.measures[k] for k in able], values=request.values[:, :, able])
    )
    rows: EstimateRows = []
    for own, values in zip(made, request.values, strict=True):
        found = dict(zip(able, own, strict=True))
        for k, refusal in refused.items():
            measure = request.measures[k]
            value = float(measure.over_queries(values[:, k]))
            problem = refusal.reason.partition(";")[0]
            found[k] = Estimate.without_interval(value, problem, request.of(measure))
        rows.append([found[k] for k in range(len(request.measures))])
    return rows
