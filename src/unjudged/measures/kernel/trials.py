"""Traits of a measure tried on small rankings: a measure of your own whose traits are wrong is found here.

Bounds and comparisons follow from the traits that a measure declares. One that is not true
would give wrong numbers in silence. So each is tried on some hundred small rankings when the measure is first
used, and an error shows a ranking that contradicts it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.rankings.judged import JudgedRankings

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
