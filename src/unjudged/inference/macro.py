"""Several collections: each with its own queries, and the mean over them, which weighs each alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unjudged.evidence.contrast import ALONE, Contrast, Ends, Evidence
from unjudged.inference.corrections import find_correction
from unjudged.inference.infer import Columns, Settings, decide, describe_systems, powered_queries, run_tests
from unjudged.inference.macro_means import macro_differences, macro_interval
from unjudged.inference.pairs import rank_intervals
from unjudged.inference.rows import Row, pairs_of, rows_of
from unjudged.inference.verdict import Judging, excludes_change, verdicts
from unjudged.measures.kernel.averages import ROUNDING, mean_over_queries
from unjudged.rankings.judged import Floats, Mask

MACRO = "mean"
"""The name of the mean over collections."""


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
    columns["sure"] = (worst <= alpha) & (p_holds <= alpha) & judging.known
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
