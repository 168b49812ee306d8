"""The value of any measure when the unjudged are relevant by chance: completions drawn at random."""

from __future__ import annotations

import numpy as np

from unjudged.measures.registry import Measure
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.uncertainty.completions import Completions
from unjudged.uncertainty.estimate import Estimate, check_level
from unjudged.uncertainty.rank_biased import unjudged_part
from unjudged.uncertainty.relevance import relevance

DRAWS = 1000


def drawn_values(
    measure: Measure, rankings: JudgedRankings, q: float | str, draws: int = DRAWS, seed: int = 0
) -> tuple[Floats, str]:
    """Draws x rankings: the values of so many random completions; and what was assumed.

    A relevant document gets the lowest relevant grade. The same seed gives the same values.
    """
    completions = Completions.of(rankings)
    rel = measure.given.get("rel", 1)
    model = relevance(rankings, q, rel=rel)
    chance = model.at(completions.ranking, completions.rank)
    rng = np.random.default_rng(seed)
    values = np.empty((draws, len(rankings)))
    for i in range(draws):
        relevant = rng.random(len(chance)) < chance
        values[i] = measure.compute(completions.complete(np.where(relevant, rel, 0)))
    return values, model.assumption


def model_interval(
    measure: Measure,
    rankings: JudgedRankings,
    q: float | str = "all",
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """Of the mean over rankings of one run, when each unjudged document is relevant with probability q.

    Exact for sums over relevant documents (RBP, P), by random completions for the others.
    """
    check_level(level)
    if measure.traits.weight is not None:
        return unjudged_part(rankings, measure, q).interval(level)
    values, assumption = drawn_values(measure, rankings, q, draws, seed)
    return _between(values.mean(axis=1), level, f"{draws} completions; {assumption}", measure)


def queries_interval(values: Floats, measure: Measure, *, level: float = 0.95, seed: int = 0) -> Estimate:
    """Of the mean, had other queries been asked: the bootstrap over queries (percentiles)."""
    check_level(level)
    method = "bootstrap over queries; unjudged as the measure takes them"
    mean = float(values.mean())
    if len(values) < 2 or np.ptp(values) == 0:
        return Estimate(mean, mean, mean, level, method, f"mean {measure}")
    from scipy.stats import bootstrap

    rng = np.random.default_rng(seed)
    found = bootstrap(
        (values,), np.mean, confidence_level=level, method="percentile", n_resamples=9999, rng=rng
    )
    low, high = found.confidence_interval
    return Estimate(mean, float(low), float(high), level, method, f"mean {measure}")


def both_interval(
    measure: Measure,
    rankings: JudgedRankings,
    q: float | str = "all",
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """Of the mean, had other queries been asked and the unjudged been judged: both uncertainties together."""
    check_level(level)
    values, assumption = drawn_values(measure, rankings, q, draws, seed)
    rng = np.random.default_rng([seed, 1])
    queries = rng.integers(0, values.shape[1], values.shape)
    means = np.take_along_axis(values, queries, axis=1).mean(axis=1)
    found = _between(means, level, f"{draws} completions and samples of queries; {assumption}", measure)
    return Estimate(float(values.mean()), found.low, found.high, level, found.method, found.of)


def _between(means: Floats, level: float, method: str, measure: Measure) -> Estimate:
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(float(means.mean()), float(low), float(high), level, method, f"mean {measure}")
