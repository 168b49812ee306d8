"""Queries that people judged, and further ones of which models predict: estimates from both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from unjudged.base.choices import place_of
from unjudged.base.errors import AssumptionWarning, InputError, UsageError, announce
from unjudged.base.segments import Floats, Integers, Ints, Mask
from unjudged.base.wording import counted, percent
from unjudged.collection.collection import Collection, collection_of, judged_rankings
from unjudged.data.columns import QRELS
from unjudged.data.tables import Ids
from unjudged.evidence.contrast import ALONE, Contrast
from unjudged.evidence.drawn.grades import stacked
from unjudged.evidence.drawn.judges import (
    GRADES,
    Judges,
    JudgesSource,
    Predictions,
    any_predicted,
    weights_text,
)
from unjudged.evidence.powered import LEAST, Powered, prediction_powered
from unjudged.judging.pooling import identities_of, numbers
from unjudged.measures.kernel.measure import Measure
from unjudged.measures.kernel.names import MeasureLike, parse_measure
from unjudged.rankings.extension import extended, rows_of
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments, JudgmentsSource
from unjudged.rankings.runs import Run, RunsSource

__all__ = ["Judges", "Powered", "Predictions", "QueryEvidence", "estimate_by_query", "prediction_powered"]
NO_RANK = np.iinfo(np.int64).max
FIRST = 10
"""Documents down to this rank must be judged even if nothing is predicted of them."""
_RECOMMENDED = 10


def with_retrieved(collection: Collection) -> JudgedRankings:
    """Match runs with judgments that have an unjudged row for each further document that they retrieve."""
    runs = {name: Run.read(run) for name, run in collection.runs.items()}
    judgments, tables = collection.judgments, [run.table for run in runs.values()]
    if any((rows_of(judgments, table) < 0).any() for table in tables):
        judgments = extended(judgments, tables)
    return judged_rankings(judgments, runs)


DRAWN = "holes(50)"
"""The design that is advised: enough for an estimate, and people judge them in an hour."""


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
        return cls(measure, wanted, known, int((seen & ~needed & ~judged).sum()))

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
        share = f"{judged:,} of the {needed:,} documents that count in {counted(len(self.needed), 'query')}"
        missing = np.sort((self.needed - self.judged)[~self.complete])[: max(_RECOMMENDED - complete, 1)]
        queries = counted(complete + len(missing), "query")
        whole = f"Judge {counted(int(missing.sum()), 'more document')}, which completes {queries}"
        raise IncompleteError(
            f"{self.measure} needs {least} queries or more that people judged completely{depth}, and there "
            f"{'is' if complete == 1 else 'are'} {complete}. They judged {share} "
            f"({percent(judged / max(needed, 1), 1)}). {whole}. Or let people judge some drawn at random "
            f'(unjudged next --design "{DRAWN}"). If these labels were '
            "drawn at random, from all that the runs retrieve, say so (--set judgments.how=sample)"
        )


USUAL = ("AP", "nDCG@10", "RBP(p=0.8)")
"""Measures if none are given."""
FOLDS = 10
LEAST_QUERIES = 10
"""Fewest queries judged by people from which weights of judges are learnt."""


@dataclass(frozen=True, eq=False)
class QueryEvidence:
    """Scores of queries that people judged whole, with predicted ones of these and of further queries.

    `human[i, j]` is the score of run i on query j, `predicted[s, i, j]` that by judge s, and `further` has
    those by the judges on the other queries.
    """

    measure: Measure
    systems: Sequence[str]
    queries: Sequence[str]
    human: Floats
    predicted: Floats
    further: Floats
    partly: int
    """Queries that people judged in part: they count by their predictions only."""
    without_predictions: int
    """Queries that people judged and that have no predictions: they are left out."""
    unlabelled: int
    """Retrieved documents that neither people nor predictions label: they count as nonrelevant."""
    judges: Judges
    fold: Integers
    """Fold of each query that people judged, for the weights of several judges."""

    def contrast(self, first: Ints, second: Ints, *, by_query: bool = False) -> Contrast:  # noqa: ARG002
        """Return these contrasts with the predicted ones of several judges combined."""
        sign = self.measure.sign
        human, predicted, further = (
            sign * _gaps(scores, first, second) for scores in (self.human, self.predicted, self.further)
        )
        both = [
            combined_scores(human[k], predicted[:, k], further[:, k], self.fold) for k in range(len(first))
        ]
        return Contrast(
            self.measure,
            self.systems,
            self.queries,
            first,
            second,
            sign * self.human,
            surrogate=(np.stack([one.predicted for one in both]), np.stack([one.further for one in both])),
            facts={"means": np.array([self.powered(run).value for run in self.systems])},
            missing="estimated with predictions for queries that people did not judge",
        )

    def powered(self, a: str, b: str | None = None) -> Powered:
        """Return the mean of run `a`, or its difference to run `b`, before an interval is made of it."""
        human, predicted, further = self._scores(a, b)
        both = combined_scores(human, predicted, further, self.fold)
        return prediction_powered(human, both.predicted, both.further)

    def _scores(self, a: str, b: str | None = None) -> tuple[Floats, Floats, Floats]:
        """Return the scores of run `a`, or how far they are above run `b`'s."""
        first = np.array([place_of("run", a, self.systems)])
        second = np.array([ALONE if b is None else place_of("run", b, self.systems)])
        each = (_gaps(scores, first, second) for scores in (self.human, self.predicted, self.further))
        human, predicted, further = (gaps[..., 0, :] for gaps in each)
        return human, predicted, further

    def notes(self) -> list[str]:
        """Say how the estimates were made and what was missing."""
        judged, more = (counted(scores.shape[-1], "query") for scores in (self.human, self.further))
        weights = [f"{run} {self.powered(run).weight:.3f}" for run in self.systems]
        queries = f"{judged} judged by people, {more} with predictions only"
        notes = [f"{self.measure} by query: {queries}; weight of the predictions: {', '.join(weights)}."]
        if self.partly:
            count = f"{counted(self.partly, 'query')} judged by people in part for {self.measure}"
            notes.append(f"{count}: counted by predictions only.")
        if self.without_predictions:
            count = f"{counted(self.without_predictions, 'query')} judged by people"
            notes.append(f"{count} left out: no predictions.")
        if self.unlabelled:
            what = f"Documents that count for {self.measure} and that neither people nor predictions label"
            notes.append(f"{what}: {self.unlabelled}, counted as nonrelevant.")
        if len(self.judges) > 1:
            each = [(run, combined_scores(*self._scores(run), self.fold)) for run in self.systems]
            weights = [f"{run}: {weights_text(self.judges.weighed(own.weights))}" for run, own in each]
            notes.append(f"Weights of the judges for {self.measure}: {'; '.join(weights)}.")
        return [*notes, *self.judges.notes()]


