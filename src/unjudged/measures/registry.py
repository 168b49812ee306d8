"""What a measure is: one decorated function; its name, keywords and docstring are all there is to say."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from unjudged.errors import UsageError
from unjudged.measures.parameters import checked
from unjudged.rankings.judged import Floats, JudgedRankings

Chance = Callable[..., Floats]
"""From numbers of documents and of relevant ones, and the measure's parameters, to expected values."""

Weight = Callable[..., Floats]
"""From ranks, and the measure's parameters, to what a relevant document there adds to the value."""

MEASURES: dict[str, Measure] = {}
"""Every measure by its name, in the order they were defined."""


POLICIES = ("unjudged", "chance")

GEOMETRIC = "geometric mean"
"""The `summary` of a measure whose mean over queries is the exponential of its mean logarithm."""


@dataclass(frozen=True)
class Traits:
    """What is true of a measure whatever its parameters."""

    range: tuple[float, float]
    at: str | None
    summary: str
    monotone: bool
    pointwise: bool
    diluted: bool
    quality: bool
    estimates: bool
    chance: Chance | None
    weight: Weight | None
    trec_eval: Mapping[str, tuple[float, ...]]
    aliases: tuple[str, ...]
    cite: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Measure:
    """A measure with its parameters, named as it is written: `AP(rel=2)@10`.

    Call it to set parameters, `@` sets the cutoff. Two measures of the same name are equal.

    >>> from unjudged import nDCG
    >>> nDCG(dcg="exp-log2") @ 10
    nDCG(dcg='exp-log2')@10
    """

    name: str
    function: Callable[..., Floats]
    traits: Traits
    given: Mapping[str, Any]

    def __call__(self, **parameters: Any) -> Measure:
        for parameter in parameters:
            if parameter not in self.parameters and parameter not in POLICIES:
                known = ", ".join([*self.parameters, *POLICIES])
                raise UsageError(f"{self.name} has no parameter {parameter!r}; it has: {known}")
        given = {key: checked(self.name, key, value) for key, value in parameters.items()}
        return replace(self, given=MappingProxyType({**self.given, **given}))

    def __matmul__(self, value: float) -> Measure:
        if self.traits.at is None:
            raise UsageError(f"{self.name} takes no cutoff: write {self.name} without @{value}")
        return self(**{self.traits.at: value})

    def __str__(self) -> str:
        inside = [f"{key}={value!r}" for key, value in self.given.items() if key != self.traits.at]
        at = f"@{self.given[self.traits.at]}" if self.traits.at and self.traits.at in self.given else ""
        return self.name + (f"({', '.join(inside)})" if inside else "") + at

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _made_again, (self.name, dict(self.given))

    @property
    def parameters(self) -> dict[str, Any]:
        """Every parameter with its default; `inspect.Parameter.empty` where it must be given."""
        return dict(_keywords(self.function))

    @property
    def help(self) -> str:
        return inspect.getdoc(self.function) or ""

    def compute(self, rankings: JudgedRankings) -> Floats:
        """One value for each ranking.

        The policies are parameters of every measure and need no code of its own. `unjudged='condensed'`
        removes the unjudged documents before the measure sees the rankings, 'nonrelevant' takes those of
        the pool as judged nonrelevant. `chance=N` corrects the value for what a random ranking of N
        documents is expected to score: (value - expected) / (1 - expected).
        """
        self.check_complete()
        policy, documents = self.given.get("unjudged"), self.given.get("chance")
        if policy is not None:
            rankings = rankings.condensed() if policy == "condensed" else rankings.as_nonrelevant()
        values = self.function(rankings, **self.own)
        if documents is None:
            return values
        if "rel" not in self.parameters and rankings.judgments.grade.max(initial=0) > 1:
            raise UsageError(
                f"{self.name}: the random baseline is for judgments of 0 and 1, these are graded"
            )
        expected = self.by_chance(documents, rankings.known(self.given.get("rel", 1)))
        return ratio(values - expected, 1 - expected)

    @property
    def own(self) -> dict[str, Any]:
        """The parameters that the function itself is given."""
        return {name: value for name, value in self.given.items() if name not in POLICIES}

    def weights(self, rank: Any) -> Floats:
        """What a relevant document at each of these ranks adds to the value."""
        if self.traits.weight is None:
            known = ", ".join(name for name, m in MEASURES.items() if m.traits.weight)
            raise UsageError(f"{self.name} is no sum over relevant documents; these are: {known}")
        return self.traits.weight(np.asarray(rank, float), **self.own)

    def by_chance(self, documents: Any, relevant: Any) -> Floats:
        """What a random ranking of so many documents, so many of them relevant, is expected to score."""
        n, r = np.broadcast_arrays(np.asarray(documents, float), np.asarray(relevant, float))
        if self.traits.chance is None:
            known = ", ".join(name for name, m in MEASURES.items() if m.traits.chance)
            raise UsageError(f"{self.name} has no random baseline; these have: {known}")
        if (n < 1).any() or (r < 0).any() or (r > n).any():
            worst = int(np.argmax((n < 1) | (r < 0) | (r > n)))
            what = f"{r.flat[worst]:g} relevant of {n.flat[worst]:g} documents"
            raise UsageError(f"{what}, expected at least one document and not more relevant ones")
        return self.traits.chance(n, r, **self.own)

    def check_completable(self) -> None:
        """Refuse a measure that makes no sense of judgments completed in one way or another."""
        for policy in POLICIES:
            if policy in self.given:
                raise UsageError(
                    f"{self}: intervals are of the measure as it is, ask for it without {policy}"
                )
        if self.given.get("scale") == "query":
            raise UsageError(f"{self}: a new grade would move the scale; ask for {self.name}(max_grade=...)")
        if self.traits.estimates:
            raise UsageError(f"{self.name} estimates what the unjudged add already; ask for AP, nDCG or RBP")

    def check_mean(self) -> None:
        """Refuse a measure whose mean over queries is not arithmetic."""
        if self.traits.summary == GEOMETRIC:
            raise UsageError(f"{self.name}: intervals are of arithmetic means; ask for AP or Bpref")

    def over_queries(self, values: Floats) -> Floats:
        """What the values of all queries, on the last axis, come to: mean, sum or geometric mean."""
        return summarised(self.traits.summary, values)

    def check_complete(self) -> None:
        """Refuse a measure that lacks a parameter it cannot do without."""
        for parameter, default in self.parameters.items():
            if default is inspect.Parameter.empty and parameter not in self.given:
                example = f"{self.name}@10" if parameter == "cutoff" else f"{self.name}@0.1"
                raise UsageError(f"{self.name} needs a {parameter}: write it as {example}")


