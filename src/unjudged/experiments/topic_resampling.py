"""What a design reaches with other numbers of topics, by resampling the topics of a pilot.

Errors that are noise shrink with more topics, and those that are bias do not: resampling tells them apart,
which a factor of 1 / sqrt(topics) cannot.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unjudged.agreement.orders import tau
from unjudged.rankings.judged import Floats

NORMAL = 1.96


class Reached(NamedTuple):
    """Expected tau with an interval for new topics, and the width of a 95 % interval of a run's mean."""

    tau: float
    tau_low: float
    tau_high: float
    width: float


class TopicResampling:
    """Resampled topics of a pilot; the same ones for every level, so that levels compare fairly.

    `truth` has the values with everything judged, runs x topics. With `population`, estimates are compared
    with the means over all topics of the pilot instead of the resampled ones: the error of having few
    topics counts too.
    """

    def __init__(
        self, truth: Floats, topics: int, *, population: bool = False, resamples: int = 200, seed: int = 0
    ) -> None:
        self.truth, self.population = truth, population
        self.pilot = truth.shape[1]
        self.resamples, self.seed = resamples, seed
        self.topics = topics

    def reached(self, estimates: Floats) -> Reached:
        """Return what estimates reach, samples x runs x topics."""
        again = self.topics > self.pilot or self.population
        taus, errors = self._resampled(estimates, self.topics, again)
        spread = self._resampled(estimates, self.topics, True)[0] if not again else taus
        own = self._resampled(estimates, self.pilot, True)[0]
        # New topics differ from those of the pilot, which are a sample too.
        half = NORMAL * float(np.sqrt(np.nanvar(spread) + np.nanvar(own)))
        mean = float(np.nanmean(taus)) if np.isfinite(taus).any() else float("nan")
        width = 2 * NORMAL * float(np.sqrt((errors**2).mean()))
        return Reached(mean, max(mean - half, -1.0), min(mean + half, 1.0), width)

    def _resampled(self, estimates: Floats, topics: int, again: bool) -> tuple[Floats, Floats]:
        """Return tau of each resample, and the error of each run's mean in each."""
        samples, runs, pilot = estimates.shape
        weights = self._weights(samples, topics, again)
        by_topic = weights.reshape(self.resamples, samples, pilot).sum(axis=1)
        estimated = weights @ estimates.transpose(0, 2, 1).reshape(samples * pilot, runs)
        every = np.full_like(by_topic, 1 / pilot)
        actual = (every if self.population else by_topic) @ self.truth.T
        taus = np.array([tau(one, other) for one, other in zip(estimated, actual, strict=True)])
        return taus, estimated - actual

    def _weights(self, samples: int, topics: int, again: bool) -> Floats:
        """Return the share of each (sample, topic) in each resample; each topic takes a sample at random."""
        rng = np.random.default_rng([self.seed, samples, topics, again])
        weights = np.zeros((self.resamples, samples * self.pilot))
        for row in weights:
            chosen = rng.integers(self.pilot, size=topics) if again else rng.permutation(self.pilot)[:topics]
            np.add.at(row, rng.integers(samples, size=topics) * self.pilot + chosen, 1 / topics)
        return weights
