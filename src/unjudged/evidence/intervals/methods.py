"""Registry of interval methods: one registered function over a contrast of systems alone.

    @interval("mine", "what the interval covers", judgments=ALL_JUDGED)
    def mine(contrast: Contrast, how: How, *, share: float = 0.5) -> Columns: ...

makes `mine(share=0.2)` an interval everywhere. A method returns columns of registered fields, a value per
system, and `method`, how they were made. What it needs from a source is a part of the contrast that `needs`
names; where the source lacks it, or the method refuses a measure, the value stands alone with the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

from unjudged.base.choices import Choices, called, check_confidence, check_parameters, checked_int
from unjudged.base.errors import UsageError
from unjudged.evidence.contrast import Contrast
from unjudged.measures.kernel.estimand import AS_THEY_ARE, THESE, Use, permitted
from unjudged.measures.kernel.registry import Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.origin import ANY, Kind

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
"""Every interval method by name; `interval_methods` imports the ones of this package."""


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


def interval_methods() -> Choices[Interval]:
    """Return the registry with the methods of this package."""
    import_module("unjudged.evidence.intervals.built_in")
    return INTERVALS


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
        method = interval_methods().find(name)
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
