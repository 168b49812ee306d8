"""What a mean varies by where people judge some queries completely and predictions the others.

n of Q queries are judged. With H the scores by people, L those by predictions and R = H - L, of which the
pilot shows the covariances, `prediction_powered` has the variance

    (H - 2 lambda C + lambda^2 L) / n + lambda^2 L / (Q - n),    C = (H + L - R) / 2.

Its estimate varies with the queries that are chosen, and the covariances with the pilot. Over the runs, or
over all pairs of them, sums of variances are traces of the runs' covariance S, and for Normal scores

    2 tr(S^2) / ((n - 2) tr(S)^2) (1 - n/Q)   and   (4 tr(S N) + 2 tr(N^2)) / (Q - 1)

are the relative variance of the first, and the variance that the pilot's noise N adds to the second.
"""

from __future__ import annotations

import numpy as np

from unjudged.predictions.planning.pilot import MEAN, Pilot
from unjudged.rankings.judged import Floats


def between(pilot: Pilot, share: Floats) -> float:
    """Return the variance over queries by people, at least that by the predictions."""
    return max(float(share @ pilot.between @ share), float(share @ pilot.predicted @ share))


def variance_by_query(pilot: Pilot, share: Floats, n: int, alone: bool) -> tuple[float, float]:
    """Return the variance of a mean with n queries judged by people, and lambda."""
    human, more = between(pilot, share), pilot.population.queries - n
    if alone or not more:
        return human / n, 0.0
    model = float(share @ pilot.predicted @ share)
    rest = max(float(share @ pilot.residual @ share), float(share @ pilot.doubt @ share))
    together = (human + model - rest) / 2
    weight = min(max(together / ((1 + n / more) * model), 0.0), 1.0) if model > 0 else 0.0
    variance = (human - 2 * weight * together + weight**2 * model) / n + weight**2 * model / more
    return max(variance, 0.0), weight


def varies_by_query(pilot: Pilot, target: str, n: int, weight: float, variance: float) -> float:
    """Return the relative variance of what n judged queries show, and of the `variance` that is planned.

    `variance` and `weight`, lambda, are means over the runs, or over all pairs of them.
    """
    queries, runs = pilot.population.queries, len(pilot.population.runs)
    centre, scale = np.eye(runs), 1 / runs
    if target != MEAN:
        centre, scale = centre - 1 / runs, 2 / (runs - 1)
    human, rest, noise = (centre @ m @ centre for m in (pilot.between, pilot.residual, pilot.noise))
    part = np.clip(np.linalg.eigvalsh(human), 0.0, None)
    alike = float((part**2).sum() / part.sum() ** 2) if part.any() else 1.0

    def unsure(covariance: Floats) -> float:
        square = 4 * np.trace(covariance @ noise) + 2 * np.trace(noise @ noise)
        return scale * float(np.sqrt(max(square, 0.0) / (queries - 1)))

    of_study = 2 * alike / max(n - 2, 1) * (1 - n / queries)
    of_pilot = ((1 - weight) * unsure(human) + weight * unsure(rest)) / n
    return of_study + (of_pilot / max(variance, np.finfo(float).tiny)) ** 2
