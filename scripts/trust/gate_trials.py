"""How often the gate and the test between segments are wrong: pairs of real runs, queries resampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np
from held import Held

from unjudged import evaluate
from unjudged.base.segments import Floats
from unjudged.inference.interaction import interaction_p
from unjudged.inference.pairs import Pairs, t_interval
from unjudged.inference.significance import careful, level_of_one_look

ALPHA, SEED, REACH = 0.05, 28, 1.0
TRIALS, SIZES, MARGINS = 10_000, (10, 25, 50, 200), (0.01, 0.02, 0.05)
SEGMENTS = ((5, 5), (5, 50), (5, 500), (10, 10, 10), (50, 50), (500, 500), (5, 5, 5, 5), (5, 20, 100, 500))
SEGMENT_TRIALS, PERMUTATIONS, FEWER, HOPELESS = 4_000, 999, 99, 0.25
SEGMENT_SIZES = (5, 20, 100, 500)
SEGMENT_SOURCES = ("TREC-8 AP", "DL-2019 nDCG@10")
SOURCES = ("TREC-8 AP", "TREC-8 nDCG@10", "TREC-8 RR", "DL-2019 nDCG@10", "Normal")
ERRORS = ("passes at the boundary", "fails at the boundary", "fails without a difference")
Draw = Callable[[np.random.Generator, int], Floats]


@cache
def matrices(folder: Path) -> dict[str, Floats]:
    """Return systems x queries for each source; differences of pairs are drawn from them."""
    trec8 = evaluate(
        folder / "qrels.trec8.gz", sorted((folder / "runs").glob("*.gz")), ["AP", "nDCG@10", "RR"]
    )
    found = {f"TREC-8 {m}": trec8.values[:, :, k] for k, m in enumerate(trec8.measures)}
    other = folder.parent / "dl2019"
    runs = sorted((other / "track" / "runs").glob("*"))
    dl2019 = evaluate(other / "qrels.dl2019-passage.gz", runs, "nDCG@10")
    return {**found, "DL-2019 nDCG@10": dl2019.values[:, :, 0]}


def _differences(folder: Path, source: str) -> Draw:
    """Return what draws the differences of two systems, on all queries of the source."""
    if source == "Normal":
        return lambda rng, _: rng.normal(0, 0.15, 1_000)
    matrix = matrices(folder)[source]

    def draw(rng: np.random.Generator, _: int) -> Floats:
        first, second = rng.choice(len(matrix), 2, replace=False)
        difference: Floats = matrix[first] - matrix[second]
        return difference

    return draw


def gate_trials(folder: Path, source: str, queries: int) -> tuple[list[Held], list[float]]:
    """Draw pairs of systems and samples of queries; also return how often no difference passes, by margin.

    At the boundary the differences of a pair are shifted so that their mean is minus the margin. For no
    difference the two scores of each query are swapped at random.
    """
    rng, draw, margin = (
        np.random.default_rng([SEED, queries, SOURCES.index(source)]),
        _differences(folder, source),
        MARGINS[0],
    )
    boundary, alarms = np.zeros(2), 0
    passes = np.zeros(len(MARGINS))
    for _ in range(TRIALS):
        whole = draw(rng, queries)
        shifted = whole - whole.mean() - margin
        tested = careful(shifted[None, rng.integers(0, len(whole), queries)], margin, REACH)
        boundary += [tested.above[0] <= ALPHA, tested.below[0] <= ALPHA]
        swapped = whole[rng.integers(0, len(whole), queries)] * rng.choice([-1.0, 1.0], queries)
        each = [careful(swapped[None], one, REACH) for one in MARGINS]
        alarms += int(each[0].below[0] <= ALPHA)
        passes += [one.above[0] <= ALPHA for one in each]
    wrong = dict(zip(ERRORS, [*boundary.tolist(), alarms], strict=True))
    held = [
        Held(*_named(source, f"{queries} queries, {what}"), 1 - ALPHA, 1 - count / TRIALS, TRIALS)
        for what, count in wrong.items()
    ]
    return held, (passes / TRIALS).tolist()


def _named(source: str, setting: str) -> tuple[str, str, str]:
    """Return collection, setting and measure."""
    collection, _, measure = source.partition(" ")
    return (collection, setting, measure) if measure else ("simulated", setting, source)


def segment_trials(folder: Path, source: str, sizes: Sequence[int]) -> list[Held]:
    """Draw segments whose differences have mean 0: all of one pair of systems, or each of another pair."""
    rng = np.random.default_rng([SEED, SOURCES.index(source), *sizes])
    draw, wrong = _differences(folder, source), np.zeros(2)
    for trial in range(SEGMENT_TRIALS):
        for place, same in enumerate((True, False)):
            whole = draw(rng, 0)
            parts = []
            for size in sizes:
                whole = whole if same else draw(rng, 0)
                parts.append((whole - whole.mean())[rng.integers(0, len(whole), size)])
            wrong[place] += _said_to_differ(parts, trial)
    kinds = ("one pair", "another pair per segment")
    named = f"{', '.join(map(str, sizes))} queries"
    return [
        Held(*_named(source, f"{named}, {kind}"), 1 - ALPHA, 1 - count / SEGMENT_TRIALS, SEGMENT_TRIALS)
        for kind, count in zip(kinds, wrong.tolist(), strict=True)
    ]


def _said_to_differ(parts: Sequence[Floats], seed: int) -> bool:
    """Whether p is at most alpha. Where few permutations show that it is far above, more are not drawn."""
    hopeless = interaction_p(parts, draws=FEWER, seed=seed) > HOPELESS
    return not hopeless and interaction_p(parts, draws=PERMUTATIONS, seed=seed) <= ALPHA


def interval_coverage(folder: Path, source: str, queries: int) -> list[Held]:
    """Return how often the t interval of a segment's difference held."""
    rng = np.random.default_rng([SEED, queries, 1, SOURCES.index(source)])
    matrix = matrices(folder)[source]
    pairs = np.array([rng.choice(len(matrix), 2, replace=False) for _ in range(TRIALS)])
    whole = matrix[pairs[:, 0]] - matrix[pairs[:, 1]]
    sample = np.take_along_axis(whole, rng.integers(0, whole.shape[1], (TRIALS, queries)), axis=1)
    scores = np.concatenate([sample, np.zeros((1, queries))])
    _, low, high = t_interval(Pairs(scores, np.arange(TRIALS), np.full(TRIALS, TRIALS)))
    mean = whole.mean(axis=1)
    held = float(((low <= mean) & (mean <= high)).mean())
    setting = f"{queries} queries, interval of one segment"
    return [Held(*_named(source, setting), 1 - ALPHA, held, TRIALS)]


