"""Rows of comparisons: every pair or each with a baseline, the systems, and segments, which may differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

import numpy as np

from unjudged.base.notes import Note, said_once
from unjudged.base.segments import Floats, Ints, Mask
from unjudged.collection.query_segments import EVERY
from unjudged.evidence.contrast import Contrast, Evidence, alone, in_own_direction
from unjudged.inference.corrections import separate, too_few_draws
from unjudged.inference.interaction import PERMUTATIONS, clustered_interaction_p, interaction_p
from unjudged.inference.pair_tests import Settings, decide, run_tests
from unjudged.inference.pairs import CELLS, Pairs, pairs_of
from unjudged.inference.power import first_level, smallest_effect
from unjudged.inference.system_rows import (
    Columns,
    as_rows,
    means_and_intervals,
    parts_of,
    rows_of_systems,
    standings,
)
from unjudged.inference.verdict import BETTER, BLUR, FLIP
from unjudged.results.fields import Row

POWER = 0.8
PROMISING, MOST_PERMUTATIONS = 0.001, 99_999


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
