"""Traits of a measure, the facts from which bounds, intervals, comparisons and baselines follow."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats
from unjudged.data.frames import is_frame
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import KINDS, OF_NONRELEVANT, Kind

Chance = Callable[..., Floats]
"""From numbers of documents and of relevant ones, and the measure's parameters, to expected values."""

Gain = Callable[..., Floats]
"""From grades, and the measure's parameters, to the gain of each."""

Weight = Callable[..., Floats]
"""From ranks, and the measure's parameters, to what a document of gain 1 there adds to the value."""


@dataclass(kw_only=True, eq=False, repr=False)
class Traits:
    """Facts of one measure. `Measure.traits_up_to` gives those that hold with its parameters."""

    range: tuple[float, float]
    summary: str
    """What a run's values come to over all queries: "mean", "sum" or "geometric mean"."""
    monotone: bool
    """Swapping a document with a lower one of a higher grade never lowers the value of a ranking whose
    documents are all judged."""
    pointwise: bool
    """Raising a grade never lowers the value; implies `monotone`."""
    diluted: bool
    """One more relevant document that was not retrieved never raises the value; implies `monotone`."""
    skips_unjudged: bool
    """An unjudged document is not the same as one of grade 0, so the value may lie outside its bounds."""
    ungraded: bool
    """The value depends on which documents are judged, not on their grades."""
    quality: bool
    """A higher value means a better ranking; or a lower one, see `lower`."""
    estimates: str
    """The measure whose value on the judged pool this one estimates from a sample; empty for all others."""
    takes: frozenset[Kind]
    """The kinds of judgments that it can be computed from."""
    across_queries: bool
    """The value of a ranking depends on the judgments of other queries."""
    chance: Chance | None
    """The expected value of a random ranking with these numbers of documents and of relevant ones."""
    gain: Gain | None
    """The gain of each grade, where it can be more than relevant or not."""
    weight: Weight | None
    """For a sum over documents of gain x weight: the weight of each rank."""
    tail: Weight | None
    """The sum of the weights of all ranks after each rank, if the sum goes on after the end of a ranking."""
    trec_eval: Mapping[str, tuple[float, ...]]
    """Its names in trec_eval, each with the cutoffs that it has there by default."""
    aliases: tuple[str, ...]
    cite: tuple[str, ...]
    at: str | None
    """The parameter that `@` sets."""
    lower: bool = False
    """A lower value is better, as of a latency: only of measures that other tools computed."""


@dataclass(eq=False, repr=False)
class Refusal:
    """Why something cannot be computed from these judgments, and what can be instead."""

    reason: str
    instead: str

    def __str__(self) -> str:
        return f"{self.reason}: {self.instead}" if self.instead else self.reason


def refused_measure(name: str, traits: Traits, judgments: Judgments) -> Refusal:
    """Say why a measure with these traits cannot be computed from these judgments."""
    words, _, why = KINDS[judgments.origin.kind].partition(": ")
    if judgments.origin.sampled:
        reason = f"{name} needs a uniform sample, and these judgments are {words} with unequal shares"
        return Refusal(reason, "use xinfAP or statAP")
    needed = "a random sample" if traits.estimates else OF_NONRELEVANT
    reason = f"{name} needs {needed}, and these judgments are {words} ({why})"
    plain = f"use {traits.estimates} with its bounds, or " if traits.estimates else ""
    return Refusal(reason, f"{plain}draw a sample (unjudged next --design)")


TRIALS = 150
ROUNDING = 1e-9
States = list[str]
Example = tuple[States, States]
"""A small ranking and the documents that it missed, as `JudgedRankings.spelled` takes them."""


def adds_up(measure: Any) -> bool:
    """Whether a measure is a sum over documents: each adds its gain times the weight of its rank."""
    if measure.given.keys() & {"chance", "scale"} or measure.geometric:
        return False
    return measure.name == "DCG" or measure.traits.weight is not None


