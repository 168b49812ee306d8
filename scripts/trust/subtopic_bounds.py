"""Bounds of measures of diversity compared with every completion of small judgments by subtopic."""

from __future__ import annotations

import itertools

import numpy as np

from unjudged import Judgments, Measure, evaluate
from unjudged.measures.kernel.names import parse_measures
from unjudged.uncertainty.bounding.bounds import bounds

CASES, AT_ONCE, SUBTOPICS, MOST_UNKNOWN = 20_000, 2000, 3, 2
MEASURES = (
    *("P_IA@2", "StRecall@2", "ERR_IA@3", "alpha_DCG@3", "AP_IA"),
    *("alpha_nDCG@2", "alpha_nDCG(alpha=0.9)@4", "nERR_IA@3"),
)
Case = tuple[dict[str, int], list[str]]
"""The set of subtopics of each document, -1 for one that is pooled and not judged; and a ranking."""


def subtopic_sentence() -> str:
    """Say how many cases there were, how many completions lay outside, and how far exact bounds are off."""
    rng, outside, off, completions = np.random.default_rng(5), 0, 0.0, 0
    for _ in range(0, CASES, AT_ONCE):
        beyond, worst, tried = _compared([_case(rng) for _ in range(AT_ONCE)], parse_measures(MEASURES))
        outside, off, completions = outside + beyond, max(off, worst), completions + tried
    return (
        f"{CASES:,} cases, {len(MEASURES)} measures, {completions:,} completions: {outside} outside of the "
        f"bounds; bounds that are called exact are off by at most {off:.0e}."
    )


def _case(rng: np.random.Generator) -> Case:
    """Return judgments and a ranking with few unknown documents."""
    while True:
        names = list("abcde")[: int(rng.integers(1, 6))]
        known = {name: int(rng.integers(2**SUBTOPICS)) for name in names if rng.random() < 0.7}
        pooled = {name: -1 for name in names if name not in known and rng.random() < 0.5}
        ranking = [names[i] for i in rng.permutation(len(names)) if rng.random() < 0.8]
        if known and ranking and len(_unknown({**known, **pooled}, ranking)) <= MOST_UNKNOWN:
            return {**known, **pooled}, ranking


def _unknown(sets: dict[str, int], ranking: list[str]) -> list[str]:
    return [d for d in ranking if d not in sets] + [d for d, own in sets.items() if own < 0]


def _judgments(every: dict[str, dict[str, int]]) -> Judgments:
    return Judgments.by_subtopic(
        [
            (query, s, name, own if own < 0 else own >> s & 1)
            for query, sets in every.items()
            for name, own in sets.items()
            for s in range(SUBTOPICS)
        ]
    )


def _compared(cases: list[Case], measures: list[Measure]) -> tuple[int, float, int]:
    """Return how many cases have a completion outside, how far exact bounds are off, and the completions."""
    judgments = _judgments({f"q{i:05}": sets for i, (sets, _) in enumerate(cases)})
    rankings = {f"q{i:05}": ranking for i, (_, ranking) in enumerate(cases)}
    scores = evaluate(judgments, rankings, measures)
    complete: dict[str, dict[str, int]] = {}
    repeated: dict[str, list[str]] = {}
    owner: list[int] = []
    for i, (sets, ranking) in enumerate(cases):
        unknown = _unknown(sets, ranking)
        covered = int(np.bitwise_or.reduce([own for own in sets.values() if own >= 0])) or 1
        choices = sorted({own & covered for own in range(2**SUBTOPICS)})
        for chosen in itertools.product(choices, repeat=len(unknown)):
            query = f"c{len(owner):06}"
            complete[query] = {**sets, **dict(zip(unknown, chosen, strict=True))}
            repeated[query] = ranking
            owner.append(i)
    values = evaluate(_judgments(complete), repeated, measures).values[0]
    starts, outside, off = np.searchsorted(owner, np.arange(len(cases))), 0, 0.0
    for k, measure in enumerate(measures):
        limits = bounds(measure, scores.judged)
        low, high = (end.reduceat(values[:, k], starts) for end in (np.minimum, np.maximum))
        outside += int(((low < limits.low - 1e-12) | (high > limits.high + 1e-12)).sum())
        if limits.exact:
            off = max(off, float(np.abs([limits.low - low, limits.high - high]).max()))
    return outside, off, len(owner)
