"""Warnings that values of measures mean less than they seem to, for any runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

import numpy as np

from unjudged.base.errors import AssumptionWarning, UnjudgedWarning
from unjudged.base.wording import shortlist
from unjudged.measures.kernel.estimand import permitted
from unjudged.measures.kernel.registry import MEASURES, Measure
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.coverage import TOP, few_judged, not_random
from unjudged.rankings.judged import Floats, JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import EVEN, POOL, SAMPLES, UNIFORM

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
            found += [AssumptionWarning(f"{answer}.")] if isinstance(answer, Refusal) else []
    if queries > 1:
        found += _nothing_judged(judgments)
    found += _nothing_relevant(measures, judgments, values)
    if kind in SAMPLES:
        found += _about_samples(measures, rankings)
    elif kind == POOL and queries >= MANY:
        found += _scattered(rankings)
    return found


def _scattered(rankings: JudgedRankings) -> list[UnjudgedWarning]:
    """A warning if judgments that are taken for a pool have hardly any of the first documents of the runs."""
    share = few_judged(rankings, min(TOP, rankings.judgments.origin.depth or TOP))
    if share is None:
        return []
    bounds = "bounds (--interval bounds) show what that leaves open"
    remedy = "If the labels were drawn at random, say how (--sampled uniformly)"
    return [AssumptionWarning(f"Only {share}, and the others count as nonrelevant: {bounds}. {remedy}.")]


def _about_samples(measures: Sequence[Measure], rankings: JudgedRankings) -> Iterator[UnjudgedWarning]:
    yield from _nothing_sampled(measures, rankings.judgments)
    yield from _not_drawable(measures, rankings.judgments)
    yield from not_uniform(measures, rankings)


def _nothing_judged(judgments: Judgments) -> list[UnjudgedWarning]:
    """A warning if some queries have no judged document, though others have; a sample may have none."""
    recorded = judgments.stratum is not None or judgments.probability is not None
    none = np.flatnonzero(judgments.count(0) == 0)
    if recorded or not 0 < len(none) < len(judgments.queries):
        return []
    have, them = ("has", "it") if len(none) == 1 else ("have", "them")
    what = f"{len(none)} of {len(judgments.queries)} queries {have} no judged document"
    listed = shortlist([judgments.queries[q] for q in none.tolist()])
    return [AssumptionWarning(f"{what}, so all that runs have for {them} counts as nonrelevant: {listed}.")]


def _nothing_relevant(
    measures: Sequence[Measure], judgments: Judgments, values: Floats
) -> list[UnjudgedWarning]:
    """A warning for each lowest relevant grade that no judged document reaches.

    It is one that a measure was given, or 1 where nothing scored anything.
    """
    levels = {m.given["rel"] for m in measures if "rel" in m.given}
    if not np.count_nonzero(values):
        levels |= {1 for m in measures if "rel" in m.parameters and "rel" not in m.given}
    if not levels:
        return []
    grades = judgments.grade if judgments.scale is None else judgments.scale
    highest = grades.max(initial=-1)
    return [
        UnjudgedWarning(
            f"No judged document has a grade of {rel} or more, so nothing is relevant with rel={rel}."
        )
        for rel in sorted(levels)
        if 0 <= highest < rel
    ]


def _nothing_sampled(measures: Sequence[Measure], judgments: Judgments) -> list[UnjudgedWarning]:
    """Return a warning for each lowest relevant grade that a sample lacks in some of the queries.

    It is about measures that divide by the number of relevant documents, of which these queries show none.
    """
    estimates: dict[int, list[str]] = {}
    for measure in measures if judgments.scale is None else ():
        plain = measure.traits.estimates
        if plain in MEASURES and MEASURES[plain].traits.diluted:
            estimates.setdefault(int(measure.given.get("rel", 1)), []).append(str(measure))
    warnings: list[UnjudgedWarning] = []
    for rel, names in estimates.items():
        none = np.flatnonzero(judgments.count(rel) == 0)
        if 0 < len(none) < len(judgments.queries):
            have = "has" if len(none) == 1 else "have"
            where = f"{len(none)} of {len(judgments.queries)} queries {have} no sampled relevant document"
            listed = shortlist([judgments.queries[q] for q in none.tolist()])
            count = f"{', '.join(names)} {'counts' if len(names) == 1 else 'count'} them as 0"
            warnings.append(AssumptionWarning(f"{where}, and {count}: {listed}."))
    return warnings


def _not_drawable(measures: Sequence[Measure], judgments: Judgments) -> list[UnjudgedWarning]:
    """A warning if estimates reach below the rank to which documents could be drawn."""
    rank = judgments.origin.depth
    if rank is None:
        return []
    deeper = [str(m) for m in measures if m.traits.estimates and m.given.get("cutoff", inf) > rank]
    if not deeper:
        return []
    count = f"{', '.join(deeper)} {'counts' if len(deeper) == 1 else 'count'} them as nonrelevant"
    what = (
        f"The sample was drawn from the first {rank} documents of each run, so nothing is known of the others"
    )
    return [AssumptionWarning(f"{what}: {count}.")]


def not_uniform(measures: Sequence[Measure], rankings: JudgedRankings) -> list[UnjudgedWarning]:
    """A warning if measures take documents for a uniform sample that cannot be one."""
    names = [str(measure) for measure in measures if measure.traits.takes == EVEN]
    why = why_not_uniform(rankings) if names else None
    need = f"{', '.join(names)} {'needs' if len(names) == 1 else 'need'}"
    return [] if why is None else [AssumptionWarning(f"{need} a uniform sample, but {why}.")]


def why_not_uniform(rankings: JudgedRankings) -> str | None:
    """Say why judgments that are taken for a uniform sample cannot be one, or return None."""
    judgments = rankings.judgments
    if judgments.origin.kind != UNIFORM:
        return None
    return not_random(rankings, judgments.sampled_share[judgments.query])
