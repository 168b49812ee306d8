"""All pairs of systems by one measure: verdicts, ranks, tiers, and everything about one pair."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unjudged.comparison.judgment_bounds import JudgmentBounds
from unjudged.comparison.testing.pairs import rank_intervals
from unjudged.comparison.testing.pairwise import Interval, PairTests
from unjudged.comparison.verdicts import CLEAR, ENCLOSED, EXACT, HIGHER, OF_EACH, ROBUST, Pair, verdict_of
from unjudged.measures.kernel.averages import mean_over_queries
from unjudged.measures.kernel.estimand import (
    ALL_JUDGED,
    AS_THEY_ARE,
    OTHER,
    THESE,
    Estimand,
    estimand_of,
)
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats, Mask
from unjudged.uncertainty.estimate import Estimate


@dataclass(frozen=True, eq=False)
class MeasureComparison:
    """All pairs of systems by one measure; `values[i, j]` is what system i scores on query j."""

    measure: Measure
    values: Floats
    tests: PairTests
    judging: JudgmentBounds
    runs: Sequence[str]

    @cached_property
    def means(self) -> Floats:
        """Mean of each system, the same to the last bit as in `Scores.means`, which has sums of counts."""
        return self.measure.mean_of(mean_over_queries(self.measure.averaged(self.values)))

    @cached_property
    def other_queries(self) -> tuple[Floats, Floats]:
        """Interval of each system's mean for other queries at confidence 1 - alpha, as `evaluate` has it.

        NaN for one query by a measure without a highest value.
        """
        from unjudged.uncertainty.methods.query_intervals import has_range, interval_of_mean

        if not has_range(self.measure) and self.values.shape[1] < 2:
            none = np.full(len(self.values), np.nan)
            return none, none
        return interval_of_mean(self.measure, self.values, 1 - self.tests.alpha)

    @cached_property
    def verdicts(self) -> Sequence[str]:
        """Verdict on every pair."""
        kept, bounded = self.judging.settled | self.judging.equal, not self.judging.missing
        facts = zip(self.tests.significant, kept, self.judging.reversible, self.robust, strict=True)
        return [verdict_of(*map(bool, fact), bounded=bounded) for fact in facts]

    @cached_property
    def robust(self) -> Mask:
        """Pairs whose order only an implausible share of relevant documents reverses.

        Implausible is more than among the judged documents at the same ranks.
        """
        reversal = self.judging.reversal
        return np.isinf(reversal.share) | (reversal.share > reversal.judged)

    @cached_property
    def clearly_beats(self) -> Mask:
        """Systems x systems: whether the first is clearly, or without bounds significantly, better."""
        return self._ahead(CLEAR, HIGHER)

    @cached_property
    def firmly_beats(self) -> Mask:
        """Systems x systems: the same, or whether the first is robustly better than the second."""
        return self._ahead(CLEAR, HIGHER, ROBUST)

    @cached_property
    def beats(self) -> Mask:
        """Systems x systems: whether the first is significantly better, clear, robust or open to judging."""
        return self.tests.pairs.ahead(self.tests.significant)

    def _ahead(self, *verdicts: str) -> Mask:
        return self.tests.pairs.ahead(np.array([verdict in verdicts for verdict in self.verdicts]))

    def rank_intervals(self) -> list[tuple[int, int]]:
        """From 1 + the number of systems that are firmly better, to all systems but those firmly worse."""
        return rank_intervals(self.firmly_beats)

    def tiers(self) -> list[int]:
        """Return the tier of each system, from 1.

        Best mean first, a system belongs to the current tier unless a system of the tier beats it clearly or
        robustly; then it begins the next. So neither separates the systems of a tier.
        """
        firm, tiers = self.firmly_beats, np.zeros(len(self.values), int)
        tier = 1
        for system in self.order():
            tier += int(firm[tiers == tier, system].any())
            tiers[system] = tier
        found: list[int] = tiers.tolist()
        return found

    def order(self) -> list[int]:
        """Return the systems, best mean first."""
        return self.measure.best_first(self.means)

    def place(self, a: int, b: int) -> tuple[int, bool] | None:
        """Which pair the two systems are, and whether it is b minus a; None if they were not compared."""
        first, second = self.tests.pairs.first, self.tests.pairs.second
        same, turned = (first == a) & (second == b), (first == b) & (second == a)
        found = np.flatnonzero(same | turned)
        return (int(found[0]), bool(turned[found[0]])) if len(found) else None

    def level(self, a: int, b: int) -> float:
        """Return the level at which a pair's own p value is significant; the correction's factor is kept."""
        found = self.place(a, b)
        if found is None:
            return self.tests.alpha
        p, after = float(self.tests.p[found[0]]), float(self.tests.p_adjusted[found[0]])
        return self.tests.alpha * (p / after if 0 < p < after < 1 else 1.0)

    def pair(self, k: int, *, turned: bool = False) -> Pair:
        """Everything about pair k; with `turned`, about second minus first."""
        tests, judging, pairs = self.tests, self.judging, self.tests.pairs
        a, b = int(pairs.first[k]), int(pairs.second[k])
        wins, losses = int(tests.outcomes.wins[k]), int(tests.outcomes.losses[k])
        if turned:
            a, b, wins, losses = b, a, losses, wins

        def about(what: Interval, level: float, method: str, of: Estimand) -> Estimate:
            value, low, high = (float(column[k]) for column in what)
            if turned:
                value, low, high = -value, -high, -low
            return Estimate(value + 0.0, low + 0.0, high + 0.0, level, method, of)

        subject, level = f"{self.runs[a]} minus {self.runs[b]}", 1 - tests.alpha
        statistic = "mean logarithm of" if self.measure.geometric else "mean"
        judged = Estimand(str(self.measure), judgments=ALL_JUDGED, subject=subject, statistic=statistic)
        others = replace(estimand_of(self.measure, OTHER, AS_THEY_ARE), subject=subject, statistic=statistic)
        bounded = Interval(pairs.difference, judging.low, judging.high)
        if judging.missing:
            difference = about(bounded, math.nan, judging.missing, replace(others, queries=THESE))
        else:
            how = EXACT if judging.exact else ENCLOSED if judging.by_query is None else OF_EACH
            difference = about(bounded, 1.0, how, judged)
        of_effect = replace(others, measure=f"effect size of {self.measure}")
        return Pair(
            a=self.runs[a],
            b=self.runs[b],
            measure=str(self.measure),
            mean_a=float(self.means[a]),
            mean_b=float(self.means[b]),
            difference=difference,
            other_queries=about(tests.difference, level, "t interval", others),
            p=float(tests.p[k]),
            p_adjusted=float(tests.p_adjusted[k]),
            test=tests.test.title,
            correction=tests.correction.title,
            effect=about(tests.effect, level, "t and jackknife", of_effect),
            wins=wins,
            ties=int(tests.outcomes.ties[k]),
            losses=losses,
            verdict=self.verdicts[k],
            reversal=finite_or_none(judging.reversal.share[k]),
            reversal_known=not np.isnan(judging.reversal.share[k]),
            reversible=bool(judging.reversible[k]),
            judged_share=finite_or_none(judging.reversal.judged[k]),
            lower=pairs.lower,
        )


def finite_or_none(value: float | None) -> float | None:
    """Return a number, None if there is none, or an infinite one, or what is not a number."""
    return float(value) if value is not None and np.isfinite(value) else None
