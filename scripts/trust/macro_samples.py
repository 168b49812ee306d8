"""Coverage of intervals over several collections: samples of queries of unequal size, drawn and simulated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from coverage_tables import LEAST, MOST, Cell, markdown, share, shortfalls
from left_out_runs import Track

from unjudged import evaluate
from unjudged.comparison.testing.macro_means import macro_differences, macro_interval
from unjudged.rankings.judged import Floats

MEASURE = "nDCG@10"
SIZES = {
    "5, 5, 5": (5, 5, 5),
    "5, 50, 500": (5, 50, 500),
    "10, 20, 50, 50, 300": (10, 20, 50, 50, 300),
    "twelve of 5 to 300": (5, 5, 10, 20, 30, 49, 50, 57, 75, 80, 100, 300),
    "50 each of 5": (50, 50, 50, 50, 50),
}
REPEATS = {"mean": 2_000, "difference": 10_000}
FIRST, POPULATIONS, SEED, LEVEL, ROUNDING = (5, 12), 3, 8, 0.95, 1e-12
"""`FIRST` are the first runs of the populations: some were seen when the method was chosen, then others."""
WHY = (
    "Few queries hardly show how far their collection spreads, most of all where differences rest on some of "
    "them."
)


@dataclass(frozen=True)
class Macro:
    """How often an interval of a mean over collections held, and how wide it was."""

    scores: str
    what: str
    sizes: str
    coverage: float
    width: float


Draw = Callable[[np.random.Generator, int, int], Floats]


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


WORLDS: dict[str, Draw] = {"skewed": _skewed, "many zeros": _with_zeros, "reciprocal ranks": _reciprocal}


def simulated_coverage() -> list[Macro]:
    """Return the coverage in simulated worlds."""
    found: list[Macro] = []
    for place, (name, world) in enumerate(WORLDS.items()):
        found += _of_means(f"simulated: {name}", world, _mean(world), place)
    return [*found, *_of_differences("simulated", _gap, _mean(_gap), len(WORLDS))]


def macro_coverage(track: Track) -> list[Macro]:
    """Return the coverage with the queries of some runs, and of pairs of them, as populations.

    None of them is among every sixteenth of TREC-8 and every eighth of DL-2019, which chose the method first.
    """
    found: list[Macro] = []

    def drawn(population: Floats) -> Draw:
        return lambda rng, repeats, queries: rng.choice(population, (repeats, queries))

    for number, first in enumerate(FIRST):
        step, before = len(track.runs), number * POPULATIONS
        runs = [track.runs[first + i * step // (POPULATIONS + 1)] for i in range(POPULATIONS + 1)]
        values = evaluate(track.judgments, runs, MEASURE).values[:, :, 0]
        for place, population in enumerate(values[:-1], before):
            name = f"{track.name}, run {place + 1}"
            found += _of_means(name, drawn(population), float(population.mean()), 10 + place)
        for place, gap in enumerate(values[:-1] - values[1:], before):
            name = f"{track.name}, pair {place + 1}"
            found += _of_differences(name, drawn(gap), float(gap.mean()), 20 + place)
    return found


def _mean(world: Draw) -> float:
    rng = np.random.default_rng(SEED)
    return float(np.mean([world(rng, 1, 1_000_000).mean() for _ in range(5)]))


def _of_means(scores: str, draw: Draw, truth: float, place: int) -> Iterator[Macro]:
    for sizes, counts in SIZES.items():
        parts = _parts(draw, counts, place, REPEATS["mean"])
        low, high = macro_interval(parts, (0.0, 1.0), LEVEL, SEED)
        yield Macro(scores, "mean", sizes, *_held(low, high, truth))


def _of_differences(scores: str, draw: Draw, truth: float, place: int) -> Iterator[Macro]:
    for sizes, counts in SIZES.items():
        found = macro_differences(_parts(draw, counts, place, REPEATS["difference"]), LEVEL)
        yield Macro(scores, "difference", sizes, *_held(found.low, found.high, truth))


def _parts(draw: Draw, counts: tuple[int, ...], place: int, repeats: int) -> list[Floats]:
    rng = np.random.default_rng([SEED, place, *counts])
    return [draw(rng, repeats, count) for count in counts]


def _held(low: Floats, high: Floats, truth: float) -> tuple[float, float]:
    """Return how often intervals held, and their mean width."""
    held = (low <= truth + ROUNDING) & (truth <= high + ROUNDING)
    return float(held.mean()), float((high - low).mean())


def macro_table(found: Sequence[Macro]) -> str:
    """Coverage and width per population and numbers of queries."""
    rows = []
    for what, scores in dict.fromkeys((one.what, one.scores) for one in found):
        cells = {one.sizes: one for one in found if (one.what, one.scores) == (what, scores)}
        rows.append([what, scores, *(f"{share(cells[n].coverage)} ({cells[n].width:.3f})" for n in SIZES)])
    measured = [
        Cell(f"{one.what}, {one.scores}, {one.sizes} queries,", one.coverage, LEVEL, REPEATS[one.what])
        for one in found
    ]
    inside = sum(LEAST <= one.coverage <= MOST for one in found)
    said = f"\n\n{inside} of {len(found)} shares are between {share(LEAST)} and {share(MOST)}."
    return markdown(["of", "scores", *SIZES], rows, labels=2) + said + shortfalls(measured, WHY)
