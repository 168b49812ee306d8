"""Answers of assessors: the grades that they may give, and files with who judged, comments and times.

A file of answers is qrels with comments that this module reads. The export of the judging page begins with a
line that detects damage:

# unjudged-answers 1 judged <judged> of <documents> crc32 <checksum of all that follows>
# unjudged-assessor ann
# comment q1 d8 the text is cut off
# cannot-judge q1 d8 a reason
# later q1 d9
# seconds q1 d8 12.5
q1 0 d8 <grade, or -1 if not judged, or -2 if it cannot be>
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.base.segments import Integers
from unjudged.formats.small_files import number_in_file, read_small, read_small_text
from unjudged.formats.streams import STANDARD_INPUT, display_name, name_file_in_errors, on_disk, without_links
from unjudged.formats.tables import decode
from unjudged.grids.grid import Cell, Column, Grid
from unjudged.judging.collecting.handing_out import ASSESSOR
from unjudged.rankings.judgments import CANNOT_JUDGE, UNSAMPLED, Judgments

LABELS = {0: "not relevant", 1: "relevant", 2: "highly relevant", 3: "perfectly relevant"}
HIGHEST = 9
"""Grades are typed as one key."""


class Grade(NamedTuple):
    """What a grade is called, and when to give it."""

    label: str
    description: str = ""


Scale = dict[int, Grade]
"""Grades by number, in ascending order."""


def scale_of(grades: Iterable[int]) -> Scale:
    """Return a scale of plain numbers, with their usual labels."""
    chosen = sorted(set(grades))
    if len(chosen) < 2 or chosen[0] < 0 or chosen[-1] > HIGHEST:
        raise UsageError(f"grades are {chosen}, expected two or more whole numbers from 0 to {HIGHEST}")
    return {grade: Grade(LABELS.get(grade, "")) for grade in chosen}


def read_scale(given: str) -> Scale:
    """Read `0,1,2`, or a file of lines `grade label description`, separated by tabs."""
    words = [word.strip() for word in given.split(",")]
    if all(word.isascii() and word.isdecimal() and len(word) == 1 for word in words):
        return scale_of(int(word) for word in words)
    if re.fullmatch(r"[-+0-9,.\s]*", given):
        raise UsageError(f"grades are {given!r}: use whole numbers from 0 to {HIGHEST}, as 0,1,2, or a file")
    found: Scale = {}
    lines = read_small_text(given, "lines of a grade, its label and its description").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        first, *rest = (field.strip() for field in line.split("\t", 2))
        known = first.isascii() and first.isdecimal() and len(first) == 1
        if not known or not rest or not rest[0]:
            problem = f"{quoted(line)}: expected a grade from 0 to {HIGHEST}, a tab and its label"
            raise InputError(problem, source=given, line=number)
        if int(first) in found:
            raise InputError(f"grade {first} comes twice", source=given, line=number)
        found[int(first)] = Grade(*rest)
    if len(found) < 2:
        raise InputError(f"{len(found)} grades, expected two or more lines", source=given)
    return dict(sorted(found.items()))


Document = tuple[str, str]
"""A query and a document."""
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
    seen: set[str] = set()
    for file in files:
        path = without_links(file)
        if path in seen:
            raise UsageError(f"the same file is given twice: {display_name(file)}")
        seen.add(path)
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
    if os.fspath(file) != STANDARD_INPUT and not Path(file).exists():
        return *Judgments.with_lines(file), b""
    try:
        with name_file_in_errors(file), on_disk(file) as copy:
            return *Judgments.with_lines(copy), read_small(copy, "answers of assessors", LARGEST_FILE)
    except InputError as error:
        raise InputError(error.problem, source=display_name(file), line=error.line) from None


def answers_grid(answers: Mapping[str, Sequence[AnswerFile]], merged: Judgments) -> Grid:
    """Return every answer with its assessor, time, comment and file, and the grade that counts."""
    columns = [Column(name, "label") for name in ("query", "document", "assessor", "answer", "merged")]
    columns += [Column("seconds"), Column("comment", "text"), Column("file", "label")]
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


_EXPORT = re.compile(rb"# unjudged-answers 1 judged ([0-9]{1,12}) of ([0-9]{1,12}) crc32 ([0-9a-f]{8})\s*")


def check_export(data: bytes, source: str) -> None:
    """Refuse an export of the judging page that was cut, damaged or edited; other files pass.

    A checksum finds accidents, not forgery. Ends of lines may have become those of another system.
    """
    with_head = data.replace(b"\r\n", b"\n")
    first, _, body = with_head.partition(b"\n")
    head = _EXPORT.fullmatch(first)
    if head is None or crc32(body) == int(head[3], 16):
        return
    lines = [line.split() for line in body.split(b"\n") if line and not line.startswith(b"#")]
    found = sum(not line[-1].startswith(b"-") for line in lines if line), len(lines)
    said = int(head[1]), int(head[2])
    shown = "{} of {} documents judged".format
    differs = f" ({shown(*said)} at export, {shown(*found)} now)" if said != found else ""
    remedy = "export the answers again; if you edited the file on purpose, delete its first line"
    problem = f"the checksum does not match: the file was cut, damaged or edited{differs}"
    raise InputError(f"{problem}: {remedy}", source=source, line=1)
