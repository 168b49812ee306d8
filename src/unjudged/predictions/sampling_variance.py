"""How much an estimate by document would change if people had been given another sample."""

from __future__ import annotations

import numpy as np

from unjudged.predictions.population import POISSON, Population
from unjudged.rankings.judged import Floats, Integers


def sampling_covariance(population: Population, weight: Floats, residual: Floats) -> Floats:
    """The estimated covariance of the runs' means over samples: runs x runs.

    `weight` is of the documents of the rankings, `residual` is r = y - m of each row. Poisson samples: the
    sum over the judged of (1 - pi) (w r / pi)^2, which is unbiased. Stratified samples: the sum over strata
    of N^2 (1 - n/N) s^2 / n, with s^2 the variance of w r among the n judged of N; where n = 1 < N there is
    no variance, and s^2 is (w r)^2.
    """
    poisson = population.design == POISSON
    uncertain = population.drawn & (population.inclusion < 1) if poisson else population.drawn
    rows = np.flatnonzero(uncertain)
    place = np.full(len(residual), -1)
    place[rows] = np.arange(len(rows))
    at = place[population.rankings.row]
    own = at >= 0
    run = population.rankings.ranking[own] // population.queries
    spread = np.zeros((len(rows), len(population.runs)))
    spread[at[own], run] = weight[own] / population.queries
    spread *= residual[rows, None]
    if poisson:
        pi = population.inclusion[rows, None]
        spread *= np.sqrt(1 - pi) / pi
    else:
        sizes = np.bincount(population.stratum[population.stratum >= 0])
        spread = _within_strata(spread, population.stratum[rows], sizes)
    covariance: Floats = spread.T @ spread
    return covariance


def _within_strata(spread: Floats, stratum: Integers, sizes: Integers) -> Floats:
    """Rows scaled so that their squares add up to the variance of a stratified sample."""
    judged = np.bincount(stratum, minlength=len(sizes))
    several = np.maximum(judged, 1)
    totals = [np.bincount(stratum, column, len(sizes)).astype(float) for column in spread.T]
    means = np.stack(totals, axis=1) / several[:, None]
    means[judged == 1] = 0.0
    scale = sizes**2 * (1 - judged / sizes) / several / np.maximum(judged - 1, 1)
    centred: Floats = (spread - means[stratum]) * np.sqrt(np.maximum(scale, 0.0))[stratum, None]
    return centred