GROWING, LAST, LOOK_TRIALS, AT_ONCE, BETTER_BY = 30, 900, 10_000, 500, 0.02
LOOKS = np.unique(np.linspace(GROWING, LAST, 100).astype(int))
SEQUENTIAL, AGAIN, ONCE = "sequential", "one look, again and again", "one look at as many"


def looks_again(folder: Path, source: str) -> list[list[object]]:
    """Look 100 times at the gate of a pair of systems whose queries grow from 30 to 900.

    At the boundary passing at any look is wrong, by a test of one look and by the sequential one. Where the
    new system is better by .02 the share that passes is power. The last column is by how many queries half of
    the trials pass, and for one look how many it needs to pass in half of the trials.
    """
    rng = np.random.default_rng([SEED, 46, SOURCES.index(source)])
    draw, margin, rows = _differences(folder, source), MARGINS[0], []
    levels = {AGAIN: ALPHA, SEQUENTIAL: level_of_one_look(2 * ALPHA) / 2, ONCE: ALPHA}
    for shift in (-margin, BETTER_BY):
        passed = {test: np.zeros(len(LOOKS)) for test in levels}
        for _ in range(LOOK_TRIALS // AT_ONCE):
            whole = np.stack([draw(rng, 0) for _ in range(AT_ONCE)])
            chosen = rng.integers(0, whole.shape[1], (AT_ONCE, LAST))
            values = np.take_along_axis(whole - whole.mean(axis=1, keepdims=True) + shift, chosen, axis=1)
            p = np.stack([careful(values[:, :n], margin, REACH).above for n in LOOKS])
            for test, level in levels.items():
                own = p <= level
                passed[test] += (own if test == ONCE else np.logical_or.accumulate(own)).sum(axis=1)
        collection, _, measure = _named(source, "")
        for test, found in passed.items():
            share = found / LOOK_TRIALS
            half = int(LOOKS[np.argmax(share >= 0.5)]) if (share >= 0.5).any() else ""
            rows.append([collection, measure, test, shift, LOOK_TRIALS, float(share[-1]), half])
    return rows
