"""Coverage of 'sampling' intervals: samples of TREC-8's pool by five designs, the truth from all judgments.

The odd topics chose the method; the even ones and DL-2019 show how often it holds. For samples of one stratum
it is the other way round. Coverage is that of intervals that are not refused; the refused share is beside it.
A sample moves all runs together, so the trials are samples.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from held import Held

from unjudged.base.errors import UsageError
from unjudged.base.segments import Floats, Mask
from unjudged.collection.collection import judged_rankings
from unjudged.evidence.contrast import ALONE
from unjudged.evidence.distributions import normal_quantile
from unjudged.evidence.drawn.by_design import Totals
from unjudged.evidence.drawn.effects import Effects, steps_of
from unjudged.evidence.drawn.estimated import EstimatedEvidence
from unjudged.evidence.drawn.population import Population
from unjudged.evidence.drawn.strata import ENOUGH, check_drawn, strata_of
from unjudged.evidence.drawn.strata_means import QUOTIENTS, SampledMeans
from unjudged.evidence.mean_intervals import reaches
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.evidence.shared import SharedRankings, selected_runs
from unjudged.judging.pooling import REST, Pool
from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

MEASURES = ("AP", "nDCG", "nDCG@10", "nDCG@20", "P@10", "P@30", "RBP(p=0.8)", "RBP(p=0.95)")
DESIGNS = ("top 10 + 10 %", "top 10 + 20 %", "10: all, 50: 30 %, rest: 10 %", "random 20 %", "mixed 5")
ONE_STRATUM = {"random 10 %": 0.1, "random 20 %": 0.2}
"""Here means of quotients have intervals of their own."""
RUNS, SEED, LEVEL = 6, 100, 0.95
MEASURED = 0.05
"""Coverage is known where at least this share of the intervals is not refused."""
ROUNDING = 1e-12


def drawn(pool: Pool, design: str, seed: int) -> Judgments:
    """Judgments of one sample."""
    match design:
        case "top 10 + 10 %":
            return pool.stratified({10: 1.0, REST: 0.1}, seed=seed)
        case "top 10 + 20 %":
            return pool.stratified({10: 1.0, REST: 0.2}, seed=seed)
        case "10: all, 50: 30 %, rest: 10 %":
            return pool.stratified({10: 1.0, 50: 0.3, REST: 0.1}, seed=seed)
        case _ if design in ONE_STRATUM:
            return pool.uniform(ONE_STRATUM[design], seed=seed, redraw=False)
        case _:
            return pool.mixed(5, seed=seed)


@cache
def every_second_topic(folder: Path, rest: int) -> Pool:
    """Return the pool of all runs of TREC-8 over its even or odd topics."""
    every = Judgments.read(folder / "qrels.trec8.gz")
    names = zip(every.pooled.names(np.arange(len(every.grade))), every.grade.tolist(), strict=True)
    judgments = Judgments.read([(q, document, g) for (q, document), g in names if int(q) % 2 == rest])
    return _pool(judgments, folder / "runs")


@cache
def passages(folder: Path) -> Pool:
    """Return the pool of DL-2019, beside TREC-8's folder; grades from 2 on are relevant there."""
    judgments = Judgments.read(folder.parent / "dl2019" / "qrels.dl2019-passage.gz")
    return _pool(judgments, folder.parent / "dl2019" / "track" / "runs")


def _pool(judgments: Judgments, folder: Path) -> Pool:
    runs = {path.name: path for path in sorted(folder.glob("*.gz"))}
    return Pool(judgments, judged_rankings(judgments, runs), list(runs))


POOLS: dict[str, tuple[Callable[[Path], Pool], int]] = {
    "TREC-8, even topics": (partial(every_second_topic, rest=0), 500),
    "TREC-8, odd topics": (partial(every_second_topic, rest=1), 500),
    "DL-2019": (passages, 500),
}
"""Where samples are drawn, and how many by each design."""


def designs_of(topics: str) -> Sequence[str]:
    """Return the designs to measure: the odd topics chose the method for all but samples of one stratum."""
    return tuple(ONE_STRATUM) if "odd" in topics else DESIGNS


def sampling_coverage(folder: Path, topics: str, design: str) -> list[Held]:
    """Coverage for some runs, from the worst to the best, and for differences of neighbours among them."""
    read, draws = POOLS[topics]
    pool = read(folder)
    measures, queries = parse_measures(MEASURES), len(pool.judgments.queries)
    truths = np.stack([m.compute(pool.rankings).reshape(-1, queries).mean(axis=1) for m in measures], axis=1)
    order = np.argsort(truths[:, 0])
    runs = order[np.linspace(0.05 * len(order), len(order) - 1, RUNS).astype(int)]
    rankings, truth = selected_runs(pool.rankings, runs.tolist()), truths[runs]
    found = np.empty((4, draws, 2 * RUNS - 1, len(measures)))
    for i in range(draws):
        own = rankings.relabelled(drawn(pool, design, SEED + i))
        sums = Sums.of(own)
        for k, measure in enumerate(measures):
            quotient = measure.name in QUOTIENTS
            made = _of_quotient(measure, own, design) if quotient else sums.estimated(measure)
            found[:, i, :, k] = made
        found[0, i] -= COMBINED @ truth
    rows = []
    for k, name in enumerate(MEASURES):
        for of, part in (("means", slice(None, RUNS)), ("differences", slice(RUNS, None))):
            held = _held(*found[:, :, part, k])
            if held:
                collection, _, half = topics.partition(", ")
                setting = ", ".join(filter(None, (half, design, of)))
                rows.append(_row((collection, setting, name), draws, *held))
    return rows


