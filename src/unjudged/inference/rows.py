"""Rows of comparisons: every pair or each with a baseline, the systems, and segments of the queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

import numpy as np

from unjudged.base.notes import Note, said_once
from unjudged.collection.query_segments import EVERY
from unjudged.evidence.contrast import ALONE, Contrast, Evidence, Ints, Turning
from unjudged.inference.corrections import Correction, find_correction
from unjudged.inference.infer import Settings, decide, describe_systems, run_tests
from unjudged.inference.interaction import PERMUTATIONS, interaction_p
from unjudged.inference.means import Columns
from unjudged.inference.pairs import CELLS, Pairs, rank_intervals
from unjudged.inference.pairwise import too_few_draws
from unjudged.inference.power import first_level, smallest_difference
from unjudged.inference.verdict import BETTER, BLUR, FLIP, NEEDS_JUDGING
from unjudged.rankings.judged import Floats, Mask

Row = dict[str, Any]
POWER = 0.8
PROMISING, MOST_PERMUTATIONS = 0.001, 99_999


@dataclass(frozen=True)
class Answer:
    """Rows of systems, of pairs, and of segments if they were asked for."""

    systems: list[Row]
    pairs: list[Row]
    segments: list[Row]
    notes: list[Note]


def pairs_of(systems: int, baseline: int | None = None) -> tuple[Ints, Ints]:
    """Return which systems are compared: each with those given before it, or with the baseline.

    A row is the later one minus the earlier one, or the system minus the baseline.
    """
    if baseline is None:
        earlier, later = np.triu_indices(systems, 1)
        return later, earlier
    others = np.delete(np.arange(systems), baseline)
    return others, np.full(systems - 1, baseline)


def answer(
    evidence: Sequence[Evidence],
    settings: Settings,
    *,
    baseline: str | None = None,
    segments: Mapping[str, Mask] | None = None,
) -> Answer:
    """Compare the systems by each measure, with one family of tests per measure."""
    first_evidence = evidence[0]
    base = None if baseline is None else list(first_evidence.systems).index(baseline)
    first, second = pairs_of(len(first_evidence.systems), base)
    if not len(first):
        return Answer(
            [row for one in evidence for row in _system_rows(one, [], base, settings.alpha)], [], [], []
        )
    systems: list[Row] = []
    pairs: list[Row] = []
    in_segments: list[Row] = []
    notes: list[tuple[str, Note]] = []
    for one in evidence:
        own, said = pair_rows(one, first, second, settings)
        systems += _system_rows(one, own, base, settings.alpha)
        pairs += own
        if segments is not None:
            in_segments += _segment_rows(one, (first, second), settings, segments, own)
        notes += [(str(one.measure), note) for note in said]
    correction = settings.correction or find_correction("holm")
    few = too_few_draws(len(first), settings.test, correction, alpha=settings.alpha, draws=settings.draws)
    return Answer(systems, pairs, in_segments, [*said_once(notes, len(evidence)), *few])


def pair_rows(
    evidence: Evidence, first: Ints, second: Ints, settings: Settings, *, shares: bool = True
) -> tuple[list[Row], list[Note]]:
    """Return a row per pair, and notes; pairs that are corrected together. `shares` as in `run_tests`.

    Some pairs are tested after others, so that memory stays bounded; a joint correction takes all.
    """
    joint = settings.correction is not None and settings.correction.joint
    size = len(first) if joint else max(1, CELLS // max(len(evidence.queries), 1))
    blocks = []
    for start in range(0, len(first), size):
        some = slice(start, start + size)
        blocks.append(run_tests(evidence.contrast(first[some], second[some]), settings, shares=shares))
    decided = zip(blocks, decide(blocks, settings), strict=True)
    rows = [row for block, columns in decided for row in rows_of(block.contrast, columns)]
    return rows, list(dict.fromkeys(note for block in blocks for note in block.notes))


def rows_of(contrast: Contrast, columns: Columns, **more: Any) -> list[Row]:
    """Return a row per contrast."""
    lists = {
        name: column.tolist() if isinstance(column, np.ndarray) else [column] * len(contrast)
        for name, column in columns.items()
    }
    names = list(contrast.systems)
    made = []
    for k, values in enumerate(zip(*lists.values(), strict=True)):
        row: Row = {"measure": str(contrast.measure), **more}
        row["a"], row["b"] = names[int(contrast.first[k])], names[int(contrast.second[k])]
        row |= dict(zip(lists, values, strict=True))
        row["lower_is_better"] = contrast.measure.traits.lower
        row["geometric"] = contrast.measure.geometric
        row["ahead"] = _ahead(row)
        row["better"] = row["ahead"] if row.get("headline") == BETTER else None
        row["known"] = contrast.tips is not None or contrast.ends is not None
        row["missing"] = contrast.missing
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


def _system_rows(evidence: Evidence, pairs: Sequence[Row], base: int | None, alpha: float) -> list[Row]:
    """Return the systems, best mean first, with places, and with what each has against the reference.

    The reference is the baseline or the best system. Places need all pairs.
    """
    names = list(evidence.systems)
    alone = np.arange(len(names))
    columns = describe_systems(evidence.contrast(alone, np.full(len(names), ALONE)), alpha)
    number = {name: k for k, name in enumerate(names)}
    better = np.zeros((len(names), len(names)), bool)
    doubtful = np.zeros((len(names), len(names)), bool)
    for row in pairs:
        if row["ahead"] is not None:
            winner = number[row["ahead"]]
            loser = number[row["b"] if row["ahead"] == row["a"] else row["a"]]
            better[winner, loser] = row["headline"] == BETTER
            doubtful[winner, loser] = row["headline"] == NEEDS_JUDGING
    order = evidence.measure.best_first(np.asarray(columns["mean"]))
    reference = order[0] if base is None else base
    places = rank_intervals(better)
    beside = {(row["a"], row["b"]): row for row in pairs}
    made: list[Row] = []
    for system in order:
        row = {"measure": str(evidence.measure), "system": names[system]}
        row |= {n: c.tolist()[system] if isinstance(c, np.ndarray) else c for n, c in columns.items()}
        if base is None:
            row["place_low"], row["place_high"] = places[system]
        row["better_than"] = [names[k] for k in np.flatnonzero(better[system])]
        row["doubtful"] = [names[k] for k in np.flatnonzero(doubtful[system])]
        row["lower_is_better"] = evidence.measure.traits.lower
        row["quality"] = evidence.measure.traits.quality
        pair = (names[system], names[reference])
        found = beside.get(pair) or (turned(beside[pair[::-1]]) if pair[::-1] in beside else None)
        if found is not None:
            kept = ("wins", "ties", "losses", "effect", "effect_low", "effect_high")
            row |= {"versus": pair[1], **{name: found[name] for name in kept if name in found}}
        made.append(row)
    return made


def segment_correction(settings: Settings) -> Correction:
    """Return the correction over segments: a joint one is of all queries, and Holm's stands for it."""
    correction = settings.correction or find_correction("holm")
    return find_correction("holm") if correction.joint else correction


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
    plain = replace(settings, correction=segment_correction(settings))
    contrast = evidence.contrast(*pairs, by_query=True)
    tested = [run_tests(contrast.over(own), plain) for own in segments.values()]
    tests = sum(len(one.pairs) for one in tested if one.pairs.queries > 1)
    parts = [
        rows_of(contrast, columns | _detectable(one.pairs, plain, tests), segment=name)
        for name, one, columns in zip(segments, tested, decide(tested, plain), strict=True)
    ]
    every = Pairs(contrast.scores, contrast.first, contrast.second)
    detectable = _detectable(every, settings, len(whole))["detectable"].tolist()
    rows: list[Row] = []
    for k, (p, adjusted) in enumerate(_between(contrast, segments, plain)):
        total = dict(whole[k]) | {"segment": EVERY, "detectable": detectable[k]}
        for row in [*(part[k] for part in parts), total]:
            rows.append(row | {"interaction_p": p, "interaction_p_adjusted": adjusted})
            if row["queries"] == 1:
                rows[-1] |= {"p": None, "p_adjusted": None}
    return rows


