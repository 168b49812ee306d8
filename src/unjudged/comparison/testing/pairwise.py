"""Every pair of systems at once: differences, p values before and after correction, effects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from unjudged.base.choices import CorrectionName, TestName, check_probability, checked_int
from unjudged.base.wording import percent
from unjudged.comparison.testing.corrections import Correction, adjusted, find_correction
from unjudged.comparison.testing.effects import Interval, Outcomes, effect_size, outcomes, t_interval
from unjudged.comparison.testing.pairs import Pairs
from unjudged.comparison.testing.significance import DRAWS, SignificanceTest, find_test, p_values
from unjudged.grids.grid import Column, Grid
from unjudged.grids.shown import Shown
from unjudged.rankings.judged import Floats


@dataclass(frozen=True, eq=False, repr=False)
class PairTests(Shown):
    """Tests of all pairs of one measure; arrays have one value per pair.

    They speak of other queries under these judgments; the unjudged documents are another matter.
    """

    pairs: Pairs
    test: SignificanceTest
    correction: Correction
    alpha: float
    p: Floats
    p_adjusted: Floats
    notes: tuple[str, ...]

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

    def grid(self) -> Grid:
        """Return a row per pair; systems are numbered as in the scores."""
        columns = [Column("system", "label"), Column("minus", "label")]
        columns += [Column("difference"), Column("low"), Column("high")]
        columns += [Column("p", "p value"), Column("adjusted", "p value"), Column("significant", "text")]
        difference, said = self.difference, np.where(self.significant, "yes", "no")
        numbers = (difference.value, difference.low, difference.high, self.p, self.p_adjusted, said)
        lists = (each.tolist() for each in (self.pairs.first, self.pairs.second, *numbers))
        rows = [[str(a), str(b), *own] for a, b, *own in zip(*lists, strict=True)]
        title = f"{self.test.title[0].upper()}{self.test.title[1:]}, {self.correction.title}"
        ends = f"low, high: t interval of each difference at {percent(1 - self.alpha)}, before correction."
        return Grid(columns, rows, notes=[f"{title}, alpha = {self.alpha:g}.", ends, *self.notes])


def compare_pairs(
    scores: Any,
    *,
    test: TestName | SignificanceTest = "t",
    correction: CorrectionName | Correction = "holm",
    baseline: int | None = None,
    alpha: float = 0.05,
    draws: int = DRAWS,
    seed: int = 0,
) -> PairTests:
    """Test all pairs of systems, or all systems against a baseline.

    `scores[i, j]` is what system i scores on query j; `draws` and `seed` are for tests and corrections that
    resample.

    >>> rng = np.random.default_rng(0)
    >>> found = compare_pairs([[0.3], [0.3], [0.5]] + rng.normal(0, 0.1, (3, 40)))
    >>> found.significant.tolist()
    [False, True, True]
    """
    check_alpha(alpha)
    seed = checked_int("seed", seed)
    chosen, corrected = find_test(test), find_correction(correction)
    pairs = Pairs.of(scores, baseline)
    p, notes = p_values(pairs, chosen, draws=draws, seed=seed)
    after = adjusted(p, pairs, corrected, draws=draws, seed=seed)
    if chosen.resamples and not corrected.joint:
        alone = np.ones(len(pairs))
        alone[0] = 1 / (draws + 1)
        if (smallest := float(corrected.function(alone).min())) > alpha:
            enough = int(np.ceil(len(pairs) / alpha))
            least = f"With {draws:,} draws a pair that alone differs has p = {smallest:.2g} after correction"
            notes += (f"{least}: draw at least {enough:,}.",)
    return PairTests(pairs, chosen, corrected, alpha, p, after, notes)


def check_alpha(alpha: float) -> None:
    """Refuse a level of significance that is none."""
    check_probability("alpha", alpha, 0.05)
