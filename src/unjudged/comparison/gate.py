"""A gate for releases: is the new system worse than the old one by more than a margin?

Both uncertainties count. The new system passes if its mean difference is above minus the margin at level
alpha for other queries, even with the unjudged documents at their worst for it; it fails if the difference is
below, even with them at their best. Several measures must all pass, each at alpha. Whether any of them, or
any segment of the queries, fails is corrected by Holm's method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf, nan
from numbers import Real
from typing import Any, Literal, TypeAlias

import numpy as np

from unjudged.base.choices import check_probability, place_of, shown
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.comparison.comparison_result import Comparison
from unjudged.comparison.gate_result import (
    AS_THEY_ARE,
    BOUNDS,
    FAIL,
    OPEN,
    PASS,
    UNKNOWN,
    GateCheck,
    GateResult,
)
from unjudged.comparison.query_differences import bounds_by_query, single_effects
from unjudged.comparison.systems import compare
from unjudged.comparison.testing.corrections import holm
from unjudged.comparison.testing.margins import against_margin, alike_needed, are_alike, one_sided_limits
from unjudged.comparison.testing.pairs import ROUNDING
from unjudged.comparison.testing.power import queries_needed
from unjudged.evaluation.collection import Collection
from unjudged.evaluation.query_segments import SegmentsSource, several_segments, with_every
from unjudged.evaluation.scores import Scores
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.names import MeasureLike, place_of_measure
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import JudgmentsSource
from unjudged.uncertainty.shared import two_of

POWER = 0.8
"""Probability with which the number of queries that is asked for would tell."""
GATED = "nDCG@10"
Margin: TypeAlias = float | Mapping[str, float] | Mapping[Measure, float]
"""Loss that does not matter, or that of each measure."""


def gate(
    qrels: JudgmentsSource | Collection | Scores,
    old: Any,
    new: Any,
    measures: MeasureLike | Iterable[MeasureLike] | None = None,
    *,
    margin: Margin,
    alpha: float = 0.05,
    by: SegmentsSource | None = None,
    judgments: Literal["bounds", "as they are"] = "bounds",
    depth: int | None = None,
    on_read: Callable[[str], None] | None = None,
) -> GateResult:
    """Ask whether a new system is worse than the old one by more than a margin: pass, fail or open.

    `old` and `new` are runs; with a `Collection` or `Scores` they are names in it. `margin` is the loss that
    does not matter, in units of the measure, or a mapping of measures to theirs. The measures are those of
    such a mapping if none is named, else nDCG@10, or all of the `Scores`. `by` gives the segment of each
    query: none may fail. judgments='as they are' leaves unjudged documents out of account. `exit_code` is 0
    for pass, 1 for fail and 2 for open.

    >>> from unjudged import sample
    >>> gate(sample.qrels, sample.runs["lexical"], sample.runs["reranked"], "P@10", margin=0.01).outcome
    'pass'
    """
    check_probability("alpha", alpha, 0.05)
    each: list[Any] = list(margin.values()) if isinstance(margin, Mapping) else [margin]
    for one in each:
        if not (isinstance(one, Real) and 0 <= float(one) < inf):
            raise UsageError(f"margin is {shown(one)}, expected a number of at least 0, such as 0.01")
    if measures is None and isinstance(margin, Mapping):
        measures = list(margin)
    if judgments not in (BOUNDS, AS_THEY_ARE):
        raise UsageError(f"judgments is {shown(judgments)}, expected 'bounds' or {AS_THEY_ARE!r}")
    compared = _compared(qrels, (old, new), measures, depth, on_read)
    before, after = compared.runs
    checks = []
    parts = with_every({} if by is None else several_segments(by, compared.queries), len(compared.queries))
    margins = _margins(margin, [result.measure for result in compared.results])
    for result, own in zip(compared.results, margins, strict=True):
        if not result.measure.traits.quality:
            raise UsageError(f"{result.measure} is no measure of quality: a gate needs one that should rise")
        old_values, new_values = result.tests.pairs.scores
        worst, best, known = _bounds(compared, result, judgments)
        if result.measure.traits.lower:
            worst, best = -best, -worst
        for segment, chosen in parts.items():
            values = [one[chosen] for one in (old_values, new_values, worst, best)]
            checks.append(_tested(result.measure, values, own, alpha, segment=segment, known=known))
    tested, corrected = np.array([check.queries > 1 for check in checks]), np.full(len(checks), np.nan)
    corrected[tested] = holm.function(np.array([check.p_worse for check in checks])[tested])
    checks = [_decided(c, float(p), alpha) for c, p in zip(checks, corrected, strict=True)]
    open_to_judging = {c.measure for c in checks if c.open_to in ("judgments", "both")}
    documents = {
        str(result.measure): _documents(compared, result)
        for result in compared.results
        if compared.shared is not None and str(result.measure) in open_to_judging
    }
    checks = [replace(c, documents=documents.get(c.measure)) for c in checks]
    return GateResult(before, after, alpha, checks, [*compared.notes])


def _compared(
    qrels: Any, two: tuple[Any, Any], measures: Any, depth: int | None, on_read: Callable[[str], None] | None
) -> Comparison:
    """Compare the two, the old one first."""
    if isinstance(qrels, Scores | Collection):
        places = [place_of("system", name, list(qrels.runs)) for name in two]
        if two[0] == two[1]:
            raise UsageError(f"old and new are both {two[0]!r}: name two systems")
    if isinstance(qrels, Scores):
        ends = None if qrels.ends is None else (qrels.ends[0][places], qrels.ends[1][places])
        values = qrels.values[places]
        chosen = replace(qrels, values=values, runs=list(two), rankings=None, within=None, ends=ends)
        return compare(chosen, measures=measures, depth=depth)
    if isinstance(qrels, Collection):
        runs = {name: qrels.runs[name] for name in two}
        collection = Collection.of(qrels.judgments, runs, fractions=True, on_read=on_read)
    else:
        collection = Collection.of(qrels, list(two), fractions=True, on_read=on_read)
    if len(collection.runs) != 2:
        raise UsageError(f"there are {len(collection.runs)} runs, expected an old one and a new one")
    return compare(collection, measures=measures or GATED, depth=depth)


def _margins(margin: Margin, measures: Sequence[Measure]) -> list[float]:
    """Return the margin of each measure, less than all of its range, or else its check could never fail."""
    names = list(map(str, measures))
    given = margin if isinstance(margin, Mapping) else dict.fromkeys(names, margin)
    places = [place_of_measure(measure, names) for measure in given]
    for k, name in enumerate(names):
        if places.count(k) != 1:
            has = counted(places.count(k), "margin") if k in places else "no margin"
            raise UsageError(f"{name} has {has}, expected one")
    by_place = dict(zip(places, given.values(), strict=True))
    own = [by_place[k] for k in range(len(names))]
    for measure, one in zip(measures, own, strict=True):
        if one >= _reach(measure):
            problem = f"the values of {measure} are from {measure.range[0]:g} to {measure.range[1]:g}"
            raise UsageError(f"margin is {one:g}, but {problem}: no loss is larger; give a smaller margin")
    return own


def _reach(measure: Measure) -> float:
    """Return the largest difference by a measure."""
    return np.inf if measure.geometric else float(np.ptp(measure.range))


def _bounds(compared: Comparison, result: Any, judgments: str) -> tuple[Floats, Floats, str]:
    """Return new minus old on each query at its worst and at its best, and what is known of judgments."""
    scores = result.tests.pairs.scores
    difference = scores[1] - scores[0]
    if result.judging.missing:
        return difference, difference, UNKNOWN
    if judgments == AS_THEY_ARE:
        return difference, difference, AS_THEY_ARE
    if result.judging.by_query is not None:
        low, high = result.judging.by_query
        return np.minimum(low[1] - high[0], difference), np.maximum(high[1] - low[0], difference), BOUNDS
    two = two_of(compared.bounding or compared.documents, 1, 0)
    return *bounds_by_query(two, result.measure, difference), BOUNDS


def _tested(
    measure: Measure, values: Sequence[Floats], margin: float, alpha: float, *, segment: str, known: str
) -> GateCheck:
    """Test what is gained from old to new, from the values of both, and the gain at its worst and best.

    The gain is new minus old, or the opposite where lower values are better.
    """
    old, new, worst, best = values
    sign = measure.sign
    gain = sign * (new - old)
    reach = _reach(measure)
    same = bool(np.abs(np.stack([worst, best])).max() <= ROUNDING)
    told = min(against_margin(gain, margin, reach)) <= alpha
    open_to = "judgments" if known == BOUNDS and told else "queries"
    end = next((one for one, side in ((worst, 1), (best, -1)) if side * (one.mean() + margin) > 0), None)
    if end is None and open_to == "queries":  # neither side could be shown while so much is unjudged
        open_to = "both"
    limits = [one_sided_limits(worst, alpha, reach)[0], one_sided_limits(best, alpha, reach)[1]]
    low, high = (nan, nan) if same else sorted(sign * limit for limit in limits)
    return GateCheck(
        measure=str(measure),
        segment=segment,
        queries=len(gain),
        margin=margin,
        old=float(measure.mean_of(mean_over_queries(old))),
        new=float(measure.mean_of(mean_over_queries(new))),
        difference=float((new - old).mean()),
        judgments=known,
        low=low,
        high=high,
        p_not_worse=0.0 if same else against_margin(worst, margin, reach).above,
        p_worse=1.0 if same else against_margin(best, margin, reach).below,
        identical=same,
        constant=are_alike(gain),
        open_to=open_to,
        lower=measure.traits.lower,
        queries_needed=_needed(gain if end is None else end, margin, alpha, reach),
    )


def _decided(check: GateCheck, p_worse: float, alpha: float) -> GateCheck:
    outcome = FAIL if p_worse <= alpha else PASS if check.p_not_worse <= alpha else OPEN
    decided = replace(check, p_worse_adjusted=p_worse, outcome=outcome)
    if outcome != OPEN:
        return replace(decided, open_to=None, queries_needed=None)
    return replace(decided, open_to="correction") if check.p_worse <= alpha else decided


def _needed(gain: Floats, margin: float, alpha: float, reach: float) -> int | None:
    """Return how many queries like these would tell, if the gain stays as it is; None if none would.

    One query does not show how far others differ.
    """
    if len(gain) == 1:
        return None
    if are_alike(gain):
        return alike_needed(float(gain[0]), margin, alpha, reach)
    apart, deviation = abs(float(gain.mean()) + margin), float(np.std(gain, ddof=1))
    if apart == 0 or 2 * alpha >= POWER:
        return None
    try:
        return queries_needed(deviation, apart, power=POWER, alpha=2 * alpha)
    except UsageError:  # more than can be counted
        return None


def _documents(compared: Comparison, result: Any) -> int:
    """Return how many unjudged documents can move the difference, at most.

    Where none does alone, as by nDCG with judged top ranks, those that were not retrieved change the ideal.
    """
    two = two_of(compared.documents, 1, 0)
    row, _ = single_effects(two, result.measure)
    return len(row) or int((two.judgments.grade < 0).sum())