@dataclass(frozen=True, eq=False)
class JudgedAndPredicted:
    """Runs matched once with human judgments and once with predictions, for any number of measures."""

    runs: tuple[str, ...]
    people: JudgedRankings
    retrieved: JudgedRankings
    """As `people`, with a row for every document that the runs retrieve."""
    judges: Judges
    predicted: Sequence[JudgedRankings]
    """Rankings judged by each judge."""

    @classmethod
    def of(
        cls,
        qrels: JudgmentsSource | Collection,
        runs: RunsSource | None,
        predictions: JudgesSource,
    ) -> JudgedAndPredicted:
        collection, judges = collection_of(qrels, runs), Judges.of(predictions)
        for judge in judges.all:
            _check_queries(collection.judgments.queries, judge.table.queries)
        collection = collection.loaded()
        pools = (replace(judge.table, numbers=judge.table.numbers * 0) for judge in judges.all)
        return cls(
            tuple(collection.runs),
            collection.rankings,
            with_retrieved(collection),
            judges,
            [judged_rankings(Judgments.from_table(pool, QRELS), collection.runs) for pool in pools],
        )

    def estimate(self, measure: Measure, threshold: float | None = None) -> QueryEvidence:
        """Estimate by one measure; refuse judgments that are complete for too few queries."""
        measure.check_mean()
        shared = self._shared_queries()
        place = {query: j for j, query in enumerate(shared)}
        names = self.people.judgments.queries.tolist()
        theirs = np.array([place.get(query, -1) for query in names])
        known = any_predicted(self.judges.aligned(self.retrieved.judgments))
        completeness = Completeness.of(measure, self.retrieved, known)
        completeness.check()
        ours = np.flatnonzero(completeness.complete & (theirs >= 0))
        if len(ours) < LEAST:
            raise InputError(
                f"{counted(len(ours), 'query')} that people judged completely for {measure} "
                f"{'has' if len(ours) == 1 else 'have'} predictions, expected {LEAST} or more"
            )
        queries = self.people.judgments.pooled.query_names()
        human = measure.compute(self.people).reshape(len(self.runs), -1)
        by_judge = np.stack([self._predicted(s, measure, threshold, shared) for s in range(len(self.judges))])
        return QueryEvidence(
            measure,
            self.runs,
            [queries[j] for j in ours],
            human[:, ours],
            by_judge[..., theirs[ours]],
            np.delete(by_judge, theirs[ours], axis=2),
            int((~completeness.complete & (theirs >= 0)).sum()),
            int((theirs < 0).sum()),
            completeness.unlabelled,
            self.judges,
            folds_of_queries([names[j] for j in ours]),
        )

    def _shared_queries(self) -> list[bytes]:
        """Return the queries for which every judge has predictions."""
        first, *others = (rankings.judgments.queries.tolist() for rankings in self.predicted)
        shared = set(first).intersection(*others)
        return [query for query in first if query in shared]

    def _predicted(
        self, judge: int, measure: Measure, threshold: float | None, queries: Sequence[bytes]
    ) -> Floats:
        """Return what the runs score by one judge on these queries."""
        rankings = self.predicted[judge]
        label = self.judges.all[judge].hard(threshold, int(measure.given.get("rel", 1)))
        relabelled = rankings.relabelled(rankings.judgments.with_grades(label.astype(np.int32)))
        place = {query: j for j, query in enumerate(rankings.judgments.queries.tolist())}
        scores: Floats = measure.compute(relabelled).reshape(len(self.runs), -1)
        return scores[:, [place[query] for query in queries]]


