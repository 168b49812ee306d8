"""What a file holds, once its kind is known: its content, and a sentence about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, UnjudgedError, UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.collection.collection import united
from unjudged.collection.description import Labels
from unjudged.collection.score_tables import AS_ZERO
from unjudged.collection.scores import Scores
from unjudged.data.document_names import known_names, names_in
from unjudged.data.nested_dicts import DATASET
from unjudged.data.sources import FILE, kind_of_source
from unjudged.data.streams import name_file_in_errors
from unjudged.data.tables import encode
from unjudged.diagnosis.kinds import (
    CALIBRATION,
    DESIGN,
    GROUPS,
    JUDGMENTS,
    RUN,
    SCORES,
    TEXTS,
    UNKNOWN,
    kind_of_file,
)
from unjudged.evidence.calibration import Calibration
from unjudged.questions.calibrating import read_groups
from unjudged.rankings.coverage import are_grades
from unjudged.rankings.judgments import CANNOT_JUDGE, Judgments
from unjudged.rankings.origin import A_POOL, A_SAMPLE, POSITIVES, Origin
from unjudged.rankings.runs import Run, name_runs
from unjudged.results.fields import Row


@dataclass(frozen=True, eq=False)
class RecognisedFile:
    """A file with its kind, a sentence about it, and what it holds; what it does not have is None."""

    file: str
    kind: str
    description: str
    content: Any = None
    queries: int | None = None
    documents: int | None = None
    settings: tuple[str, ...] = ()
    """What commands must be told to read it."""

    def row(self) -> Row:
        """Return what is known of it as a row."""
        names = ("file", "kind", "queries", "documents", "description")
        return {name: getattr(self, name) for name in names}


def recognise(file: str) -> RecognisedFile:
    """Return what a file is; of a file that nothing here reads, the errors say why."""
    if kind_of_source(file) != FILE or (not file.startswith(DATASET) and not os.path.exists(file)):
        raise InputError("no such file", source=file)
    try:
        kind = kind_of_file(file) or _by_numbers(file)
        with name_file_in_errors(file):
            return _HOLDS[kind](file)
    except UnjudgedError as error:
        return RecognisedFile(file, UNKNOWN, f"not recognised: {error}")


def _by_numbers(file: str) -> str:
    """Return whether documents have grades or scores, by the first run in a file."""
    run = Run.read(next(iter(name_runs([file]).values())))
    query = np.repeat(np.arange(len(run.queries)), np.diff(run.offsets))
    return JUDGMENTS if are_grades(query, run.scores) else RUN


def _judgments(file: str) -> RecognisedFile:
    judgments = united([Labels(file)])[0]
    assert judgments is not None  # noqa: S101
    judged, grades = judgments.grade >= 0, judgments.grade[judgments.grade >= 0]
    held = f"{int(judged.sum()):,} judged documents, {int((grades >= 1).sum()):,} of them relevant"
    if not judged.all():
        held += f", {int((~judged).sum()):,} pooled but not judged"
    if unable := int((judgments.grade == CANNOT_JUDGE).sum()):
        held += f" ({unable:,} with -2, which means that they cannot be judged)"
    scale = f"grades 0 to {grades.max(initial=0)}" if judgments.scale is None else "fractional grades"
    taken = "taken for " if judgments.origin in (A_POOL, Origin(POSITIVES)) else ""
    what = f"{taken}{judgments.origin}: {held}; {scale}"
    if judgments.origin == A_SAMPLE:
        what = f"{held} ({judgments.origin.words}); {scale}"
    return RecognisedFile(file, JUDGMENTS, what, judgments, len(judgments.queries), len(judgments.grade))


def _run(file: str) -> RecognisedFile:
    runs = {name: Run.read(source) for name, source in name_runs([file]).items()}
    several = "" if len(runs) == 1 else f"{counted(len(runs), 'run')}: {', '.join(list(runs)[:6])}; "
    sizes = np.concatenate([np.diff(run.offsets) for run in runs.values()])
    scores = np.concatenate([run.scores for run in runs.values()])
    to = "" if sizes.min() == sizes.max() else f" to {sizes.max():,}"
    what = f"{several}{sizes.min():,}{to} documents per query; scores {scores.min():g} to {scores.max():g}"
    queries = max(len(run.queries) for run in runs.values())
    return RecognisedFile(file, RUN, what, runs, queries, len(scores))


def _scores(file: str) -> RecognisedFile:
    """Return a table of scores with the settings that it is read with."""
    settings: tuple[str, ...] = ()
    try:
        scores = Scores.read(file, missing="zero")
    except UsageError:  # some of its measures are known, others are not
        scores, settings = Scores.read(file, missing="zero", wide="measures"), ("scores.wide=measures",)
    measures = shortlist([str(measure) for measure in scores.measures], 6)
    what = f"{counted(len(scores.runs), 'system')}: {shortlist(scores.runs, 6)}; {measures}"
    if gaps := gaps_of(scores):
        what, settings = f"{what}; {gaps}", (*settings, "scores.missing=zero")
    return RecognisedFile(file, SCORES, what, scores, len(scores.queries), settings=settings)


def gaps_of(scores: Scores) -> str:
    """Return which values a table lacks that was read with zeros for them, or nothing."""
    said = (note.removesuffix(f". {AS_ZERO}") for note in scores.notes if note.endswith(AS_ZERO))
    return next(said, "")


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
    what = f"{counted(len(group_of), 'run')} in {counted(len(set(group_of.values())), 'group')}"
    return RecognisedFile(file, GROUPS, what, group_of)


def _texts(file: str) -> RecognisedFile:
    number = sum(map(len, names_in(file)))
    if not number:
        raise InputError("no document or topic is in it")
    said = f"{number:,} texts by name, of documents or of topics"
    return RecognisedFile(file, TEXTS, said, lambda names: known_names(file, set(map(encode, names))))


_HOLDS: Mapping[str, Callable[[str], RecognisedFile]] = {
    JUDGMENTS: _judgments,
    RUN: _run,
    SCORES: _scores,
    DESIGN: _design,
    CALIBRATION: _calibration,
    GROUPS: _groups,
    TEXTS: _texts,
}
