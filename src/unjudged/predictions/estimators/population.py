"""Every document that counts for some runs, with how it came to be judged by people."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unjudged.base.errors import InputError
from unjudged.evaluation.evaluation import RunsSource, judged_rankings, name_runs
from unjudged.predictions.judging_design import check_judged
from unjudged.rankings.extension import extended, rows_of
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.origin import CHOSEN, UNKNOWN
from unjudged.rankings.runs import Run

POISSON, STRATIFIED, ASSUMED = "Poisson", "stratified", "assumed uniform"
"""Documents drawn one by one, a fixed number per stratum, or nobody says: then a fixed number per query."""


@dataclass(frozen=True, eq=False)
class Population:
    """The documents that the judgments list or the runs retrieve, one row each.

    `drawn` are those that people judged and whose probability of being judged is known. `inclusion` is that
    probability, also of documents that were not drawn if it is recorded, else 1. Where the sample is
    stratified, `stratum` numbers the strata of all queries; it is -1 for the documents of none. `unreachable`
    are documents that people could not have judged: nothing corrects what is predicted of them.
    """

    judgments: Judgments
    rankings: JudgedRankings
    runs: tuple[str, ...]
    drawn: Mask
    inclusion: Floats
    stratum: Integers
    unreachable: Mask
    design: str

    @classmethod
    def of(cls, qrels: JudgmentsSource, runs: RunsSource) -> Population:
        """From judgments, complete or a sample, and runs.

        How likely a document was to be judged is taken as recorded (prels, or a design of this package), else
        it is the judged share of its stratum, or of the query's pool. A document that was judged and has no
        known probability (NA) is left out of the sample, as statAP does.

        Where probabilities are recorded and only judged documents are listed (prels), any other document
        could have been drawn, to the rank that the file says. Otherwise the judgments list all that could.
        """
        judgments = Judgments.of(qrels)
        if judgments.origin.kind in (CHOSEN, UNKNOWN):
            problem = "these judgments were chosen for what they show, and the estimate needs a random sample"
            other = "or merge the one you drew with --format prels"
            raise InputError(f"{problem}: draw one (unjudged sample --for predictions), {other}")
        check_judged(judgments)
        named = {name: Run.of(run) for name, run in name_runs(runs).items()}
        drawn = np.isfinite(judgments.inclusion)
        if not drawn.any():
            raise InputError("no document is judged with a known probability, expected a sample by people")
        listed_only = judgments.probability is not None and bool((judgments.grade >= 0).all())
        stratum, design = _strata(judgments)
        empty = np.bincount(stratum[drawn & (stratum >= 0)], minlength=stratum.max(initial=0) + 1) == 0
        known = judgments.inclusion if judgments.probability is None else judgments.probability
        unreachable = (empty[stratum] & (stratum >= 0)) | (known == 0)
        inclusion = np.where(known > 0, known, 1.0)
        tables = [run.table for run in named.values()]
        if not any((rows_of(judgments, table) < 0).any() for table in tables):
            rankings = judged_rankings(judgments, named)
            return cls(judgments, rankings, tuple(named), drawn, inclusion, stratum, unreachable, design)
        pool = extended(judgments, tables)
        row = np.arange(len(judgments.grade)) + (pool.offsets - judgments.offsets)[:-1][judgments.query]

        def carried(values: np.ndarray, new: float) -> np.ndarray:
            column = np.full(len(pool.grade), new, values.dtype)
            column[row] = values
            return column

        rankings = judged_rankings(pool, named)
        deepest = np.inf if judgments.origin.depth is None else judgments.origin.depth
        best = np.full(len(pool.grade), np.inf)
        np.minimum.at(best, rankings.row, rankings.rank)
        outside = carried(np.zeros(len(judgments.grade), bool), True)
        return cls(
            replace(pool, grade=carried(judgments.grade, -1)),
            rankings,
            tuple(named),
            carried(drawn, False),
            carried(inclusion, 1.0),
            carried(stratum, -1),
            carried(unreachable, False) | (outside & (not listed_only or best > deepest)),
            design,
        )

    @property
    def queries(self) -> int:
        return len(self.judgments.queries)

    def weights(self, weight: Floats) -> Floats:
        """Runs x rows: the weight that each document has in each run's mean; `weight` is of the rankings."""
        result = np.zeros((len(self.runs), len(self.judgments.grade)))
        result[self.rankings.ranking // self.queries, self.rankings.row] = weight / self.queries
        return result


def _strata(judgments: Judgments) -> tuple[Integers, str]:
    """The stratum of each row, over all queries; -1 where the documents were drawn one by one."""
    if judgments.probability is not None and judgments.stratum is None:
        return np.full(len(judgments.grade), -1), POISSON
    own = np.zeros(len(judgments.grade), np.int64) if judgments.stratum is None else judgments.stratum
    names, place = np.unique(own, return_inverse=True)
    _, stratum = np.unique(judgments.query * len(names) + place, return_inverse=True)
    return stratum.astype(np.int64), ASSUMED if judgments.stratum is None else STRATIFIED
