"""Evidence for differences, from judgments and runs: over one pool of all that the runs retrieve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf

import numpy as np

from unjudged.base.choices import TiesName
from unjudged.base.errors import AssumptionWarning, UnjudgedWarning, UsageError, announce
from unjudged.base.notes import Note, note
from unjudged.collection.collection import Collection
from unjudged.evidence.contrast import Ends
from unjudged.evidence.intervals.sampled_means import SampledMeans
from unjudged.evidence.runs_compared import RankingsEvidence
from unjudged.evidence.tied_scores import ends_of_orders, over_orders, tie_notes
from unjudged.measures.kernel.estimand import SAMPLED
from unjudged.measures.kernel.registry import Measure
from unjudged.questions.fitting_measures import (
    comparable,
    left_out,
    measure_warnings,
    not_uniform,
    why_not_uniform,
)
from unjudged.questions.gathered import Gathered, known_evidence
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.origin import STRATIFIED, UNIFORM, below_pool


def gather_compared(
    collection: Collection,
    chosen: Sequence[Measure],
    *,
    depth: int | None,
    pool_depth: int | None,
    ties: TiesName,
    seed: int,
) -> Gathered:
    """Return the evidence of judgments and runs."""
    judgments = collection.judgments
    chosen, refused = comparable(chosen, judgments)
    reach = judgments.origin.pool_depth(pool_depth)
    shared = collection.shared(inf if depth is None else depth)
    across = any(measure.traits.across_queries for measure in chosen)
    rankings = shared.with_judged_elsewhere() if across else shared.judged_rankings
    expected = ties == "expected" and rankings.ties is not None
    sampled, unknown = estimates_of(chosen, rankings, expected=expected)
    chosen, lacking = left_out(chosen, unknown)
    values = np.stack([shared.per_run(measure.compute(rankings)) for measure in chosen], axis=-1)
    uncut = rankings
    if depth is not None and rankings.ties is not None:
        whole = collection.shared()
        uncut = whole.with_judged_elsewhere() if across else whole.judged_rankings
    ends, about_ties = None, list[Note]()
    if ties == "expected" and uncut.ties is not None:
        values, about_ties = over_orders(chosen, uncut, len(shared.runs), depth=depth, seed=seed)
    elif uncut.ties is not None:
        ends = ends_of_orders(chosen, uncut, values, depth=depth)
        about_ties = list(tie_notes(chosen, list(shared.runs), uncut, ends))
    of_measures = measure_warnings(chosen, shared.judged_rankings, values)
    evidence = []
    for k, measure in enumerate(chosen):
        seen = None
        if measure in sampled:
            seen, change = sampled[measure].seen, sampled[measure].value - values[:, :, k]
            for each in (values, *(ends or ())):  # another order of tied documents changes it as much
                each[:, :, k] += change
        scores = np.ascontiguousarray(measure.averaged(values[:, :, k]))
        orders = None if ends is None else Ends(*(measure.averaged(end[:, :, k]) for end in ends))
        known = None if seen is None or seen.all() else seen
        evidence.append(RankingsEvidence(shared, measure, scores, reach, orders, expected, known))
    refused = [*refused, *lacking]
    warnings: list[UnjudgedWarning] = [*shared.warnings, *of_measures, *map(AssumptionWarning, refused)]
    announce(warnings)
    notes = [
        *collection.notes,
        *(one.note for one in warnings),
        *about_ties,
        *_about_estimates(chosen, shared.judged_rankings),
    ]
    notes += [] if reach is None else [note("pool-depth", what=below_pool(reach))]
    return Gathered(
        chosen,
        list(shared.runs),
        list(shared.queries),
        partial(known_evidence, evidence),
        notes,
        collection.library,
        rankings=shared.judged_rankings,
        shared=shared,
        warnings=warnings,
        made_of=("judgments", shared.original.fingerprint),
    )


def _about_estimates(measures: Sequence[Measure], rankings: JudgedRankings) -> Iterator[Note]:
    """Say what measures estimate, and that tests allow for the noise of the sample."""
    estimates = [measure for measure in measures if measure.traits.estimates]
    if estimates:
        names = ", ".join(f"{measure} estimates {measure.estimated}" for measure in estimates)
        drawn = f", from {rankings.judgments.origin}, as the interval 'sampling' does: {SAMPLED}"
        if not_uniform(estimates, rankings):
            drawn = " only if the judged documents are a random sample, which tests take them for"
        yield note("estimates", what=names, how=drawn)
        yield note("outside-pool")


def estimates_of(
    measures: Sequence[Measure], rankings: JudgedRankings, *, expected: bool
) -> tuple[dict[Measure, SampledMeans], dict[Measure, object]]:
    """Return what the interval 'sampling' estimates of measures from a sample, and why others have none."""
    found: dict[Measure, SampledMeans] = {}
    refused: dict[Measure, object] = {}
    for measure in measures if _of_strata(rankings) else ():
        if not (measure.traits.estimates and measure.traits.quality):
            continue
        if expected:
            refused[measure] = f"{measure} is of one order of tied documents: leave it or ties='expected' out"
            continue
        from unjudged.evidence.intervals.sampled import sampled_means

        try:
            measure.check_mean()
            _, found[measure] = sampled_means(measure, rankings)
        except UsageError as error:
            refused[measure] = error
    return found, refused


def _of_strata(rankings: JudgedRankings) -> bool:
    """Whether a fixed number was drawn from each stratum, by what is recorded or if nothing denies it."""
    judgments = rankings.judgments
    if judgments.origin.kind == UNIFORM and judgments.stratum is None:
        return why_not_uniform(rankings) is None
    return judgments.origin.kind in (UNIFORM, STRATIFIED)
