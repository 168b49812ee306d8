"""Measures and judgments: which are taken if none is named, which do not fit, and what values then mean."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from math import inf

import numpy as np

from unjudged.base.errors import AssumptionWarning, UnjudgedWarning, UsageError
from unjudged.base.notes import Note, note
from unjudged.base.segments import Floats
from unjudged.measures.kernel.permitted import COMPARISON, permitted
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.coverage import TOP, few_judged, not_random
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import (
    A_SAMPLE,
    EVEN,
    POOL,
    POSITIVES,
    SAMPLES,
    STRATIFIED,
    UNIFORM,
    WEIGHTED,
    Kind,
)

DEFAULT = "nDCG@10"
"""The measure if one is needed and none is named."""
DEFAULT_MEASURES = (DEFAULT, "AP", "Judged@10")
FOR_POSITIVES = (DEFAULT, "RR@10", "R@100")
"""Measures that need no document judged not relevant, nor a complete list."""
FROM_SAMPLES: dict[Kind, tuple[str, ...]] = {
    STRATIFIED: ("xinfAP", "infNDCG", "statAP"),
    WEIGHTED: ("statAP", "statRprec", "statP@10"),
}
"""What estimates AP and others from samples with unequal shares."""

TOO_LOW_FOR_AP = 20


def default_measures(judgments: Judgments) -> tuple[str, ...]:
    """Return the measures of an evaluation; of a recorded sample it estimates AP."""
    if judgments.origin.kind == POSITIVES:
        return FOR_POSITIVES
    recorded = judgments.origin != A_SAMPLE or judgments.probability is not None
    estimates = {**FROM_SAMPLES, UNIFORM: ("infAP",) * recorded}.get(judgments.origin.kind, ())[:1]
    return (*DEFAULT_MEASURES[:2], *estimates, *DEFAULT_MEASURES[2:])


def fitting_measures(judgments: Judgments, plain: Sequence[str]) -> tuple[str, ...]:
    """Return the measures of a comparison or report if none are named.

    A sample with strata or probabilities has estimates from it. Nothing is known of documents below the rank
    to which it was drawn: if that is low, only precision at it is estimated.
    """
    origin = judgments.origin
    if origin.depth is not None and origin.depth <= TOO_LOW_FOR_AP and origin.kind in FROM_SAMPLES:
        return (f"statP@{origin.depth}",)
    return FROM_SAMPLES.get(origin.kind, tuple(plain))


def usual_measures(judgments: Judgments, usual: Sequence[str], *, alone: bool) -> Sequence[str]:
    """Return the measures of systems alone, or of differences, if a call names none."""
    if alone:
        return default_measures(judgments)
    plain = usual or (DEFAULT,)
    return fitting_measures(judgments, plain)[: len(plain)]


def comparable(measures: Sequence[Measure], judgments: Judgments) -> tuple[list[Measure], list[Note]]:
    """Return the measures that these judgments allow, and why others are left out; an error if all are.

    Estimates of quotients from a uniform sample are biased, so that tests of their differences hold too
    rarely.
    """
    answers = {measure: permitted(measure, judgments, COMPARISON) for measure in measures}
    uniform = judgments.origin.kind in SAMPLES and judgments.even and bool((judgments.grade < 0).any())
    for measure in measures if uniform else ():
        plain = measure.traits.estimates
        if plain in MEASURES and MEASURES[plain].traits.diluted:
            why = f"from a uniform sample {measure} is biased, and tests of it are wrong too often"
            answers[measure] = Refusal(why, f"compare by {plain}")
    return left_out(measures, {m: answer for m, answer in answers.items() if isinstance(answer, Refusal)})


def left_out(
    measures: Sequence[Measure], refused: Mapping[Measure, object]
) -> tuple[list[Measure], list[Note]]:
    """Return the other measures, and why these are left out; an error if all are."""
    if refused and len(refused) == len(measures):
        raise UsageError(str(next(iter(refused.values()))))
    notes = [note("left-out", [str(measure)], why=str(why)) for measure, why in refused.items()]
    return [measure for measure in measures if measure not in refused], notes


MANY = 10
"""Of fewer queries, how few first documents are judged says little about the judgments."""


def measure_warnings(
    measures: Sequence[Measure], rankings: JudgedRankings, values: Floats
) -> list[UnjudgedWarning]:
    """Return the warnings about these values of the measures."""
    judgments = rankings.judgments
    kind, queries = judgments.origin.kind, len(judgments.pooled.queries)
    found: list[UnjudgedWarning] = []
    for measure in measures:
        if kind not in measure.traits.takes:
            answer = permitted(measure, judgments)
            if isinstance(answer, Refusal):
                found.append(AssumptionWarning(note("refused", [str(measure)], why=str(answer))))
    if queries > 1:
        found += _nothing_judged(judgments)
    found += _nothing_relevant(measures, judgments, values)
    if kind in SAMPLES:
        found += _about_samples(measures, rankings)
    elif kind == POOL and queries >= MANY:
        found += _scattered(rankings)
    elif kind == POSITIVES:
        found += _of_complete_lists(measures)
    return found


def _of_complete_lists(measures: Sequence[Measure]) -> list[UnjudgedWarning]:
    """A warning about measures that look at all relevant documents, of judgments that list no other."""
    whole = [str(one) for one in measures if one.traits.diluted and one.given.get("cutoff", inf) == inf]
    return [UnjudgedWarning(note("complete-list", whole))] if whole else []


def _scattered(rankings: JudgedRankings) -> list[UnjudgedWarning]:
    """A warning if judgments that are taken for a pool have hardly any of the first documents of the runs."""
    share = few_judged(rankings, min(TOP, rankings.judgments.origin.depth or TOP))
    return [] if share is None else [AssumptionWarning(note("few-judged", share=share))]


def _about_samples(measures: Sequence[Measure], rankings: JudgedRankings) -> Iterator[UnjudgedWarning]:
    """Yield the warnings about estimates from a sample."""
    yield from _nothing_sampled(measures, rankings.judgments)
    yield from _not_drawable(measures, rankings.judgments)
    yield from not_uniform(measures, rankings)


def _nothing_judged(judgments: Judgments) -> list[UnjudgedWarning]:
    """A warning if some queries have no judged document, though others have; a sample may have none."""
    recorded = judgments.recorded
    none = np.flatnonzero(judgments.count(0) == 0)
    if recorded or not 0 < len(none) < len(judgments.queries):
        return []
    names = [judgments.queries[q] for q in none.tolist()]
    return [AssumptionWarning(note("queries-without-judged", none=names, queries=len(judgments.queries)))]


def _nothing_relevant(
    measures: Sequence[Measure], judgments: Judgments, values: Floats
) -> list[UnjudgedWarning]:
    """A warning for each lowest relevant grade that no judged document reaches.

    It is one that a measure was given, or 1 where nothing scored anything.
    """
    asked = [measure.written or measure for measure in measures]
    levels = {m.given["rel"] for m in asked if "rel" in m.given}
    if not np.count_nonzero(values):
        levels |= {1 for m in asked if "rel" in m.parameters and "rel" not in m.given}
    if not levels:
        return []
    grades = judgments.grade if judgments.scale is None else judgments.scale
    highest = grades.max(initial=-1)
    return [UnjudgedWarning(note("no-such-grade", rel=rel)) for rel in sorted(levels) if 0 <= highest < rel]


def _nothing_sampled(measures: Sequence[Measure], judgments: Judgments) -> list[UnjudgedWarning]:
    """Return a warning for each lowest relevant grade that a sample lacks in some of the queries.

    It is about measures that divide by the number of relevant documents, of which these queries show none.
    """
    estimates: dict[int, list[str]] = {}
    for measure in measures:
        plain = measure.traits.estimates
        if plain in MEASURES and MEASURES[plain].traits.diluted:
            estimates.setdefault(int(measure.given.get("rel", 1)), []).append(str(measure))
    warnings: list[UnjudgedWarning] = []
    for rel, names in estimates.items():
        none = np.flatnonzero(judgments.count(rel) == 0)
        if 0 < len(none) < len(judgments.queries):
            lacking = [judgments.queries[q] for q in none.tolist()]
            said = note("queries-without-relevant", names, none=lacking, queries=len(judgments.queries))
            warnings.append(AssumptionWarning(said))
    return warnings


def _not_drawable(measures: Sequence[Measure], judgments: Judgments) -> list[UnjudgedWarning]:
    """A warning if estimates reach below the rank to which documents could be drawn."""
    rank = judgments.origin.depth
    if rank is None:
        return []
    deeper = [str(m) for m in measures if m.traits.estimates and m.given.get("cutoff", inf) > rank]
    return [AssumptionWarning(note("below-sample", deeper, rank=rank))] if deeper else []


def not_uniform(measures: Sequence[Measure], rankings: JudgedRankings) -> list[UnjudgedWarning]:
    """A warning if measures take documents for a uniform sample that cannot be one."""
    names = [str(measure) for measure in measures if measure.traits.takes == EVEN]
    why = why_not_uniform(rankings) if names else None
    return [] if why is None else [AssumptionWarning(note("not-uniform", names, why=why))]


def why_not_uniform(rankings: JudgedRankings) -> str | None:
    """Say why judgments that are taken for a uniform sample cannot be one, or return None."""
    judgments = rankings.judgments
    if judgments.origin.kind != UNIFORM:
        return None
    return not_random(rankings, judgments.sampled_share[judgments.query])


LIKE_COSTS = (
    r"latenc|durat|hallucinat|toxic|(^|[_ ])(time|m?s|seconds|costs?|price|errors?|loss|p[59]\d)($|[_ ])"
)
"""Names of what is usually better if it is lower."""


def notes_on_measures(measures: Sequence[Measure]) -> Iterator[Note]:
    """Say of measures what differences are of, and in which direction they are better."""
    reported = [measure for measure in measures if measure.name not in MEASURES]
    for lower, code in ((True, "lower-better"), (False, "higher-better")):
        if own := [str(measure) for measure in reported if measure.traits.lower == lower]:
            yield note(code, own)
    costs = [str(one) for one in reported if not one.traits.lower and re.search(LIKE_COSTS, str(one).lower())]
    if costs:
        yield note("like-costs", costs)
    for measure in measures:
        if measure.geometric:
            yield note("of-logarithms", [str(measure)])
        if measure.traits.summary == "sum":
            yield note("per-query", [str(measure)])
