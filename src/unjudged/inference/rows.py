"""Rows of comparisons: every pair or each with a baseline, the systems, and segments, which may differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import ceil, comb
from typing import Any

import numpy as np

from unjudged.base.distributions import upper_tail
from unjudged.base.errors import UsageError
from unjudged.base.notes import Note, said_once
from unjudged.base.segments import Floats, Integers, Ints, Mask
from unjudged.base.wording import shortlist
from unjudged.collection.query_segments import EVERY
from unjudged.evidence.contrast import Clusters, Contrast, Evidence
from unjudged.inference.corrections import too_few_draws
from unjudged.inference.infer import Settings, decide, run_tests, separate
from unjudged.inference.pairs import CELLS, Pairs
from unjudged.inference.power import first_level, smallest_effect
from unjudged.inference.systems import (
    Columns,
    alone,
    as_rows,
    in_own_direction,
    means_and_intervals,
    parts_of,
    rows_of_systems,
    standings,
)
from unjudged.inference.verdict import BETTER, BLUR, FLIP
from unjudged.results.fields import Row

POWER = 0.8
PERMUTATIONS = 9_999
LEAST_VARIANCE = 1e-12
NEARLY = 1e-9
PROMISING, MOST_PERMUTATIONS = 0.001, 99_999


def place_of_baseline(baseline: str | None, systems: Sequence[str]) -> int | None:
    """Return the place of the baseline among at least two systems."""
    if len(systems) < 2:
        raise UsageError("one run cannot be compared: give two or more")
    if baseline is not None and baseline not in systems:
        raise UsageError(f"the baseline {baseline!r} is not among the runs: {shortlist(systems)}")
    return None if baseline is None else list(systems).index(baseline)


def pairs_of(systems: Sequence[object], baseline: str | None = None) -> tuple[Ints, Ints]:
    """Return which systems are compared: each with those given before it, or with the baseline.

    A row is the later one minus the earlier one, or the system minus the baseline.
    """
    if baseline is None:
        earlier, later = np.triu_indices(len(systems), 1)
        return later, earlier
    place = list(systems).index(baseline)
    others = np.delete(np.arange(len(systems)), place)
    return others, np.full(len(others), place)


def answer(
    evidence: Sequence[Evidence],
    settings: Settings,
    *,
    baseline: str | None = None,
    segments: Mapping[str, Mask] | None = None,
) -> tuple[dict[str, list[Row]], list[Note]]:
    """Return rows of the systems, their pairs and their segments, if there are any, and notes.

    By each measure there is one family of tests. One system alone has no pairs.
    """
    names = evidence[0].systems
    two = pairs_of(names, baseline)
    rows: dict[str, list[Row]] = {"systems": [], "pairs": []}
    rows |= {} if segments is None else {"segments": []}
    notes: list[tuple[str, Note]] = []
    for one in evidence:
        pairs, said = pair_rows(one, *two, settings) if len(names) > 1 else ([], [])
        contrast, standing = alone(one), standings(names, pairs, placed=baseline is None)
        systems = rows_of_systems(contrast, means_and_intervals(contrast, settings.alpha))
        rows["systems"] += [row | standing[row["system"]] for row in systems]
        rows["pairs"] += pairs
        if segments is not None:
            rows["segments"] += _segment_rows(one, two, settings, segments, pairs)
        notes += [(str(one.measure), note) for note in said]
    few = too_few_draws(
        len(two[0]), settings.test, settings.correction, alpha=settings.alpha, draws=settings.draws
    )
    return rows, [*said_once(notes, len(evidence)), *few]


def pair_rows(
    evidence: Evidence, first: Ints, second: Ints, settings: Settings, *, shares: bool = True
) -> tuple[list[Row], list[Note]]:
    """Return a row per pair, and notes; pairs that are corrected together. `shares` as in `run_tests`.

    Some pairs are tested after others, so that memory stays bounded; a joint correction takes all.
    """
    size = len(first) if settings.correction.joint else max(1, CELLS // max(len(evidence.queries), 1))
    blocks = []
    for start in range(0, len(first), size):
        some = slice(start, start + size)
        blocks.append(run_tests(evidence.contrast(first[some], second[some]), settings, shares=shares))
    decided = zip(blocks, decide(blocks, settings), strict=True)
    rows = [row for block, columns in decided for row in rows_of(block.contrast, columns)]
    return rows, list(dict.fromkeys(note for block in blocks for note in block.notes))


def rows_of(contrast: Contrast, columns: Columns, **more: Any) -> list[Row]:
    """Return a row per contrast."""
    names, known, made = list(contrast.systems), contrast.known, []
    for k, values in enumerate(as_rows(columns, len(contrast))):
        row: Row = {"measure": str(contrast.measure), **more}
        row |= {"a": names[int(contrast.first[k])], "b": names[int(contrast.second[k])], **values}
        row["lower_is_better"] = contrast.measure.traits.lower
        row["geometric"] = contrast.measure.geometric
        row["ahead"] = _ahead(row)
        row["better"] = row["ahead"] if row.get("headline") == BETTER else None
        row["known"], row["gaps"] = bool(known[k]), contrast.gaps and bool(known[k])
        row["missing"] = "" if row["gaps"] else contrast.missing
        made.append(row)
    return made


def _ahead(row: Row) -> str | None:
    """Return the system with the better mean, None if they are equal."""
    gap = -row["difference"] if row["lower_is_better"] else row["difference"]
    return None if gap == 0 else str(row["a"] if gap > 0 else row["b"])


def needs_judging(row: Row) -> bool:
    """Whether more judging could change what is known of a pair."""
    return row["more_judging"] in (FLIP, BLUR)


def turned(row: Row) -> Row:
    """Return the row of the same pair the other way round."""
    new = dict(row)
    for one, other in (("a", "b"), ("mean_a", "mean_b"), ("wins", "losses")):
        new[one], new[other] = row.get(other), row.get(one)
    ends = ("low", "high"), ("query_low", "query_high"), ("effect_low", "effect_high")
    for low, high in (*ends, ("estimate_low", "estimate_high")):
        if row.get(low) is not None:
            new[low], new[high] = -row[high] + 0.0, -row[low] + 0.0
    for name in ("difference", "effect"):
        if row.get(name) is not None:
            new[name] = -row[name] + 0.0
    return new


def better_first(row: Row) -> Row:
    """Return the row with the better system as `a`."""
    return turned(row) if row["ahead"] == row["b"] else row


def _segment_rows(
    evidence: Evidence,
    pairs: tuple[Ints, Ints],
    settings: Settings,
    segments: Mapping[str, Mask],
    whole: Sequence[Row],
) -> list[Row]:
    """Return rows of each pair within each segment, and of all queries; and whether segments differ.

    By each measure tests of segments are corrected together, and so are tests between segments. One query
    cannot be tested.
    """
    plain = replace(settings, correction=separate(settings.correction))
    contrast = evidence.contrast(*pairs, by_query=True)
    tested = [run_tests(contrast.over(own), plain) for own in segments.values()]
    tests = sum(len(one.pairs) for one in tested if one.parts > 1)
    parts = [
        rows_of(contrast, columns | _detectable(one.pairs, plain, tests), segment=name)
        for name, one, columns in zip(segments, tested, decide(tested, plain), strict=True)
    ]
    every = Pairs(contrast.scores, contrast.first, contrast.second, contrast.clusters)
    detectable = _detectable(every, settings, len(whole))["detectable"].tolist()
    rows: list[Row] = []
    for k, (p, adjusted) in enumerate(_between(contrast, segments, plain)):
        total = dict(whole[k]) | {"segment": EVERY, "detectable": detectable[k]}
        for row in [*(part[k] for part in parts), total]:
            rows.append(row | {"interaction_p": p, "interaction_p_adjusted": adjusted})
            if parts_of(row) == 1:
                rows[-1] |= {"p": None, "p_adjusted": None}
    return rows


def _detectable(pairs: Pairs, settings: Settings, tests: int) -> Columns:
    """Return the difference that so many queries show with power .8, among so many tests."""
    level = first_level(settings.alpha, "none" if tests <= 1 else settings.correction.name, tests)
    varies = pairs.deviation > 0
    if level is None or level >= POWER or not varies.any():
        return {"detectable": np.full(len(pairs), np.nan)}
    shown = smallest_effect(pairs.shape.n, power=POWER, alpha=level)
    return {"detectable": np.where(varies, pairs.deviation * shown, np.nan)}


def _between(
    contrast: Contrast, segments: Mapping[str, Mask], settings: Settings
) -> list[tuple[float, float]]:
    """Return p values that segments have one mean, before and after correction, for each pair.

    Where p is small there are so many draws that a pair which alone differs can be significant.
    """
    more = min(ceil(len(contrast) / settings.alpha), MOST_PERMUTATIONS)
    places = [contrast.places(own) for own in segments.values()]

    def tested(difference: Floats) -> float:
        if contrast.clusters is not None:
            return clustered_interaction_p(difference, list(places), contrast.clusters)
        parts = [difference[own] for own in places]
        found = interaction_p(parts)
        return interaction_p(parts, draws=more) if found <= PROMISING and more > PERMUTATIONS else found

    p = np.array([tested(one) for one in contrast.values])
    after = p if np.isnan(p).any() else settings.correction.function(p)
    return list(zip(p.tolist(), after.tolist(), strict=True))


def interaction_p(parts: Sequence[Floats], *, draws: int = PERMUTATIONS, seed: int = 0) -> float:
    """Return the p value that segments have one mean: Welch's F with its queries assigned at random.

    The share of assignments of queries to segments with an F (Welch, 1951) as large is exact if segments are
    alike, and holds for many queries if their variances differ (Janssen, 1997). Two segments of few queries
    have all assignments, others so many random ones. With three or more segments of few queries each that
    share is too small where variances differ, and the p value is the larger of it and of Welch's own.
    Segments of one query are left out; NaN if fewer than two are left.

    >>> rng = np.random.default_rng(1)
    >>> head, tail = rng.normal(0.1, 0.1, 30), rng.normal(-0.1, 0.1, 30)
    >>> interaction_p([head, tail])
    0.0001
    """
    from scipy.special import fdtrc

    parts = [part for part in parts if len(part) > 1]
    if len(parts) < 2:
        return float("nan")
    values = np.concatenate(parts)
    if np.ptp(values) == 0:
        return 1.0
    sizes = np.array([len(part) for part in parts])
    statistic, freedom = _welch(values[None], sizes)
    p = _share_as_large(values, sizes, float(statistic[0]) * (1 - NEARLY), draws, seed)
    return p if len(parts) == 2 else max(p, float(fdtrc(len(parts) - 1, freedom[0], statistic[0])))


def clustered_interaction_p(difference: Floats, segments: Sequence[Mask], clusters: Clusters) -> float:
    """Return the p value that segments have one mean, where queries are in clusters, of one segment or more.

    Each segment is tested against all other queries: t, with CR2 in either part and Satterthwaite's degrees
    of freedom; the smallest p counts as often as there are segments, of two once (Bonferroni). Segments of
    one cluster are left out, and NaN is returned if fewer than two are left.
    """
    kept = [own for own in segments if len(set(clusters.number[own].tolist())) > 1]
    if len(kept) < 2:
        return float("nan")
    every = np.logical_or.reduce(kept)
    each = [
        _of_two_parts(difference, own, every & ~own, clusters)
        for own in kept[: 1 if len(kept) == 2 else None]
    ]
    return min(1.0, len(each) * min(each))


def _of_two_parts(difference: Floats, one: Mask, other: Mask, clusters: Clusters) -> float:
    """Return the p value that two parts of the queries have one mean; they may share clusters."""
    gap, parts, covariance = 0.0, np.zeros(len(clusters)), np.zeros((len(clusters), len(clusters)))
    for sign, own in ((1, one), (-1, other)):
        values, number = difference[own], clusters.number[own]
        share = np.bincount(number, minlength=len(clusters)) / len(values)
        scale = 1 / np.sqrt(1 - share)
        sums = np.bincount(number, values - values.mean(), minlength=len(clusters))
        gap += sign * float(values.mean())
        parts += sign * sums / len(values) * scale
        covariance += (np.diag(share) - np.outer(share, share)) * np.outer(scale, scale) / len(values)
    variance = float((parts**2).sum())
    if variance <= LEAST_VARIANCE * float(np.ptp(difference)) ** 2:
        return 1.0 if abs(gap) <= NEARLY else 2.0 ** (2 - len(clusters))
    freedom = np.trace(covariance) ** 2 / (covariance**2).sum()
    return float(2 * upper_tail(freedom, abs(gap) / np.sqrt(variance)))


def _share_as_large(values: Floats, sizes: Integers, least: float, draws: int, seed: int) -> float:
    """Return the share of assignments with at least this F; the one that was observed counts among them."""
    if len(sizes) == 2 and comb(len(values), int(sizes[0])) <= draws:
        firsts = np.array(list(combinations(range(len(values)), int(sizes[0]))))
        rests = np.nonzero(~(firsts[:, :, None] == np.arange(len(values))).any(axis=1))[1]
        every = values[np.concatenate([firsts, rests.reshape(len(firsts), -1)], axis=1)]
        return float((_welch(every, sizes)[0] >= least).mean())
    rng, reached = np.random.default_rng(seed), 1
    block = max(1, CELLS // len(values))
    for start in range(0, draws, block):
        drawn = rng.permuted(np.tile(values, (min(block, draws - start), 1)), axis=1)
        reached += int((_welch(drawn, sizes)[0] >= least).sum())
    return reached / (draws + 1)


def _welch(values: Floats, sizes: Integers) -> tuple[Floats, Floats]:
    """Return F and its second degrees of freedom for each row of values, segment after segment."""
    k, ends = len(sizes), np.cumsum(sizes)
    parts = np.split(values, ends[:-1], axis=1)
    means = np.stack([part.mean(axis=1) for part in parts], axis=1)
    variances = np.stack([part.var(axis=1, ddof=1) for part in parts], axis=1)
    weights = sizes / np.maximum(variances, LEAST_VARIANCE * np.ptp(values, axis=1, keepdims=True) ** 2)
    total = weights.sum(axis=1, keepdims=True)
    centre = (weights * means).sum(axis=1, keepdims=True) / total
    spread = ((1 - weights / total) ** 2 / (sizes - 1)).sum(axis=1)
    between = (weights * (means - centre) ** 2).sum(axis=1) / (k - 1)
    return between / (1 + 2 * (k - 2) / (k**2 - 1) * spread), (k**2 - 1) / (3 * spread)


def rows_by_query(contrast: Contrast) -> list[Row]:
    """Return rows of the queries of the only pair, the largest difference first."""
    measure, sign = contrast.measure, contrast.measure.sign
    two = int(contrast.first[0]), int(contrast.second[0])
    a, b = (contrast.systems[k] for k in two)
    first, second = (sign * contrast.scores[k] for k in two)
    columns: Columns = {"query": list(contrast.queries), "value_a": first, "value_b": second}
    columns["difference"] = first - second
    if contrast.ends_by_query is not None:
        low, high = contrast.ends_by_query
        columns["low"], columns["high"] = in_own_direction(sign, low[0], high[0])
    named = {"measure": str(measure), "a": a, "b": b}
    rows: list[Row] = [{**named, **row} for row in as_rows(columns, len(first))]
    rows.sort(key=lambda row: -abs(row["difference"]))
    return rows