def summarised(summary: str, values: Floats) -> Floats:
    """The mean, sum or geometric mean over the last axis.

    Sums are rounded once, so the order of the queries does not matter.
    """
    rows = (np.log(values) if summary == GEOMETRIC else values).reshape(-1, values.shape[-1]).tolist()
    sums = np.array([math.fsum(row) for row in rows]).reshape(values.shape[:-1])
    if summary == "sum":
        return sums
    means: Floats = sums / values.shape[-1]
    return np.asarray(np.exp(means), float) if summary == GEOMETRIC else means


def _made_again(name: str, given: Mapping[str, Any]) -> Measure:
    return replace(MEASURES[name], given=MappingProxyType(dict(given)))


@cache
def _keywords(function: Callable[..., Floats]) -> dict[str, Any]:
    signature = inspect.signature(function).parameters.values()
    return {p.name: p.default for p in signature if p.kind is p.KEYWORD_ONLY}


def measure(
    *,
    range: tuple[float, float] = (0.0, 1.0),
    summary: str = "mean",
    monotone: bool = False,
    pointwise: bool = False,
    diluted: bool = False,
    quality: bool = True,
    estimates: bool = False,
    chance: Chance | None = None,
    weight: Weight | None = None,
    trec_eval: str | Mapping[str, tuple[float, ...]] = MappingProxyType({}),
    aliases: tuple[str, ...] = (),
    cite: tuple[str, ...] = (),
) -> Callable[[Callable[..., Floats]], Measure]:
    """Make a function of JudgedRankings a measure under its own name.

    `trec_eval` names it there; a mapping gives the cutoffs that trec_eval has by default for each
    name. `monotone` says that exchanging a document for one with a higher grade from below never lowers
    the value of a ranking whose documents are all judged; `pointwise`, that raising a grade never does;
    `diluted` (and monotone), that one more relevant document that was not retrieved never raises it.
    `quality` is whether a higher value is a better ranking; `estimates`, whether it is itself an estimate of
    what the unjudged would add. `chance` gives the value that a random
    ranking is expected to have. `weight` is for a measure that is a sum over relevant documents: what one
    at a rank adds. `summary` is "mean", "sum" or "geometric mean" over queries.
    """

    def register(function: Callable[..., Floats]) -> Measure:
        keywords = inspect.signature(function).parameters
        at = next((name for name in ("cutoff", "recall", "multiple") if name in keywords), None)
        names = {trec_eval: ()} if isinstance(trec_eval, str) else trec_eval
        traits = Traits(
            range=range,
            at=at,
            summary=summary,
            monotone=monotone or pointwise or diluted,
            pointwise=pointwise,
            diluted=diluted,
            quality=quality,
            estimates=estimates,
            chance=chance,
            weight=weight,
            trec_eval=names,
            aliases=aliases,
            cite=cite,
        )
        made = Measure(function.__name__, function, traits, MappingProxyType({}))
        made.__dict__["__doc__"] = function.__doc__
        MEASURES[made.name] = made
        return made

    return register


def ratio(numerator: Any, denominator: Any) -> Floats:
    """The quotient, 0 where there is nothing to divide by."""
    top, bottom = np.broadcast_arrays(numerator, denominator)
    quotient: Floats = np.divide(top, bottom, out=np.zeros(top.shape), where=bottom != 0)
    return quotient
