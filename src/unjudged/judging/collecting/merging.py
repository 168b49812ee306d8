"""The answers of assessors, merged with the sample that they judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.grids.grid import Column, Grid
from unjudged.grids.shown import Shown
from unjudged.judging.collecting.agreement_of_judges import agreement_grid, agreements, agreements_by_topic
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.rankings.judgments import UNSAMPLED, Judgments, JudgmentsSource

Document = tuple[str, str]
"""A query and a document."""

RULES: dict[str, Callable[[Sequence[int]], int]] = {
    "first": lambda grades: grades[0],
    "last": lambda grades: grades[-1],
    "highest": max,
}
"""How a document with several grades gets one; the order is that of the files."""

NAMED = 5
"""How many documents a sentence names."""


@dataclass(frozen=True, eq=False, repr=False)
class Merged(Shown):
    """The judgments, and all that was odd about the answers.

    `answers` has the grade of each judge for every drawn document that somebody judged. `missing` were drawn
    and nobody judged them, `undrawn` are pooled but were not drawn, `foreign` are not in the pool; the last
    two are left out of the judgments. `conflicts` are documents with several different grades.
    """

    judgments: Judgments
    answers: Mapping[Document, Mapping[str, int]]
    missing: Sequence[Document]
    undrawn: Sequence[Document]
    foreign: Sequence[Document]
    conflicts: Sequence[Document]
    scaled: bool

    @property
    def twice(self) -> list[Document]:
        """The documents that several judges judged."""
        return [document for document, given in self.answers.items() if len(given) > 1]

    def notes(self) -> list[str]:
        """What must be known of the answers, in sentences."""
        parts = {
            "drawn but not judged": self.missing,
            "judged but not drawn, left out": self.undrawn,
            "judged but not in the pool, left out": self.foreign,
            "judged with different grades": self.conflicts,
        }
        found = [
            f"{counted(len(rows), 'document')} {what}: {_listed(rows)}."
            for what, rows in parts.items()
            if rows
        ]
        if self.scaled:
            found.append("Probabilities were scaled to the judged share of the drawn documents per stratum.")
        return found

    def grid(self) -> Grid:
        counts = {
            "judged": len(self.answers),
            "missing": len(self.missing),
            "judged twice": len(self.twice),
            "conflicts": len(self.conflicts),
            "undrawn": len(self.undrawn),
            "foreign": len(self.foreign),
        }
        columns = [Column(name, "integer") for name in counts]
        return Grid(columns, [list(counts.values())], "Merged", self.notes())

    def grids(self, rel: int = 1) -> list[Grid]:
        """The counts, the conflicts, and the agreement of judges, in all and by topic."""
        made = [self.grid()]
        if self.conflicts:
            columns = [Column("query", "label"), Column("document", "label"), Column("grades", "text")]
            rows = [
                [*d, ", ".join(f"{who}: {g}" for who, g in self.answers[d].items())] for d in self.conflicts
            ]
            made.append(Grid(columns, rows, "Conflicts"))
        if self.twice:
            several = agreements(list(self.answers.values()), rel)
            made.append(agreement_grid(several, "Agreement of judges"))
            by_topic = agreements_by_topic(self.answers, rel)
            made.append(agreement_grid(by_topic, "Agreement by topic (Fleiss' kappa)", "query"))
        return made


def merge(
    sample: DrawnSample,
    files: Mapping[str, JudgmentsSource],
    *,
    conflicts: str = "error",
    allow_missing: bool = False,
) -> Merged:
    """Merge the answers of judges, by name, with the sample that they judged.

    A negative grade is no answer. Different grades for one document are an error, unless `conflicts` says
    which counts: the 'first', the 'last' or the 'highest'. With `allow_missing`, documents without an answer
    stay unjudged, and the others of their stratum stand for them: right if answers are missing at random.

    >>> from unjudged import Pool
    >>> from unjudged.judging.collecting.drawn_sample import draw
    >>> drawn = draw(Pool.of({"q": {"a": -1, "b": -1}}), "random", 1.0)
    >>> merge(drawn, {"ann": {"q": {"a": 1, "b": 0}}, "bob": {"q": {"a": 1}}}).judgments
    Judgments(1 query, 2 judged documents, 1 relevant, 0 pooled but not judged)
    """
    if conflicts != "error" and conflicts not in RULES:
        raise UsageError(f"conflicts is {conflicts!r}, expected error, {', '.join(RULES)}")
    place = _places(sample)
    answers: dict[Document, dict[str, int]] = {}
    undrawn: dict[Document, None] = {}
    foreign: dict[Document, None] = {}
    for name, source in files.items():
        for document, grade in _answers(source):
            row = place.get(document, -1)
            if row < 0:
                foreign[document] = None
            elif not sample.drawn[row]:
                undrawn[document] = None
            else:
                answers.setdefault(document, {})[name] = grade
    split = [document for document, given in answers.items() if len(set(given.values())) > 1]
    if split and conflicts == "error":
        shown = shortlist([f"{q} {d} ({_grades(answers[q, d])})" for q, d in split], NAMED)
        remedy = "settle them in the files, or choose --conflicts first, last or highest"
        raise InputError(f"{counted(len(split), 'document')} judged with different grades: {shown}: {remedy}")
    grades = np.full(len(sample.drawn), UNSAMPLED, np.int32)
    for document, given in answers.items():
        grades[place[document]] = RULES.get(conflicts, RULES["first"])(list(given.values()))
    missing = [document for document, row in place.items() if sample.drawn[row] and grades[row] < 0]
    if missing and not allow_missing:
        remedy = "merge again when they are, or allow missing answers (--allow-missing)"
        raise InputError(
            f"{counted(len(missing), 'document')} drawn but not judged: {_listed(missing)}: {remedy}"
        )
    judgments, scaled = _scaled(sample, sample.judgments(grades))
    ordered = {document: answers[document] for document in place if document in answers}
    return Merged(judgments, ordered, missing, list(undrawn), list(foreign), split, scaled)


def _places(sample: DrawnSample) -> dict[Document, int]:
    """The row of each pooled document."""
    queries = list(sample.pooled.queries)
    documents = zip(sample.pooled.query.tolist(), sample.pooled.documents, strict=True)
    return {(queries[q], document): row for row, (q, document) in enumerate(documents)}


def _answers(source: JudgmentsSource) -> list[tuple[Document, int]]:
    """The judged documents of one judge; a document listed twice is refused where it is read."""
    given = Judgments.of(source)
    queries = list(given.queries)
    rows = zip(given.query.tolist(), given.documents, given.grade.tolist(), strict=True)
    return [((queries[q], document), grade) for q, document, grade in rows if grade >= 0]


def _scaled(sample: DrawnSample, judgments: Judgments) -> tuple[Judgments, bool]:
    """Probabilities of drawn documents times the judged share of their query's stratum."""
    judged = judgments.grade >= 0
    if judgments.probability is None or (judged == sample.drawn).all():
        return judgments, False
    cell = judgments.query * (int(sample.stratum.max(initial=0)) + 1) + sample.stratum
    drawn, answered = (np.bincount(cell[rows], minlength=cell.max() + 1) for rows in (sample.drawn, judged))
    share = answered[cell] / np.maximum(drawn[cell], 1)
    return replace(judgments, probability=judgments.probability * share), True


def _listed(documents: Sequence[Document]) -> str:
    return shortlist([f"{query} {document}" for query, document in documents], NAMED)


def _grades(given: Mapping[str, int]) -> str:
    return ", ".join(f"{name}: {grade}" for name, grade in given.items())
