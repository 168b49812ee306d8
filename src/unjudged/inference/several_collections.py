"""Several collections: each with its own queries, and the mean over them, which weighs each alike.

So a small collection adds most of the variance of that mean. Its intervals and tests are as for stratified
sampling: queries are resampled within collections, and the collections themselves are fixed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from unjudged.base.segments import Floats, Mask
from unjudged.evidence.contrast import (
    Clusters,
    Contrast,
    Ends,
    Evidence,
    alone,
    in_own_direction,
    independent,
)
from unjudged.evidence.distributions import student_quantile, upper_tail
from unjudged.evidence.mean_intervals import Shape, limits_of_mean, shape_of, t_half
from unjudged.evidence.powered import powered_queries
from unjudged.inference.pair_rows import rows_of
from unjudged.inference.pair_tests import Settings, Tested, decide, leaders, run_tests
from unjudged.inference.pairs import Pairs, pairs_of
from unjudged.inference.system_rows import Columns, means_and_intervals, rows_of_systems, standings
from unjudged.inference.verdict import Judging
from unjudged.measures.kernel.measure import ROUNDING, mean_over_queries, without_rounding
from unjudged.results.fields import Row

Each = Sequence[Clusters | None]
"""Clusters of the queries of each collection; nothing if none has any."""
MACRO = "mean"
"""The name of the mean over collections."""
RESAMPLES = 4_000
FAR, NEAR = 0.2, 0.4
"""Weight, in queries, of an observation at the end of the range, and of one that is no further than `REACH`
pooled standard deviations from the mean. docs/evidence/collections.csv measures them."""
REACH = 2.0
MEDIAN = 0.25
"""Weight, in queries, of the median variance of the collections in the variance of each."""
UNSEEN = 2.0
"""Queries that the variance of a difference counts beyond those in all collections."""
MANY = 100
"""From this number of queries on, Student's t is as good, and the pooled standard deviation is known."""


def collection_rows(
    evidence: Mapping[str, Evidence], settings: Settings, baseline: str | None
) -> dict[str, list[Row]]:
    """Return rows of the systems, and of the pairs, in each collection and over all of them.

    Tests within collections are corrected over all pairs and collections, tests of the mean over the pairs.
    """
    each = list(evidence.values())
    first, second = pairs_of(each[0].systems, baseline)
    contrasts = [one.contrast(first, second, by_query=True) for one in each]
    within = decide([run_tests(contrast, settings) for contrast in contrasts], settings)
    own = {
        name: rows_of(contrast, columns, collection=name)
        for name, contrast, columns in zip(evidence, contrasts, within, strict=True)
    }
    (over_all,) = decide([_mean_of_pairs(contrasts, settings)], settings)
    own[MACRO] = rows_of(contrasts[0], over_all, collection=MACRO)
    systems = _systems(evidence, settings)
    place = {row["system"]: k for k, row in enumerate(systems[-1])}
    listed = sorted((row for rows in systems for row in rows), key=lambda row: place[row["system"]])
    standing = {name: standings(each[0].systems, rows, placed=baseline is None) for name, rows in own.items()}
    listed = [row | standing[row["collection"]][row["system"]] for row in listed]
    return {
        "systems": listed,
        "collections": [row for rows in own.values() for row in rows],
        "pairs": own[MACRO],
    }


def _mean_of_pairs(contrasts: Sequence[Contrast], settings: Settings) -> Tested:
    """Test the mean difference over collections; judging may change the same pair in all at once."""
    one, measure, confidence = contrasts[0], contrasts[0].measure, 1 - settings.alpha
    parts = [powered_queries(contrast) for contrast in contrasts]
    clusters = [contrast.clusters for contrast in contrasts]
    found = macro_differences(parts, confidence, clusters)
    value = without_rounding(found.value, np.concatenate([contrast.scores for contrast in contrasts], axis=1))
    means = measure.mean_of(measure.sign * np.mean([_means_of_systems(c) for c in contrasts], axis=0))
    columns: Columns = _sizes(parts, clusters)
    columns |= {
        "difference": measure.sign * value + 0.0,
        "mean_a": means[one.first],
        "mean_b": means[one.second],
    }
    ends = [contrast.ends for contrast in contrasts if contrast.ends is not None]
    over_all = None
    if len(ends) == len(contrasts):
        over_all = Ends(*(np.mean([getattr(own, end) for own in ends], axis=0) for end in Ends._fields))
        columns["low"], columns["high"] = in_own_direction(measure.sign, *over_all)
    columns["query_low"], columns["query_high"] = in_own_direction(measure.sign, found.low, found.high)
    judging = Judging.nothing(found.p)
    ahead, behind, _ = leaders(one, value)
    known = [contrast.known for contrast in contrasts]
    if all(contrast.tips is not None for contrast in contrasts) or any(own.gaps for own in contrasts):
        tips = [None if own.tips is None else own.tips(ahead, behind) for own in contrasts]
        led = [own.scores[ahead] - own.scores[behind] for own in contrasts]
        seen = [own if tip is None else tip.at(tip.seen) for own, tip in zip(led, tips, strict=True)]
        worst = [own if tip is None else tip.at_worst() for own, tip in zip(led, tips, strict=True)]
        each = (_leads(part, confidence, clusters) for part in (seen, worst))
        judging = Judging.of(found.p, np.any(known, axis=0), over_all, *each)
    return Tested(one, columns, found.p, [judging], Pairs(one.scores, one.first, one.second))


def _leads(parts: Sequence[Floats], confidence: float, clusters: Each) -> tuple[Mask, Floats]:
    """Return where the mean lead over collections is above 0, and its p value; 1 where it is not."""
    found = macro_differences(parts, confidence, clusters)
    above = found.value > ROUNDING
    return above, np.where(above, found.p, 1.0)


