"""Documents drawn for people to judge: which, with what probability, and the file that records it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

import numpy as np

from unjudged.base.errors import InputError
from unjudged.base.wording import counted
from unjudged.formats.writing import qrels_text
from unjudged.grids.grid import Cell, Column, Grid
from unjudged.grids.shown import Shown
from unjudged.judging.collecting.design_file import read_design
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.judging.pooling import sampling
from unjudged.predictions.combining import DRAWN, Combined, combine
from unjudged.rankings.extension import chosen_rows, rows_of, table_of
from unjudged.rankings.hashing import unit
from unjudged.rankings.judged import Floats, Mask
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource
from unjudged.rankings.origin import WEIGHTED, Origin

POISSON = "predictions"
"""The name of these designs in a design file: documents drawn one by one, without strata."""


@dataclass(frozen=True, eq=False, repr=False)
class JudgingDesign(Shown):
    """Documents for people to judge, drawn one by one with recorded probabilities (a Poisson sample).

    `judgments` list every document that could be drawn, with its `probability`. The grade is -2 for documents
    that were drawn and wait for their judgment, and -1 for those that were not drawn. Documents that were
    judged before keep their grades and have probability 1.
    """

    judgments: Judgments
    method: str

    @classmethod
    def of(cls, file: str | os.PathLike[str]) -> JudgingDesign:
        """From a file that records a design; documents that were judged before wait for their grades too."""
        found = read_design(file)
        if found.chosen:
            raise InputError(
                "the documents were chosen for what they show: no random sample", source=str(file)
            )
        grade = np.where(found.drawn, DRAWN, UNSAMPLED).astype(np.int32)
        stratum = None if found.design == POISSON else found.stratum
        judgments = Judgments(found.pooled, grade, stratum, found.probability, found.origin)
        return cls(judgments, found.design)

    @classmethod
    def drawn_from(
        cls,
        pool: Judgments,
        open_: Mask,
        probability: Floats,
        seed: int,
        method: str,
        *,
        drawn_to: int | None = None,
    ) -> JudgingDesign:
        """The sample that names and seed decide, over the documents that count or were judged before.

        `drawn_to` is the rank below which no document counts.
        """
        frame = (open_ & (probability > 0)) | (pool.grade >= 0)
        number = unit(sampling.numbers(sampling.identities(pool), seed, "judging"))
        grade = np.where(open_ & (number < probability), DRAWN, np.maximum(pool.grade, UNSAMPLED))
        recorded = np.where(pool.grade >= 0, 1.0, probability)[frame]
        origin = Origin(WEIGHTED, drawn_to)
        plain = replace(pool, grade=grade.astype(np.int32), stratum=None, probability=None, origin=origin)
        return cls(replace(chosen_rows(plain, frame), probability=recorded), method)

    @property
    def drawn(self) -> Mask:
        """The rows that wait for a judgment."""
        drawn: Mask = self.judgments.grade == DRAWN
        return drawn

    def to_judge(self) -> list[tuple[str, str]]:
        """The (query, document) pairs to judge."""
        return _names(self.judgments, self.drawn)

    def answered(self, answers: JudgmentsSource) -> Combined:
        """The design with answers so far, and how many documents were judged though they were not drawn."""
        return combine(self.judgments, answers)

    def judged(self, qrels: JudgmentsSource) -> Judgments:
        """The design with the grades that people gave; each document that was drawn must have one.

        Grades of documents that were not drawn are left out: nobody knows how likely they were to be judged.
        """
        found = Judgments.of(qrels)
        rows = rows_of(found, table_of(self.judgments))
        grade = np.where(rows >= 0, found.grade[rows], UNSAMPLED)
        complete = self.judgments.with_grades(
            np.where(self.drawn & (grade >= 0), grade, self.judgments.grade).astype(np.int32)
        )
        check_judged(complete)
        return complete

    @property
    def probability(self) -> Floats:
        """The probability with which each row was drawn."""
        return np.zeros(0) if self.judgments.probability is None else self.judgments.probability

    def as_drawn(self, seed: int = 0, made_by: str = "") -> DrawnSample:
        """The design as it is recorded in a file; what was judged before was handed out earlier."""
        judged = self.judgments.grade >= 0
        one = np.ones(len(judged), np.int32)
        pooled, drawn = self.judgments.pooled, self.drawn | judged
        columns = pooled, drawn, one, self.probability, judged
        return DrawnSample(*columns, POISSON, self.judgments.origin, seed, made_by)

    def task(self) -> str:
        """What people are given: qrels with -1 for each document to judge, sorted by name."""
        rows = [(query, document, UNSAMPLED) for query, document in sorted(self.to_judge())]
        return qrels_text(rows, [f"{counted(len(rows), 'document')} to judge: replace each -1 by a grade."])

    def grid(self) -> Grid:
        known, open_ = self.judgments.grade >= 0, self.judgments.grade < 0
        columns = [Column("to judge", "integer"), Column("that could be drawn", "integer")]
        columns += [Column("judged before", "integer"), Column("lowest probability"), Column("highest")]
        odds = self.probability[open_]
        ends: tuple[Cell, Cell] = (float(odds.min()), float(odds.max())) if len(odds) else (None, None)
        counts = [int(self.drawn.sum()), int(open_.sum()), int(known.sum())]
        return Grid(columns, [[*counts, *ends]], notes=[f"Drawn {self.method}."])


def check_judged(judgments: Judgments) -> None:
    """Refuse a design in which documents that were drawn still wait for their judgments."""
    waiting = judgments.grade == DRAWN
    if judgments.probability is None or not waiting.any():
        return
    query, document = _names(judgments, waiting)[0]
    several = "1 drawn document is" if waiting.sum() == 1 else f"{waiting.sum()} drawn documents are"
    example = f"document {document!r} of query {query!r}"
    raise InputError(f"{several} not judged yet, such as {example}: the estimate needs all of them")


def _names(judgments: Judgments, rows: Mask) -> list[tuple[str, str]]:
    chosen = np.flatnonzero(rows)
    queries = judgments.query[chosen].tolist()
    return [
        (judgments.queries[q], judgments.documents[r]) for q, r in zip(queries, chosen.tolist(), strict=True)
    ]
