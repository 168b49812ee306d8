"""What to judge next so that the order of runs is settled, when to stop, and how far that is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from unjudged.base.choices import checked_int
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted
from unjudged.evaluation.evaluation import RunsSource, evaluate, name_runs
from unjudged.grids.grid import Column, Grid
from unjudged.grids.shown import Shown
from unjudged.judging.choosing.expert_prevalence import FROM_RUNS, completions_of
from unjudged.judging.choosing.gains import DRAWS, gains
from unjudged.judging.choosing.next_documents import Candidate
from unjudged.judging.choosing.settling import PairBounds, likely_bounds, pair_bounds, with_grades
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Integers
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.origin import CHOSEN, Origin
from unjudged.uncertainty.completions import Completions
from unjudged.uncertainty.draws import drawn_relevant
from unjudged.uncertainty.prevalence import PrevalenceLike
from unjudged.uncertainty.shared import SharedRankings

FORECASTS = 5
"""A forecast is the median over so many random completions."""


@dataclass(frozen=True, eq=False, repr=False)
class Chosen(Shown):
    """The documents to judge next, and how far the order of the runs is from being settled.

    `open_pairs` of `pairs` pairs of runs may still change places. With none, judging can stop and `wanted`
    is empty. `forecast` is about how many judgments, in the order of gains, would settle all pairs; None if
    it was not asked for, or if judging every document would leave runs equal.
    """

    wanted: list[Candidate]
    runs: list[str]
    measure: str
    pairs: int
    open_pairs: int
    candidates: int
    forecast: int | None

    def sentence(self) -> str:
        """What to do, in one sentence or two."""
        two, runs = len(self.runs) == 2, f"pairs of {len(self.runs)} runs"
        order = f"order of {' and '.join(self.runs)}"
        if not self.open_pairs:
            settled = f"the {order}" if two else f"all {self.pairs} {runs}"
            return f"Stop: the judgments settle {settled} by {self.measure}."
        left = f"The {order}" if two else f"{self.open_pairs} of {self.pairs} {runs}"
        left += f" {'is' if self.open_pairs == 1 else 'are'} open by {self.measure}."
        if self.forecast is None:
            return left
        settle = f"{'settles' if self.forecast == 1 else 'settle'} {'it' if self.open_pairs == 1 else 'them'}"
        more = f"About {counted(self.forecast, 'more judgment')} {settle}"
        return f"{left} {more}, of {counted(self.candidates, 'candidate')}."

    def grid(self) -> Grid:
        columns = [Column("query", "label"), Column("document", "label"), Column("gain", decimals=6)]
        return Grid(
            columns, self.wanted, f"{counted(len(self.wanted), 'document')} to judge", [self.sentence()]
        )

    def sample(self, made_by: str = "") -> DrawnSample:
        """The documents as a sample that was chosen, not drawn: `merge` takes it, estimators refuse it."""
        table: dict[str, dict[str, int]] = {}
        for one in self.wanted:
            table.setdefault(one.query, {})[one.document] = -1
        pooled = Judgments.of(table).pooled
        size = len(self.wanted)
        return DrawnSample(
            pooled=pooled,
            drawn=np.ones(size, bool),
            stratum=np.ones(size, np.int32),
            probability=np.full(size, np.nan),
            earlier=np.zeros(size, bool),
            design=f"next by {self.measure}",
            origin=Origin(CHOSEN),
            made_by=made_by,
        )


def choose(
    qrels: JudgmentsSource,
    runs: RunsSource,
    budget: int,
    measure: MeasureLike = "AP",
    *,
    top: int | None = None,
    pooled: bool = False,
    prevalence: PrevalenceLike = FROM_RUNS,
    draws: int = DRAWS,
    seed: int = 0,
    confidence: float | None = None,
    forecast: bool = False,
) -> Chosen:
    """The unjudged documents that say most about the order of the runs, for any measure.

    Each document's gain is summed over the pairs of runs whose order the judgments leave open. `top` takes
    only the pairs of the best runs so far. With `pooled`, only documents of the pool can be relevant.
    `forecast` also says how many judgments would settle all these pairs.

    A pair is settled if no completion of the judgments changes its order; for measures other than RBP and P
    that takes nearly all judgments. With `confidence`, it is settled if its order is the same in so large a
    central share of random completions, which is right if the prevalence is.

    >>> from unjudged import sample
    >>> found = choose(sample.qrels, sample.runs, 2, "nDCG@10", top=3)
    >>> found.sentence()
    '2 of 3 pairs of 3 runs are open by nDCG@10.'
    """
    (chosen,) = parse_measures(measure)
    budget, seed = checked_int("budget", budget, least=1), checked_int("seed", seed)
    judgments, named = Judgments.of(qrels), name_runs(runs)
    if len(named) < 2:
        raise UsageError("the order of runs was asked for: give two runs or more")
    if top is not None:
        means = np.asarray(evaluate(judgments, named, chosen).means)[:, 0]
        kept = set(np.argsort(-means, kind="stable")[: checked_int("top", top, least=2)].tolist())
        named = {name: run for i, (name, run) in enumerate(named.items()) if i in kept}
    shared = SharedRankings.of(judgments, named)
    if pooled:
        outside = (shared.name >= len(judgments.grade)) & (shared.judgments.grade < 0)
        shared = with_grades(shared, np.where(outside, 0, shared.judgments.grade))
    bounds_of: Callable[[SharedRankings], PairBounds] = partial(pair_bounds, measure=chosen)
    if confidence is not None:
        bounds_of = partial(
            likely_bounds,
            measure=chosen,
            confidence=confidence,
            prevalence=prevalence,
            draws=2 * draws,
            seed=seed,
        )
    bounds = bounds_of(shared)
    first, second = bounds.first[bounds.open], bounds.second[bounds.open]
    if not len(first):
        return Chosen([], list(named), str(chosen), len(bounds.open), 0, 0, 0)
    gain = gains(shared, chosen, first, second, prevalence=prevalence, draws=draws, seed=seed)
    candidates = np.flatnonzero(gain > 0)
    order = candidates[np.argsort(-gain[candidates], kind="stable")]
    needed = None
    if forecast:
        completed = completions_of(shared, prevalence, rel=int(chosen.given.get("rel", 1)), seed=seed + 1)
        needed = judgments_needed(shared, chosen, order, completed, bounds_of)
    wanted = [Candidate(shared.query(r), shared.document(r), float(gain[r])) for r in order[:budget].tolist()]
    return Chosen(wanted, list(named), str(chosen), len(bounds.open), len(first), len(order), needed)


def judgments_needed(
    shared: SharedRankings,
    measure: Measure,
    order: Integers,
    completions: Completions,
    bounds_of: Callable[[SharedRankings], PairBounds],
) -> int | None:
    """How many judgments in this order settle every pair: the median over random completions.

    More judgments never open a pair that bounds settle, so the number is found by bisection.
    """
    rel = int(measure.given.get("rel", 1))
    known = completions.identity, completions.prevalence
    (drawn,) = drawn_relevant(*known, FORECASTS, FORECASTS, completions.seed)
    needed = []
    for number in range(FORECASTS):
        answer = np.zeros(len(shared.judgments.grade), np.int32)
        answer[completions.row[drawn.document[drawn.completion == number]]] = rel
        low, high = 0, len(order) + 1
        while high - low > 1:
            middle = (low + high) // 2
            grade = shared.judgments.grade.copy()
            grade[order[:middle]] = answer[order[:middle]]
            if bounds_of(with_grades(shared, grade)).open.any():
                low = middle
            else:
                high = middle
        needed.append(high)
    median = int(np.median(needed))
    return None if median > len(order) else median
