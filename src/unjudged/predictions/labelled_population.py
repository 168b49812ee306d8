"""What people judged of the documents that count for some runs: a sample of them, or whole queries."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.errors import InputError
from unjudged.base.segments import Floats, Integers, Mask
from unjudged.base.wording import counted, percent
from unjudged.collection.collection import Collection, collection_of, judged_rankings
from unjudged.evidence.drawn.predictions import Judges, JudgesSource
from unjudged.evidence.intervals.powered import LEAST
from unjudged.measures.kernel.estimand import BY_DOCUMENT, check_use
from unjudged.measures.kernel.measure import Measure
from unjudged.rankings.extension import extended, rows_of
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.runs import Run, RunsSource

POISSON, STRATIFIED, ASSUMED = "Poisson", "stratified", "assumed uniform"
"""Documents drawn one by one, a fixed number per stratum, or unrecorded: as if a fixed number per query."""
NO_RANK = np.iinfo(np.int64).max
FIRST = 10
"""Documents down to this rank must be judged even if nothing is predicted of them."""
_RECOMMENDED = 10
STATE_IT = (
    "Nothing says that these labels were drawn at random: if they were, from all that the runs retrieve, say "
    "so (--set judgments.how=sample, in Python judging.stated_sample)"
)
"""Advice for labels that are scattered over the rankings and record no design."""


@dataclass(frozen=True, eq=False)
class Population:
    """Documents that the judgments list or the runs retrieve, one row each.

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
    def of(cls, qrels: JudgmentsSource | Collection, runs: RunsSource | None = None) -> Population:
        """Match runs with judgments, complete or a sample.

        How likely a document was to be judged is taken as recorded (prels, or a design of this package), else
        it is the judged share of its stratum, or of the query's pool. A document that was judged and has no
        known probability (NA) is left out of the sample, as statAP does.

        Where probabilities are recorded and only judged documents are listed (prels), any other document
        could have been drawn, to the rank that the file says. Otherwise the judgments list all that could.
        """
        collection = collection_of(qrels, runs)
        judgments = collection.judgments
        check_use(judgments, BY_DOCUMENT)
        if problem := judgments.unanswered:
            raise InputError(problem)
        drawn = np.isfinite(judgments.inclusion)
        if not drawn.any():
            raise InputError("no document is judged with a known probability, expected a sample by people")
        listed_only = judgments.probability is not None and bool((judgments.grade >= 0).all())
        stratum, design = _strata(judgments)
        empty = np.bincount(stratum[drawn & (stratum >= 0)], minlength=stratum.max(initial=0) + 1) == 0
        known = judgments.inclusion if judgments.probability is None else judgments.probability
        unreachable = (empty[stratum] & (stratum >= 0)) | (known == 0)
        inclusion = np.where(known > 0, known, 1.0)
        rankings, names = with_retrieved(collection), tuple(collection.runs)
        pool = rankings.judgments
        if pool is judgments:
            return cls(judgments, rankings, names, drawn, inclusion, stratum, unreachable, design)
        row = np.arange(len(judgments.grade)) + (pool.offsets - judgments.offsets)[:-1][judgments.query]

        def carried(values: np.ndarray, new: float) -> np.ndarray:
            column = np.full(len(pool.grade), new, values.dtype)
            column[row] = values
            return column

        deepest = np.inf if judgments.origin.depth is None else judgments.origin.depth
        best = rankings.best_rank(missing=NO_RANK)
        outside = carried(np.zeros(len(judgments.grade), bool), True)
        return cls(
            replace(pool, grade=carried(judgments.grade, -1)),
            rankings,
            names,
            carried(drawn, False),
            carried(inclusion, 1.0),
            carried(stratum, -1),
            carried(unreachable, False) | (outside & (not listed_only or best > deepest)),
            design,
        )

    @property
    def queries(self) -> int:
        return len(self.judgments.queries)

    @property
    def rate(self) -> Floats:
        """Probability of being judged, also of documents that were not drawn.

        That of a stratum is its judged share. Where it is unknown, it counts as the lowest that is known.
        """
        own = (self.stratum >= 0) & (self.design != POISSON)
        sizes, judged = (np.bincount(self.stratum[rows]) for rows in (own, own & self.drawn))
        judged = np.pad(judged, (0, len(sizes) - len(judged)))
        share = judged / np.maximum(sizes, 1)
        unknown = ~self.drawn & (self.inclusion == 1)
        alone = np.where(unknown, self.inclusion[self.drawn].min(initial=1.0), self.inclusion)
        return np.where(own, share[self.stratum] if len(share) else 1.0, alone)

    @property
    def is_sample(self) -> bool:
        """True unless everything that the judgments list is judged, and no design is recorded."""
        return self.design != ASSUMED or bool((self.inclusion[self.drawn] < 1).any())

    def with_predictions(self, predictions: JudgesSource) -> PredictedPopulation:
        """Return the predictions of each judge in the order of the population's rows."""
        judges = Judges.of(predictions)
        return PredictedPopulation(judges, judges.aligned(self.judgments, "the judgments and runs"))

    def totals(self, weight: Floats, gain: Floats) -> Floats:
        """Return runs x queries: the sum of the weights of a ranking's documents times their gains."""
        sums = self.rankings.total(weight * gain[self.rankings.row])
        return sums.reshape(len(self.runs), self.queries)

    def counted(self, weight: Floats) -> Mask:
        """Return the rows that count for any run, given the weights of the documents of the rankings."""
        counted = np.zeros(len(self.drawn), bool)
        counted[self.rankings.row[weight != 0]] = True
        return counted

    def weights(self, weight: Floats, rows: Mask) -> Any:
        """Return what each document weighs in each run's mean, as a sparse matrix of runs x rows.

        `weight` is of the documents of the rankings; those that are not in `rows` weigh nothing.
        """
        from scipy.sparse import csr_array

        own = rows[self.rankings.row]
        run, row = self.rankings.ranking[own] // self.queries, self.rankings.row[own]
        return csr_array((weight[own] / self.queries, (run, row)), shape=(len(self.runs), len(rows)))