def weights_of(measure: Any, rank: NDArray[np.integer]) -> Floats | None:
    """Return what a gain of 1 adds to a measure at each rank; None if it is no sum over documents."""
    if not adds_up(measure):
        return None
    if measure.name == "DCG":
        found: Floats = (rank <= measure.given.get("cutoff", math.inf)) / np.log2(rank + 1.0)
        return found
    weights: Floats = measure.weights(rank)
    return weights


def try_traits(measure: Any) -> None:
    """Refuse a measure one of whose traits is not true of some small ranking."""
    top, rng = min(measure.given.get("max_grade") or 2, 4), np.random.default_rng(0)
    traits = measure.traits_up_to(top)

    def refuse(trait: str, found: str) -> None:
        raise UsageError(f"{measure}: its trait {trait} is not true: {found}")

    low, high = traits.range
    for _ in range(TRIALS):
        example = _drawn(rng, top)
        found = _value(measure, example)
        if not low - ROUNDING <= found <= high + ROUNDING:
            refuse("range", f"{found:g} for {_written(example)}, expected {low:g} to {high:g}")
        for trait, before, after, sign in _changes(traits, *example, top, rng):
            first, second = _value(measure, before), _value(measure, after)
            change = second - first
            if change * sign < -ROUNDING or (sign == 0 and abs(change) > ROUNDING):
                refuse(trait, f"{first:.6g} for {_written(before)}, but {second:.6g} for {_written(after)}")
        if traits.weight is not None:
            judged = _judged(example[0])
            total = measure.gain([*map(int, judged)]) @ measure.weights(np.arange(1, len(judged) + 1))
            if abs(total - _value(measure, (judged, example[1]))) > ROUNDING:
                refuse("weight", f"the sum is {total:.6g} for {_written((judged, example[1]))}")


def _changes(
    traits: Traits, ranking: States, missed: States, top: int, rng: np.random.Generator
) -> Iterator[tuple[str, Example, Example, int]]:
    """Yield for each trait a change, and -1 if it never raises the value, 1 if it never lowers it, else 0."""
    judged, place = _judged(ranking), int(rng.integers(len(ranking)))
    if traits.pointwise:
        raised = [*judged[:place], str(min(int(judged[place]) + 1, top)), *judged[place + 1 :]]
        yield "pointwise", (judged, missed), (raised, missed), 1
    if traits.monotone:
        above, swapped = int(rng.integers(place + 1)), [*judged]
        swapped[above], swapped[place] = sorted((judged[above], judged[place]), reverse=True)
        yield "monotone", (judged, missed), (swapped, missed), 1
        if not (traits.skips_unjudged or traits.estimates):
            yield "skips_unjudged=False", (ranking, missed), (judged, _judged(missed)), 0
    if traits.diluted:
        known = [state for state in missed if state != "U"]
        yield "diluted", (ranking, known), (ranking, [*known, str(rng.integers(1, top + 1))]), -1
    if traits.ungraded:
        other = [state if state in "UN" else str(rng.integers(top + 1)) for state in ranking]
        yield "ungraded", (ranking, missed), (other, missed), 0


def _drawn(rng: np.random.Generator, top: int) -> Example:
    """Return the states of a few retrieved documents, and of some that were missed."""
    grades = [*map(str, range(top + 1))]
    ranking = rng.choice([*grades, "U", "N"], rng.integers(1, 6)).tolist()
    if set(ranking) == {"N"}:
        ranking[0] = "0"  # judgments need a document
    return ranking, rng.choice([*grades, "U"], rng.integers(0, 3)).tolist()


def _value(measure: Any, example: Example) -> float:
    """Return the value of one ranking, which must be a number."""
    ranking, missed = map(" ".join, example)
    found = np.asarray(measure.function(JudgedRankings.spelled(ranking, missed=missed), **measure.own))
    if found.shape != (1,) or found.dtype.kind not in "fiub":
        problem = f"{measure} returned an array of shape {found.shape} and type {found.dtype}"
        raise UsageError(f"{problem} for one ranking, expected one number per ranking")
    return float(found[0])