Found = tuple[Floats, Floats, Floats, Mask]
COMBINED = np.concatenate([np.eye(RUNS), np.eye(RUNS)[1:] - np.eye(RUNS)[:-1]])
"""Runs alone, and differences of neighbours."""


def _of_quotient(measure: Measure, own: JudgedRankings, design: str) -> Found:
    """Return estimates, how far intervals reach down and up, and which are refused, by the jackknife."""
    means = SampledMeans.of(measure, own)
    variance, bend = means.variances(COMBINED), np.zeros(len(COMBINED))
    if design in ONE_STRATUM:
        bend[:RUNS] = means.bends(variance, COMBINED)[:RUNS]
    few = (means.documents_behind(COMBINED) < ENOUGH) & (variance > 0) & ("cutoff" in measure.given)
    below, above = np.vectorize(partial(reaches, normal_quantile((1 + LEVEL) / 2)))(bend) * np.sqrt(variance)
    return COMBINED @ means.value.mean(axis=1), below, above, few | _lacks(measure, own.judgments)


@dataclass(frozen=True, eq=False)
class Sums:
    """What the one estimator has of a sample; sums with the same grades have the same predictions."""

    population: Population
    chance: dict[bytes, Floats]

    @classmethod
    def of(cls, own: JudgedRankings) -> Sums:
        """Find out which documents were drawn."""
        pool = own.judgments
        names = [f"run {i}" for i in range(len(own) // len(pool.queries))]
        rows = np.arange(len(pool.grade))
        shared = SharedRankings(pool, own, names, pool.queries, pool.documents, rows, pool)
        population = Population.of(shared)
        assert population is not None  # noqa: S101
        return cls(population, {})

    def by(self, measure: Measure) -> EstimatedEvidence:
        """Return the evidence by a measure."""
        shared, population = self.population.shared, self.population
        scores = measure.averaged(shared.per_run(measure.compute(shared.rankings)))
        steps = steps_of(measure, shared.judgments.grade)
        if steps.tobytes() not in self.chance:
            self.chance[steps.tobytes()] = population.predicted(steps, None)
        chance = self.chance[steps.tobytes()]
        effects = Effects.of(shared, measure, population.row, steps, chance)
        return EstimatedEvidence(RankingsEvidence(shared, measure, scores), population, effects)

    def estimated(self, measure: Measure) -> Found:
        """Return estimates, how far intervals reach down and up, and which are refused."""
        evidence, every = self.by(measure), np.arange(RUNS)
        both = (every, np.full(RUNS, ALONE)), (every[1:], every[:-1])
        parts = [evidence.estimates(*one) for one in both]
        made = Totals(*map(np.concatenate, zip(*parts, strict=True)))
        ends = evidence.reach(made, LEVEL)
        down, up = (np.where(made.given, end, 0.0) * np.sqrt(made.variance) for end in ends)
        return made.value, down, up, ~made.given


def _row(named: tuple[str, str, str], draws: int, held: float, width: float, refused: float) -> Held:
    if refused > 1 - MEASURED:
        return Held(*named, LEVEL, np.nan, 0, np.nan, refused)
    return Held(*named, LEVEL, held, round(draws * (1 - refused)), width, refused)


def _lacks(measure: Measure, judgments: Judgments) -> bool:
    """Whether the sample as a whole has too few relevant documents for the measure."""
    try:
        if measure.name in QUOTIENTS:
            check_drawn(measure, judgments, strata_of(judgments))
    except UsageError:
        return True
    return False


def _held(error: Floats, below: Floats, above: Floats, refused: Floats) -> tuple[float, float, float] | None:
    """Coverage, width and refused share of samples x runs; None if the sample leaves nothing open.

    Intervals without a width count if they are wrong.
    """
    is_open = (below > ROUNDING) | (np.abs(error) > ROUNDING)
    answered = is_open & (refused == 0)
    if not is_open.any():
        return None
    inside = (error <= below + ROUNDING) & (-error <= above + ROUNDING)
    held, width = (float(own[answered].mean()) if answered.any() else 0.0 for own in (inside, below + above))
    return held, width, 1 - float(answered.sum() / is_open.sum())
