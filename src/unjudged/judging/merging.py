"""Judgments of several people as one: answers to a drawn sample, or further judgments of a pool."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from unjudged.base.choices import Choices, Conflicts
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.formats.streams import display_name, opened
from unjudged.judging.drawn_sample import DrawnSample
from unjudged.judging.merge_result import (
    BEFORE,
    NAMED,
    Document,
    Grades,
    Merged,
    graded,
    listed_documents,
)
from unjudged.rankings.extension import extended, rows_of, table_of
from unjudged.rankings.judgments import CANNOT_JUDGE, UNSAMPLED, Judgments, JudgmentsSource, answers_in
from unjudged.rankings.origin import A_POOL, CHOSEN, UNIFORM, UNKNOWN, Origin


def _undecided(given: Grades) -> Grades:
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
    found: Grades = given.max(axis=0)
    return found


def _last(given: Grades) -> Grades:
    judged = np.argmax(given[::-1] >= 0, axis=0)
    found: Grades = np.take_along_axis(given[::-1], judged[None], axis=0)[0]
    return found


RULES: Choices[Callable[[Grades], Grades]] = Choices(
    "conflicts", error=_undecided, majority=_majority, highest=_highest, last=_last
)
"""From grades of judges x documents, in the order of the files, to one for each document; -1 is undecided."""


def merge(
    first: DrawnSample | JudgmentsSource,
    answers: Mapping[str, JudgmentsSource],
    *,
    conflicts: Conflicts = "error",
    allow_missing: bool = False,
) -> Merged:
    """Merge the answers of judges, by name, with the sample that they judged, or with earlier judgments.

    Grade -2 is the answer "cannot judge": the document is not missing, and stays unjudged unless another
    judge gives it a grade. Every other negative grade is no answer. Different grades for one document are an
    error, unless the rule `conflicts` says which counts: that of the 'majority', the 'highest'
    or the 'last'. The earlier judgments come first. An export of the judging page that was cut is refused.

    Of a sample, each drawn document needs an answer, and other documents are left out. With `allow_missing`,
    documents without an answer stay unjudged, and the others of their stratum stand for them: right if
    answers are missing at random.

    Earlier judgments keep their documents and get those of the answers. If they are a sample with recorded
    strata or probabilities, the answers may not have other documents. A sample with further judgments, which
    were not drawn, is a sample no more: the result has the origin 'unknown', or 'chosen' where answers were.

    >>> from unjudged.judging import Pool
    >>> from unjudged.judging.drawn_sample import draw
    >>> drawn = draw(Pool.of({"q": {"a": -1, "b": -1}}), "random", 1.0)
    >>> merge(drawn, {"ann": {"q": {"a": 1, "b": 0}}, "bob": {"q": {"a": 1}}}).judgments
    Judgments(1 query, 2 judged documents, 1 relevant, 0 pooled but not judged)
    >>> merge({"q": {"a": 1, "b": 0}}, {"cy": {"q": {"b": 2, "c": 1}}}, conflicts="last").conflicts
    [('q', 'b')]
    """
    rule = RULES.find(conflicts)
    if not isinstance(answers, Mapping):
        raise UsageError("expected the answers of each judge by name, as {'ann': 'ann.qrels'}")
    files = {name: _answers_of(source) for name, source in answers.items()}
    every = list(files.values())
    sample: DrawnSample | None = None
    if isinstance(first, DrawnSample):
        sample, pool = first, first.judgments
    else:
        pool = _with_documents(Judgments.of(first), every)
    found = _Matched(pool, {}, {})
    given = [answers_in(pool.grade), *map(found.add, every)]
    judges = [BEFORE, *files]
    if sample is not None and not (given[0] != UNSAMPLED).any():
        judges, given = judges[1:], given[1:]
    table = np.stack(given) if given else np.zeros((0, len(pool.grade)), np.int32)
    merged = Merged(pool, judges, table, [], list(found.undrawn), list(found.foreign), [], conflicts)
    grade = _settle(merged, rule)
    merged = replace(merged, conflicts=pool.pooled.names(merged.differing))
    if sample is None:
        judgments, note = _added(pool, grade, every)
        return replace(merged, judgments=judgments, origin_note=note)
    missing = pool.pooled.names(np.flatnonzero(sample.drawn & (answers_in(grade) == UNSAMPLED)))
    if missing and not allow_missing:
        remedy = "merge again when they are, or allow missing answers (--allow-missing)"
        raise InputError(
            f"{counted(len(missing), 'document')} drawn but not judged: {listed_documents(missing)}: {remedy}"
        )
    judgments, scaled = _scaled(sample, replace(sample.graded(grade), drawn=None))
    return replace(merged, judgments=judgments, missing=missing, scaled=scaled)


class _Matched(NamedTuple):
    """Pool that answers are matched with, and what was odd about them."""

    pool: Judgments
    undrawn: dict[Document, None]
    foreign: dict[Document, None]

    def add(self, file: Judgments) -> Grades:
        """Return the answer of one judge for each row of the pool."""
        pool, given = self.pool, np.full(len(self.pool.grade), UNSAMPLED, np.int32)
        row, judged = rows_of(pool, table_of(file)), ~file.waiting
        outside = judged & (row < 0)
        left_out = judged & ~outside & (False if pool.drawn is None else ~pool.drawn[row])
        self.foreign.update(dict.fromkeys(file.pooled.names(np.flatnonzero(outside))))
        self.undrawn.update(dict.fromkeys(file.pooled.names(np.flatnonzero(left_out))))
        taken = judged & ~outside & ~left_out
        given[row[taken]] = file.grade[taken]
        return given


_EXPORT = re.compile(rb"# unjudged-answers: ([0-9]{1,12}) of ([0-9]{1,12}) documents judged\s*")
_LONGEST_HEAD = 100


def _answers_of(source: JudgmentsSource) -> Judgments:
    """Return the answers of one judge; an export of the judging page says how many it has."""
    found = Judgments.of(source)
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


def _settle(merged: Merged, rule: Callable[[Grades], Grades]) -> Grades:
    """Return one grade for each row; the rule settles conflicts."""
    pool, given = merged.judgments, merged.given
    if not len(given):
        return pool.grade
    graded_by = np.maximum(given, UNSAMPLED)
    answered, unable = (given >= 0).any(axis=0), (given == CANNOT_JUDGE).any(axis=0)
    rows = merged.differing
    grade = np.where(answered, graded_by.max(axis=0), np.where(unable, CANNOT_JUDGE, pool.grade))
    grade[rows] = rule(graded_by[:, rows])
    left = rows[grade[rows] == UNSAMPLED]
    if len(left):
        shown = shortlist([graded(one, merged.answers[one]) for one in pool.pooled.names(left)], NAMED)
        remedy = "settle them in the files, or choose a rule (--conflicts majority, highest or last)"
        raise InputError(f"{counted(len(left), 'document')} judged with different grades: {shown}: {remedy}")
    return grade.astype(np.int32)


def _with_documents(judgments: Judgments, files: Sequence[Judgments]) -> Judgments:
    """Return the judgments with a row for every document of the files."""
    recorded = judgments.stratum is not None or judgments.probability is not None
    for file in files:
        if file.stratum is not None or file.probability is not None:
            problem = "the further judgments are a sample with recorded strata or probabilities"
            raise InputError(f"{problem}, which do not hold for both together: give plain qrels")
    tables = [table_of(file) for file in files]
    if not any((rows_of(judgments, table) < 0).any() for table in tables):
        return judgments
    if recorded:
        problem = "the further judgments have documents that were not in the sample"
        raise InputError(f"{problem}, expected none: they have no stratum or probability")
    return extended(judgments, tables, new_queries=True)


def _added(before: Judgments, grade: Grades, files: Iterable[Judgments]) -> tuple[Judgments, str]:
    """Return the judgments with these grades, and a sentence if they are a sample no more."""
    further = {file.origin.kind for file in files if (file.grade >= 0).any()} - {before.origin.kind}
    known, now, after = before.grade >= 0, grade >= 0, replace(before, grade=grade)
    plain = replace(after, stratum=None, probability=None, drawn=None)
    recorded = before.stratum is not None or before.probability is not None
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
        note = "The origin of further judgments is unknown, and so is that of the result"
        return replace(after, origin=Origin(UNKNOWN)), f"{note}: estimates from samples refuse it."
    return after, ""


def _scaled(sample: DrawnSample, judgments: Judgments) -> tuple[Judgments, bool]:
    """Return probabilities of drawn documents times the judged share of their query's stratum."""
    judged = judgments.grade >= 0
    if judgments.probability is None or (judged == sample.drawn).all():
        return judgments, False
    strata = judgments.query * (int(sample.stratum.max(initial=0)) + 1) + sample.stratum
    _, cell = np.unique(strata, return_inverse=True)
    drawn, answered = (np.bincount(cell[rows], minlength=cell.max() + 1) for rows in (sample.drawn, judged))
    share = answered[cell] / np.maximum(drawn[cell], 1)
    return replace(judgments, probability=judgments.probability * share), True
