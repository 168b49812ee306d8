"""Traits of a measure, the facts from which bounds, intervals, comparisons and baselines follow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import KINDS, Kind

Chance = Callable[..., Floats]
"""From numbers of documents and of relevant ones, and the measure's parameters, to expected values."""

GradedChance = Callable[..., Floats]
"""From rankings and numbers of documents, and the measure's parameters, to expected values."""

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
    graded_chance: GradedChance | None
    """The same for the grades of each query, where the gain depends on the grade."""
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
