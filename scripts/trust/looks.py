"""How often judging until decided is wrong, and how many judgments it needs: replays of pairs of runs.

Two runs that were not pooled are compared. People judge ten of their unjudged documents after another, drawn
by what each may change of the difference, and look after every ten, until it is decided, 200 are judged or
nothing is left. Pairs are close (their scores with everything judged differ by less than .03), far (by more
than .1) or equal: every query is there twice, the second time with the labels of the systems swapped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import inf, nan
from pathlib import Path
from typing import Any

import numpy as np
from drawn_holes import Frame, Scene, Track
from held import Held

from unjudged.base.segments import Floats, Integers
from unjudged.evidence.drawn.by_design import Forecast, Sequential, reach, sizes_left
from unjudged.inference.pair_rows import needs_judging
from unjudged.judging.gains import most_telling
from unjudged.judging.next_documents import pairs_by_judging
from unjudged.judging.until import PLANNED
from unjudged.measures.kernel.measure import mean_over_queries

BATCH, DECLARED, MOST_LOOKS, SEED, ALPHA = 10, 10, 20, 46, 0.05
PAIRS, CLOSE, FAR = 10, 0.03, 0.1
REPLAYS = 1000
MEASURES = {
    "TREC-8": ("RBP(p=0.8)", "P@10", "nDCG@10", "AP@30"),
    "DL-2019": ("RBP(p=0.8)", "P@10", "nDCG@10", "AP@10"),
}
KINDS = "far", "close", "equal"
SEQUENCE, DECLARED_LOOKS, ONCE, RANDOM = (
    "any number of looks",
    "ten declared looks",
    "interval for one look",
    "drawn alike",
)
FIRST, SECOND = np.array([0]), np.array([1])
COLUMNS = (*Held._fields, "median", "ninetieth", "greedy", "certain")


@dataclass(frozen=True, eq=False)
class Pair:
    """A frame of two runs, its true difference, and what planning the looks needs."""

    frame: Frame
    truth: float
    size: Floats
    forecast: Forecast
    expected: int

    @classmethod
    def of(cls, scene: Scene, measure: str, depth: int | None) -> Pair:
        frame = scene.frame(measure, None, depth)
        effects = frame.evidence.effects
        size = effects.sizes(FIRST, SECOND)
        spread = effects.spread(effects.of_contrasts(FIRST, SECOND))[0]
        forecast = Forecast(spread, size, float(effects.left_over(FIRST, SECOND)[0]))
        needed = forecast.needed(abs(float(effects.means(FIRST, SECOND)[0])))
        return cls(frame, float(frame.true(FIRST, SECOND)[0]), size, forecast, max(PLANNED * BATCH, needed))

    def decisions(
        self, order: Integers, size: Floats, ways: tuple[str, ...]
    ) -> dict[str, tuple[float, bool]]:
        """Return for each way to look how many labels decided, infinite if none did, and whether wrongly."""
        found: dict[str, tuple[float, bool]] = {}
        front = order[: MOST_LOOKS * BATCH]
        effects = self.frame.drawn(size, front[:BATCH], BATCH).effects
        grade = self.frame.grade[self.frame.row].astype(np.int64)
        moved = (effects.effect[0] - effects.effect[1]) * (effects.reached(grade) - effects.chance)
        spread = effects.spread(effects.of_contrasts(FIRST, SECOND))
        design = Sequential(size, front)
        path = design.path(moved.sum(axis=1)[None], spread)
        base, left = (
            float(one[0]) for one in (effects.means(FIRST, SECOND), effects.left_over(FIRST, SECOND))
        )
        least, most = (float(end[0]) for end in self.frame.bounds(FIRST, SECOND))
        planned = float((sizes_left(size, min(self.expected, len(size))) ** -2.0).sum())
        counts = np.unique(np.minimum(BATCH * np.arange(1, MOST_LOOKS + 1), len(front)))
        labels = float(design.labels(spread, 1)[0]) * counts
        reached = {way: reaches(way, labels, path.weight[counts - 1], planned) for way in ways}
        remainder, looked = np.zeros(effects.base.shape), 0
        for look, n in enumerate(counts.tolist()):
            asked = np.isin(effects.query[front[:n]], effects.query[front[looked:n]])
            own, looked = front[:n][asked], n
            remainder[:, effects.query[own]] = effects.remainder(own, grade[own])[:, effects.query[own]]
            means = mean_over_queries(remainder)
            rest = float(means[0] - means[1])
            value = float(np.clip(base + path.value[0, n - 1] + rest, least, most))
            variance = path.variance[0, n - 1] + 4 * left * (1 - (n / len(size)) ** 2) + rest**2
            for way in ways:
                half = float(reached[way][look] * variance**0.5) if n < len(size) else 0.0
                if way not in found and (abs(value) > max(half, 1e-9) or most < 0 or least > 0):
                    found[way] = float(n), abs(self.truth) < 1e-12 or value * self.truth < 0
            if len(found) == len(ways):
                break
        return {way: found.get(way, (inf, False)) for way in ways}

    def greedy(self) -> tuple[float, float]:
        """Return how many labels of `next`'s lists of ten let it say stop, and leave nothing to turn.

        Infinite if `next` lists nothing more before that.
        """
        frame, drawn = self.frame, np.zeros(0, np.int64)
        plain, measure = frame.evidence.plain, frame.evidence.measure
        stopped = certain = inf
        while inf in (stopped, certain):
            shared = frame.judged(Sequential(self.size, drawn), drawn, np.ones(len(self.size))).shared
            if not needs_judging(pairs_by_judging(shared, measure, None)[0]):
                stopped = min(stopped, len(drawn))
            ends = replace(plain, shared=shared).contrast(FIRST, SECOND).ends
            if ends is not None and (ends.low[0] > 0 or ends.high[0] < 0):
                certain = min(certain, len(drawn))
            listed, _ = most_telling(shared, measure, FIRST, SECOND, BATCH)
            if not len(listed):
                break
            drawn = np.append(drawn, np.searchsorted(frame.row, listed))
        return stopped, certain


def reaches(way: str, labels: Floats, information: Floats, planned: float) -> Floats:
    """Return how many standard errors the interval reaches at each look."""
    if way == SEQUENCE:
        far = reach(labels, ALPHA, None, information, planned)
    else:
        far = reach(labels, ALPHA, DECLARED if way == DECLARED_LOOKS else None)
    if way == DECLARED_LOOKS:
        far[DECLARED:] = inf
    return far


def replays(folder: Path, collection: str, kind: str, measure: str) -> list[list[object]]:
    """Return a row for each way to look."""
    track = Track.dl2019(folder, None) if collection == "DL-2019" else Track.trec8(folder)
    rng = np.random.default_rng([SEED, *map(ord, f"{collection} {kind} {measure}")])
    pairs: list[Pair] = []
    asked = track.named(measure)
    while len(pairs) < PAIRS:
        scene = track.scene(rng)
        chosen = scene.of_equals() if kind == "equal" else Scene(track, scene.pooled, scene.runs[:2])
        pair = Pair.of(chosen, asked, 10 if "@10" in measure else None)
        apart = abs(pair.truth)
        if (
            len(pair.size) >= 5 * BATCH
            and {"far": apart > FAR, "close": 0 < apart < CLOSE, "equal": True}[kind]
        ):
            pairs.append(pair)
    return [
        [*Held(track.name, f"{kind} pairs, {way}", asked, 1 - ALPHA, right, replayed, nan, rest), *labels]
        for way, right, replayed, rest, *labels in _counted(pairs, rng)
    ]


def _counted(pairs: list[Pair], rng: np.random.Generator) -> Iterator[tuple[Any, ...]]:
    ways = SEQUENCE, DECLARED_LOOKS, ONCE
    found: dict[str, list[tuple[float, bool]]] = {way: [] for way in (*ways, RANDOM)}
    for k in range(REPLAYS):
        pair = pairs[k % len(pairs)]
        for way, one in pair.decisions(pair.frame.order(pair.size, rng), pair.size, ways).items():
            found[way].append(one)
        if k < REPLAYS // 4:
            alike = np.ones(len(pair.size))
            found[RANDOM].append(pair.decisions(pair.frame.order(alike, rng), alike, (SEQUENCE,))[SEQUENCE])
    greedy, certain = np.median([pair.greedy() for pair in pairs], axis=0).tolist()
    for way, own in found.items():
        labels, right = np.array([one[0] for one in own]), 1 - float(np.mean([one[1] for one in own]))
        middle, ninetieth = np.percentile(labels, [50, 90], method="higher")
        open_share = float(np.isinf(labels).mean())
        yield way, right, len(own), open_share, float(middle), float(ninetieth), greedy, certain
