"""What a file is: judgments, a run, a table of scores, a design, a calibration, groups, texts or topics."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from unjudged.base.errors import InputError, UnjudgedError, UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.data.arrow_files import open_arrow
from unjudged.data.columns import NAMES, folded, is_header
from unjudged.data.named_columns import QUERIES, is_number
from unjudged.data.sources import FILE, kind_of_source, reader_of
from unjudged.data.streams import name_file_in_errors, opened
from unjudged.data.tables import Table
from unjudged.data.text_tables import header_of
from unjudged.evaluation.collection import name_runs
from unjudged.evaluation.groups import read_groups
from unjudged.evaluation.score_cells import AS_ZERO, names_measure
from unjudged.evaluation.scores import Scores
from unjudged.evidence.calibration import SCHEMA as CALIBRATION_SCHEMA
from unjudged.evidence.calibration import Calibration
from unjudged.judging.texts import BODIES, records
from unjudged.rankings.coverage import are_grades
from unjudged.rankings.extension import table_of, table_of_pool
from unjudged.rankings.judgments import CANNOT_JUDGE, SAMPLE, Judgments
from unjudged.rankings.origin import A_POOL, A_SAMPLE
from unjudged.rankings.runs import Run
from unjudged.results.fields import Row

JUDGMENTS: Final = "judgments"
RUN: Final = "run"
SCORES: Final = "scores"
DESIGN: Final = "design"
CALIBRATION: Final = "calibration"
GROUPS: Final = "groups"
TEXTS: Final = "texts"
UNKNOWN: Final = "unknown"
START = 1 << 14
ZERO = ("scores.missing=zero",)
RECORDS = re.compile(r'(\{\s*"rows"\s*:\s*)?(\[\s*)?')
"""What stands before the first record of JSON lines, of a list, and of what `--format json` writes."""
NAME = re.compile(r'"([^"\\]*)"\s*:')
OUTER = re.compile(r'\{\s*"([^"\\]*)"\s*:\s*(?:\{\s*"[^"\\]*"\s*:\s*)?(\{[^{}]*)')
"""First name of an object of objects, and the innermost names; those of a system are skipped."""


@dataclass(frozen=True, eq=False)
class RecognisedFile:
    """A file with its kind, a sentence about it, and what it holds; what it does not have is None."""

    file: str
    kind: str
    description: str
    content: Any = None
    queries: int | None = None
    documents: int | None = None
    options: tuple[str, ...] = ()
    """Settings that commands need to read it."""

    def row(self) -> Row:
        """Return what is known of it as a row."""
        names = ("file", "kind", "queries", "documents", "description")
        return {name: getattr(self, name) for name in names}

    @property
    def table(self) -> Table:
        """Documents of judgments, of the first run, or of a design, to look them up elsewhere."""
        if self.kind == JUDGMENTS:
            return table_of(self.content)
        if self.kind == DESIGN:
            return table_of_pool(self.content.pooled)
        first: Run = next(iter(self.content.values()))
        return first.table


def recognise(file: str) -> RecognisedFile:
    """Return what a file is; of a file that nothing here reads, the errors say why."""
    if kind_of_source(file) != FILE or (not file.startswith("irds:") and not os.path.exists(file)):
        raise InputError("no such file", source=file)
    if file.startswith("irds:"):
        return _judgments(file)
    start = _start(file)
    if start.startswith(SAMPLE.encode()):
        return _design(file)
    if f'"schema": "{CALIBRATION_SCHEMA}'.encode() in start[:200]:
        return _calibration(file)
    line = start.split(b"\n")[0].decode("utf-8", "replace").strip()
    try:
        with name_file_in_errors(file):
            return _by_fields(file, start, line)
    except UnjudgedError as error:
        with suppress(UnjudgedError):
            if len(line.split()) == 2 and not start.startswith(b"<"):
                return _groups(file)
        return RecognisedFile(file, UNKNOWN, f"not recognised: {error}")


def holds_scores(file: str) -> bool:
    """Whether a file is a table of scores by query, as far as its start tells."""
    start = _start(file)
    return _of_scores(file, start, start.split(b"\n")[0].decode("utf-8", "replace").strip())


def _start(file: str) -> bytes:
    if os.path.isdir(file):
        return b""
    with name_file_in_errors(file), opened(file) as stream:
        return (stream.read(START) or b"").removeprefix(b"\xef\xbb\xbf").lstrip()


def _of_scores(file: str, start: bytes, line: str) -> bool:
    fields, words = _names(file, start, line), line.split()
    printed = len(words) == 3 and any(map(names_measure, words[:2]))
    return printed or _is_nested(start) or bool(fields and not is_header(fields) and _is_table(start, fields))


def _by_fields(file: str, start: bytes, line: str) -> RecognisedFile:
    fields = _names(file, start, line)
    if start[:100].lower().startswith((b"<!doctype html", b"<html")):
        raise InputError("it is a page of HTML, expected a file of data")
    if _is_texts(line) or ({*fields} & {*BODIES} and not is_header(fields)):
        return _texts(file)
    if _of_scores(file, start, line):
        return _scores(file)
    return _judgments(file) if _has_grades(file, start, fields) else _run(file)


def _has_grades(file: str, start: bytes, fields: Sequence[str]) -> bool:
    """Whether documents have grades, not scores: by the columns, or by the numbers if these do not tell."""
    kind = reader_of(file).kind
    if kind == "TREC text":
        rows = (row.split() for row in start.splitlines() if not row.startswith(b"#"))
        return len(next((row for row in rows if row), ())) in (4, 5)
    if {*NAMES["rank"], *NAMES["score"][1:]} & {*fields}:
        return False
    if {*NAMES["grade"][:-1], *NAMES["stratum"]} & {*fields}:
        return True
    run = Run.of(next(iter(name_runs([file]).values())))  # of several in one file the first
    return are_grades(np.repeat(np.arange(len(run.queries)), np.diff(run.offsets)), run.scores)


def _names(file: str, start: bytes, line: str) -> list[str]:
    """Return the names of columns, or of the fields of the first JSON object."""
    if reader_of(file).kind == "Parquet or Arrow" and not os.path.isdir(file):
        return [*open_arrow(file).columns]
    if start[:1] in (b"{", b"["):
        text = start.decode("utf-8", "replace")
        with suppress(ValueError, RecursionError):
            first, _ = json.JSONDecoder().raw_decode(text, RECORDS.match(text).end())  # type: ignore[union-attr]
            return list(first) if isinstance(first, dict) else []
        return []
    return header_of(line)[0]


def _is_texts(line: str) -> bool:
    """Whether a line is a name, a tab and a text, as in MS MARCO's collection."""
    name, tab, text = line.partition("\t")
    return bool(tab) and " " not in name and " " in text.strip() and "\t" not in text


