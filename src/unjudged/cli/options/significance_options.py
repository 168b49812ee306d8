"""Tests over queries and the correction for many of them, as options of commands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from unjudged.base.choices import CorrectionName, TestName
from unjudged.base.errors import UsageError
from unjudged.cli.options.option import Option, OptionGroup
from unjudged.comparison.testing.corrections import CORRECTIONS, find_correction
from unjudged.comparison.testing.significance import DRAWS, TESTS, find_test


@dataclass(frozen=True)
class SignificanceOptions(OptionGroup, title="Tests over queries"):
    """How differences are tested.

    Parameters
    ----------
    test
        The test over queries.
    correction
        The correction for many comparisons.
    alpha
        The significance level. Intervals for other queries have the level 1 - alpha.
    draws
        How often tests, corrections and intervals that resample do so.
    seed
        The seed of whatever resamples.
    """

    test: Annotated[TestName, Option(choices=TESTS)] = "t"
    correction: Annotated[CorrectionName, Option(choices=CORRECTIONS)] = "holm"
    alpha: float = 0.05
    draws: int = DRAWS
    seed: int = 0

    def check_draws(self) -> None:
        """Refuse options of resampling where nothing resamples."""
        resampling = find_test(self.test).resamples or find_correction(self.correction).joint
        if (self.draws, self.seed) != (DRAWS, 0) and not resampling:
            raise UsageError(
                "--draws and --seed are for tests and corrections that resample, such as randomization"
            )
