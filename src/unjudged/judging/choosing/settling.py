"""Which pairs of runs the judgments settle: no completion of the unjudged documents changes their order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.base.choices import check_confidence
from unjudged.base.wording import percent
from unjudged.comparison.judgment_bounds import decided, difference_bounds
from unjudged.comparison.testing.pairs import Pairs
from unjudged.judging.choosing.expert_prevalence import FROM_RUNS, completions_of
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.uncertainty.prevalence import Prevalence, PrevalenceLike
from unjudged.uncertainty.shared import SharedRankings

CERTAIN = "No judgment of the other documents can change this."
MEASURED_AT = 0.95
MEASURED = "1.8% to 5.3% of the pairs of TREC-8 runs that were settled by AP, 10.6% in the worst ten runs"
"""How many pairs were in the wrong order, with this confidence and the prevalence learnt from the runs."""


@dataclass(frozen=True, eq=False)
class PairBounds:
    """Bounds of mean `first[k]` minus mean `second[k]`, for each pair k of runs.

    `basis` says in a sentence what a settled pair rests on.
    """

    first: Integers
    second: Integers
    low: Floats
    high: Floats
    basis: str

    @property
    def open(self) -> Mask:
        """Pairs whose order the unjudged documents may still decide."""
        settled, equal = decided(self.low, self.high)
        return ~(settled | equal)


def pair_bounds(shared: SharedRankings, measure: Measure) -> PairBounds:
    """Return the bounds of every pair's difference: exact for RBP and P, enclosed for other measures."""
    measure.check_completable()
    pairs = Pairs.of(shared.per_run(measure.compute(shared.rankings)))
    low, high = difference_bounds(shared, measure, pairs)
    return PairBounds(pairs.first, pairs.second, low, high, CERTAIN)


def likely_bounds(
    shared: SharedRankings,
    measure: Measure,
    confidence: float,
    *,
    prevalence: PrevalenceLike = FROM_RUNS,
    draws: int = 200,
    seed: int = 0,
) -> PairBounds:
    """Return the central interval of every pair's difference over random completions.

    It is right if the prevalence is, and much narrower than the bounds, which allow every completion. The
    ends vary over few completions, so an interval is at least as wide as that of a normal distribution with
    their mean and deviation.
    """
    from scipy.special import ndtri

    check_confidence(confidence)
    completions = completions_of(shared, prevalence, rel=int(measure.given.get("rel", 1)), seed=seed)
    (values,) = completions.values([measure], draws)
    means = shared.per_run(values).mean(axis=2)
    first, second = np.triu_indices(len(shared.runs), 1)
    outside = (1 - confidence) / 2
    difference = means[:, first] - means[:, second]
    centre, radius = difference.mean(axis=0), -ndtri(outside) * difference.std(axis=0)
    low, high = np.quantile(difference, [outside, 1 - outside], axis=0)
    basis = _basis(completions.prevalence, confidence, learnt=prevalence == FROM_RUNS)
    return PairBounds(
        first, second, np.minimum(low, centre - radius), np.maximum(high, centre + radius), basis
    )


def _basis(prevalence: Prevalence, confidence: float, *, learnt: bool) -> str:
    """Say under which prevalence a pair is settled, and how often that was wrong where it was measured."""
    share = f"{100 * float(prevalence.chance.mean()):.3g}%" if len(prevalence.cell) else "none"
    rests = f"This rests on {prevalence.assumption} ({share} of the unjudged documents relevant)"
    held = f"{rests}, and holds in the central {percent(confidence)} of random completions."
    if learnt and confidence == MEASURED_AT:
        return f"{held} Measured so, it was wrong for {MEASURED} (docs/laboratory.md)."
    other = f"with a prevalence learnt from the runs and {percent(MEASURED_AT)} it was {MEASURED}"
    return f"{held} How often this is wrong was not measured; {other} (docs/laboratory.md)."