def _is_table(start: bytes, fields: Sequence[str]) -> bool:
    """Whether columns are those of queries with values, or names without a number among them."""
    if {*map(folded, fields)} & {*QUERIES}:
        return True
    return start[:1] not in (b"{", b"[", b"#") and not any(map(is_number, fields))


def _is_nested(start: bytes) -> bool:
    """Whether a JSON object has names of measures outside or inside, as pytrec_eval and ranx have them."""
    if not (found := OUTER.match(start.decode("utf-8", "replace"))):
        return False
    outer, inside = found.groups()
    inner = NAME.findall(inside)[:3]
    return names_measure(outer) or (bool(inner) and all(map(names_measure, inner)))


def _judgments(file: str) -> RecognisedFile:
    judgments = Judgments.with_fractions(file)
    judged, grades = judgments.grade >= 0, judgments.grade[judgments.grade >= 0]
    held = f"{int(judged.sum()):,} judged documents, {int((grades >= 1).sum()):,} of them relevant"
    if not judged.all():
        held += f", {int((~judged).sum()):,} pooled but not judged"
    if unable := int((judgments.grade == CANNOT_JUDGE).sum()):
        held += f" ({unable:,} with -2, which means that they cannot be judged)"
    scale = f"grades 0 to {grades.max(initial=0)}" if judgments.scale is None else "fractional grades"
    if judgments.origin == A_SAMPLE:
        held += f" ({judgments.origin.words})"
        what = f"{held}; {scale}"
    else:
        taken = "taken for " if judgments.origin == A_POOL else ""
        what = f"{taken}{judgments.origin}: {held}; {scale}"
    return RecognisedFile(file, JUDGMENTS, what, judgments, len(judgments.queries), len(judgments.grade))


