"""Scattered labels as the random sample that they are said to be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import AssumptionWarning, InputError, UsageError, announce
from unjudged.base.wording import counted
from unjudged.collection.collection import Collection, collection_of, judged_rankings
from unjudged.collection.description import STATED
from unjudged.rankings.coverage import not_random
from unjudged.rankings.extension import chosen_rows, extended
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.origin import CHOSEN, STRATIFIED, UNIFORM, Origin
from unjudged.rankings.runs import Run, RunsSource


def stated_sample(
    qrels: JudgmentsSource | Collection,
    runs: RunsSource | None = None,
    how: str = STATED[0],
    *,
    depth: int | None = None,
) -> Judgments:
    """Return labels as a random sample of all pairs of query and document that the runs retrieve.

    'sample': every pair was equally likely to be labelled. 'sample per query': a number of
    documents of each labelled query, all equally likely. With `depth`, only documents that a run has down to
    that rank could be drawn. Labels of other documents are left out: the rest is a random sample still.
    Labels that cannot have been drawn so are refused.

    >>> labels = {"q1": {"d1": 1}, "q2": {"d3": 0}}
    >>> run = {q: {"d1": 3, "d2": 2, "d3": 1} for q in ("q1", "q2", "q3")}
    >>> stated_sample(labels, {"mine": run}).probability.round(3).tolist()
    [0.222, 0.222, 0.222, 0.222, 0.222, 0.222, 0.222, 0.222, 0.222]
    """
    if how not in STATED:
        raise UsageError(f"how is {how!r}, expected one of {', '.join(STATED)}")
    collection = collection_of(qrels, runs).loaded()
    labels = Judgments.whole(collection.judgments)
    _check_unrecorded(labels)
    named = {name: Run.read(run) for name, run in collection.runs.items()}
    pool = extended(labels, [run.table for run in named.values()], new_queries=how == STATED[0])
    rankings = judged_rankings(pool, named)
    deepest = np.inf if depth is None else checked_int("depth", depth, 1)
    reached = np.zeros(len(pool.grade), bool)
    reached[rankings.row[rankings.rank <= deepest]] = True
    frame = chosen_rows(pool, reached)
    judged = frame.grade >= 0
    if not judged.any():
        to_rank = "" if depth is None else f" down to rank {depth}"
        raise InputError(f"no labelled document is retrieved by any of the runs{to_rank}")
    left_out = int((labels.grade >= 0).sum() - judged.sum())
    if left_out:
        which = "that no run retrieves" if depth is None else f"that no run has down to rank {depth}"
        announce([AssumptionWarning(f"{counted(left_out, 'label')} of documents {which}: left out.")])
    rate = frame.pooled.judged_share(judged, None)
    if how == STATED[0]:
        rate = np.full(len(judged), judged.sum() / len(judged))
        sample = replace(frame, probability=rate, origin=Origin(UNIFORM, depth))
    else:
        one = np.ones(len(judged), np.int32)
        sample = replace(frame, stratum=one, origin=Origin(STRATIFIED, depth))
    if (reason := not_random(judged_rankings(sample, named), rate)) is not None:
        raise InputError(f"{reason} of what the runs retrieve")
    return sample


def _check_unrecorded(labels: Judgments) -> None:
    """Refuse judgments that say themselves how they were made."""
    if labels.recorded or labels.origin.kind == CHOSEN:
        raise UsageError(
            f"these judgments record how they were made, {labels.origin}: a statement cannot change that"
        )
