"""Measures if none are named; which estimates there are depends on how the judgments were made."""

from __future__ import annotations

from collections.abc import Sequence

from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import A_SAMPLE, STRATIFIED, UNIFORM, WEIGHTED, Kind

DEFAULT = "nDCG@10"
"""The measure if one is needed and none is named."""
DEFAULT_MEASURES = (DEFAULT, "AP", "Judged@10")
FROM_SAMPLES: dict[Kind, tuple[str, ...]] = {
    STRATIFIED: ("xinfAP", "infNDCG", "statAP"),
    WEIGHTED: ("statAP", "statRprec", "statP@10"),
}
"""What estimates AP and others from samples with unequal shares."""

TOO_LOW_FOR_AP = 20


def default_measures(judgments: Judgments) -> tuple[str, ...]:
    """Return the measures of an evaluation; of a recorded sample it estimates AP."""
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