def _judged(states: States) -> States:
    return ["0" if state in "UN" else state for state in states]


def _written(example: Example) -> str:
    ranking, missed = map(" ".join, example)
    return f'"{ranking}"' + (f', missed="{missed}"' if missed else "")


HIGHEST_GRADE = 2**31 - 1
LARGEST = 10**300  # a double holds it
MOST_DOCUMENTS = 2**53  # and every number of documents up to this one exactly


def _from(low: int, high: int) -> Callable[[Any], int | None]:
    return lambda value: int(value) if isinstance(value, Integral) and low <= int(value) <= high else None


_whole, _relevant = _from(1, LARGEST), _from(1, HIGHEST_GRADE)


def _lowest(value: Any) -> float | None:
    """Return the lowest relevant grade, which is a fraction only where grades are."""
    number = _between(0, HIGHEST_GRADE, ends=True)(value)
    if number is None or number % 1:
        return number
    return _relevant(int(number))


def _truth(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None


def _judgments(value: Any) -> Any:
    known = isinstance(value, str | PathLike | Iterable | Judgments) or is_frame(value)
    return value if known else None


def _stop(value: Any) -> Any:
    if callable(value) or (isinstance(value, str) and value in ("uniform", "first", "geometric", "power")):
        return value
    table = _numbers(0, math.inf)(value)
    return table if table is not None and any(table) else None


def _between(low: float, high: float, ends: bool) -> Callable[[Any], float | None]:
    def check(value: Any) -> float | None:
        try:
            number = float(value) if isinstance(value, Real) else math.nan
        except OverflowError:
            return None
        inside = low <= number <= high if ends else low < number < high
        return number if inside and math.isfinite(number) else None

    return check


def _numbers(low: float, high: float) -> Callable[[Any], tuple[float, ...] | None]:
    def check(value: Any) -> tuple[float, ...] | None:
        inside = _between(low, high, ends=True)
        if not isinstance(value, tuple | list) or any(inside(number) is None for number in value):
            return None
        return tuple(map(float, value)) or None

    return check


def _four(value: Any) -> tuple[float, ...] | None:
    numbers = _numbers(-math.inf, math.inf)(value)
    return numbers if numbers is not None and len(numbers) == 4 else None


def _share(value: Any) -> float | None:
    number = _between(0, 1, ends=True)(value)
    return number or None


def _one_of(*choices: str) -> Callable[[Any], str | None]:
    return lambda value: value if isinstance(value, str) and value in choices else None


def _gains(value: Any) -> Mapping[int, float] | None:
    if not isinstance(value, Mapping):
        return None
    grade, gain = _from(0, HIGHEST_GRADE), _between(0, math.inf, ends=True)
    good = all(grade(g) is not None and gain(v) is not None for g, v in value.items())
    return _Gains(value) if good else None


class _Gains(dict[int, float]):
    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(self.items())))


