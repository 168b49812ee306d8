"""Rows of systems alone: means with their ranges and any interval, over all queries and by segment."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.base.segments import Floats, Mask
from unjudged.collection.query_segments import EVERY
from unjudged.evidence.contrast import (
    Contrast,
    Evidence,
    alone,
    ends_of_estimates,
    in_own_direction,
    independent,
)
from unjudged.measures.kernel.measure import ROUNDING, mean_over_queries, sum_over_queries
from unjudged.measures.kernel.traits import Refusal
from unjudged.results.fields import Row

if TYPE_CHECKING:
    from unjudged.evidence.intervals import Asked

Columns = dict[str, Any]
"""Values by field: one per contrast, or one for all of them."""
SUMMED = (
    *("low", "high", "estimate", "estimate_low", "estimate_high", "calibrated_low", "calibrated_high"),
    *("query_low", "query_high"),
)
"""Columns of means, which are sums for counts."""
OVER_QUERIES = ("query_low", "query_high")


def asked_interval(
    text: str, alpha: float, seed: int, on_progress: Callable[[int, int], None] | None
) -> Asked:
    """Return an interval method with its parameters from its text, at the level that is usual here."""
    from unjudged.evidence.intervals import Asked, How

    return Asked.of(text, How(1 - alpha, seed, on_progress))


def rows_alone(
    evidence: Sequence[Evidence], asked: Asked | None, alpha: float, usual: Asked | None = None
) -> list[Row]:
    """Return a row per measure and system, the best first; an error if no measure can have the interval.

    If no interval is asked for, measures that can have the `usual` one with that confidence have it.
    """
    return _rows([(alone(one), {}) for one in evidence], asked, alpha, usual)


def rows_by_segment(
    evidence: Sequence[Evidence], asked: Asked | None, alpha: float, parts: Mapping[str, Mask]
) -> list[Row]:
    """Return a row per measure, system and segment, and one of all queries."""
    named = [*parts.items(), (EVERY, np.ones(len(evidence[0].queries), bool))]
    contrasts = [alone(one, by_query=True) for one in evidence]
    rows = _rows(
        [(one.over(own), {"segment": name}) for one in contrasts for name, own in named], asked, alpha
    )
    place = {name: k for k, name in enumerate(evidence[0].systems)}
    return sorted(rows, key=lambda row: place[row["system"]])


def _rows(
    contrasts: Sequence[tuple[Contrast, Row]], asked: Asked | None, alpha: float, usual: Asked | None = None
) -> list[Row]:
    """Return the rows of contrasts with the interval that was asked for, or the usual one."""
    found = [None if asked is None else asked.columns(contrast) for contrast, _ in contrasts]
    if asked is None and usual is not None:
        found = [_usual(usual, contrast, 1 - alpha) for contrast, _ in contrasts]
    refused = [one for one in found if isinstance(one, Refusal)]
    if refused and len(refused) == len(found):
        from unjudged.evidence.intervals import NoIntervalError

        raise NoIntervalError(str(refused[0]))
    rows: list[Row] = []
    for (contrast, more), own in zip(contrasts, found, strict=True):
        columns = {**means_of_systems(contrast, alpha), **contrast.facts}
        if isinstance(own, Refusal):
            columns["method"] = f"no interval: {own.reason.partition(';')[0]}"
        else:
            columns |= own or {}
        rows += rows_of_systems(contrast, _summed(contrast, columns), **more)
    return rows


def _usual(usual: Asked, contrast: Contrast, confidence: float) -> Columns | None:
    """Return an interval unless it is refused, of less confidence, or of another measure."""
    made = usual.columns(contrast)
    if isinstance(made, Refusal) or np.min(made["confidence"]) < confidence - ROUNDING:
        return None
    return made if made.get("estimated_measure", str(contrast.measure)) == str(contrast.measure) else None


def _summed(contrast: Contrast, columns: Columns) -> Columns:
    """Return sums over queries for counts."""
    if contrast.measure.traits.summary != "sum":
        return columns
    queries = contrast.scores.shape[1]
    more = {name: queries * np.asarray(columns[name]) for name in SUMMED if name in columns}
    mean = sum_over_queries(contrast.measure.sign * contrast.values)
    return {**columns, **more, "mean": mean, "count": True}


def rows_of_systems(contrast: Contrast, columns: Columns, **more: Any) -> list[Row]:
    """Return a row per system, the best mean first."""
    measure = contrast.measure
    known = {"measure": str(measure), "lower_is_better": measure.traits.lower, **more}
    known["quality"] = measure.traits.quality
    rows = as_rows(columns, len(contrast))
    order = measure.best_first(np.asarray(columns["mean"]))
    return [{"system": contrast.systems[int(contrast.first[k])], **known, **rows[k]} for k in order]


def as_rows(columns: Columns, count: int) -> list[Row]:
    """Return a row per value of the columns; a value that is not a list stands in each."""

    def listed(column: Any) -> list[Any]:
        if isinstance(column, np.ndarray):
            return list(column.tolist())
        return column if isinstance(column, list) else [column] * count

    values = zip(*map(listed, columns.values()), strict=True)
    return [dict(zip(columns, one, strict=True)) for one in values]


def query_rows(evidence: Evidence, values: Floats | None) -> Iterator[Row]:
    """Yield a row per system and query with the value, systems x queries, and its range if it is known.

    Without values these are the scores that the evidence rests on.
    """
    contrast, measure = alone(evidence, by_query=True), evidence.measure
    found = measure.mean_of(measure.sign * contrast.values) if values is None else values
    columns, count = {"value": found}, measure.traits.summary == "sum"
    if contrast.ends_by_query is not None:
        low, high = in_own_direction(measure.sign, *contrast.ends_by_query)
        columns |= {"low": measure.mean_of(low), "high": measure.mean_of(high)}
    for i, system in enumerate(evidence.systems):
        own = {name: column[i].tolist() for name, column in columns.items()}
        for query, *one in zip(evidence.queries, *own.values(), strict=True):
            known = {"measure": str(measure), "system": system, "query": query, "count": count}
            yield known | dict(zip(own, one, strict=True))


def means_of_systems(contrast: Contrast, alpha: float) -> Columns:
    """Return what a source knows of systems alone: means, and ranges or ends of estimates."""
    measure, sign = contrast.measure, contrast.measure.sign
    if contrast.surrogate is not None:
        from unjudged.evidence.powered import powered_means

        _, (means, low, high) = powered_means(contrast, alpha)
        return {"mean": means, "query_low": low, "query_high": high, "queries": contrast.scores.shape[1]}
    means = sign * mean_over_queries(contrast.scores)[contrast.first]
    columns: Columns = {"mean": measure.mean_of(means), **contrast.sizes}
    if contrast.ends is not None:
        low, high = (np.where(contrast.known, end, np.nan) for end in in_own_direction(sign, *contrast.ends))
        columns["low"], columns["high"] = measure.mean_of(low), measure.mean_of(high)
    if contrast.error is not None:
        columns |= sampled_columns(contrast, columns["mean"], alpha, measure.range)
    return columns


def means_and_intervals(contrast: Contrast, alpha: float) -> Columns:
    """Return the same with intervals for other queries, where the source has no own ones."""
    from unjudged.evidence.intervals import Asked, How
    from unjudged.evidence.mean_intervals import has_range, interval_of_mean

    measure, columns = contrast.measure, means_of_systems(contrast, alpha)
    if contrast.surrogate is not None:
        return columns
    if contrast.error is not None:
        found = Asked.of("queries", How(1 - alpha)).columns(contrast)
        return columns | {name: found[name] for name in OVER_QUERIES if not isinstance(found, Refusal)}
    values = measure.sign * contrast.values
    if has_range(measure) or independent(values.shape[1], contrast.clusters) > 1:
        low, high = interval_of_mean(measure, measure.mean_of(values), 1 - alpha, contrast.clusters)
        columns["query_low"], columns["query_high"] = low, high
    return columns


def sampled_columns(contrast: Contrast, values: Floats, alpha: float, limits: tuple[float, float]) -> Columns:
    """Return the ends of estimates from drawn documents, which are not outside the limits."""
    low, high = ends_of_estimates(contrast, values, 1 - alpha, limits)
    columns: Columns = {"estimate_low": low, "estimate_high": high, **contrast.facts}
    return columns if contrast.labels is None else columns | {"labels": contrast.labels}


def parts_of(columns: Columns) -> int:
    """Return how many independent parts there are: clusters, or else queries."""
    return int(columns["clusters"] if columns.get("clusters") is not None else columns["queries"])


def standings(systems: Sequence[str], pairs: Sequence[Row], *, placed: bool) -> dict[str, Row]:
    """Return for each system its place, and which systems it is better than, now and if nothing was unjudged.

    Places are from 1 + the number of systems that are better, to all systems but those that are worse; they
    need all pairs.
    """
    from unjudged.inference.verdict import BETTER, NEEDS_JUDGING

    behind = {headline: {name: list[str]() for name in systems} for headline in (BETTER, NEEDS_JUDGING)}
    for row in pairs:
        if row["ahead"] is not None and row["headline"] in behind:
            behind[row["headline"]][row["ahead"]].append(other_of(row))
    above = Counter(name for beaten in behind[BETTER].values() for name in beaten)
    given = {name: k for k, name in enumerate(systems)}
    found: dict[str, Row] = {}
    for name in systems:
        better, doubtful = (sorted(behind[which][name], key=given.__getitem__) for which in behind)
        found[name] = {"better_than": better, "doubtful": doubtful}
        if placed:
            found[name] |= {"place_low": 1 + above[name], "place_high": len(systems) - len(better)}
    return found


def other_of(row: Row) -> str:
    """Return the system of a pair that is not ahead."""
    return str(row["b"] if row["ahead"] == row["a"] else row["a"])
