"""Compare systems: who is better, by a test over queries and by what the unjudged documents leave open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from unjudged.comparison.flips import prevalence_at_flip
from unjudged.comparison.judgment_bounds import JudgmentBounds, judgment_bounds
from unjudged.comparison.pairwise import PairTests, compare_pairs
from unjudged.comparison.verdicts import CLEAR, Pair, verdict_of
from unjudged.errors import UsageError
from unjudged.evaluation import RunsSource, name_runs
from unjudged.grids.grid import Grid
from unjudged.grids.shown import Shown
from unjudged.measures.names import MeasureLike, parse_measures
from unjudged.measures.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.uncertainty.calibration import Calibration
from unjudged.uncertainty.estimate import JUDGMENTS, QUERIES, Estimate
from unjudged.uncertainty.shared import SharedRankings

MANY_FLIPS = 3
"""With more systems the prevalence at the flip is worked out only for the pair that is asked for."""


@dataclass(frozen=True, eq=False)
class MeasureComparison:
    """All pairs of systems by one measure."""

    measure: Measure
    values: Floats
    tests: PairTests
    judging: JudgmentBounds

    @property
    def means(self) -> Floats:
        return self.measure.over_queries(self.values)

    def verdicts(self) -> list[str]:
        """The verdict of every pair."""
        kept = self.judging.settled | self.judging.equal
        facts = zip(self.tests.significant, kept, self.judging.reversible, strict=True)
        return [verdict_of(bool(a), bool(b), bool(c)) for a, b, c in facts]

    def beats(self, *verdicts: str) -> np.ndarray:
        """Systems x systems: whether the first is ahead of the second by a pair with one of these verdicts."""
        size = len(self.values)
        found = np.zeros((size, size), bool)
        pairs = self.tests.pairs
        chosen = np.isin(self.verdicts(), verdicts)
        for k in np.flatnonzero(chosen).tolist():
            a, b = int(pairs.first[k]), int(pairs.second[k])
            a, b = (a, b) if pairs.difference[k] > 0 else (b, a)
            found[a, b] = True
        return found

    def rank_intervals(self) -> list[tuple[int, int]]:
        """From 1 + the systems clearly better to all but the systems clearly worse."""
        clear = self.beats(CLEAR)
        better, worse = clear.sum(axis=0), clear.sum(axis=1)
        return [(1 + int(up), len(clear) - int(down)) for up, down in zip(better, worse, strict=True)]

    def tiers(self) -> list[int]:
        """Systems by mean, in tiers: a new one begins where the first of a tier clearly beats the next system."""
        clear, tier, tiers = self.beats(CLEAR), 0, [0] * len(self.values)
        first = -1
        for system in self.order():
            if first < 0 or clear[first, system]:
                tier, first = tier + 1, system
            tiers[system] = tier
        return tiers

    def order(self) -> list[int]:
        """The systems, highest mean first."""
        order: list[int] = np.argsort(-self.means, kind="stable").tolist()
        return order


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Shown):
    """Two or more systems compared by one or more measures.

    `pair` gives everything about two of them, `systems_grid` the systems by mean, `pairs_grid` all pairs. With one
    pair and one measure, `verdict`, `better`, `ahead` and `difference` are those of the pair, and `str` tells
    it in sentences.
    """

    runs: Sequence[str]
    queries: Sequence[str]
    results: Sequence[MeasureComparison]
    shared: SharedRankings
    calibration: Calibration | None
    confidence: float
    baseline: str | None
    notes: Sequence[str]

    def result(self, measure: MeasureLike | None = None) -> MeasureComparison:
        """The comparison by one measure; the only one if none is named."""
        if measure is None:
            if len(self.results) > 1:
                raise UsageError(f"say which measure: {', '.join(str(r.measure) for r in self.results)}")
            return self.results[0]
        (wanted,) = parse_measures(measure)
        for found in self.results:
            if found.measure == wanted:
                return found
        raise UsageError(f"{wanted} was not compared: {', '.join(str(r.measure) for r in self.results)}")

    def pair(self, a: str, b: str, measure: MeasureLike | None = None) -> Pair:
        """Everything about systems A and B."""
        result = self.result(measure)
        i, j = (self._place(name) for name in (a, b))
        pairs = result.tests.pairs
        for k in range(len(pairs)):
            if {int(pairs.first[k]), int(pairs.second[k])} == {i, j}:
                return self._pair(result, k, swap=int(pairs.first[k]) != i, flip=True)
        raise UsageError(f"{a} and {b} were not compared: only pairs with the baseline {self.baseline} were")

    def pairs(self, measure: MeasureLike | None = None) -> Iterator[Pair]:
        """Every pair that was compared."""
        result = self.result(measure)
        for k in range(len(result.tests.pairs)):
            yield self._pair(result, k, swap=False, flip=len(self.runs) <= MANY_FLIPS)

    def _place(self, run: str) -> int:
        if run not in self.runs:
            raise UsageError(
                f"no run {run!r}; there are {', '.join(self.runs[:5])}{', ...' * (len(self.runs) > 5)}"
            )
        return list(self.runs).index(run)

    def _pair(self, result: MeasureComparison, k: int, *, swap: bool, flip: bool) -> Pair:
        tests, judging, pairs = result.tests, result.judging, result.tests.pairs
        sign = -1.0 if swap else 1.0
        a, b = int(pairs.first[k]), int(pairs.second[k])
        a, b = (b, a) if swap else (a, b)
        value = sign * float(pairs.difference[k])
        low, high = sorted((sign * float(judging.low[k]), sign * float(judging.high[k])))
        how = "exact" if judging.exact else "enclosed"
        other_low, other_high = sorted(
            (sign * float(tests.difference.low[k]), sign * float(tests.difference.high[k]))
        )
        of = f"difference of mean {result.measure}"
        wins, losses = int(tests.outcomes.wins[k]), int(tests.outcomes.losses[k])
        calibrated = None
        if self.calibration is not None:
            calibrated = self._calibrated(self.calibration, result.measure, value, low, high)
        found = None
        if flip:
            found = prevalence_at_flip(self.shared, result.measure, a, b, value)
        return Pair(
            a=self.runs[a],
            b=self.runs[b],
            measure=str(result.measure),
            mean_a=float(result.means[a]),
            mean_b=float(result.means[b]),
            difference=Estimate(value, low, high, 1.0, how, of, JUDGMENTS),
            other_queries=Estimate(
                value, other_low, other_high, 1 - tests.alpha, tests.test.title, of, QUERIES
            ),
            calibrated=calibrated,
            p=float(tests.p[k]),
            p_adjusted=float(tests.p_adjusted[k]),
            test=tests.test.title,
            effect=sign * float(tests.effect.value[k]),
            wins=losses if swap else wins,
            ties=int(tests.outcomes.ties[k]),
            losses=wins if swap else losses,
            verdict=verdict_of(
                bool(tests.significant[k]),
                bool(judging.settled[k] or judging.equal[k]),
                bool(judging.reversible[k]),
            ),
            flip=found,
            flip_known=flip,
        )

    def _calibrated(
        self, calibration: Calibration, measure: Measure, value: float, low: float, high: float
    ) -> Estimate:
        reach = calibration.radius(measure, self.confidence, difference=True) * float(np.sqrt(high - low))
        method = f"{calibration.groups} groups left out two by two; assumes systems like theirs"
        return Estimate(
            value,
            max(value - reach, low),
            min(value + reach, high),
            self.confidence,
            method,
            f"difference of mean {measure}",
            JUDGMENTS,
        )

    def _only(self) -> Pair:
        if len(self.runs) != 2 or len(self.results) != 1:
            raise UsageError("say which pair: comparison.pair(a, b, measure)")
        return self.pair(self.runs[0], self.runs[1])

    @property
    def verdict(self) -> str:
        return self._only().verdict

    @property
    def better(self) -> str | None:
        return self._only().better

    @property
    def ahead(self) -> str | None:
        return self._only().ahead

    @property
    def difference(self) -> Estimate:
        return self._only().difference

    @property
    def plot(self) -> Any:
        """Figures as Altair charts: `matrix` and `differences`."""
        return import_module("unjudged.report.figures.comparison_plots").ComparisonPlots(self)

    def grid(self) -> Grid:
        return self.systems_grid()

    def systems_grid(self, measure: MeasureLike | None = None) -> Grid:
        """The systems by mean, with tiers, rank intervals and marks of who beats whom."""
        from unjudged.comparison.comparison_grids import systems_grid

        return systems_grid(self, measure)

    def pairs_grid(self, measure: MeasureLike | None = None) -> Grid:
        """One row per pair: difference, p values, bounds, verdict."""
        from unjudged.comparison.comparison_grids import pairs_grid

        return pairs_grid(self, measure)

    def __str__(self) -> str:
        if len(self.runs) == 2:
            a, b = self.runs
            pairs = (self.pair(a, b, result.measure) for result in self.results)
            return "\n\n".join(map(str, pairs))
        return super().__str__()


def compare(
    qrels: JudgmentsSource,
    runs: RunsSource,
    measures: MeasureLike | Iterable[MeasureLike] = "RBP(p=0.8)",
    *,
    baseline: str | None = None,
    test: str = "t",
    correction: str = "holm",
    alpha: float = 0.05,
    calibration: Calibration | None = None,
    confidence: float = 0.95,
    draws: int = 20_000,
    seed: int = 0,
    on_read: Callable[[str], None] | None = None,
) -> Comparison:
    """Compare two or more systems by a test over queries, and by what the unjudged documents leave open.

    `test` is 't', 'randomization', 'wilcoxon' or 'bootstrap'; `correction` 'holm', 'bh', 'bonferroni', 'tukey',
    'maxt' or 'none'. `baseline` names the run that the others are compared with, instead of all pairs.
    `calibration`, from `calibrate`, adds a calibrated interval of each difference. `draws` and `seed` are for
    tests and corrections that resample.

    >>> from unjudged import sample
    >>> runs = {name: sample.runs[name] for name in ("reranked", "fused")}
    >>> found = compare(sample.qrels, runs)
    >>> print(found.difference, found.verdict, found.better)
    0.1006 [0.0570, 0.1497] clear reranked
    """
    chosen = parse_measures(measures)
    judgments, named = Judgments.of(qrels), name_runs(runs)
    if len(named) < 2:
        raise UsageError("one run cannot be compared: give two or more")
    names = list(named)
    if baseline is not None and baseline not in names:
        raise UsageError(f"the baseline {baseline!r} is not among the runs: {', '.join(names[:5])}")
    for measure in chosen:
        measure.check_mean()
    shared = SharedRankings.of(judgments, named, on_read)
    place = None if baseline is None else names.index(baseline)
    results, notes = [], list(shared.notes())
    for measure in chosen:
        values = shared.per_run(measure.compute(shared.rankings))
        tests = compare_pairs(
            values, test=test, correction=correction, baseline=place, alpha=alpha, draws=draws, seed=seed
        )
        notes += tests.notes
        results.append(
            MeasureComparison(measure, values, tests, judgment_bounds(shared, measure, tests.pairs))
        )
    return Comparison(
        names,
        list(judgments.queries),
        results,
        shared,
        calibration,
        confidence,
        baseline,
        list(dict.fromkeys(notes)),
    )
