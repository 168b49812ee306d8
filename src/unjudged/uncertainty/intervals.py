"""The value of any measure when the unjudged are relevant by chance: completions drawn at random."""

from __future__ import annotations

import numpy as np

from unjudged.errors import UsageError
from unjudged.formats.tables import Table
from unjudged.measures.registry import Measure
from unjudged.rankings.extension import rows_of
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.completions import Completions
from unjudged.uncertainty.estimate import Estimate, check_level
from unjudged.uncertainty.park import unjudged_part
from unjudged.uncertainty.prevalence import relevance
from unjudged.uncertainty.shared import Shared

DRAWS = 1000


def drawn_values(
    measure: Measure, rankings: JudgedRankings, q: float | str, draws: int = DRAWS, seed: int = 0
) -> tuple[Floats, str]:
    """Draws x rankings: the values of so many random completions; and what was assumed.

    A relevant document gets the lowest relevant grade. The same seed gives the same values.
    """
    measure.check_completable()
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
    measure.check_completable()
    measure.check_mean()
    if measure.traits.weight is not None and not measure.given.keys() & {"max_grade", "gains", "scale"}:
        return unjudged_part(rankings, measure, q).interval(level)
    values, assumption = drawn_values(measure, rankings, q, draws, seed)
    return _between(values.mean(axis=1), level, f"{draws} completions; {assumption}", measure)


def given_interval(
    measure: Measure,
    judgments: Judgments,
    run: Table,
    probabilities: Table,
    q: float | str = 0.0,
    *,
    level: float = 0.95,
    draws: int = DRAWS,
    seed: int = 0,
) -> Estimate:
    """Of the mean, with a probability of relevance for each document: a model's, or an LLM judge's.

    `probabilities` has them in the place of scores; an unjudged document it does not name is relevant with
    probability q.
    """
    check_level(level)
    measure.check_completable()
    measure.check_mean()
    values = probabilities.numbers[:, 0]
    if len(values) and not (values.min() >= 0 and values.max() <= 1):
        wrong = int(np.argmax((values < 0) | (values > 1)))
        what = f"the probability of document {probabilities.documents[wrong]!r} is {values[wrong]:g}"
        raise UsageError(f"{what}, expected a number from 0 to 1")
    shared, rel = Shared.of(judgments, [run]), measure.given.get("rel", 1)
    model = relevance(shared.rankings, q, rel=rel)
    chance = np.zeros(len(shared.unknown))
    chance[shared.rankings.row] = model.at(shared.rankings.ranking, shared.rankings.rank)
    rows = rows_of(shared.judgments, probabilities)
    chance[rows[rows >= 0]] = values[rows >= 0]
    rng, means = np.random.default_rng(seed), np.empty(draws)
    for i in range(draws):
        drawn = np.where(rng.random(len(chance)) < chance, rel, 0)
        grade = np.where(shared.unknown, drawn, shared.judgments.grade)
        means[i] = measure.compute(shared.rankings.relabelled(shared.judgments.with_grades(grade))).mean()
    return _between(
        means, level, f"{draws} completions; probabilities as given, else {model.assumption}", measure
    )


def queries_interval(values: Floats, measure: Measure, *, level: float = 0.95, seed: int = 0) -> Estimate:
    """Of the mean, had other queries been asked: the bootstrap over queries (percentiles)."""
    check_level(level)
    measure.check_mean()
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
