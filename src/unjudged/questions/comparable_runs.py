"""Evidence for differences, from judgments and runs: over one pool of all that the runs retrieve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf

import numpy as np

from unjudged.base.choices import TiesName
from unjudged.base.errors import AssumptionWarning, UnjudgedWarning, announce
from unjudged.base.notes import Note, note
from unjudged.collection.collection import Collection
from unjudged.collection.scores import Scores
from unjudged.evidence.contrast import Ends, Evidence
from unjudged.evidence.runs_compared import RankingsEvidence
from unjudged.evidence.tied_scores import ends_of_orders, over_orders, tie_notes
from unjudged.measures.kernel.estimand import SAMPLED
from unjudged.measures.kernel.registry import Measure
from unjudged.questions.drawn import Drawn
from unjudged.questions.fitting_measures import comparable, measure_warnings, not_uniform
from unjudged.questions.gathered import Gathered, known_evidence
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.origin import below_pool


def gather_compared(
    collection: Collection,
    chosen: Sequence[Measure],
    *,
    depth: int | None,
    pool_depth: int | None,
    ties: TiesName,
    seed: int,
    alone: bool = False,
) -> Gathered:
    """Return the evidence of judgments and runs; of systems `alone`, their values by query too."""
    judgments = collection.judgments
    refused: list[Note] = []
    if not alone:
        chosen, refused = comparable(chosen, judgments)
    reach = judgments.origin.pool_depth(pool_depth)
    shared = collection.shared(inf if depth is None else depth)
    across = any(measure.traits.across_queries for measure in chosen)
    rankings = shared.with_judged_elsewhere() if across else shared.judged_rankings
    expected = ties == "expected" and rankings.ties is not None
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
    evidence: list[Evidence] = []
    about_drawn: list[Note] = []
    drawn = Drawn.of(collection, expected=expected)
    for k, measure in enumerate(chosen):
        scores = np.ascontiguousarray(measure.averaged(values[:, :, k]))
        orders = None if ends is None else Ends(*(measure.averaged(end[:, :, k]) for end in ends))
        plain = RankingsEvidence(shared, measure, scores, reach, orders, expected)
        found, said = drawn.estimated(plain, shared.judged_rankings)
        evidence.append(found)
        about_drawn += [one for one in said if k == 0 or one.code != "drawn"]
    warnings: list[UnjudgedWarning] = [*shared.warnings, *of_measures, *map(AssumptionWarning, refused)]
    announce(warnings)
    notes = [
        *collection.notes,
        *drawn.unused,
        *(one.note for one in warnings),
        *about_ties,
        *about_drawn,
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
        scores=Scores(values, list(shared.runs), list(shared.queries), chosen, library=collection.library)
        if alone
        else None,
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
        drawn = f", from {rankings.judgments.origin}: {SAMPLED}"
        if not_uniform(estimates, rankings):
            drawn = " only if the judged documents are a random sample, which tests take them for"
        yield note("estimates", what=names, how=drawn)
        yield note("outside-pool")
