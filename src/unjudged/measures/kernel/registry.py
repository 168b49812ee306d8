"""Registry of measures: one decorated function per measure, whose name, keywords and docstring define it."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeVar

from unjudged.base.choices import as_list, shown
from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.segments import Floats
from unjudged.base.wording import shortlist
from unjudged.data.streams import without_links
from unjudged.measures.kernel.measure import (
    BOUNDS,
    MEASURES,
    POLICIES,
    SOURCES,
    Measure,
    compute_all,
    ratio,
)
from unjudged.measures.kernel.traits import Chance, Gain, Traits, Weight
from unjudged.rankings.judged import JudgedRankings
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
    """Register a function of JudgedRankings as a measure of the same name.

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


def load_measures(source: str) -> list[str]:
    """Run a file, and return the names of the measures that it registers.

    A file that was loaded before is not run again. A measure must not have the name of another one.
    """
    place = without_links(source)
    known = [name for name, loaded in SOURCES.items() if loaded == place]
    if known:
        return known
    before = dict(MEASURES)
    try:
        _run_file(source, place)
        own = _new(source, before)
    except BaseException:
        MEASURES.clear()
        MEASURES.update(before)
        raise
    SOURCES.update(dict.fromkeys(own, place))
    return own


def _new(source: str, before: Mapping[str, Measure]) -> list[str]:
    """Return the names of what was registered; the name of another measure is refused."""
    own = [name for name, measure in MEASURES.items() if before.get(name) is not measure]
    replaced = [name for name in own if name in before]
    if replaced:
        problem = f"{source}: a measure is called {quoted(replaced[0])} already"
        raise UsageError(f"{problem}: choose another name for yours")
    if not own:
        problem = f"{source}: registers no measure"
        raise UsageError(f"{problem}: decorate a function of rankings with @measure()")
    return own


def _run_file(source: str, place: str) -> None:
    """Run a file as a module of its own."""
    if not os.path.isfile(place):
        raise InputError("no such file, expected a file of Python with measures", source=source)
    import importlib.util
    from traceback import extract_tb

    name = f"unjudged_loaded_{os.path.basename(place).removesuffix('.py')}"
    spec = importlib.util.spec_from_file_location(name, place)
    if spec is None or spec.loader is None:
        raise InputError("not a file of Python: its name must end in .py", source=source)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise InputError(error.msg, source=source, line=error.lineno) from error
    except UsageError as error:
        raise UsageError(f"{source}: {error}") from error
    except Exception as error:
        own = [frame.lineno for frame in extract_tb(error.__traceback__) if frame.filename == place]
        problem = f"{type(error).__name__}: {error}"
        raise InputError(problem, source=source, line=own[-1] if own else None) from error
