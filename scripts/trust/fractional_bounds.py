"""Bounds with fractional grades compared with every completion of small cases."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent.parent))

from tests.oracles.fractional_completions import GAINS, case, measures

from unjudged import evaluate
from unjudged.measures.kernel.registry import Measure
from unjudged.uncertainty.bounding.bounds import bounds

CASES, AT_ONCE, MOST_UNKNOWN = 20_000, 1000, 3


def bounds_sentence() -> str:
    """Say how many cases there were, how many completions lay outside, and how far exact bounds are off."""
    outside, off, completions = 0, 0.0, 0
    for first in range(0, CASES, AT_ONCE):
        own = _cases(first)
        for measure in measures():
            beyond, worst, tried = _compared(own, measure)
            outside, off, completions = outside + beyond, max(off, worst), completions + tried
    return (
        f"{CASES:,} cases, {len(measures())} measures, {completions:,} completions: {outside} outside of the "
        f"bounds; bounds that are called exact are off by at most {off:.0e}."
    )


def _cases(first: int) -> list[tuple[dict[str, float], dict[str, float]]]:
    """Return judgments and rankings with few unknown documents."""
    found: list[tuple[dict[str, float], dict[str, float]]] = []
    seed = first * 7
    while len(found) < AT_ONCE:
        qrels, run = case(np.random.default_rng(seed))
        seed += 1
        if len(_unknown(qrels["q"], run["q"])) <= MOST_UNKNOWN:
            found.append((qrels["q"], run["q"]))
    return found


def _unknown(judged: dict[str, float], run: dict[str, float]) -> list[str]:
    return [d for d in run if d not in judged] + [d for d, grade in judged.items() if grade < 0]


def _compared(
    own: list[tuple[dict[str, float], dict[str, float]]], measure: Measure
) -> tuple[int, float, int]:
    """Return how many cases have a completion outside, how far exact bounds are off, and the completions."""
    named = {float(measure.given[key]) for key in ("rel", "max_grade") if key in measure.given}
    gains = sorted({*GAINS, *named})
    scale = {"scale": {f"d{i}": gain for i, gain in enumerate(GAINS)}}  # so that all cases have the same
    qrels = {f"q{i}": judged for i, (judged, _) in enumerate(own)}
    runs = {f"q{i}": run for i, (_, run) in enumerate(own)}
    retrieved = {"scale": {"d0": 1.0}}
    scores = evaluate(qrels | scale, runs | retrieved, measure)
    whole, rankings = measure.of_whole_grades(scores.judged)
    limits = bounds(whole, rankings, after_end=False)
    complete, repeated, owner = {}, {}, []
    for i, (judged, run) in enumerate(own):
        unknown = _unknown(judged, run)
        for c, chosen in enumerate(itertools.product(gains, repeat=len(unknown))):
            complete[f"q{i}c{c}"] = {**judged, **dict(zip(unknown, chosen, strict=True))}
            repeated[f"q{i}c{c}"] = run
            owner.append(i)
    values = evaluate(complete | scale, repeated | retrieved, measure).values[0, :-1, 0]
    starts = np.searchsorted(owner, np.arange(len(own)))
    low, high = np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)
    value = scores.values[0, :-1, 0]
    found = limits.low[:-1], limits.high[:-1]
    beyond = (low < found[0] - 1e-12) | (high > found[1] + 1e-12)
    exact = limits.exact and not measure.traits.skips_unjudged
    off = (
        np.abs([found[0] - np.minimum(low, value), found[1] - np.maximum(high, value)]).max()
        if exact
        else 0.0
    )
    return int(beyond.sum()), float(off), len(owner)
