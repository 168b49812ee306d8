"""Several collections: each with its own queries, and the mean over them, which weighs each alike.

So a small collection adds most of the variance of that mean. Its intervals and tests are those of stratified
sampling: queries are resampled within collections, and the collections themselves are fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from unjudged.evidence.contrast import ALONE, Contrast, Ends, Evidence
from unjudged.evidence.intervals.quantiles import t_half
from unjudged.inference.corrections import find_correction
from unjudged.inference.infer import Settings, decide, describe_systems, powered_queries, run_tests
from unjudged.inference.means import Columns
from unjudged.inference.pairs import rank_intervals
from unjudged.inference.rows import Row, pairs_of, rows_of
from unjudged.inference.verdict import Judging, excludes_change, verdicts
from unjudged.measures.kernel.averages import ROUNDING, mean_over_queries
from unjudged.rankings.judged import Floats, Mask

MACRO = "mean"
"""The name of the mean over collections."""
RESAMPLES = 4_000
FAR, NEAR = 0.2, 0.4
"""Weight, in queries, of an observation at the end of the range, and of one that is no further than `REACH`
pooled standard deviations from the mean. docs/evidence/collections.csv measures them."""
REACH = 2.0
MEDIAN = 0.25
"""Weight, in queries, of the collections' median variance in that of each collection's differences."""
UNSEEN = 2.0
"""Queries that the variance of a difference counts beyond those in all collections."""
MANY = 100
"""From this number of queries on, Student's t is as good, and the pooled standard deviation is known."""


def collection_rows(
    evidence: Mapping[str, Evidence], settings: Settings, baseline: str | None
) -> tuple[list[Row], list[Row]]:
    """Return rows of the systems and of the pairs, in each collection and over all of them.

    Tests within collections are corrected over all pairs and collections, those of the mean over the pairs.
    """
    each = list(evidence.values())
    names = list(each[0].systems)
    base = None if baseline is None else names.index(baseline)
    first, second = pairs_of(len(names), base)
    contrasts = [one.contrast(first, second, by_query=True) for one in each]
    tested = [run_tests(contrast, settings) for contrast in contrasts]
    pairs = [
        row
        for name, contrast, columns in zip(evidence, contrasts, decide(tested, settings), strict=True)
        for row in rows_of(contrast, columns, collection=name)
    ]
    over_all = _mean_of_pairs(contrasts, settings)
    macro = rows_of(contrasts[0], over_all, collection=MACRO)
    every = [*pairs, *macro]
    return _systems(evidence, every, settings, base), every


def _mean_of_pairs(contrasts: Sequence[Contrast], settings: Settings) -> Columns:
    """Return the columns of the mean difference over collections."""
    measure, sign, alpha = contrasts[0].measure, contrasts[0].measure.sign, settings.alpha
    parts = [powered_queries(contrast) for contrast in contrasts]
    found = macro_differences(parts, 1 - alpha)
    largest = max(float(np.abs(contrast.scores).max(initial=0)) for contrast in contrasts)
    value = np.where(np.abs(found.value) <= ROUNDING * largest, 0.0, found.value)  # a rounding error is none
    turned = value < 0
    led = [np.where(turned[:, None], -part, part) for part in parts]
    holds = macro_differences(led, 1 - alpha).p
    judging = _judging(contrasts, turned, settings)
    correction = settings.correction or find_correction("holm")
    p_adjusted, p_holds = correction.function(found.p), correction.function(holds)
    seen, worst = correction.function(judging.p_seen), correction.function(judging.p_worst)
    queries = sum(part.shape[1] for part in parts)
    answers = verdicts(p_holds <= alpha, seen <= alpha, worst <= alpha, judging, queries)
    first, second = contrasts[0].first, contrasts[0].second
    means = np.mean([_means_of_systems(contrast) for contrast in contrasts], axis=0)
    columns: Columns = {"queries": queries, "difference": sign * value + 0.0}
    columns |= {
        "mean_a": measure.mean_of(sign * means[first]),
        "mean_b": measure.mean_of(sign * means[second]),
    }
    ends = _mean_ends(contrasts)
    if ends is not None:
        columns["low"], columns["high"] = ends if sign > 0 else (-ends.high, -ends.low)
    low, high = (found.low, found.high) if sign > 0 else (-found.high, -found.low)
    columns |= {"query_low": low, "query_high": high, "p": found.p, "p_adjusted": p_adjusted}
    return columns | vars(answers)


def _means_of_systems(contrast: Contrast) -> Floats:
    """Return the mean of each system in the unit that is averaged, with predictions where there are any."""
    if contrast.surrogate is None:
        return mean_over_queries(contrast.scores)
    means: Floats = contrast.measure.sign * contrast.facts["means"]
    return means


