"""Traits of a measure, the facts from which bounds, intervals, comparisons and baselines follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import KINDS, Kind

Chance = Callable[..., Floats]
"""From numbers of documents and of relevant ones, and the measure's parameters, to expected values."""

Gain = Callable[..., Floats]
"""From grades, and the measure's parameters, to the gain of each."""

Weight = Callable[..., Floats]
"""From ranks, and the measure's parameters, to what a document of gain 1 there adds to the value."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
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
    """Where such a sum goes on after the end of a ranking: the weights of all ranks after each rank."""
    trec_eval: Mapping[str, tuple[float, ...]]
    """Its names in trec_eval, each with the cutoffs that it has there by default."""
    aliases: tuple[str, ...]
    cite: tuple[str, ...]
    at: str | None
    """The parameter that `@` sets."""
    lower: bool = False
    """A lower value is better, as of a latency: only of measures that other tools computed."""


@dataclass(frozen=True)
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
    reason = f"{name} needs a random sample, and these judgments are {words} ({why})"
    return Refusal(
        reason, f"use {traits.estimates} with its bounds, or draw a sample (unjudged next --design)"
    )


TRIALS = 150
ROUNDING = 1e-9
States = list[str]
Example = tuple[States, States]
"""A small ranking and the documents that it missed, as `JudgedRankings.spelled` takes them."""


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