def _means_of_systems(contrast: Contrast) -> Floats:
    """Return the mean of each system in the unit that is averaged, with predictions where there are any."""
    if contrast.surrogate is None:
        return mean_over_queries(contrast.scores)
    return np.asarray(contrast.measure.sign * contrast.facts["means"], float)


def _systems(evidence: Mapping[str, Evidence], settings: Settings) -> list[list[Row]]:
    """Return the systems of each collection, and those over all of them, the best mean first."""
    contrasts = {name: alone(one) for name, one in evidence.items()}
    rows = [
        rows_of_systems(contrast, means_and_intervals(contrast, settings.alpha), collection=name)
        for name, contrast in contrasts.items()
    ]
    first, measure = next(iter(contrasts.values())), next(iter(contrasts.values())).measure
    values = [powered_queries(contrast) for contrast in contrasts.values()]
    means = measure.sign * np.mean([mean_over_queries(part) for part in values], axis=0)
    limits = (-np.inf, np.inf) if measure.geometric else measure.range
    clusters = [contrast.clusters for contrast in contrasts.values()]
    signed = [measure.sign * part for part in values]
    ends = macro_interval(signed, limits, 1 - settings.alpha, settings.seed, clusters)
    mean, low, high = map(measure.mean_of, (means, *ends))
    columns = {"mean": mean, "query_low": low, "query_high": high}
    columns |= _sizes(values, clusters)
    return [*rows, rows_of_systems(first, columns, collection=MACRO)]


def _sizes(parts: Sequence[Floats], clusters: Each) -> Columns:
    """Return how many queries all collections have, and clusters if some have them."""
    counts = [part.shape[1] for part in parts]
    if not any(clusters):
        return {"queries": sum(counts)}
    return {"queries": sum(counts), "clusters": sum(map(independent, counts, clusters))}


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
    parts: Sequence[Floats],
    limits: tuple[float, float],
    confidence: float,
    seed: int = 0,
    clusters: Each = (),
) -> tuple[Floats, Floats]:
    """Return the interval of each system's macro mean for other queries of these collections.

    The distances to the ends of each collection's interval are added as squares. A collection's interval is
    a Bayesian bootstrap of its queries with one more observation, of a fifth of a query's weight, at the
    end of the range. If all collections together have 100 queries, that observation is no further away than
    two of their pooled standard deviations, with two fifths of a query's weight. From 100 queries on, and
    for measures without a range, a collection's interval is Student's t, and of queries in clusters that with
    Hall's correction.
    """
    each = clusters or [None] * len(parts)
    mean, below, above = macro_means(parts), np.zeros(len(parts[0])), np.zeros(len(parts[0]))
    many = sum(part.shape[1] for part in parts) >= MANY
    reach = REACH * _pooled_deviation(parts) if many else np.full(len(mean), np.inf)
    for c, part in enumerate(parts):
        own, rng = part.mean(axis=1), np.random.default_rng([seed, c])
        if each[c] is not None:
            low, high = limits_of_mean(part, (1 - confidence) / 2, limits, each[c])
        elif part.shape[1] >= MANY or not np.isfinite(limits).all():
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


def macro_variances(parts: Sequence[Floats], clusters: Each = ()) -> Floats:
    """Return what each collection adds to the variance of a mean over collections, s_c^2 / (n_c C^2).

    `parts` are rows x queries of each collection, and the result is collections x rows. A few queries often
    vary less than their collection, so the median of the s_c^2 counts in each as a quarter of a query (a
    moderated t, as of Smyth, 2004).
    """
    shapes = _shapes(parts, clusters)
    counts = np.array([shape.n for shape in shapes])[:, None]
    own = np.array([shape.deviation**2 for shape in shapes])
    moderated = (MEDIAN * np.median(own, axis=0) + (counts - 1) * own) / (MEDIAN + counts - 1)
    return np.asarray(moderated / counts / len(parts) ** 2, float)


def _shapes(parts: Sequence[Floats], clusters: Each) -> list[Shape]:
    """Return the shape of the rows in each collection."""
    return [shape_of(*one) for one in zip(parts, clusters or [None] * len(parts), strict=True)]


def macro_differences(parts: Sequence[Floats], confidence: float, clusters: Each = ()) -> MacroDifferences:
    """Return the difference of macro means of each pair, by a t test with stratified queries.

    `parts` are pairs x queries: differences by query, of at least two queries per collection. The variance
    is the sum of `macro_variances`, with the degrees of freedom of Welch and Satterthwaite. Few queries
    rarely show the largest differences, so the sum is multiplied by 1 + 2 / n, for n queries in all. If no
    query varies, p is 1 for equal systems, else 2^(1 - n), and the interval is the whole line.
    """
    counts = np.array([shape.n for shape in _shapes(parts, clusters)])[:, None]
    value, each = macro_means(parts), macro_variances(parts, clusters)
    variance = each.sum(axis=0)
    flat = variance <= np.finfo(float).eps * np.maximum(value**2, np.finfo(float).tiny)
    spread = np.where(flat, 1.0, variance)
    freedom = spread**2 / np.where(flat, 1.0, (each**2 / (counts - 1)).sum(axis=0))
    error = np.sqrt(spread * (1 + UNSEEN / counts.sum()))
    half = np.where(flat, np.inf, student_quantile((1 + confidence) / 2, freedom) * error)
    p = 2 * upper_tail(freedom, np.abs(value) / error)
    constant = np.where(value == 0, 1.0, 2.0 ** (1 - min(counts.sum(), 1000)))
    return MacroDifferences(value, value - half, value + half, np.where(flat, constant, p))