def _mean_ends(contrasts: Sequence[Contrast]) -> Ends | None:
    ends = [contrast.ends for contrast in contrasts if contrast.ends is not None]
    if len(ends) < len(contrasts):
        return None
    return Ends(np.mean([e.low for e in ends], axis=0), np.mean([e.high for e in ends], axis=0))


def _judging(contrasts: Sequence[Contrast], turned: Any, settings: Settings) -> Judging:
    """Say what judging could change of the mean over collections: of the same pair, in all at once."""
    if any(contrast.tips is None for contrast in contrasts):
        return Judging.nothing(len(contrasts[0]))
    first, second = contrasts[0].first, contrasts[0].second
    ahead, behind = np.where(turned, second, first), np.where(turned, first, second)
    tips = [contrast.tips(ahead, behind) for contrast in contrasts if contrast.tips is not None]
    at_seen = [tip.at(tip.seen) for tip in tips]
    at_worst = [tip.at(np.ones(len(tip.seen))) for tip in tips]
    p = []
    for parts in (at_seen, at_worst):
        tested = macro_differences(parts, 1 - settings.alpha)
        p.append(np.where(tested.value > ROUNDING, tested.p, 1.0))
    leads = np.mean([part.mean(axis=1) for part in at_seen], axis=0) > ROUNDING
    ends = _mean_ends(contrasts)
    excluded = np.zeros(len(leads), bool) if ends is None else excludes_change(ends)
    return Judging(True, excluded, leads, *p)


def _better(rows: Sequence[Row], collection: str, names: Sequence[str]) -> Mask:
    """Return systems x systems: whether the first is better than the second in a collection."""
    number = {name: k for k, name in enumerate(names)}
    better = np.zeros((len(names), len(names)), bool)
    for row in rows:
        if row["collection"] == collection and row["better"] is not None:
            loser = row["b"] if row["better"] == row["a"] else row["a"]
            better[number[row["better"]], number[loser]] = True
    return better


def _systems(
    evidence: Mapping[str, Evidence], pairs: Sequence[Row], settings: Settings, base: int | None
) -> list[Row]:
    """Return the systems in each collection and over all of them, the best mean over collections first."""
    each = list(evidence.values())
    measure, names = each[0].measure, list(each[0].systems)
    alone = np.arange(len(names))
    nothing = np.full(len(names), ALONE)
    contrasts = [one.contrast(alone, nothing) for one in each]
    columns = [describe_systems(contrast, settings.alpha) for contrast in contrasts]
    values = [powered_queries(contrast) for contrast in contrasts]
    means = measure.mean_of(measure.sign * np.mean([mean_over_queries(part) for part in values], axis=0))
    limits = (-np.inf, np.inf) if measure.geometric else measure.range
    plain = [measure.sign * part for part in values]
    low, high = map(measure.mean_of, macro_interval(plain, limits, 1 - settings.alpha, settings.seed))
    better = {name: _better(pairs, name, names) for name in (*evidence, MACRO)}
    places = rank_intervals(better[MACRO])
    kind = {"lower_is_better": measure.traits.lower, "quality": measure.traits.quality}
    rows: list[Row] = []
    for system in measure.best_first(means):

        def row_of(collection: str, found: Columns, which: int = system) -> Row:
            row = {"collection": collection, "measure": str(measure), "system": names[which]}
            row |= {n: c.tolist()[which] if isinstance(c, np.ndarray) else c for n, c in found.items()}
            beaten = np.flatnonzero(better[collection][which])
            return row | {"better_than": [names[k] for k in beaten]} | kind

        rows += [row_of(name, own) for name, own in zip(evidence, columns, strict=True)]
        queries = sum(part.shape[1] for part in values)
        row = row_of(MACRO, {"mean": means, "query_low": low, "query_high": high, "queries": queries})
        if base is None:
            row["place_low"], row["place_high"] = places[system]
        rows.append(row)
    return rows


class MacroDifferences(NamedTuple):
    """Differences of macro means, a value per pair."""

    value: Floats
    low: Floats
    high: Floats
    p: Floats


def macro_means(parts: Sequence[Floats]) -> Floats:
    """Return the mean over collections of each system's mean; `parts` are systems x queries."""
    return np.asarray(np.mean([part.mean(axis=1) for part in parts], axis=0), float)