def query_evidence(
    collection: Collection, measures: Any, threshold: float | None
) -> tuple[list[QueryEvidence], list[str]]:
    """Return the evidence by each measure, and notes; a measure that has none is left out aloud."""
    chosen, judges = collection.measures(measures, lambda: USUAL), Judges.of(collection.predictions)
    if collection.judgments.scale is not None:
        _check_fractions(chosen, judges)
    matched, found = JudgedAndPredicted.of(collection, None, judges), list[QueryEvidence]()
    refused: dict[Measure, UsageError] = {}
    for measure in chosen:
        try:
            found.append(matched.estimate(measure, threshold))
        except UsageError as error:
            refused[measure] = error
    if not found:
        raise next(iter(refused.values()))
    announce(AssumptionWarning(f"{measure} is left out: {error}.") for measure, error in refused.items())
    return found, list(dict.fromkeys(note for one in found for note in one.notes()))


def _check_fractions(measures: Sequence[Measure], judges: Judges) -> None:
    """Refuse what fractional grades of people cannot be compared with: predicted whole grades."""
    if any(predictions.kind == GRADES for predictions in judges.all):
        problem = "people gave fractional grades, and the predictions are whole grades of another scale"
        raise UsageError(f"{problem}: give probabilities or scores (--set predictions.kind=scores)")
    graded = [m for m in measures if m.traits.gain is not None and "rel" not in m.given]
    if graded:
        problem = f"{graded[0]} by query needs a predicted gain, and these are probabilities or scores"
        raise UsageError(f"{problem}: use a measure with rel, such as AP(rel=0.5), or judge a sample")


class CombinedScores(NamedTuple):
    """Scores of the queries that people judged and of the further ones, by all judges together."""

    predicted: Floats
    further: Floats
    weights: Floats
    """Mean over folds of each judge's weight; they add up to 1."""


def combined_scores(human: Floats, predicted: Floats, further: Floats, fold: Integers) -> CombinedScores:
    """Combine what judges score, judges x queries, to what follows the scores by people best.

    The weights of a fold's queries come from the other folds, by least squares around the means; further
    queries have the mean of the folds' weights, each by its queries. With too few queries to tell, all judges
    weigh the same.
    """
    judges, queries = predicted.shape
    if judges == 1:
        return CombinedScores(predicted[0], further[0], np.ones(1))
    folds = int(fold.max(initial=0)) + 1 if queries >= LEAST_QUERIES else 1
    weights = np.full((judges, folds), 1 / judges)
    of = fold if folds > 1 else np.zeros(queries, np.int64)
    for k in range(folds if folds > 1 else 0):
        rows = of != k
        centred = predicted - predicted[:, rows].mean(axis=1, keepdims=True)
        found = stacked(centred[:, rows], (human - human[rows].mean())[rows], np.ones(int(rows.sum())))
        weights[:, k] = found / found.sum()
    mean = weights[:, of].mean(axis=1)
    return CombinedScores((weights[:, of] * predicted).sum(axis=0), mean @ further, mean)


def folds_of_queries(queries: Sequence[bytes], folds: int = FOLDS) -> Integers:
    """Return a fold for each query, by its name; folds differ in size by one query at most."""
    number = numbers(identities_of(list(queries)), "fold")
    place = np.empty(len(number), np.int64)
    place[np.argsort(number, kind="stable")] = np.arange(len(number)) % folds
    return place


def _gaps(scores: Floats, first: Ints, second: Ints) -> Floats:
    """Return the scores of the first systems, or how far they are above the second ones."""
    own = scores[..., first, :]
    return own if int(second[0]) == ALONE else own - scores[..., second, :]


def _check_queries(judged: Ids, predicted: Ids) -> None:
    """Refuse predictions that have no query in common with the judgments, or none besides."""
    both = set(judged.tolist()) & set(predicted.tolist())
    if not both:
        example = f"{predicted[0]!r} in the predictions, {judged[0]!r} in the judgments"
        raise InputError(f"no query that people judged has predictions: for example {example}")
    if len(both) == len(predicted):
        problem = "every query with predictions is judged by people, so they add nothing"
        raise InputError(f"{problem}: expected further queries")


def estimate_by_query(
    qrels: JudgmentsSource,
    runs: RunsSource,
    predictions: JudgesSource,
    measure: MeasureLike = "AP",
    *,
    threshold: float | None = None,
) -> QueryEvidence:
    """Estimate the runs' means of any measure over all queries that have predictions.

    `qrels` are the human judgments. A query counts as judged if every document that the runs have down to the
    measure's cutoff and that has a prediction is judged, and the first ten of each run whether or not they
    have one. `predictions` are of these and further queries: grades, or scores that are relevant from
    `threshold` on (probabilities: 0.5). Several judges are combined to what follows the people's scores best.
    """
    chosen, collection = parse_measure(measure), collection_of(qrels, runs)
    Judgments.whole(collection.judgments)
    return JudgedAndPredicted.of(collection, None, predictions).estimate(chosen, threshold)
