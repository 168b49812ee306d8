"""Every pair of systems at once: differences, p values before and after correction, outcomes, effects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.choices import (
    CorrectionName,
    TestName,
    check_confidence,
    check_probability,
    checked_int,
)
from unjudged.base.notes import Note, note
from unjudged.evidence.intervals.quantiles import t_half, t_quantile
from unjudged.inference.corrections import Correction, adjusted, find_correction
from unjudged.inference.pairs import Pairs
from unjudged.inference.significance import DRAWS, SignificanceTest, find_test, p_values
from unjudged.measures.kernel.averages import ROUNDING
from unjudged.rankings.judged import Floats


@dataclass(frozen=True, eq=False, repr=False)
class PairTests:
    """Tests of all pairs of one measure; arrays have one value per pair.

    They speak of other queries under these judgments; the unjudged documents are another matter.
    """

    pairs: Pairs
    test: SignificanceTest
    correction: Correction
    alpha: float
    p: Floats
    p_adjusted: Floats
    notes: tuple[Note, ...]
    draws: int = DRAWS
    seed: int = 0

    @property
    def method(self) -> str:
        """Test and correction, as a sentence starts."""
        return f"{self.test.heading}, {self.correction.title}"

    @property
    def significant(self) -> Any:
        """Which pairs differ at level alpha after correction."""
        return self.p_adjusted <= self.alpha

    @cached_property
    def outcomes(self) -> Outcomes:
        """Wins, ties and losses by query."""
        return outcomes(self.pairs)

    @cached_property
    def difference(self) -> Interval:
        """Mean difference with its t interval at confidence 1 - alpha, before correction."""
        return t_interval(self.pairs, 1 - self.alpha)

    @cached_property
    def effect(self) -> Interval:
        """Standardised difference with its interval at confidence 1 - alpha."""
        return effect_size(self.pairs, 1 - self.alpha)

    def __repr__(self) -> str:
        differ = int(np.count_nonzero(self.significant))
        return f"PairTests({len(self.pairs)} pairs, {differ} differ: {self.method}, alpha = {self.alpha:g})"


def compare_pairs(
    scores: Any,
    *,
    test: TestName | SignificanceTest = "t",
    correction: CorrectionName | Correction = "holm",
    baseline: int | None = None,
    alpha: float = 0.05,
    draws: int = DRAWS,
    seed: int = 0,
    lower: bool = False,
) -> PairTests:
    """Test all pairs of systems, or all systems against a baseline.

    `scores[i, j]` is what system i scores on query j; with `lower`, lower scores are better. `draws` and
    `seed` are for tests and corrections that resample.

    >>> rng = np.random.default_rng(0)
    >>> found = compare_pairs([[0.3], [0.3], [0.5]] + rng.normal(0, 0.1, (3, 40)))
    >>> found.significant.tolist()
    [False, True, True]
    """
    check_probability("alpha", alpha, 0.05)
    seed = checked_int("seed", seed)
    chosen, corrected = find_test(test), find_correction(correction)
    pairs = Pairs.of(scores, baseline, lower=lower)
    p, notes = p_values(pairs, chosen, draws=draws, seed=seed)
    after = adjusted(p, pairs, corrected, draws=draws, seed=seed)
    notes += too_few_draws(len(pairs), chosen, corrected, alpha=alpha, draws=draws)
    return PairTests(pairs, chosen, corrected, alpha, p, after, notes, draws, seed)


def too_few_draws(
    tests: int, test: SignificanceTest, correction: Correction, *, alpha: float, draws: int
) -> tuple[Note, ...]:
    """Say if a test that resamples has too few draws to show that one of so many pairs differs."""
    if not test.resamples or correction.joint or not tests:
        return ()
    alone = np.ones(tests)
    alone[0] = 1 / (draws + 1)
    if (smallest := float(correction.function(alone).min())) <= alpha:
        return ()
    return (note("few-draws", draws=draws, p=smallest, enough=int(np.ceil(tests / alpha))),)


class Outcomes(NamedTuple):
    """On how many queries the first system of each pair is better, equal, worse."""

    wins: Floats
    ties: Floats
    losses: Floats


class Interval(NamedTuple):
    """A value per pair with the ends of its interval."""

    value: Floats
    low: Floats
    high: Floats


def outcomes(pairs: Pairs) -> Outcomes:
    """Wins, ties and losses by query; scores that differ by a rounding error are tied.

    >>> outcomes(Pairs.of([[0.3, 0.5, 0.1, 0.9], [0.1 + 0.2, 0.2, 0.4, 0.8]]))._asdict()
    {'wins': array([2]), 'ties': array([1]), 'losses': array([1])}
    """
    sign = pairs.sign
    wins = pairs.over_blocks(lambda differences: (sign * differences > pairs.tolerance).sum(axis=1))
    losses = pairs.over_blocks(lambda differences: (sign * differences < -pairs.tolerance).sum(axis=1))
    return Outcomes(wins, pairs.queries - wins - losses, losses)


def t_interval(pairs: Pairs, confidence: float = 0.95) -> Interval:
    """Mean D +- t_{n-1} sd / sqrt(n): the mean difference had other queries been asked.

    Neither one query nor differences that are all equal show how far others differ: the interval is then the
    whole line.
    """
    check_confidence(confidence)
    value, n = pairs.difference, pairs.queries
    half = np.full(len(pairs), np.inf)
    if (varies := pairs.deviation > 0).any():
        half[varies] = t_half(pairs.deviation[varies], n, confidence)
    return Interval(value, value - half, value + half)


def effect_size(pairs: Pairs, confidence: float = 0.95) -> Interval:
    """Return the difference in standard deviations over queries: d = mean D / sd D, d +- t_{n-1} max(s, s').

    s = sqrt((1 + d^2 / 2) / n) is right for Normal differences. s' is the jackknife's standard error, which
    also sees skewed and heavy-tailed ones; the larger of the two is taken.

    Where all differences are equal but not 0, d is infinite; then, and below three queries, the interval is
    the whole line. Identical systems have d = 0.
    """
    check_confidence(confidence)
    n, mean, deviation = pairs.queries, pairs.difference, pairs.deviation
    constant = np.where(pairs.identical, 0.0, np.copysign(np.inf, mean))
    d = np.divide(mean, deviation, out=constant, where=deviation > 0)
    low, high = np.full(len(pairs), -np.inf), np.full(len(pairs), np.inf)
    if n > 2:
        finite = np.isfinite(d)
        error = np.maximum(np.sqrt((1 + d[finite] ** 2 / 2) / n), _jackknife(pairs)[finite])
        half = t_quantile(confidence, n - 1) * error
        low[finite], high[finite] = d[finite] - half, d[finite] + half
    return Interval(d, low, high)


def _jackknife(pairs: Pairs) -> Floats:
    """Return the standard error of d from leaving out one query at a time, for at least three queries.

    With z = (D - mean D) / sd D the value without query i is
    (d - z_i / (n - 1)) / sqrt((n - 1 - z_i^2 n / (n - 1)) / (n - 2)).
    """
    n, found = pairs.queries, np.zeros(len(pairs))
    for block, differences in pairs.blocks():
        deviation = pairs.deviation[block, None]
        mean = pairs.difference[block, None]
        rows = deviation[:, 0] > 0
        z = (differences[rows] - mean[rows]) / deviation[rows]
        d = mean[rows] / deviation[rows]
        variance = (n - 1 - z**2 * n / (n - 1)) / (n - 2)
        top, flat = d - z / (n - 1), variance <= ROUNDING  # without this query all differences are equal
        without = np.where(flat, 0.0, top / np.sqrt(np.where(flat, 1.0, variance)))
        error = np.sqrt((n - 1) / n * ((without - without.mean(axis=1, keepdims=True)) ** 2).sum(axis=1))
        error[(flat & (np.abs(top) > ROUNDING)).any(axis=1)] = np.inf
        found[np.flatnonzero(rows) + block.start] = error
    return found
