"""Means by people and predictions together, by query and as a table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unjudged.base.choices import place_of
from unjudged.rankings.judged import Floats
from unjudged.results.grid import Grid, Shown
from unjudged.uncertainty.estimate import Estimate, Estimates


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
        return estimates_table([self]).grid()

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


def estimates_table(several: Sequence[PredictedMeans], confidence: float = 0.95) -> Estimates:
    """Return the estimates of every run and measure as one table."""
    runs = several[0].runs
    rows = [[e for means in several for e in means.intervals(run, confidence=confidence)] for run in runs]
    notes = dict.fromkeys(note for means in several for note in means.notes())
    measures = [means.measure for means in several]
    return Estimates(rows, runs, measures, notes=list(notes), stacked=True)