class PredictedPopulation(NamedTuple):
    """Judges, and their values for the rows of a population; not a number where there is none."""

    judges: Judges
    values: Floats


def is_sample(judgments: Judgments) -> bool:
    """True for judgments that record a sample, or list documents that are not judged."""
    recorded = judgments.recorded
    return recorded or judgments.origin.sampled or bool((judgments.grade < 0).any())


def with_retrieved(collection: Collection) -> JudgedRankings:
    """Match runs with judgments that have an unjudged row for each further document that they retrieve."""
    runs = {name: Run.read(run) for name, run in collection.runs.items()}
    judgments, tables = collection.judgments, [run.table for run in runs.values()]
    if any((rows_of(judgments, table) < 0).any() for table in tables):
        judgments = extended(judgments, tables)
    return judged_rankings(judgments, runs)


def _strata(judgments: Judgments) -> tuple[Integers, str]:
    """Return the stratum of each row over all queries, -1 for documents drawn one by one, and the design."""
    if judgments.probability is not None and judgments.stratum is None:
        return np.full(len(judgments.grade), -1), POISSON
    own = np.zeros(len(judgments.grade), np.int64) if judgments.stratum is None else judgments.stratum
    names, place = np.unique(own, return_inverse=True)
    _, stratum = np.unique(judgments.query * len(names) + place, return_inverse=True)
    return stratum.astype(np.int64), ASSUMED if judgments.stratum is None else STRATIFIED


class IncompleteError(InputError):
    """People judged too few queries completely."""


@dataclass(frozen=True, eq=False)
class Completeness:
    """Counts by query of the retrieved documents that must be judged for the measure, and that are.

    Those are the documents that a run has down to the measure's cutoff and that have a prediction or are
    among its first ten. What neither people nor predictions label counts as nonrelevant, as a document
    outside the pool does; `unlabelled` counts it.
    """

    measure: Measure
    needed: Integers
    judged: Integers
    unlabelled: int
    labels: int
    """Judgments of people in all."""

    @classmethod
    def of(cls, measure: Measure, rankings: JudgedRankings, predicted: Mask) -> Completeness:
        """Count the rows of rankings whose judgments list every document that they retrieve."""
        judgments = rankings.judgments
        best = rankings.best_rank(missing=NO_RANK)
        seen, judged = best <= measure.given.get("cutoff", inf), judgments.grade >= 0
        needed = seen & (predicted | (best <= FIRST))
        queries = len(judgments.queries)
        wanted, known = (
            np.bincount(judgments.query[rows], minlength=queries) for rows in (needed, needed & judged)
        )
        return cls(measure, wanted, known, int((seen & ~needed & ~judged).sum()), int(judged.sum()))

    @property
    def complete(self) -> Mask:
        """True for queries in which nothing is missing."""
        complete: Mask = self.judged == self.needed
        return complete

    def check(self, least: int = LEAST) -> None:
        """Raise IncompleteError if fewer queries are complete; it says what is judged and what would do."""
        complete = int(self.complete.sum())
        if complete >= least:
            return
        cutoff = self.measure.given.get("cutoff")
        depth = "" if cutoff is None else f" to rank {cutoff:g}"
        needed, judged = int(self.needed.sum()), int(self.judged.sum())
        share = f"{judged} of the {needed} documents that count in {counted(len(self.needed), 'query')}"
        missing = np.sort((self.needed - self.judged)[~self.complete])[: max(_RECOMMENDED - complete, 1)]
        queries = counted(complete + len(missing), "query")
        whole = f"judge {counted(int(missing.sum()), 'more document')}, which completes {queries}"
        drawn = f'unjudged next --design "holes({max(self.labels, 1)})"'
        raise IncompleteError(
            f"{self.measure} needs {least} queries or more that people judged completely{depth}, and there "
            f"{'is' if complete == 1 else 'are'} {complete}: they judged {share} "
            f"({percent(judged / max(needed, 1), 1)}). Either {whole}, or, for P, RBP and DCG, "
            f"let people judge as many documents drawn at random ({drawn}). {STATE_IT}"
        )
