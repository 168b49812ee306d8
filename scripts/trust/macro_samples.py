"""Coverage of intervals over several collections: samples of queries of unequal size, drawn and simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple

import numpy as np
from held import Held
from left_out_runs import Track

from unjudged import evaluate
from unjudged.base.segments import Floats
from unjudged.inference.several_collections import macro_differences, macro_interval

MEASURE = "nDCG@10"
SIZES = {
    "5, 5, 5": (5, 5, 5),
    "5, 50, 500": (5, 50, 500),
    "10, 20, 50, 50, 300": (10, 20, 50, 50, 300),
    "twelve of 5 to 300": (5, 5, 10, 20, 30, 49, 50, 57, 75, 80, 100, 300),
    "50 each of 5": (50, 50, 50, 50, 50),
}
SMALL = 40
"""Collections with fewer queries are the small ones, where small and large ones spread differently."""
REPEATS = {"mean": 2_000, "difference": 10_000}
FIRST, POPULATIONS, SEED, LEVEL, ROUNDING = (5, 12), 3, 8, 0.95, 1e-12
"""`FIRST` are the first runs of the populations: some were seen when the method was chosen, then others."""

Draw = Callable[[np.random.Generator, int, int], Floats]


class Population(NamedTuple):
    """What the queries of a collection are drawn from."""

    draw: Draw
    mean: float


World = tuple[Population, Population]
"""The population of small collections, and that of large ones."""


def _skewed(rng: np.random.Generator, repeats: int, queries: int) -> Floats:
    return rng.beta(0.6, 0.9, (repeats, queries))


def _with_zeros(rng: np.random.Generator, repeats: int, queries: int) -> Floats:
    return np.where(rng.random((repeats, queries)) < 0.4, 0.0, rng.beta(1, 2, (repeats, queries)))


def _reciprocal(rng: np.random.Generator, repeats: int, queries: int) -> Floats:
    return (rng.random((repeats, queries)) < 0.8) / rng.integers(1, 11, (repeats, queries))


def _gap(rng: np.random.Generator, repeats: int, queries: int) -> Floats:
    first = _skewed(rng, repeats, queries)
    moved = rng.normal(0.02, 0.15, first.shape) * (rng.random(first.shape) < 0.6)
    return np.clip(first + moved, 0, 1) - first


def _narrow(rng: np.random.Generator, repeats: int, queries: int) -> Floats:
    """Scores with the mean of the skewed ones and two fifths of their standard deviation."""
    return rng.beta(6, 9, (repeats, queries))


def _half_gap(rng: np.random.Generator, repeats: int, queries: int) -> Floats:
    return _gap(rng, repeats, queries) / 2


MORE, LESS = "small collections spread more", "small collections spread less"
WORLDS: tuple[tuple[str, str, tuple[Draw, Draw]], ...] = (
    ("mean", "skewed", (_skewed, _skewed)),
    ("mean", "many zeros", (_with_zeros, _with_zeros)),
    ("mean", "reciprocal ranks", (_reciprocal, _reciprocal)),
    ("difference", "alike", (_gap, _gap)),
    ("mean", MORE, (_skewed, _narrow)),
    ("mean", LESS, (_narrow, _skewed)),
    ("difference", MORE, (_gap, _half_gap)),
    ("difference", LESS, (_half_gap, _gap)),
)


def simulated_coverage() -> list[Held]:
    """Return the coverage in simulated worlds."""
    found: list[Held] = []
    for place, (what, name, (small, large)) in enumerate(WORLDS):
        world = Population(small, _mean(small)), Population(large, _mean(large))
        found += _coverage(what, "simulated", name, world, place)
    return found


def macro_coverage(track: Track) -> list[Held]:
    """Return the coverage with the queries of some runs, and of pairs of them, as populations.

    None of them is among every sixteenth of TREC-8 and every eighth of DL-2019, which chose the method first.
    """
    found: list[Held] = []

    def alike(values: Floats) -> World:
        own = Population(lambda rng, repeats, queries: rng.choice(values, (repeats, queries)), values.mean())
        return own, own

    for number, first in enumerate(FIRST):
        step, before = len(track.runs), number * POPULATIONS
        runs = [track.runs[first + i * step // (POPULATIONS + 1)] for i in range(POPULATIONS + 1)]
        values = evaluate(track.judgments, runs, MEASURE).values[:, :, 0]
        for place, population in enumerate(values[:-1], before):
            found += _coverage("mean", track.name, f"run {place + 1}", alike(population), 10 + place)
        for place, gap in enumerate(values[:-1] - values[1:], before):
            found += _coverage("difference", track.name, f"pair {place + 1}", alike(gap), 20 + place)
    return found


@cache
def _mean(draw: Draw) -> float:
    rng = np.random.default_rng(SEED)
    return float(np.mean([draw(rng, 1, 1_000_000).mean() for _ in range(5)]))


def _coverage(what: str, collection: str, scores: str, world: World, place: int) -> Iterator[Held]:
    """Yield the coverage of means or differences for each of the sizes."""
    for sizes, counts in SIZES.items():
        held, width = _measured(what, world, counts, [SEED, place, *counts])
        setting = f"{what}, {scores}, {sizes} queries"
        yield Held(collection, setting, MEASURE, LEVEL, held, REPEATS[what], width)


def _measured(what: str, world: World, counts: tuple[int, ...], seed: list[int]) -> tuple[float, float]:
    """Return how often intervals held for such numbers of queries, and how wide they were."""
    rng, populations = np.random.default_rng(seed), [world[count >= SMALL] for count in counts]
    parts = [own.draw(rng, REPEATS[what], count) for own, count in zip(populations, counts, strict=True)]
    if what == "mean":
        low, high = macro_interval(parts, (0.0, 1.0), LEVEL, SEED)
    else:
        _, low, high, _ = macro_differences(parts, LEVEL)
    return _held(low, high, float(np.mean([own.mean for own in populations])))


def _held(low: Floats, high: Floats, truth: float) -> tuple[float, float]:
    """Return how often intervals held, and their mean width."""
    held = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
    return float(held.mean()), float((high - low).mean())
