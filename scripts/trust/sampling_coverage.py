"""Coverage of 'sampling' intervals: samples of TREC-8's pool by five designs, the truth from all judgments.

The odd topics chose the method; the even ones and DL-2019 show how often it holds. For samples of one stratum
it is the other way round. Coverage is that of intervals that are not refused; the refused share is beside it.
A second table has the estimated variance over the true one, and how many sampled relevant documents it has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import numpy as np
from coverage_tables import Cell, markdown, share, shortfalls

from unjudged.base.errors import UsageError
from unjudged.evaluation.collection import judged_rankings
from unjudged.judging.pooling import REST, Pool
from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judged import Floats
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.methods.sampling_intervals import check_drawn, strata_of, too_few
from unjudged.uncertainty.quantiles import normal_quantile, reaches
from unjudged.uncertainty.sampled_means import QUOTIENTS, SampledMeans
from unjudged.uncertainty.shared import selected_runs

MEASURES = ("AP", "nDCG", "nDCG@10", "nDCG@20", "P@10", "P@30", "RBP(p=0.8)", "RBP(p=0.95)")
DESIGNS = ("top 10 + 10 %", "top 10 + 20 %", "10: all, 50: 30 %, rest: 10 %", "random 20 %", "mixed 5")
ONE_STRATUM = {"random 10 %": 0.1, "random 20 %": 0.2}
"""Here means of quotients have intervals of their own."""
RUNS, SEED, LEVEL = 6, 100, 0.95
LEAST, MOST = 0.92, 0.97
MEASURED = 0.05
"""Coverage is shown where at least this share of the intervals is not refused."""
ROUNDING = 1e-12
SAMPLING_WHY = "A sample moves all runs together, so these are fewer trials than intervals."


@dataclass(frozen=True)
class Held:
    """How often the intervals of a measure and design held, over runs and samples; NaN if nothing is open.

    Coverage and width are of the intervals that are not refused. `of` is 'means', or 'differences' of
    neighbouring runs.
    """

    topics: str
    design: str
    measure: str
    of: str
    coverage: float
    width: float
    variance: float
    """Mean estimated variance over the true one, of a run in the middle."""
    documents: float
    """How many sampled relevant documents of equal weight an interval in the middle rests on."""

    refused: float
    """Share of the intervals."""
    answers: int
    """How many are not refused."""

    @property
    def measured(self) -> bool:
        return self.answers > 0 and self.refused <= 1 - MEASURED


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
            return pool.random(ONE_STRATUM[design], seed=seed, redraw=False)
        case _:
            return pool.mixed(5, seed=seed)


@cache
def every_second_topic(folder: Path, rest: int) -> Pool:
    """Return the pool of all runs of TREC-8 over its even or odd topics."""
    every = Judgments.read(folder / "qrels.trec8.gz")
    names = zip(every.pooled.names(np.arange(len(every.grade))), every.grade.tolist(), strict=True)
    judgments = Judgments.of([(q, document, g) for (q, document), g in names if int(q) % 2 == rest])
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
    "TREC-8, odd topics": (partial(every_second_topic, rest=1), 200),
    "DL-2019": (passages, 200),
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
    combined = np.concatenate([np.eye(RUNS), np.eye(RUNS)[1:] - np.eye(RUNS)[:-1]])
    shape = draws, len(combined), len(measures)
    error, variance, bend, behind, refused = (np.zeros(shape) for _ in range(5))
    for i in range(draws):
        own = rankings.relabelled(drawn(pool, design, SEED + i))
        for k, measure in enumerate(measures):
            means = SampledMeans.of(measure, own)
            error[i, :, k] = combined @ (means.value.mean(axis=1) - truth[:, k])
            variance[i, :, k] = means.variances(combined)
            if measure.name in QUOTIENTS and design in ONE_STRATUM:
                bend[i, :RUNS, k] = means.bends(variance[i, :, k], combined)[:RUNS]
            behind[i, :, k] = means.documents_behind(combined)
            refused[i, :, k] = too_few(means, behind[i, :, k], variance[i, :, k]) | _lacks(
                measure, own.judgments
            )
    made = []
    for k, name in enumerate(MEASURES):
        for of, part in (("means", slice(None, RUNS)), ("differences", slice(RUNS, None))):
            shares = _held(*(one[:, part, k] for one in (error, variance, bend, behind, refused)))
            made.append(Held(topics, design, name, of, *shares))
    return made


def _lacks(measure: Measure, judgments: Judgments) -> bool:
    """Whether the sample as a whole has too few relevant documents for the measure."""
    try:
        if measure.name in QUOTIENTS:
            check_drawn(measure, judgments, strata_of(judgments))
    except UsageError:
        return True
    return False


def _held(
    error: Floats, variance: Floats, bend: Floats, behind: Floats, refused: Floats
) -> tuple[float, float, float, float, float, int]:
    """Coverage, width, variance, documents, refused share and answers of samples x runs.

    Intervals without a width count if they are wrong.
    """
    below, above = np.vectorize(partial(reaches, normal_quantile(LEVEL)))(bend) * np.sqrt(variance)
    is_open = (below > ROUNDING) | (np.abs(error) > ROUNDING)
    answered = is_open & (refused == 0)
    if not is_open.any():
        return np.nan, 0.0, np.nan, np.nan, 0.0, 0
    inside = (error <= below + ROUNDING) & (-error <= above + ROUNDING)
    true = error.var(axis=0, ddof=1)
    varies = true > ROUNDING**2
    over = np.median(variance.mean(axis=0)[varies] / true[varies]) if varies.any() else np.nan
    share_refused = 1 - float(answered.sum() / is_open.sum())
    held, width = (float(own[answered].mean()) if answered.any() else 0.0 for own in (inside, below + above))
    return held, width, float(over), float(np.median(behind[is_open])), share_refused, int(answered.sum())


def sampling_table(found: Sequence[Held]) -> str:
    """Coverage of runs' means and of differences, and the mean width, per measure and design."""

    def shown(one: Held) -> str:
        if not one.measured:
            return "refused"
        width = f" ({one.width:.3f})" if one.of == "differences" else ""
        refused = f" [{one.refused:.0%}]" if one.refused >= ROUNDING else ""
        return f"{share(one.coverage)}{refused}{width}"

    measured = [
        Cell(
            f"{one.measure}, {one.design}{'' if one.of == 'means' else ' (differences)'},",
            one.coverage,
            LEVEL,
            round(POOLS[one.topics][1] * (1 - one.refused)),
        )
        for one in found
        if one.measured
    ]
    outside = [cell for cell in measured if not LEAST <= cell.coverage <= MOST]
    verb = "is" if len(outside) == 1 else "are"
    said = f"\n\n{len(outside)} of {len(measured)} shares {verb} not between {share(LEAST)} and {share(MOST)}"
    said += f": {'; '.join(f'{cell.name} {share(cell.coverage)}' for cell in outside)}." if outside else "."
    rare = [one for one in found if one.refused > 1 - MEASURED]
    held, answers = sum(one.coverage * one.answers for one in rare), sum(one.answers for one in rare)
    if rare:
        said += f" {len(rare)} are *refused*: of their {answers} intervals that are not, {held:.0f} hold."
    return _table(found, shown) + said + shortfalls(measured, SAMPLING_WHY).replace("\n\n", " ")


def variance_table(found: Sequence[Held]) -> str:
    """The estimated variance over the true one, and how many sampled documents it rests on."""
    return _table(found, lambda one: f"{one.variance:.2f} ({one.documents:.1f})")


def _table(found: Sequence[Held], shown: Callable[[Held], str]) -> str:
    designs = list(dict.fromkeys(one.design for one in found))
    rows = []
    for measure in dict.fromkeys(one.measure for one in found):
        row = [measure]
        for design in designs:
            both = [one for one in found if (one.measure, one.design) == (measure, design)]
            known = np.isnan(both[0].coverage)
            row.append("known" if known else " ".join(map(shown, both)))
        rows.append(row)
    return markdown(["measure", *designs], rows)
