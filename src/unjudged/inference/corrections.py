"""Corrections for many comparisons: with twenty tests at 5 %, one is expected to fail by luck.

A correction is one registered function that returns an adjusted p value per pair. Most need only the p values
of the tests. A `joint` correction looks at the systems together and gets the pairs instead; it resamples and
does not use the p values of the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unjudged.base.choices import Choices
from unjudged.base.notes import Note, note
from unjudged.base.segments import Floats, Ints
from unjudged.inference.pairs import CELLS, Pairs
from unjudged.inference.significance import SignificanceTest

CORRECTIONS: Choices[Correction] = Choices("correction")
"""Every correction by its name."""


@dataclass(frozen=True)
class Correction:
    """`function(p)` returns adjusted p values; of a `joint` correction, `function(pairs, draws=, seed=)`."""

    name: str
    title: str
    function: Callable[..., Floats]
    joint: bool = False
    cite: tuple[str, ...] = ()
    """Keys of the works to cite."""


def correction(
    title: str, *, joint: bool = False, cite: tuple[str, ...] = ()
) -> Callable[[Callable[..., Floats]], Correction]:
    """Register a function as a correction under its own name."""

    def register(function: Callable[..., Floats]) -> Correction:
        return CORRECTIONS.add(function.__name__, Correction(function.__name__, title, function, joint, cite))

    return register


def find_correction(name: str | Correction) -> Correction:
    """Return the correction of this name."""
    return name if isinstance(name, Correction) else CORRECTIONS.find(name)


@correction("Holm", cite=("holm1979",))
def holm(p: Floats) -> Floats:
    """Return the largest of (k - j + 1) p_(j) up to the p value's own place (Holm, 1979).

    Bounds the probability of any false discovery. The tests may depend on each other.

    >>> holm(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _in_place(np.minimum(stepped, 1), order)


@correction("Benjamini-Hochberg correction", cite=("benjamini1995",))
def bh(p: Floats) -> Floats:
    """Return the smallest of k p_(j) / j from the p value's own place on (Benjamini and Hochberg, 1995).

    Bounds the expected share of false discoveries among all discoveries.

    >>> bh(np.array([0.01, 0.04, 0.03])).round(4).tolist()
    [0.03, 0.04, 0.04]
    """
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    return _in_place(np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1), order)


@correction("Bonferroni correction", cite=("dunn1961",))
def bonferroni(p: Floats) -> Floats:
    """K p, at most 1; Holm's correction is never weaker."""
    return np.minimum(p * len(p), 1)


@correction("no correction")
def none(p: Floats) -> Floats:
    """Each test on its own: right for one comparison that was planned, not for the best of many."""
    return p


@correction("randomised Tukey HSD", joint=True, cite=("carterette2012",))
def tukey(pairs: Pairs, *, draws: int, seed: int) -> Floats:
    """Adjusted p = (1 + #{range of the means >= |difference of the means|}) / (B + 1).

    In each of B draws the systems' scores are permuted within every query, which is harmless if all systems
    are equal, and the range is the largest mean minus the smallest (Carterette, 2012).
    """
    systems = np.union1d(pairs.first, pairs.second)
    scores = pairs.scores[systems]
    if pairs.clusters is not None:  # whose systems are permuted in all queries alike
        scores = pairs.clusters.sums(scores) * (pairs.parts / pairs.queries)
    columns = np.sort(scores.T, axis=1)  # the draws do not depend on the order of the systems
    rng, ranges, size = np.random.default_rng(seed), [], max(1, CELLS // columns.size)
    for start in range(0, draws, size):
        drawn = np.repeat(columns[None], min(size, draws - start), axis=0)
        rng.permuted(drawn, axis=2, out=drawn)
        ranges.append(np.ptp(drawn.mean(axis=1), axis=1))
    spread = np.sort(np.concatenate(ranges))
    below = np.searchsorted(spread, np.abs(pairs.difference) - pairs.tolerance)
    return (1 + draws - below) / (draws + 1)


def separate(correction: Correction) -> Correction:
    """Return the correction of p values: a joint one has none, and Holm's stands for it."""
    return holm if correction.joint else correction


def corrected_together(p: Sequence[Floats], counts: Sequence[bool], correction: Correction) -> list[Floats]:
    """Correct the p values of several tests over all of them that count; others stay as they are."""
    result = [np.asarray(one, float) for one in p]
    several = [k for k, counted in enumerate(counts) if counted]
    if several:
        after = correction.function(np.concatenate([result[k] for k in several]))
        ends = np.cumsum([len(result[k]) for k in several])[:-1]
        for k, own in zip(several, np.split(after, ends), strict=True):
            result[k] = own
    return result


def too_few_draws(
    tests: int, test: SignificanceTest, correction: Correction, *, alpha: float, draws: int
) -> list[Note]:
    """Say if a test that resamples has too few draws to show that one of so many pairs differs."""
    if not test.resamples or correction.joint or not tests:
        return []
    alone = np.ones(tests)
    alone[0] = 1 / (draws + 1)
    if (smallest := float(correction.function(alone).min())) <= alpha:
        return []
    return [note("few-draws", draws=draws, p=smallest, enough=int(np.ceil(tests / alpha)))]


def _in_place(values: Floats, order: Ints) -> Floats:
    """Return corrected p values in the order of the tests."""
    placed = np.empty_like(values)
    placed[order] = values
    return placed
