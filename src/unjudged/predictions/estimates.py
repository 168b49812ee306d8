"""Means by people and predictions together."""

from __future__ import annotations

import numpy as np

from unjudged.base.choices import place_of
from unjudged.rankings.judged import Floats
from unjudged.results.grid import Grid, Shown, grid_of
from unjudged.uncertainty.estimate import Estimate


class PredictedMeans(Shown):
    """Estimated means of one measure for several runs."""

    measure: str
    runs: tuple[str, ...]

    def intervals(self, a: str, b: str | None = None, *, confidence: float = 0.95) -> list[Estimate]:
        """Estimate the mean of run `a`, or its difference to run `b`, once per kind of uncertainty."""
        raise NotImplementedError

    def notes(self) -> list[str]:
        """Return sentences on how the estimates were made and what was missing."""
        raise NotImplementedError

    def grid(self) -> Grid:
        """Return a row per run and interval."""
        each = [(run, one) for run in self.runs for one in self.intervals(run)]
        rows = [(run, one.value, one.low, one.high, one.of.queries) for run, one in each]
        return grid_of(["run", "estimate", "low", "high", "queries"], rows, self.notes())

    def share(self, a: str, b: str | None = None) -> Floats:
        """Return how the means of the runs are combined: that of run `a`, or its difference to run `b`."""
        share = np.zeros(len(self.runs))
        share[self.place(a)] += 1
        if b is not None:
            share[self.place(b)] -= 1
        return share

    def place(self, run: str) -> int:
        """Return the place of a run by its name."""
        return place_of("run", run, self.runs)