def _detectable(pairs: Pairs, settings: Settings, tests: int) -> Columns:
    """Return the difference that so many queries show with power .8, among so many tests."""
    correction = settings.correction or find_correction("holm")
    level = first_level(settings.alpha, "none" if tests <= 1 else correction.name, tests)

    def found(deviation: float) -> float:
        if deviation == 0 or level is None or level >= POWER:
            return float("nan")
        return smallest_difference(deviation, pairs.queries, power=POWER, alpha=level)

    return {"detectable": np.array([found(deviation) for deviation in pairs.deviation.tolist()])}


def _between(
    contrast: Contrast, segments: Mapping[str, Mask], settings: Settings
) -> list[tuple[float, float]]:
    """Return p values that segments have one mean, before and after correction, for each pair.

    Where p is small there are so many draws that a pair which alone differs can be significant.
    """
    more = min(ceil(len(contrast) / settings.alpha), MOST_PERMUTATIONS)

    def tested(difference: Floats) -> float:
        parts = [difference[contrast.places(own)] for own in segments.values()]
        found = interaction_p(parts)
        return interaction_p(parts, draws=more) if found <= PROMISING and more > PERMUTATIONS else found

    p = np.array([tested(one) for one in contrast.values])
    correction = settings.correction or find_correction("holm")
    after = p if np.isnan(p).any() else correction.function(p)
    return list(zip(p.tolist(), after.tolist(), strict=True))


@dataclass(frozen=True)
class QueryAnswer:
    """Rows of queries, the largest difference first, and of documents."""

    queries: list[Row]
    documents: list[Row]


def query_answer(contrast: Contrast) -> QueryAnswer:
    """Return everything by query about the only pair of a contrast."""
    measure, sign = contrast.measure, contrast.measure.sign
    two = int(contrast.first[0]), int(contrast.second[0])
    a, b = (contrast.systems[k] for k in two)
    first, second = (sign * contrast.scores[k] for k in two)
    gap = first - second
    ends = contrast.ends_by_query
    low = high = None
    if ends is not None:
        low, high = (ends.low[0], ends.high[0]) if sign > 0 else (-ends.high[0], -ends.low[0])
    turning: Sequence[Turning] = contrast.turning() if contrast.turning is not None else ()
    most = {one.query: one for one in reversed(turning)}
    order = np.argsort(-np.abs(gap), kind="stable")
    named = {"measure": str(measure), "a": a, "b": b}
    rows: list[Row] = []
    for q in order.tolist():
        name = contrast.queries[q]
        row: Row = {**named, "query": name, "value_a": float(first[q]), "value_b": float(second[q])}
        row["difference"] = float(gap[q])
        if low is not None and high is not None:
            row |= {"low": float(low[q]), "high": float(high[q])}
        if name in most:
            row |= {"document": most[name].document, "document_effect": most[name].effect}
        rows.append(row)
    documents = [
        {**named, "query": t.query, "document": t.document, "document_effect": t.effect}
        | {"favours": a if t.effect > 0 else b}
        for t in turning
    ]
    return QueryAnswer(rows, documents)
