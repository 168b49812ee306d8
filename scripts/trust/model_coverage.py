"""Coverage of model intervals whose prevalence is estimated from judged documents, on left-out runs."""

from __future__ import annotations

from collections.abc import Sequence

from left_out_runs import Case, Pooled, Track, cases

from unjudged.measures.kernel.names import parse_measures
from unjudged.uncertainty.prevalence import ESTIMATED

LEVEL = 0.95


def left_out_group_by_model(track: Track, group: int, names: Sequence[str]) -> list[Case]:
    """Model intervals for the runs of one group that took no part in the pool."""
    pooled, measures = Pooled.read(track), parse_measures(names)
    _, own, runs = pooled.without([group])
    truths = [pooled.means(measure)[runs] for measure in measures]
    found = []
    for prevalence in ESTIMATED:
        found += cases(own, truths, measures, prevalence, [LEVEL], method="model", prevalence=prevalence)
    return found
