"""Which documents to judge next: those whose judgment narrows the interval most."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from unjudged.base.errors import UsageError
from unjudged.base.segments import sums
from unjudged.base.wording import counted
from unjudged.evaluation.evaluation import RunsSource, name_runs
from unjudged.grids.grid import Column, Grid
from unjudged.grids.shown import Shown
from unjudged.measures.kernel.names import MeasureLike, parse_measures
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.uncertainty.shared import SharedRankings


class Candidate(NamedTuple):
    """A document to judge, and by how much its judgment narrows the interval."""

    query: str
    document: str
    gain: float


class ToJudge(Shown, list[Candidate]):
    """The documents to judge, the one that narrows the interval most first."""

    def grid(self) -> Grid:
        columns = [Column("query", "label"), Column("document", "label"), Column("gain", decimals=6)]
        return Grid(columns, self, f"{counted(len(self), 'document')} to judge")


def to_judge(
    qrels: JudgmentsSource,
    runs: RunsSource,
    budget: int,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    difference: bool = False,
) -> ToJudge:
    """The unjudged documents whose judgment narrows the interval most, best first.

    The interval is that of the runs' means, or of the `difference` of two runs. The measure is RBP or P,
    whose interval is as wide as the sum of the weights of the unjudged documents.

    >>> from unjudged import sample
    >>> to_judge(sample.qrels, sample.runs["dense"], budget=1)[0].query
    'q03'
    """
    (chosen,) = parse_measures(measure)
    judgments, named = Judgments.of(qrels), name_runs(runs)
    if budget < 1:
        raise UsageError(f"budget is {budget}: use a whole number of at least 1")
    if difference and len(named) != 2:
        raise UsageError(f"the difference of {len(named)} runs was asked for: give two")
    shared = SharedRankings.of(judgments, named)
    weights = shared.unknown_weights(chosen)
    sign = np.where(weights.run == 0, 1.0, -1.0) if difference else np.full(len(weights.run), 1 / len(named))
    gain = np.abs(sums(sign * weights.weight, weights.row, weights.rows))
    candidates = np.flatnonzero(gain > 0)
    best = candidates[np.argsort(-gain[candidates], kind="stable")[:budget]]
    return ToJudge(
        Candidate(shared.query(row), shared.document(row), float(gain[row])) for row in best.tolist()
    )
