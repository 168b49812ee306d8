"""Which pairs of runs the judgments settle, and how many more judgments would settle the others.

A pair is settled if no completion of the unjudged documents changes its order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import check_confidence
from unjudged.base.wording import counted, percent
from unjudged.comparison.judgment_bounds import decided, difference_bounds
from unjudged.comparison.testing.pairs import Pairs
from unjudged.judging.choosing.expert_prevalence import FROM_RUNS, completions_of
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Integers, Mask
from unjudged.uncertainty.completions import Completions
from unjudged.uncertainty.draws import drawn_relevant
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


COMPLETIONS = 9
"""A forecast is the median over this many random completions."""

PRECISION = 20
"""A completion's number is found to one part in so many."""

STEADY = 3
"""A forecast is told if the upper quartile over completions is at most so many times the lower one."""


class Forecast(NamedTuple):
    """How many judgments, in the order of gains, settle every pair: quartiles over random completions.

    Each is the number of candidates plus one where judging all of them would leave a pair open. `pool` is how
    many documents of the pool are not judged, or all of its documents if each one is.
    """

    low: int
    middle: int
    high: int
    candidates: int
    pool: int

    @property
    def worthwhile(self) -> bool:
        """False if more is needed than the runs retrieve, or than the pool has."""
        return self.middle <= min(self.candidates, self.pool)

    @property
    def steady(self) -> bool:
        """False if completions differ so much that the next batch of judgments would change the forecast."""
        return self.high <= min(self.candidates, STEADY * self.low)

    def sentence(self, them: str = "them") -> str:
        """Say how many judgments it takes, that this cannot be told, or that it is not worth it."""
        ends = self._said(self.low) if self.low == self.high else f"{self.low:,} to {self._said(self.high)}"
        where = f"{ends} in half of the random completions"
        if not self.worthwhile:
            whose = "of the pool" if self.pool < self.candidates else "that the runs retrieve"
            documents = f"the {min(self.pool, self.candidates):,} documents {whose}"
            return f"Not worth it: settling {them} takes more judgments than {documents} ({where})."
        if not self.steady:
            return f"How many judgments settle {them} cannot be told yet ({where})."
        settle = "settles" if self.middle == 1 else "settle"
        about = f"About {counted(self.middle, 'more judgment')} {settle} {them}"
        return f"{about} ({where}), of {counted(self.candidates, 'candidate')}."

    def _said(self, number: int) -> str:
        return f"{number:,}" if number <= self.candidates else f"more than all {self.candidates:,}"


def forecast_of(
    shared: SharedRankings,
    measure: Measure,
    order: Integers,
    completions: Completions,
    bounds_of: Callable[[SharedRankings], PairBounds],
    *,
    batch: int,
) -> Forecast:
    """Take each of some random completions as the truth, and judge in this order until every pair is settled.

    Judging is looked at after one batch, two, four and so on, and then between the last two looks. That finds
    when bounds settle every pair, because more judgments never open one. With a confidence they may: then it
    is about when they are first settled, which is when people stop.
    """
    rel = int(measure.given.get("rel", 1))
    known = completions.identity, completions.prevalence
    (drawn,) = drawn_relevant(*known, COMPLETIONS, COMPLETIONS, completions.seed)
    needed = []
    for number in range(COMPLETIONS):
        answer = np.zeros(len(shared.judgments.grade), np.int32)
        answer[completions.row[drawn.document[drawn.completion == number]]] = rel
        answered = answer[order]

        def settled(judged: int, answered: NDArray[np.int32] = answered) -> bool:
            grade = shared.judgments.grade.copy()
            grade[order[:judged]] = answered[:judged]
            return not bounds_of(shared.with_grades(grade)).open.any()

        needed.append(first_settled(settled, len(order), batch))
    low, middle, high = np.sort(needed)[[COMPLETIONS // 4, COMPLETIONS // 2, -1 - COMPLETIONS // 4]].tolist()
    listed = shared.name < len(shared.original.grade)
    left = int((listed & shared.judgments.waiting).sum())
    return Forecast(low, middle, high, len(order), left or int(listed.sum()))


def first_settled(settled: Callable[[int], bool], most: int, batch: int) -> int:
    """Return the number at which `settled` first holds, or `most` + 1."""
    low, high = 0, min(batch, most)
    while not settled(high):
        if high == most:
            return most + 1
        low, high = high, min(2 * high, most)
    while high - low > max(1, high // PRECISION):
        middle = (low + high) // 2
        low, high = (low, middle) if settled(middle) else (middle, high)
    return high