def macro_interval(
    parts: Sequence[Floats], limits: tuple[float, float], confidence: float, seed: int = 0
) -> tuple[Floats, Floats]:
    """Return the interval of each system's macro mean for other queries of these collections.

    The distances to the ends of each collection's interval are added as squares. A collection's interval is
    a Bayesian bootstrap of its queries with one more observation, of a fifth of a query's weight, at the
    end of the range. If all collections together have 100 queries, that observation is no further away than
    two of their pooled standard deviations, with two fifths of a query's weight. From 100 queries on, and
    for measures without a range, a collection's interval is Student's t.
    """
    mean, below, above = macro_means(parts), np.zeros(len(parts[0])), np.zeros(len(parts[0]))
    many = sum(part.shape[1] for part in parts) >= MANY
    reach = REACH * _pooled_deviation(parts) if many else np.full(len(mean), np.inf)
    for c, part in enumerate(parts):
        own, rng = part.mean(axis=1), np.random.default_rng([seed, c])
        if part.shape[1] >= MANY or not np.isfinite(limits).all():
            half = t_half(part.std(axis=1, ddof=1), part.shape[1], confidence)
            low, high = own - half, own + half
        else:
            furthest = np.maximum(reach, REACH * part.std(axis=1, ddof=1))
            ends = np.maximum(limits[0], own - furthest), np.minimum(limits[1], own + furthest)
            low, high = _bootstrap(part, ends, NEAR if many else FAR, confidence, rng)
        below += (own - low) ** 2
        above += (high - own) ** 2
    low, high = mean - np.sqrt(below) / len(parts), mean + np.sqrt(above) / len(parts)
    return np.maximum(low, limits[0]), np.minimum(high, limits[1])


def _pooled_deviation(parts: Sequence[Floats]) -> Floats:
    """Return the root of the mean of the collections' variances by their degrees of freedom."""
    freedom = [part.shape[1] - 1 for part in parts]
    return np.sqrt(np.average([part.var(axis=1, ddof=1) for part in parts], axis=0, weights=freedom))


def _bootstrap(
    values: Floats, ends: tuple[Floats, Floats], weight: float, confidence: float, rng: np.random.Generator
) -> tuple[Floats, Floats]:
    """Return quantiles of random weightings of the queries and of one more observation at either end."""
    weights = np.concatenate(
        [rng.standard_gamma(weight, (RESAMPLES, 1)), rng.standard_exponential((RESAMPLES, values.shape[1]))],
        axis=1,
    )
    weights /= weights.sum(axis=1, keepdims=True)
    inside, more, tail = values @ weights[:, 1:].T, weights[:, 0], (1 - confidence) / 2
    low = np.quantile(inside + more * ends[0][:, None], tail, axis=1)
    return low, np.quantile(inside + more * ends[1][:, None], 1 - tail, axis=1)


def macro_variances(parts: Sequence[Floats]) -> Floats:
    """Return what each collection adds to the variance of a mean over collections, s_c^2 / (n_c C^2).

    `parts` are rows x queries of each collection, and the result is collections x rows. A few queries often
    vary less than their collection, so the median of the s_c^2 counts in each as a quarter of a query (a
    moderated t, as of Smyth, 2004).
    """
    counts = np.array([part.shape[1] for part in parts])[:, None]
    own = np.array([part.var(axis=1, ddof=1) for part in parts])
    moderated = (MEDIAN * np.median(own, axis=0) + (counts - 1) * own) / (MEDIAN + counts - 1)
    return np.asarray(moderated / counts / len(parts) ** 2, float)


def macro_differences(parts: Sequence[Floats], confidence: float) -> MacroDifferences:
    """Return the difference of macro means of each pair, by a t test with stratified queries.

    `parts` are pairs x queries: differences by query, of at least two queries per collection. The variance
    is the sum of `macro_variances`, with the degrees of freedom of Welch and Satterthwaite. Few queries
    rarely show the largest differences, so the sum is multiplied by 1 + 2 / n, for n queries in all. If no
    query varies, p is 1 for equal systems, else 2^(1 - n), and the interval is the whole line.
    """
    from scipy.special import stdtr, stdtrit

    counts = np.array([part.shape[1] for part in parts])[:, None]
    value, each = macro_means(parts), macro_variances(parts)
    variance = each.sum(axis=0)
    flat = variance <= np.finfo(float).eps * np.maximum(value**2, np.finfo(float).tiny)
    spread = np.where(flat, 1.0, variance)
    freedom = spread**2 / np.where(flat, 1.0, (each**2 / (counts - 1)).sum(axis=0))
    error = np.sqrt(spread * (1 + UNSEEN / counts.sum()))
    half = np.where(flat, np.inf, stdtrit(freedom, (1 + confidence) / 2) * error)
    p = 2 * stdtr(freedom, -np.abs(value) / error)
    constant = np.where(value == 0, 1.0, 2.0 ** (1 - min(counts.sum(), 1000)))
    return MacroDifferences(value, value - half, value + half, np.where(flat, constant, p))
