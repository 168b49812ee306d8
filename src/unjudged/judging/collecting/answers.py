"""Answers of assessors as files have them: who judged, comments and times, and grades of a scale.

A file of answers is qrels with comments that this module reads:

# unjudged-assessor ann
# comment q1 d8 the text is cut off
# cannot-judge q1 d8 a reason
# seconds q1 d8 12.5
q1 0 d8 -2
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.segments import Integers
from unjudged.formats.small_files import number_in_file, read_small
from unjudged.formats.streams import STANDARD_INPUT, display_name, name_file_in_errors, on_disk, without_links
from unjudged.formats.tables import decode
from unjudged.grids.grid import Cell, Column, Grid
from unjudged.judging.collecting.handing_out import ASSESSOR
from unjudged.judging.collecting.page_export import check_export
from unjudged.rankings.judgments import CANNOT_JUDGE, UNSAMPLED, Judgments

Document = tuple[str, str]
LARGEST_FILE = 1 << 31
_REMARK = re.compile(
    rb"^#[ \t]+(comment|cannot-judge|seconds)[ \t]+(\S+)[ \t]+(\S+)[ \t]+(.*)$", re.MULTILINE
)
_ASSESSOR = re.compile(rf"^# {ASSESSOR} (\S+)[ \t\r]*$".encode(), re.MULTILINE)
_COPY = re.compile(r"( \(\d+\))?(-judged)?( \(\d+\))?$")
"""What the page and a browser add to the name of a file."""


@dataclass(frozen=True, eq=False)
class AnswerFile:
    """Answers in one file: grades, and what assessors said about documents."""

    assessor: str
    source: str
    judgments: Judgments
    comments: Mapping[Document, str] = field(default_factory=dict)
    seconds: Mapping[Document, float] = field(default_factory=dict)


def read_answers(
    files: Sequence[str | os.PathLike[str]], grades: Sequence[int] | None = None
) -> dict[str, list[AnswerFile]]:
    """Read files of answers, by assessor: a person is one over all rounds.

    The name is in the file, as `# unjudged-assessor ann`, or else it is that of the file without what the
    judging page adds (`ann-judged.qrels`). A grade that is not one of `grades` is an error by line.
    """
    found: dict[str, list[AnswerFile]] = {}
    seen: dict[str, str] = {}
    for file in files:
        path = without_links(file)
        if path in seen:
            raise UsageError(f"the same file is given twice: {display_name(file)}")
        seen[path] = str(file)
        answers = read_answer_file(file, grades)
        found.setdefault(answers.assessor, []).append(answers)
    return found


def read_answer_file(file: str | os.PathLike[str], grades: Sequence[int] | None = None) -> AnswerFile:
    """Read one file of answers."""
    judgments, lines, data = _read(file)
    check_export(data, display_name(file))
    if grades is not None:
        wrong = np.flatnonzero((judgments.grade >= 0) & ~np.isin(judgments.grade, list(grades)))
        if len(wrong):
            row = wrong[:1]
            ((query, document),) = judgments.pooled.names(row)
            raise InputError(
                f"the grade of document {quoted(document)} of query {quoted(query)} is "
                f"{judgments.grade[row[0]]}, expected one of {', '.join(map(str, sorted(grades)))}, -1 for "
                f'no answer or {CANNOT_JUDGE} for "cannot judge"',
                source=display_name(file),
                line=int(lines[row[0]]) if len(lines) else None,
            )
    named = {decode(name) for name in _ASSESSOR.findall(data)}
    if len(named) > 1:
        problem = f"the file names {len(named)} assessors, {', '.join(sorted(named))}: give each a file"
        raise InputError(problem, source=display_name(file))
    comments: dict[Document, str] = {}
    seconds: dict[Document, float] = {}
    for remark in _REMARK.finditer(data):
        kind, query, document, text = (decode(part.strip()) for part in remark.groups())
        if kind != "seconds":
            before = comments.get((query, document))
            comments[query, document] = text if before is None else f"{before}; {text}"
            continue
        try:
            seconds[query, document] = number_in_file("the time", text, 0, text=True)
        except InputError as error:
            line = data.count(b"\n", 0, remark.start()) + 1
            raise InputError(error.problem, source=display_name(file), line=line) from None
    name = named.pop() if named else _COPY.sub("", Path(file).stem)
    return AnswerFile(name, display_name(file), judgments, comments, seconds)


def read_task(file: str | os.PathLike[str]) -> tuple[Judgments, list[str]]:
    """Return documents to judge, and the comments that their answers keep: the origin, and who judges."""
    judgments, _, data = _read(file)
    people = [f"{ASSESSOR} {decode(name)}" for name in _ASSESSOR.findall(data)]
    return judgments, [*judgments.marks("qrels"), *people]


def _read(file: str | os.PathLike[str]) -> tuple[Judgments, Integers, bytes]:
    """Return judgments, their lines and the bytes of the file; a dataset has no bytes."""
    if not _is_file(file):
        return *Judgments.with_lines(file), b""
    try:
        with name_file_in_errors(file), on_disk(file) as copy:
            return *Judgments.with_lines(copy), read_small(copy, "answers of assessors", LARGEST_FILE)
    except InputError as error:
        raise InputError(error.problem, source=display_name(file), line=error.line) from None


def _is_file(file: str | os.PathLike[str]) -> bool:
    return os.fspath(file) == STANDARD_INPUT or Path(file).exists()


def answers_grid(answers: Mapping[str, Sequence[AnswerFile]], merged: Judgments) -> Grid:
    """Return every answer with its assessor, time, comment and file, and the grade that counts."""
    columns = [Column(name, "label") for name in ("query", "document", "assessor", "answer")]
    columns += [
        Column("merged", "label"),
        Column("seconds"),
        Column("comment", "text"),
        Column("file", "label"),
    ]
    documents = merged.pooled.names(np.arange(len(merged.grade)))
    counts = dict(zip(documents, merged.grade.tolist(), strict=True))
    rows = [row for files in answers.values() for file in files for row in _rows(file, counts)]
    return Grid(columns, rows, "Answers")


def _rows(file: AnswerFile, merged: Mapping[Document, int]) -> Iterator[list[Cell]]:
    documents = file.judgments.pooled.names(np.arange(len(file.judgments.grade)))
    for one, grade in zip(documents, file.judgments.grade.tolist(), strict=True):
        comment, seconds = file.comments.get(one), file.seconds.get(one)
        if grade < 0 and grade != CANNOT_JUDGE and comment is None and seconds is None:
            continue
        final = answer_word(merged[one]) if one in merged else None
        yield [*one, file.assessor, answer_word(grade), final, seconds, comment, file.source]


def answer_word(grade: int) -> str | None:
    """Return an answer as people say it: a grade, "cannot judge", or nothing."""
    return "cannot judge" if grade == CANNOT_JUDGE else None if grade <= UNSAMPLED else str(grade)
