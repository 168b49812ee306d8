"""Registry of measures: one decorated function per measure, whose name, keywords and docstring define it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from unjudged.base.choices import as_list, shown
from unjudged.base.errors import UsageError
from unjudged.base.wording import shortlist
from unjudged.measures.kernel.averages import ratio
from unjudged.measures.kernel.measure import (
    BOUNDS,
    MEASURES,
    POLICIES,
    Measure,
    compute_all,
)
from unjudged.measures.kernel.traits import Chance, Gain, Traits, Weight
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.origin import ANY, RANDOM, Kind

__all__ = [
    "BOUNDS",
    "MEASURES",
    "POLICIES",
    "Measure",
    "bounds_of",
    "compute_all",
    "lower_is_better",
    "measure",
    "ratio",
    "reported_measure",
]

Bounding = TypeVar("Bounding", bound=Callable[..., Any])


def measure(
    *,
    range: tuple[float, float] = (0.0, 1.0),
    summary: str = "mean",
    monotone: bool = False,
    pointwise: bool = False,
    diluted: bool = False,
    skips_unjudged: bool = False,
    ungraded: bool = False,
    quality: bool = True,
    estimates: str = "",
    takes: frozenset[Kind] | None = None,
    across_queries: bool = False,
    chance: Chance | None = None,
    gain: Gain | None = None,
    weight: Weight | None = None,
    tail: Weight | None = None,
    trec_eval: str | Mapping[str, tuple[float, ...]] = MappingProxyType({}),
    aliases: tuple[str, ...] = (),
    cite: tuple[str, ...] = (),
    registered: bool = True,
) -> Callable[[Callable[..., Floats]], Measure]:
    """Turn a function of JudgedRankings into a measure of the same name.

    The keywords state what is true of it; `Traits` defines each. `trec_eval` is its name there; a mapping
    gives the default cutoffs of each name. One that is not `registered` is known only to its caller.
    """
    facts = {name: fact for name, fact in locals().items() if name != "registered"}

    def register(function: Callable[..., Floats]) -> Measure:
        code = getattr(inspect.unwrap(function), "__code__", None)  # far faster than `inspect.signature`
        own = 0 if code is None else code.co_argcount + code.co_kwonlyargcount
        keywords: Container[str] = code.co_varnames[:own] if code else inspect.signature(function).parameters
        derived = {
            "monotone": monotone or pointwise or diluted,
            "takes": takes or (RANDOM if estimates else ANY),
            "trec_eval": {trec_eval: ()} if isinstance(trec_eval, str) else trec_eval,
            "at": next((name for name in ("cutoff", "recall", "multiple") if name in keywords), None),
        }
        traits = Traits(**{**facts, **derived})
        made = Measure(function.__name__, function, traits, MappingProxyType({}))
        made.__dict__["__doc__"] = function.__doc__
        if registered:
            MEASURES[made.name] = made
        return made

    return register


def reported_measure(name: str, limits: tuple[float, float]) -> Measure:
    """Return a measure that another tool computed: known by its name and the range of its values."""

    def reported(_: JudgedRankings) -> Floats:
        raise UsageError(f"{name} comes from a table of scores: it cannot be computed from rankings")

    reported.__name__ = name
    return measure(range=limits, registered=False)(reported)


def lower_is_better(
    measures: Sequence[Measure], names: Iterable[str] | str, others: Sequence[str] = ()
) -> list[Measure]:
    """Return the measures; lower values of those with these names, of another tool, are better.

    Names may also be of `others`, which are not among the measures.
    """
    wanted, known = [name for name in as_list("lower", names) if name not in others], list(map(str, measures))
    for name in wanted:
        if name not in known:
            raise UsageError(f"lower names {shown(name)}, expected one of the measures: {shortlist(known)}")
        if (defined := measures[known.index(name)].name) in MEASURES:
            problem = f"lower names {name}, but higher values of {defined} are better, or none are"
            raise UsageError(f"{problem}: lower is for measures that this package does not define")
    return [
        replace(measure, traits=replace(measure.traits, lower=True)) if name in wanted else measure
        for name, measure in zip(known, measures, strict=True)
    ]


def bounds_of(measure: Measure) -> Callable[[Bounding], Bounding]:
    """Register a function that finds the bounds of one measure instead of the general rules."""

    def register(function: Bounding) -> Bounding:
        BOUNDS[measure.name] = function
        return function

    return register
