"""Judgments of several people as one: answers to a drawn sample, or further judgments of a pool."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import Choices, Conflicts
from unjudged.base.errors import InputError, UsageError
from unjudged.base.segments import Integers
from unjudged.base.wording import counted, shortlist
from unjudged.collection.collection import united
from unjudged.collection.description import MODEL, PEOPLE, Description, description_above
from unjudged.collection.description_keys import in_toml, with_table
from unjudged.data.streams import display_name, opened
from unjudged.data.writing import write_whole
from unjudged.rankings.extension import extended, rows_of
from unjudged.rankings.judgments import (
    CANNOT_JUDGE,
    UNSAMPLED,
    Judgments,
    JudgmentsSource,
    answers_in,
)
from unjudged.rankings.origin import A_POOL, CHOSEN, UNIFORM, UNKNOWN, Origin
from unjudged.rankings.sample_file import answered, sample_text
from unjudged.results.fields import Row
from unjudged.results.result import Result

BEFORE = "before"
"""In place of a judge: the grades that documents had."""
NAMED = 5
"""A sentence names this many documents."""

Grades = NDArray[np.int32]


@dataclass(frozen=True, eq=False, repr=False)
class Merged(Result):
    """The judgments of all, and what was odd: rows `merged`, one with counts, and `conflicts`."""

    judgments: Judgments = None  # type: ignore[assignment]

    def text(self, comments: Sequence[str] = ()) -> str:
        """Return the judgments as a file: qrels, or a sample with all that records how it was drawn."""
        if self.judgments.recorded:
            return sample_text(self.judgments, comments)
        return self.judgments.text(comments)


def _undecided(given: Grades) -> Grades:
    """Leave every document undecided."""
    return np.full(given.shape[1], UNSAMPLED, np.int32)


def _majority(given: Grades) -> Grades:
    """Take the most frequent grade; undecided where two are equally frequent."""
    best = _undecided(given)
    most = np.zeros(len(best), np.int64)
    for grade in np.unique(given[given >= 0]).tolist():
        votes = (given == grade).sum(axis=0)
        best = np.where(votes > most, grade, np.where((votes == most) & (votes > 0), UNSAMPLED, best))
        most = np.maximum(most, votes)
    return best.astype(np.int32)


def _highest(given: Grades) -> Grades:
    """Take the highest grade that a judge gave."""
    found: Grades = given.max(axis=0)
    return found


def _last(given: Grades) -> Grades:
    """Take the grade of the last judge who gave one."""
    judged = np.argmax(given[::-1] >= 0, axis=0)
    found: Grades = np.take_along_axis(given[::-1], judged[None], axis=0)[0]
    return found


RULES: Choices[Callable[[Grades], Grades]] = Choices(
    "conflicts", error=_undecided, majority=_majority, highest=_highest, last=_last
)
"""From grades of judges x documents, in the order of the files, to one for each document; -1 is undecided."""


def merge(
    first: JudgmentsSource,
    answers: Mapping[str, JudgmentsSource],
    *,
    conflicts: Conflicts = "error",
    name: str = BEFORE,
) -> Merged:
    """Merge the answers of judges, by name, with the sample that they judged, or with earlier judgments.

    Grade -2 is the answer "cannot judge": the document stays unjudged unless another judge gives it a grade.
    Every other negative grade means that there is no answer. Different grades for one document are an error,
    unless the rule `conflicts` says which counts: the grade of the 'majority', the 'highest' or the 'last'.
    The earlier judgments come first, and messages call them by `name`. An export of the judging page that was
    cut is refused.

    A sample takes answers to the documents that were drawn, and waits for those that are missing: merge it
    again when they are there. Where documents are drawn one after another, batches may come in any order.

    Earlier judgments keep their documents and get the documents of the answers. If they are a sample with
    recorded strata or probabilities, the answers may not have other documents. A sample with further
    judgments, which were not drawn, is a sample no more: the result has the origin 'unknown', or 'chosen'
    where answers were.

    >>> found = merge({"q": {"a": 1, "b": 0}}, {"cy": {"q": {"b": 2, "c": 1}}}, conflicts="last")
    >>> found.judgments, found.rows["conflicts"][0]["grades"]
    (Judgments(1 query, 3 judged documents, 3 relevant, 0 pooled but not judged), 'before: 0, cy: 2')
    """
    rule = RULES.find(conflicts)
    if not isinstance(answers, Mapping):
        raise UsageError("expected the answers of each judge by name, as {'ann': 'ann.qrels'}")
    files = {name: _answers_of(source) for name, source in answers.items()}
    before = Judgments.whole(first)
    is_sample = before.drawn is not None or before.frame is not None
    pool = before if is_sample else _with_documents(before, [*files.values()])
    table = [answers_in(pool.grade)]
    undrawn: dict[tuple[str, str], None] = {}
    for file in files.values():
        given, left_out = _matched(pool, file)
        table.append(given)
        undrawn.update(dict.fromkeys(left_out))
    found = _Answers(pool, [name, *files], np.stack(table))
    grade = found.settled(rule)
    if is_sample:
        judgments, note = answered(replace(pool, grade=grade)), ""
    else:
        judgments, note = _added(pool, grade, files.values())
    drawn = judgments.drawn
    waiting = [] if drawn is None else pool.pooled.names(np.flatnonzero(drawn & judgments.waiting))
    unable = pool.pooled.names(np.flatnonzero(grade == CANNOT_JUDGE))
    odd = {
        'answered "cannot judge", which stay unjudged': unable,
        "drawn and not judged yet, for which estimates wait": waiting,
        "judged but not drawn, left out": list(undrawn),
    }
    answered_at_all = any((~file.waiting).any() for file in files.values())
    notes = found.notes(conflicts)
    if files and not answered_at_all:
        notes.insert(0, "Nothing in the answers is judged: every grade is -1.")
    notes += [
        f"{counted(len(rows), 'document')} {what}: {_listed(rows)}." for what, rows in odd.items() if rows
    ]
    counts = {
        "graded": int((found.given >= 0).any(axis=0).sum()),
        "cannot_judge": len(unable),
        "missing": len(waiting),
        "judged_twice": found.twice,
        "conflicts": len(found.differing),
        "undrawn": len(undrawn),
    }
    rows: dict[str, list[Row]] = {"merged": [counts], "conflicts": found.conflicts()}
    return Merged(rows, [*notes, note] if note else notes, judgments=judgments)


def entered(judgments: Judgments, file: str | os.PathLike[str]) -> str | None:
    """Enter a file of judgments in the description of its folder; return the description's name.

    That is done where the file has more than people judged there, with the same grades, and once. A sample
    that goes on with the one of the description takes its place. Other files are of another collection, or
    correct that one: they are not entered, and nothing is returned.
    """
    folder = os.path.dirname(file) or os.curdir
    described = description_above(folder)
    people = [] if described is None else [one for one in described.judgments if one.by != MODEL]
    if described is None or not people:
        return None
    name = described.place.file
    if any(os.path.exists(one.file) and os.path.samefile(one.file, file) for one in people):
        return name
    known, _ = united(people)
    if known is None or known.scale is not None or not _has_all(judgments, known):
        return None
    more = (judgments.grade >= 0).sum() > (known.grade >= 0).sum()
    if not (more or judgments.recorded):
        return None
    text = Path(name).read_bytes().decode()
    home = os.path.dirname(os.path.realpath(name))
    own = os.path.relpath(os.path.realpath(file), home)
    if judgments.recorded and known.recorded:
        earlier = next(str(one.file) for one in people if Judgments.whole(one.file).recorded)
        whole = _renamed(text, os.path.relpath(os.path.realpath(earlier), home), own)
        wanted, problem = len(described.judgments), f"it names {earlier} in another way: write to that file"
    else:
        whole = with_table(text, "judgments", {"file": own, "by": PEOPLE})
        wanted = len(described.judgments) + 1
        problem = "its judgments are not [[judgments]] tables: write them so"
    try:
        now = len(Description.of_text(whole, name).judgments)
    except InputError:  # a list in one line takes no further tables
        now = 0
    if now != wanted or whole == text:
        raise InputError(problem, source=display_name(name))
    write_whole(name, whole)
    return name


def _renamed(text: str, old: str, new: str) -> str:
    """Return a description in which a file has another name."""
    return re.sub(
        rf"""(?m)^(\s*file\s*=\s*)(["']){re.escape(old)}\2""",
        lambda found: found[1] + in_toml(new),
        text,
    )


def _has_all(judgments: Judgments, known: Judgments) -> bool:
    """Whether judgments have every document that is judged in others, with the same grade."""
    judged = known.grade >= 0
    row = rows_of(judgments, known.as_table())[judged]
    return bool((row >= 0).all() and (judgments.grade[row] == known.grade[judged]).all())


def _matched(pool: Judgments, file: Judgments) -> tuple[Grades, list[tuple[str, str]]]:
    """Return the answer of a judge for each row of the pool, and the documents that nobody asked about."""
    given = np.full(len(pool.grade), UNSAMPLED, np.int32)
    row, judged = rows_of(pool, file.as_table()), ~file.waiting
    drawn = pool.drawn if pool.frame is None else pool.frame.drawn
    asked = (row >= 0) & (True if drawn is None else drawn[row])
    given[row[judged & asked]] = file.grade[judged & asked]
    new = judged & ~asked & ((row < 0) | (pool.grade[row] != file.grade))
    return given, file.pooled.names(np.flatnonzero(new))


@dataclass(frozen=True, eq=False)
class _Answers:
    """Grades of judges x rows of a pool: -1 where there is none, -2 for "cannot judge"."""

    pool: Judgments
    judges: Sequence[str]
    given: Grades

    @property
    def differing(self) -> Integers:
        """Rows that judges gave different grades."""
        none = np.iinfo(np.int32).max
        lowest = np.where(self.given >= 0, self.given, none).min(axis=0, initial=none)
        return np.flatnonzero(lowest < self.given.max(axis=0, initial=UNSAMPLED))

    @property
    def twice(self) -> int:
        """How many documents several judges judged."""
        return int(((self.given >= 0).sum(axis=0) > 1).sum())

    def conflicts(self, rows: Integers | None = None) -> list[dict[str, str]]:
        """Return documents that judges gave different grades, with these, or some of them."""
        rows = self.differing if rows is None else rows
        columns = zip(self.pool.pooled.names(rows), self.given[:, rows].T.tolist(), strict=True)
        return [
            {
                "query": query,
                "document": document,
                "grades": ", ".join(
                    f"{judge}: {grade}"
                    for judge, grade in zip(self.judges, grades, strict=True)
                    if grade >= 0
                ),
            }
            for (query, document), grades in columns
        ]

    def said(self, rows: Integers) -> str:
        """Return documents and their grades as a sentence names them."""
        named = [f"{row['query']} {row['document']} ({row['grades']})" for row in self.conflicts(rows)]
        return shortlist(named, NAMED)

    def settled(self, rule: Callable[[Grades], Grades]) -> Grades:
        """Return one grade for each row; the rule settles conflicts."""
        graded = np.maximum(self.given, UNSAMPLED)
        known, unable = (self.given >= 0).any(axis=0), (self.given == CANNOT_JUDGE).any(axis=0)
        rows = self.differing
        grade = np.where(known, graded.max(axis=0), np.where(unable, CANNOT_JUDGE, self.pool.grade))
        grade[rows] = rule(graded[:, rows])
        left = rows[grade[rows] == UNSAMPLED]
        if len(left):
            remedy = "settle them in the files, or choose a rule (conflicts majority, highest or last)"
            problem = f"{counted(len(left), 'document')} judged with different grades: {self.said(left)}"
            raise InputError(f"{problem}: {remedy}")
        return grade.astype(np.int32)

    def notes(self, rule: str) -> list[str]:
        """Return what must be known of the answers, in sentences."""
        sentences, alike = [], self.twice - len(self.differing)
        if alike:
            sentences.append(f"{counted(alike, 'document')} judged alike by several, or as before.")
        if len(self.differing):
            what = f"judged with different grades, settled by the rule {rule!r}"
            sentences.append(
                f"{counted(len(self.differing), 'document')} {what}: {self.said(self.differing)}."
            )
        return sentences


def _listed(documents: Sequence[tuple[str, str]]) -> str:
    """Return the first documents as a sentence names them, and how many more there are."""
    return shortlist([" ".join(document) for document in documents], NAMED)


_EXPORT = re.compile(rb"# unjudged-answers: ([0-9]{1,12}) of ([0-9]{1,12}) documents judged\s*")
_LONGEST_HEAD = 100


def _answers_of(source: JudgmentsSource) -> Judgments:
    """Return the answers of one judge; an export of the judging page says how many it has."""
    found = Judgments.whole(source)
    if not isinstance(source, str | os.PathLike) or not os.path.isfile(source):
        return found
    with opened(source) as stream:
        head = _EXPORT.fullmatch((stream.read(_LONGEST_HEAD) or b"").partition(b"\n")[0])
    now = int((found.grade >= 0).sum()), len(found.grade)
    if head is not None and (said := (int(head[1]), int(head[2]))) != now:
        shown = "{} of {} documents judged".format
        problem = f"the file was cut or edited: {shown(*said)} at export, {shown(*now)} now"
        remedy = "export the answers again; if you edited the file on purpose, delete its first line"
        raise InputError(f"{problem}: {remedy}", source=display_name(source), line=1)
    return found


def _with_documents(judgments: Judgments, files: Sequence[Judgments]) -> Judgments:
    """Return the judgments with a row for every document of the files."""
    for file in files:
        if file.recorded:
            problem = "the further judgments are a drawn sample, whose probabilities do not hold for both"
            raise InputError(f"{problem}: give the sample first and plain judgments after it")
    tables = [file.as_table() for file in files]
    if not any((rows_of(judgments, table) < 0).any() for table in tables):
        return judgments
    if judgments.recorded:
        problem = "the further judgments have documents that were not in the sample"
        raise InputError(f"{problem}, expected none: they have no stratum or probability")
    return extended(judgments, tables, new_queries=True)


def _added(before: Judgments, grade: Grades, files: Iterable[Judgments]) -> tuple[Judgments, str]:
    """Return the judgments with these grades, and a sentence if they are a sample no more."""
    further = {file.origin.kind for file in files if (file.grade >= 0).any()} - {before.origin.kind}
    known, now, after = before.grade >= 0, grade >= 0, replace(before, grade=grade)
    plain = replace(after, stratum=None, probability=None, drawn=None)
    recorded = before.recorded
    if CHOSEN in further:
        note = "Documents were chosen for what they show: together these judgments are no random sample."
        return replace(plain, origin=Origin(CHOSEN)), note if recorded else ""
    alike = before.origin.kind == UNIFORM and not further and not recorded  # -1 where nothing was judged
    if before.drawn is not None or not known.any() or (known == now).all() or alike:
        return after, ""
    if before.origin.sampled and now.all():
        return replace(plain, origin=A_POOL), ""
    if before.origin.sampled:
        note = f"Further judgments were added to {before.origin} and were not drawn with it"
        return replace(plain, origin=Origin(UNKNOWN)), f"{note}: estimates from samples refuse the result."
    if UNKNOWN in further:
        note = "The origin of further judgments is unknown, so the origin of the result is unknown too"
        return replace(after, origin=Origin(UNKNOWN)), f"{note}: estimates from samples refuse it."
    return after, ""