def _run(file: str) -> RecognisedFile:
    runs = {name: Run.of(source) for name, source in name_runs([file]).items()}
    several = "" if len(runs) == 1 else f"{counted(len(runs), 'run')}: {', '.join(list(runs)[:6])}; "
    sizes = np.concatenate([np.diff(run.offsets) for run in runs.values()])
    scores = np.concatenate([run.scores for run in runs.values()])
    to = "" if sizes.min() == sizes.max() else f" to {sizes.max():,}"
    what = f"{several}{sizes.min():,}{to} documents per query; scores {scores.min():g} to {scores.max():g}"
    queries = max(len(run.queries) for run in runs.values())
    return RecognisedFile(file, RUN, what, runs, queries, len(scores))


def _scores(file: str) -> RecognisedFile:
    """Return a table of scores with the options that it is read with."""
    options: tuple[str, ...] = ()
    try:
        scores = Scores.of(file, missing="zero")
    except UsageError:  # some of its measures are known, others are not
        scores, options = Scores.of(file, missing="zero", wide="measures"), ("scores.wide=measures",)
    measures = shortlist([str(measure) for measure in scores.measures], 6)
    what = f"{counted(len(scores.runs), 'system')}: {shortlist(scores.runs, 6)}; {measures}"
    if gaps := gaps_of(scores):
        what, options = f"{what}; {gaps}", (*options, *ZERO)
    return RecognisedFile(file, SCORES, what, scores, len(scores.queries), options=options)


def gaps_of(scores: Scores) -> str:
    """Return which values a table lacks that was read with zeros for them, or nothing."""
    said = [note.removesuffix(f". {AS_ZERO}") for note in scores.notes if note.endswith(AS_ZERO)]
    return said[0] if said else ""


def _design(file: str) -> RecognisedFile:
    sample = Judgments.read(file)
    wanted = 0 if sample.drawn is None else int((sample.drawn & sample.waiting).sum())
    what = f"{sample.origin}: {counted(wanted, 'document')} to judge"
    return RecognisedFile(file, DESIGN, what, sample, len(sample.queries), len(sample.grade))


def _calibration(file: str) -> RecognisedFile:
    calibration = Calibration.load(file)
    measures = shortlist(list(calibration.scores), 6)
    what = f"of {counted(calibration.groups, 'group')} of pooled runs, for {measures}"
    return RecognisedFile(file, CALIBRATION, what, calibration, calibration.queries)


def _groups(file: str) -> RecognisedFile:
    group_of = read_groups(file)
    if not group_of:
        raise InputError("no lines, expected a run and its group on each", source=file)
    groups = len(set(group_of.values()))
    return RecognisedFile(
        file, GROUPS, f"{counted(len(group_of), 'run')} in {counted(groups, 'group')}", group_of
    )


def _texts(file: str) -> RecognisedFile:
    names = {name for name, _ in records(file)}
    if not names:
        raise InputError("no document or topic is in it")
    return RecognisedFile(file, TEXTS, f"{len(names):,} texts by name, of documents or of topics", names)
