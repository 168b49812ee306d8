"""Measures of your own: from a file of Python, or from a package that is installed.

A package offers measures by an entry point of the group `unjudged.measures`, whose module registers them with
`@measure`. Loading runs the code of the file or package.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.data.streams import without_links
from unjudged.measures.kernel.measure import MEASURES, SOURCES, Measure
from unjudged.rankings.judged import JudgedRankings

GROUP = "unjudged.measures"


def load_measures(sources: Iterable[str] | None) -> list[str]:
    """Run each file or package, and return the names of the measures that it registers.

    A source that was loaded before is not run again. A measure must not have the name of another one.
    """
    return [name for source in sources or () for name in _load(source)]


def _load(source: str) -> list[str]:
    is_file = source.endswith(".py") or os.path.exists(source)
    place = without_links(source) if is_file else source
    known = [name for name, loaded in SOURCES.items() if loaded == place]
    if known:
        return known
    before = dict(MEASURES)
    try:
        if is_file:
            _run_file(source, place)
        else:
            _run_package(source)
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


def entry_points(group: str) -> Any:
    """Return what installed packages offer to a group; the module that knows is slow to import."""
    from importlib import metadata

    return metadata.entry_points(group=group)


def _run_package(name: str) -> None:
    """Import the module of an entry point."""
    offered = {point.name: point for point in entry_points(GROUP)}
    if name not in offered:
        known = f"; packages offer: {', '.join(sorted(offered))}" if offered else ""
        raise UsageError(f"{name}: no such file, and no installed package offers measures by it{known}")
    try:
        offered[name].load()
    except ImportError as error:
        raise InputError(f"{name}: {offered[name].value} cannot be imported: {error}") from error


RANKINGS = 150
ROUNDING = 1e-9
States = list[str]
Claim = Callable[["Tried", States, States, np.random.Generator], Iterator[str]]


class Tried:
    """A measure that is tried."""

    def __init__(self, measure: Any, top: int) -> None:
        self.measure, self.top = measure, top

    def value(self, ranking: States, missed: States) -> float:
        """Return its value of one ranking, which must be a number."""
        rankings = JudgedRankings.spelled(" ".join(ranking), missed=" ".join(missed))
        found = np.asarray(self.measure.function(rankings, **self.measure.own))
        if found.shape != (1,) or found.dtype.kind not in "fiub":
            problem = f"{self.measure} returned an array of shape {found.shape} and type {found.dtype}"
            raise UsageError(f"{problem} for one ranking, expected one number per ranking")
        return float(found[0])


def written(ranking: States, missed: States) -> str:
    """Return a ranking as `JudgedRankings.spelled` takes it."""
    return f'"{" ".join(ranking)}"' + (f', missed="{" ".join(missed)}"' if missed else "")


def try_traits(measure: Any) -> None:
    """Refuse a measure one of whose traits is not true of some small ranking."""
    top = min(measure.given.get("max_grade") or 2, 4)
    tried, rng = Tried(measure, top), np.random.default_rng(0)
    claims: dict[str, Claim] = {"range": _in_range}
    traits = measure.traits_up_to(top)
    declared = {"pointwise": _pointwise, "diluted": _diluted, "monotone": _monotone, "ungraded": _ungraded}
    claims |= {name: claim for name, claim in declared.items() if getattr(traits, name)}
    if traits.monotone and not traits.skips_unjudged and not traits.estimates:
        claims["skips_unjudged=False"] = _unjudged_is_nonrelevant
    if traits.weight is not None:
        claims["weight"] = _weighted_sum
    with np.errstate(all="ignore"):
        for _ in range(RANKINGS):
            ranking, missed = _drawn(rng, top)
            for name, claim in claims.items():
                for found in claim(tried, ranking, missed, rng):
                    raise UsageError(f"{measure}: its trait {name} is not true: {found}")


def _drawn(rng: np.random.Generator, top: int) -> tuple[States, States]:
    """Return the states of a few retrieved documents, and of some that were missed."""
    states = [*map(str, range(top + 1)), "U", "N"]
    ranking = rng.choice(states, rng.integers(1, 6)).tolist()
    if set(ranking) == {"N"}:
        ranking[0] = "0"  # judgments need a document
    return ranking, rng.choice([*map(str, range(top + 1)), "U"], rng.integers(0, 3)).tolist()


def _in_range(tried: Tried, ranking: States, missed: States, _: np.random.Generator) -> Iterator[str]:
    low, high = tried.measure.traits.range
    value = tried.value(ranking, missed)
    if not low - ROUNDING <= value <= high + ROUNDING:
        yield f"{value:g} for {written(ranking, missed)}, expected {low:g} to {high:g}"


def _compared(
    tried: Tried, before: tuple[States, States], after: tuple[States, States], what: str, sign: int
) -> Iterator[str]:
    """Yield a contradiction if the value changes against the sign; 0 is for no change."""
    first, second = tried.value(*before), tried.value(*after)
    change = second - first
    if change * sign < -ROUNDING or (sign == 0 and abs(change) > ROUNDING):
        yield f"{what} changes {first:.6g} for {written(*before)} to {second:.6g} for {written(*after)}"


def _changed(states: States, place: int, state: str) -> States:
    return [state if i == place else old for i, old in enumerate(states)]


def _judged(states: States) -> States:
    return ["0" if state in "UN" else state for state in states]


def _pointwise(tried: Tried, ranking: States, missed: States, rng: np.random.Generator) -> Iterator[str]:
    """Raising a grade never lowers the value."""
    ranking, place = _judged(ranking), int(rng.integers(len(ranking)))
    higher = min(int(ranking[place]) + 1, tried.top)
    after = _changed(ranking, place, str(higher)), missed
    yield from _compared(tried, (ranking, missed), after, "a higher grade", 1)


def _monotone(tried: Tried, ranking: States, missed: States, rng: np.random.Generator) -> Iterator[str]:
    """Moving a better document up never lowers the value."""
    ranking = _judged(ranking)
    if len(ranking) < 2:
        return
    i, j = sorted(rng.choice(len(ranking), 2, replace=False).tolist())
    if int(ranking[j]) > int(ranking[i]):
        swapped = _changed(_changed(ranking, i, ranking[j]), j, ranking[i])
        yield from _compared(tried, (ranking, missed), (swapped, missed), "moving a better document up", 1)


def _diluted(tried: Tried, ranking: States, missed: States, rng: np.random.Generator) -> Iterator[str]:
    """One more relevant document that was missed never raises the value."""
    missed = [state for state in missed if state != "U"]
    after = ranking, [*missed, str(rng.integers(1, tried.top + 1))]
    yield from _compared(tried, (ranking, missed), after, "another relevant document that was missed", -1)


def _ungraded(tried: Tried, ranking: States, missed: States, rng: np.random.Generator) -> Iterator[str]:
    """Other grades of the same judged documents change nothing."""
    after = [state if state in "UN" else str(rng.integers(tried.top + 1)) for state in ranking]
    yield from _compared(tried, (ranking, missed), (after, missed), "another grade", 0)


def _unjudged_is_nonrelevant(
    tried: Tried, ranking: States, missed: States, _: np.random.Generator
) -> Iterator[str]:
    """An unjudged document is the same as one of grade 0."""
    after = _judged(ranking), _judged(missed)
    yield from _compared(tried, (ranking, missed), after, "judging the unjudged as 0", 0)


def _weighted_sum(tried: Tried, ranking: States, missed: States, _: np.random.Generator) -> Iterator[str]:
    """The value is the sum of gains times the weights of ranks."""
    grades = np.array(list(map(int, _judged(ranking))))
    weights = tried.measure.weights(np.arange(1, len(grades) + 1))
    total = float((tried.measure.gain(grades) * weights).sum())
    value = tried.value(_judged(ranking), missed)
    if abs(total - value) > ROUNDING:
        where = written(_judged(ranking), missed)
        yield f"the sum of weights is {total:.6g}, the value {value:.6g} for {where}"
