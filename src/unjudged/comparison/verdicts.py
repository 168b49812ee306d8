"""Is A better than B, whatever the unjudged turn out to be? And which documents would tell?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from unjudged.errors import UsageError
from unjudged.formats.tables import Table
from unjudged.grids.grid import Column, Grid
from unjudged.grids.shown import Shown
from unjudged.measures.registry import Measure
from unjudged.rankings.judgments import Judgments
from unjudged.uncertainty.bounds import bounds
from unjudged.uncertainty.estimate import EVERY, Estimate
from unjudged.uncertainty.prevalence import relevance
from unjudged.uncertainty.shared import Shared

ROUNDING = 1e-12  # differences below it are those of floating point


@dataclass(frozen=True)
class Comparison:
    """Two runs: the difference of their means, and what the unjudged leave open of it.

    `difference` is A - B with the interval that holds whatever the unjudged turn out to be; `probability`
    that A is better, if each unjudged document is relevant by the model `assumption` names.
    """

    difference: Estimate
    probability: float
    assumption: str

    @property
    def verdict(self) -> str:
        """'settled', 'leaning' or 'open'."""
        if self.difference.low > ROUNDING or self.difference.high < -ROUNDING:
            return "settled"
        return "leaning" if max(self.probability, 1 - self.probability) >= 0.95 else "open"


class Wanted(NamedTuple):
    """A document to judge: by how much its judgment narrows the interval."""

    query: str
    document: str
    gain: float


class ToJudge(Shown, list[Wanted]):
    """The documents to judge, the one that narrows the interval most first."""

    def grid(self) -> Grid:
        columns = [Column("query", "label"), Column("document", "label"), Column("gain", decimals=6)]
        return Grid(columns, self, f"{len(self)} {'document' if len(self) == 1 else 'documents'} to judge")


def compare(
    judgments: Judgments,
    tables: tuple[Table, Table],
    measure: Measure,
    *,
    q: float | str = "all",
    draws: int = 1000,
    seed: int = 0,
) -> Comparison:
    """Compare two runs; a document unjudged in both is the same document.

    The interval is exact for measures that are sums over relevant documents (RBP, P): each unknown document
    moves the difference by the difference of its weights. For the others it encloses: A at its lowest against
    B at its highest, and the other way round. What is behind the end of a ranking does not count.
    """
    measure.check_completable()
    measure.check_mean()
    shared = Shared.of(judgments, tables)
    half = len(judgments.queries)
    values = measure.compute(shared.rankings)
    difference = float(values[:half].mean() - values[half:].mean())
    low, high, method = _range(shared, measure, difference)
    probability, assumption = _probability(shared, measure, q, draws, seed)
    estimate = Estimate(difference, low, high, 1.0, method, f"difference of mean {measure}")
    return Comparison(estimate, probability, assumption)


def _range(shared: Shared, measure: Measure, difference: float) -> tuple[float, float, str]:
    if measure.traits.weight is not None:
        weight = shared.weights(measure)[:, shared.unknown]
        moved = weight[0] - weight[1]
        low, high = moved[moved < 0].sum(), moved[moved > 0].sum()
        return difference + float(low), difference + float(high), f"{EVERY}, exact"
    if not (measure.traits.pointwise or measure.traits.diluted):
        raise UsageError(
            f"{measure.name} cannot be compared so; take RBP, P, AP, nDCG, RR, ERR, R or Success"
        )
    half = len(shared.judgments.queries)
    found = bounds(measure, shared.rankings, more=shared.unknown_elsewhere())
    a, b = slice(0, half), slice(half, None)
    low = float(found.low[a].mean() - found.high[b].mean())
    high = float(found.high[a].mean() - found.low[b].mean())
    return low, high, f"{EVERY}, enclosed"


def _probability(
    shared: Shared, measure: Measure, q: float | str, draws: int, seed: int
) -> tuple[float, str]:
    """How often A is better over random completions that both share; a tie is half."""
    rel = measure.given.get("rel", 1)
    model = relevance(shared.rankings, q, rel=rel)
    half, unknown = len(shared.judgments.queries), shared.unknown
    chance = np.zeros(len(unknown))
    chance[shared.rankings.row] = model.at(shared.rankings.ranking, shared.rankings.rank)
    rng = np.random.default_rng(seed)
    better = 0.0
    for _ in range(draws):
        drawn = np.where(rng.random(len(unknown)) < chance, rel, 0)
        grade = np.where(unknown, drawn, shared.judgments.grade)
        values = measure.compute(shared.rankings.relabelled(shared.judgments.with_grades(grade)))
        gap = values[:half].mean() - values[half:].mean()
        better += 1.0 if gap > ROUNDING else 0.5 if gap > -ROUNDING else 0.0
    return better / draws, model.assumption


def to_judge(
    judgments: Judgments, tables: Sequence[Table], measure: Measure, budget: int, *, difference: bool = False
) -> ToJudge:
    """The unjudged documents whose judgment narrows the interval the most, best first.

    Of the runs' means, or of the `difference` of two. The interval of a sum over relevant documents (RBP, P)
    is as wide as the sum of the unknown documents' weights, so their order is that of the weights.
    """
    if budget < 1:
        raise UsageError(f"budget is {budget}, expected a whole number of at least 1")
    if difference and len(tables) != 2:
        raise UsageError(f"{len(tables)} runs, expected two to tell apart")
    shared = Shared.of(judgments, tables)
    weight = shared.weights(measure)
    gain = np.abs(weight[0] - weight[1]) if difference else weight.mean(axis=0)
    candidates = np.flatnonzero(shared.unknown & (gain > 0))
    best = candidates[np.argsort(-gain[candidates], kind="stable")[:budget]]
    query = shared.judgments.query
    return ToJudge(
        Wanted(
            shared.judgments.queries[int(query[row])], shared.judgments.documents[int(row)], float(gain[row])
        )
        for row in best
    )