PARAMETERS: Mapping[str, tuple[Callable[[Any], Any], str]] = MappingProxyType(
    {
        "rel": (
            _lowest,
            "a whole number of at least 1, the lowest grade that counts as relevant",
        ),
        "cutoff": (_whole, "a whole number of at least 1"),
        "recall": (_between(0, 1, ends=True), "a number from 0 to 1"),
        "recalls": (_numbers(0, 1), "numbers from 0 to 1, such as (0.2, 0.5, 0.8)"),
        "multiple": (_between(0, math.inf, ends=False), "a number above 0"),
        "weights": (_four, "four numbers, such as (1, -1, 0, 0)"),
        "documents": (_from(0, MOST_DOCUMENTS), "a whole number from 0 to 2^53"),
        "p": (_between(0, 1, ends=False), "a number between 0 and 1"),
        "alpha": (_between(0, 1, ends=True), "a number from 0 to 1"),
        "beta": (_between(0, 1e100, ends=False), "a number above 0 and below 1e100"),
        "square": (_between(0, math.inf, ends=True), "a number of at least 0"),
        "c": (_between(0, math.inf, ends=False), "a number above 0"),
        "eps": (_between(0, 1, ends=False), "a number between 0 and 1"),
        "dcg": (_one_of("log2", "exp-log2"), "'log2' or 'exp-log2'"),
        "gains": (_gains, "gains of at least 0 by grade, such as {1: 1, 2: 3}"),
        "max_grade": (_from(1, 50), "a whole number from 1 to 50, the highest grade of the scale"),
        "scale": (_one_of("none", "query"), "'none' or 'query'"),
        "form": (_one_of("trec_eval", "paper"), "'trec_eval' or 'paper'"),
        "pool": (_truth, "True or False"),
        "actual": (_judgments, "complete judgments: a file, a frame, a dict or Judgments"),
        "unpooled": (_one_of("nonrelevant", "removed"), "'nonrelevant' or 'removed'"),
        "share": (_share, "a number above 0 and up to 1"),
        "seed": (_from(0, LARGEST), "a whole number of at least 0"),
        "stop": (_stop, "'uniform', 'first', 'geometric', 'power', a table of weights, or a function"),
        "decay": (_between(0, 1, ends=False), "a number between 0 and 1"),
        "exponent": (_between(0, math.inf, ends=False), "a number above 0"),
        "dialect": (_one_of("trec", "trecvid"), "'trec' or 'trecvid'"),
        "unjudged": (_one_of("condensed", "nonrelevant"), "'condensed' or 'nonrelevant'"),
        "chance": (_whole, "a whole number of at least 1, the documents of the collection"),
        "pairs": (_one_of("independent", "joint"), "'independent' or 'joint'"),
        "rounding": (_one_of("up", "nearest"), "'up' or 'nearest'"),
    }
)


def checked(measure: str, parameter: str, value: Any) -> Any:
    """Return the value in the form that measures expect, or an error that says what is allowed."""
    if parameter not in PARAMETERS:  # of a measure defined elsewhere
        return value
    check, expected = PARAMETERS[parameter]
    result = check(value)
    if result is None:
        whole = isinstance(value, float) and value.is_integer()
        shown = reprlib.repr(int(value)) if whole or isinstance(value, Integral) else repr(value)
        raise UsageError(f"{measure}: {parameter} is {shown}, expected {expected}")
    return result


def by_places(measure: Any, scale: Floats | None) -> dict[str, Any]:
    """Return the parameters of a measure by the places of grades, of which g stands for the gain `scale[g]`.

    A threshold becomes the first place that reaches it, and gains become a table by place, so every measure
    keeps its one formula. A highest grade that no document has is one more place. Without a scale places are
    grades.
    """
    given = dict(measure.given)
    if scale is None:
        return {**given, "rel": math.ceil(given["rel"])}
    highest = given.pop("max_grade", None)
    graded = "gains" in measure.parameters and ("rel" not in measure.parameters or highest is not None)
    refused = "gains" in given or "actual" in given or given.get("scale", "none") != "none"
    if measure.traits.ungraded:
        return dict(measure.given)
    if refused or not (graded or "rel" in measure.parameters):
        remedy = "round the grades, or use nDCG, whose gains they are"
        raise UsageError(f"{measure} needs whole grades, and these have fractions: {remedy}")
    if "rel" in given:
        given["rel"] = max(1, int(np.searchsorted(scale, given["rel"])))
    elif "rel" in measure.parameters and highest is None:
        example = measure(rel=float(scale[-1] / 2))
        raise UsageError(f"{measure}: with fractional grades, say which are relevant, such as {example}")
    if graded:
        exponential = given.pop("dcg", "log2") == "exp-log2"
        reached = scale if highest is None or scale[-1] >= highest else np.append(scale, highest)
        gains = np.exp2(reached) - 1 if exponential else reached / (highest or 1)
        given["gains"] = _Gains(enumerate(gains.tolist()))
    return given
