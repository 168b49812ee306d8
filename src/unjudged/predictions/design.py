"""Which documents people should judge, so that their judgments and the predictions tell most together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from unjudged.errors import InputError, UsageError
from unjudged.evaluation import RunsSource, judged_rankings, name_runs
from unjudged.formats.roles import QRELS
from unjudged.judging import sampling
from unjudged.measures.names import MeasureLike
from unjudged.predictions.isotonic import Curve
from unjudged.predictions.source import Predictions, PredictionsSource
from unjudged.predictions.sums import Sum
from unjudged.rankings.extension import chosen_rows, extended, rows_of
from unjudged.rankings.judged import Floats, JudgedRankings, Mask
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource
from unjudged.rankings.runs import Run

FLOOR = 0.01
LEAST_DOUBT = 0.1
"""A model that is sure may be wrong. If its word were taken, documents of great weight would hardly ever be
drawn, and most samples would show far too little of the variance that there is."""
_HALVINGS = 100


@dataclass(frozen=True, eq=False)
class JudgingDesign:
    """Documents for people to judge, drawn one by one with recorded probabilities (a Poisson sample).

    `judgments` list every document that could be drawn, with its `probability`; none of them is judged yet,
    except those that were judged before, whose probability is 1.
    """

    judgments: Judgments
    drawn: Mask
    method: str

    @classmethod
    def restored(cls, judgments: Judgments, seed: int, method: str = "restored") -> JudgingDesign:
        """A design from what was recorded of it: probability and seed decide again what was drawn."""
        if judgments.probability is None:
            raise InputError("these judgments have no recorded probabilities, expected those of a design")
        open_ = judgments.grade < 0
        return cls(judgments, open_ & _chosen(judgments, judgments.probability, seed), method)

    def to_judge(self) -> list[tuple[str, str]]:
        """The (query, document) pairs to judge."""
        rows = np.flatnonzero(self.drawn)
        queries = self.judgments.query[rows].tolist()
        return [
            (self.judgments.queries[q], self.judgments.documents[r])
            for q, r in zip(queries, rows.tolist(), strict=True)
        ]

    def judged(self, qrels: JudgmentsSource) -> Judgments:
        """The design with the grades that people gave; each document that was drawn must have one.

        Grades of documents that were not drawn are left out: nobody knows how likely they were to be judged.
        """
        found = Judgments.of(qrels)
        rows = rows_of(found, Predictions.of(self.judgments).table)
        grade = np.where(rows >= 0, found.grade[rows], UNSAMPLED)
        lacking = self.drawn & (grade < 0)
        if lacking.any():
            row = int(np.argmax(lacking))
            query = self.judgments.queries[int(self.judgments.query[row])]
            example = f"document {self.judgments.documents[row]!r} of query {query!r}"
            problem = (
                f"{int(lacking.sum())} of {int(self.drawn.sum())} documents that were drawn have no grade"
            )
            raise InputError(f"{problem}, such as {example}: the estimate needs all of them")
        return self.judgments.with_grades(np.where(self.drawn, grade, self.judgments.grade).astype(np.int32))

    def __str__(self) -> str:
        return f"{int(self.drawn.sum())} of {len(self.drawn)} documents to judge: {self.method}"


def design_for_predictions(
    runs: RunsSource,
    budget: float,
    predictions: PredictionsSource | None = None,
    measure: MeasureLike = "RBP(p=0.8)",
    *,
    qrels: JudgmentsSource | None = None,
    among: JudgmentsSource | None = None,
    floor: float = FLOOR,
    seed: int = 0,
) -> JudgingDesign:
    """Draw the documents that people should judge.

    A document is drawn with a probability proportional to its mean weight in the runs x sqrt(m (1 - m)),
    where m is the chance that it is relevant: it is worth judging if it counts and if it is in doubt. No
    probability is below `floor`, and about `budget` documents are drawn, decided by their names and the seed.

    m counts as between 0.1 and 0.9, because a model may be sure and wrong. It is the prediction where that is
    a probability, or calibrated on the judged documents of `qrels`, which are not drawn again. With neither,
    every document is equally in doubt. `among` lists the documents that can be judged, a pool for example;
    their grades are not looked at. Queries are those of `qrels`, else of `among`, else of the runs.

    >>> from unjudged import sample
    >>> print(design_for_predictions(sample.runs["dense"], budget=50, measure="P@10", floor=0.05))
    43 of 300 documents to judge: proportional to weight, at least 0.05
    """
    chosen = Sum.of(measure)
    listed = None if among is None else _none_judged(Judgments.of(among))
    pool, rankings = _retrieved(runs, listed if qrels is None else Judgments.of(qrels))
    weight = np.bincount(rankings.row, chosen.weights(rankings.rank), len(pool.grade))
    open_ = (pool.grade < 0) & (weight > 0)
    if listed is not None:
        open_ &= rows_of(listed, Predictions.of(pool).table) >= 0
    chance, method = _chance(predictions, pool, chosen)
    chance = np.clip(chance, LEAST_DOUBT, 1 - LEAST_DOUBT)
    size = np.where(open_, weight * np.sqrt(chance * (1 - chance)), 0.0)
    return drawn_design(
        pool, open_, probabilities(size, open_, budget, floor), seed, f"{method}, at least {floor:g}"
    )


def probabilities(size: Floats, open_: Mask, budget: float, floor: float = 0.0) -> Floats:
    """For the open rows min(1, max(floor, c x size)), with c such that they add up to the budget; else 0."""
    documents = int(open_.sum())
    if not budget > 0:
        raise UsageError(f"budget is {budget:g}, expected a number above 0")
    if not 0 <= floor < 1:
        raise UsageError(f"floor is {floor:g}, expected a probability from 0 to below 1")
    if floor * documents > budget:
        most = budget / documents
        raise UsageError(
            f"a floor of {floor:g} alone draws {floor * documents:.0f} of {documents} documents, "
            f"more than the budget of {budget:g}: choose a floor below {most:.2g}"
        )
    chosen, result = size[open_], np.zeros(len(size))
    if budget >= documents:
        result[open_] = 1.0
        return result
    largest = float(chosen.max(initial=0.0))
    if largest == 0:
        result[open_] = budget / documents
        return result
    low, high = 0.0, 1.0
    while np.clip(high * chosen / largest, floor, 1).sum() < budget and high < 1e300:
        high *= 4
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if np.clip(middle * chosen / largest, floor, 1).sum() < budget:
            low = middle
        else:
            high = middle
        if high - low <= 1e-15 * high:
            break
    result[open_] = np.clip(high * chosen / largest, floor, 1)
    return result


def drawn_design(pool: Judgments, open_: Mask, probability: Floats, seed: int, method: str) -> JudgingDesign:
    """The sample that names and seed decide, over the documents that count or were judged before."""
    frame = (open_ & (probability > 0)) | (pool.grade >= 0)
    drawn = open_ & _chosen(pool, probability, seed)
    recorded = np.where(pool.grade >= 0, 1.0, probability)[frame]
    judgments = replace(
        chosen_rows(replace(pool, stratum=None, probability=None), frame), probability=recorded
    )
    return JudgingDesign(judgments, drawn[frame], method)


def _chosen(pool: Judgments, probability: Floats, seed: int) -> Mask:
    """Which documents are drawn; their names and the seed decide."""
    return sampling.uniforms(sampling.numbers(sampling.identities(pool), seed, "judging")) < probability


def _none_judged(judgments: Judgments) -> Judgments:
    """The same list of documents, with nothing known of them."""
    unknown = np.full(len(judgments.grade), UNSAMPLED, np.int32)
    return replace(judgments, grade=unknown, stratum=None, probability=None)


def _retrieved(runs: RunsSource, known: Judgments | None) -> tuple[Judgments, JudgedRankings]:
    """A pool with every document that the runs retrieve, and their rankings over it."""
    named = {name: Run.of(run) for name, run in name_runs(runs).items()}
    tables = [run.table for run in named.values()]
    if known is None:
        first = _none_judged(Judgments.from_table(replace(tables[0], numbers=tables[0].numbers * 0), QRELS))
        pool = extended(first, tables[1:], new_queries=True)
    else:
        pool = extended(known, tables)
    return pool, judged_rankings(pool, named)


def _chance(predictions: PredictionsSource | None, pool: Judgments, chosen: Sum) -> tuple[Floats, str]:
    """How likely each document is to be relevant, as far as anything is known."""
    half = np.full(len(pool.grade), 0.5)
    if predictions is None:
        return half, "proportional to weight"
    source = Predictions.of(predictions)
    value = source.aligned(pool, "the runs").value
    judged = (pool.grade >= 0) & ~np.isnan(value)
    relevant = pool.grade[judged] >= chosen.rel
    if 0 < relevant.sum() < len(relevant):
        curve = Curve.fitted(value[judged], relevant.astype(float), np.ones(len(relevant)))
        return curve(value), "proportional to weight x doubt by calibrated predictions"
    if source.are_probabilities:
        return np.where(
            np.isnan(value), 0.5, value
        ), "proportional to weight x doubt by predicted probabilities"
    return half, "proportional to weight: the predictions are no probabilities and nothing is judged yet"
