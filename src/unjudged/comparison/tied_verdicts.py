"""Verdicts that other orders of tied documents could change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from unjudged.comparison.by_measure import MeasureComparison
from unjudged.comparison.testing.pairwise import compare_pairs
from unjudged.evaluation.tied_scores import NOTEWORTHY, TieEffects

MOST = 20
"""Pairs that are tested again in other orders, those with the smallest differences first."""


def verdict_notes(
    results: list[MeasureComparison], effects: TieEffects, tests: Mapping[str, Any]
) -> Iterator[str]:
    """Say which significant differences some order of tied documents would take away.

    Each order is that which favours the system behind most, for both systems. The test is the same, without
    a correction, so that a pair which is noted here would not be significant with one either.
    """
    for k, result in enumerate(results):
        pairs = result.tests.pairs
        chosen = np.flatnonzero(result.tests.significant)
        if effects.ties == "range":
            yield from _ranges(result, effects, k)
        lost = []
        for pair in chosen[np.argsort(np.abs(pairs.difference[chosen]), kind="stable")][:MOST].tolist():
            a, b = int(pairs.first[pair]), int(pairs.second[pair])
            a, b = (a, b) if pairs.difference[pair] > 0 else (b, a)
            values = np.stack([effects.low[a, :, k], effects.high[b, :, k]])
            if not (values != result.values[[a, b]]).any():
                continue
            worst = compare_pairs(result.measure.averaged(values), **{**tests, "correction": "none"})
            if worst.pairs.difference[0] <= 0 or worst.p[0] > worst.alpha:
                shown = f"{result.runs[a]} over {result.runs[b]} ({worst.pairs.difference[0]:+.4f}, "
                lost.append(f"{shown}p {worst.p[0]:.2g})")
        if lost:
            more = f", and {len(lost) - 3} more" if len(lost) > 3 else ""
            yield (
                f"{result.measure}: documents have the same score, and some order of them takes away the "
                f"significance of {', '.join(lost[:3])}{more}. ties='expected' (--ties expected) compares "
                "means over all orders."
            )


def _ranges(result: MeasureComparison, effects: TieEffects, k: int) -> Iterator[str]:
    """Say between which values each difference lies, over all orders of tied documents."""
    pairs = result.tests.pairs
    ends = (result.measure.averaged(end[:, :, k]).mean(axis=1) for end in (effects.low, effects.high))
    low, high = ends
    for a, b in zip(pairs.first.tolist(), pairs.second.tolist(), strict=True):
        least, most = low[a] - high[b], high[a] - low[b]
        if most - least > NOTEWORTHY:
            names = f"{result.runs[a]} minus {result.runs[b]}"
            where = f"from {least:.4f} to {most:.4f} over the orders of tied documents"
            yield f"{result.measure}: {names} is {where}."
