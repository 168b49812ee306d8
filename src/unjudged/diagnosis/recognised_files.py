"""What a file holds, once its kind is known: its content, and a sentence about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from unjudged.base.errors import InputError, UnjudgedError, UsageError
from unjudged.base.notes import Note
from unjudged.base.wording import counted, shortlist
from unjudged.collection.collection import described_runs, united
from unjudged.collection.description import PEOPLE, Description, Labels
from unjudged.collection.scores import Scores
from unjudged.data.nested_dicts import DATASET
from unjudged.data.sources import FILE, expanded, kind_of_source
from unjudged.data.streams import name_file_in_errors
from unjudged.data.text_tables import names_in
from unjudged.diagnosis.kinds import (
    CALIBRATION,
    DESIGN,
    GROUPS,
    JUDGMENTS,
    LABELS,
    RUN,
    SCORES,
    TEXTS,
    UNKNOWN,
    is_by_model,
    judge_in,
    kind_of_file,
)
from unjudged.evidence.calibration import Calibration
from unjudged.questions.calibrating import read_groups
from unjudged.rankings.coverage import are_grades
from unjudged.rankings.judgments import CANNOT_JUDGE
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
    name: str = ""
    """Who made the labels, if that was said."""

    @property
    def word(self) -> str:
        """What stands for it on a command line."""
        return f"{self.name}={self.file}" if self.name else self.file

    def row(self) -> Row:
        """Return what is known of it as a row."""
        names = ("file", "kind", "queries", "documents", "description")
        return {name: getattr(self, name) for name in names}

    @property
    def problem(self) -> str:
        """What is wrong with a file that is not recognised, after its name."""
        named = self.description.startswith(self.file)
        return self.description if named else f"{self.file}: {self.description}"


def recognise(source: Any, kind: str = "") -> RecognisedFile:
    """Return what a file is; of a file that nothing here reads, the errors say why.

    The start of a file shows its kind, unless a description has the file and says it.
    """
    file = str(getattr(source, "file", source))
    if kind_of_source(file) != FILE or (not file.startswith(DATASET) and not os.path.exists(file)):
        raise InputError("no such file", source=file)
    try:
        found = kind or kind_of_file(file) or _by_numbers(file)
        with name_file_in_errors(file):
            return _HOLDS[found](source)
    except UnjudgedError as error:
        return RecognisedFile(file, UNKNOWN, str(error))


def recognise_described(described: Description) -> Iterator[RecognisedFile]:
    """Yield what the files of a description are."""
    for labels in described.judgments:
        own = recognise(labels, JUDGMENTS)
        yield own if labels.by == PEOPLE else _by_model(own, labels.name)
        if isinstance(labels.calibration, str):
            yield recognise(labels.calibration, CALIBRATION)
    for run in described_runs(described).values():
        yield recognise(run, RUN)
    for file in () if described.scores is None else np.atleast_1d(described.scores.file).tolist():
        yield recognise(file, SCORES)
    for file, kind in ((described.queries, TEXTS), (described.documents, TEXTS), (described.groups, GROUPS)):
        if isinstance(file, str) and os.path.isfile(file):
            yield recognise(file, kind)


def recognised_words(words: Iterable[str]) -> list[RecognisedFile]:
    """Return what files are: with NAME=FILE, or the name of a model in its own, one has a model's labels."""
    found: dict[str, RecognisedFile] = {}
    for word in words:
        judge = judge_in(word)
        for file in expanded(word) if judge is None else [judge[1]]:
            own = recognise(os.path.join(".", file) if file.startswith("-") else file)
            found[file] = own if judge is None else _by_model(own, judge[0])
    people = [one for one in found.values() if one.kind == JUDGMENTS]
    if any(not is_by_model(one.file) for one in people):
        found |= {one.file: _by_model(one) for one in people if is_by_model(one.file)}
    return [*found.values()]


def _by_model(one: RecognisedFile, name: str = "") -> RecognisedFile:
    """Return judgments, or scores in the form of a run, as labels by a model."""
    if one.kind not in (JUDGMENTS, RUN):
        return one
    content = one.content if one.kind == JUDGMENTS else next(iter(one.content.values()))
    what = one.description.removeprefix("taken for a pool: ")
    return replace(one, kind=LABELS, content=content, name=name, description=what)


def people_first(judgments: Iterable[RecognisedFile]) -> list[RecognisedFile]:
    """Return files of judgments, people's first: they record a sample, or else have grades and come first."""
    return sorted(judgments, key=lambda one: (not one.content.recorded, not (one.content.grade >= 0).any()))


def with_names(files: Iterable[RecognisedFile], wanted: set[bytes]) -> list[RecognisedFile]:
    """Return files in which texts have the names that they share with these, instead of their content."""
    return [_looked_up(one, wanted) if one.kind == TEXTS else one for one in files]


def _looked_up(texts: RecognisedFile, wanted: set[bytes]) -> RecognisedFile:
    """Return a file of texts with those of the wanted documents that it has."""
    number, known = 0, set()
    try:
        for names in names_in(texts.file):
            number += len(names)
            known |= wanted.intersection(names)
    except UnjudgedError as error:
        return RecognisedFile(texts.file, UNKNOWN, str(error))
    return replace(texts, description=f"{counted(number, 'text')} by name", content=known)


def _by_numbers(file: str) -> str:
    """Return whether documents have grades or scores, by the first run in a file."""
    run = Run.read(next(iter(name_runs([file]).values())))
    query = np.repeat(np.arange(len(run.queries)), np.diff(run.offsets))
    return JUDGMENTS if are_grades(query, run.scores) else RUN


def _judgments(source: Any) -> RecognisedFile:
    """Return the judgments of a file, or of labels that a description has."""
    labels = source if isinstance(source, Labels) else Labels(source)
    file = str(labels.file)
    judgments, _ = united([labels])
    assert judgments is not None  # noqa: S101
    grades, origin, size = judgments.grade, judgments.origin, (len(judgments.queries), len(judgments.grade))
    if judgments.drawn is not None:
        wanted = int((judgments.drawn & judgments.waiting).sum())
        return RecognisedFile(
            file, DESIGN, f"{origin}: {counted(wanted, 'document')} to judge", judgments, *size
        )
    judged, relevant, unable = (int(own.sum()) for own in (grades >= 0, grades >= 1, grades == CANNOT_JUDGE))
    held = f"{judged:,} judged documents, {relevant:,} of them relevant"
    if origin.kind == POSITIVES:
        held = f"{relevant:,} relevant documents are listed, and no others"
    if judged < len(grades):
        held += f", {len(grades) - judged:,} pooled but not judged"
        held += f" ({unable:,} with -2, which means that they cannot be judged)" if unable else ""
    lowest = grades[grades >= 0].min() if judged else 0
    scale = f"grade {lowest}" if lowest == judgments.highest else f"grades {lowest} to {judgments.highest}"
    scale = scale if judgments.scale is None else "fractional grades"
    guessed = not labels.is_stated and origin in (A_POOL, Origin(POSITIVES))
    what = f"{'taken for ' if guessed else ''}{origin}: {held}; {scale}"
    if origin == A_SAMPLE:
        what = f"{held} ({origin.words}); {scale}"
    return RecognisedFile(file, JUDGMENTS, what, judgments, *size)


def _run(source: Any) -> RecognisedFile:
    """Say what a file of runs holds: how many documents by query, and from which score to which."""
    runs = {name: Run.read(run) for name, run in name_runs([source]).items()}
    several = "" if len(runs) == 1 else f"{counted(len(runs), 'run')}: {', '.join(list(runs)[:6])}; "
    sizes = np.concatenate([np.diff(run.offsets) for run in runs.values()])
    scores = np.concatenate([run.scores for run in runs.values()])
    to = "" if sizes.min() == sizes.max() else f" to {sizes.max():,}"
    what = f"{several}{sizes.min():,}{to} documents per query; scores {scores.min():g} to {scores.max():g}"
    queries = max(len(run.queries) for run in runs.values())
    return RecognisedFile(str(getattr(source, "file", source)), RUN, what, runs, queries, len(scores))


def _scores(file: str) -> RecognisedFile:
    """Return a table of scores with the settings that it is read with."""
    settings: tuple[str, ...] = ()
    try:
        scores, zero = with_gaps(file)
    except UsageError:  # some of its measures are known, others are not
        (scores, zero), settings = with_gaps(file, wide="measures"), ("scores.wide=measures",)
    measures = shortlist([str(measure) for measure in scores.measures], 6)
    what = f"{counted(len(scores.runs), 'system')}: {shortlist(scores.runs, 6)}; {measures}"
    if gaps := gaps_of(scores):
        what, settings = f"{what}; {gaps}", (*settings, *zero)
    told = [note for note in scores.notes if not getattr(note, "code", "").startswith("missing")]
    what = ". ".join([what, *(note.rstrip(".") for note in told)])
    return RecognisedFile(file, SCORES, what, scores, len(scores.queries), settings=settings)


def with_gaps(source: Any, **given: Any) -> tuple[Scores, tuple[str, ...]]:
    """Return the scores of a table, and the setting that it needs if it lacks values of unknown range."""
    try:
        return Scores.read(source, **given), ()
    except InputError:
        return Scores.read(source, missing="zero", **given), ("scores.missing=zero",)


def gaps_of(scores: Scores) -> str:
    """Return which values a table lacks, or nothing."""
    notes = [said for said in scores.notes if isinstance(said, Note)]
    return next((str(said.values["lacking"]) for said in notes if "lacking" in said.values), "")


def _calibration(file: str) -> RecognisedFile:
    """Say what a file of calibration holds."""
    calibration = Calibration.load(file)
    measures = shortlist(list(calibration.scores), 6)
    what = f"of {counted(calibration.groups, 'group')} of pooled runs, for {measures}"
    return RecognisedFile(file, CALIBRATION, what, calibration, calibration.queries)


def _groups(file: str) -> RecognisedFile:
    """Say what a file of groups of runs holds."""
    group_of = read_groups(file)
    if not group_of:
        raise InputError("no lines, expected a run and its group on each", source=file)
    what = f"{counted(len(group_of), 'run')} in {counted(len(set(group_of.values())), 'group')}"
    return RecognisedFile(file, GROUPS, what, group_of)


def _texts(file: str) -> RecognisedFile:
    """Say that a file holds texts by name."""
    if not any(names_in(file)):
        raise InputError("no document or topic is in it")
    return RecognisedFile(file, TEXTS, "texts by name, of documents or of topics", frozenset())


_HOLDS: Mapping[str, Callable[[Any], RecognisedFile]] = {
    JUDGMENTS: _judgments,
    DESIGN: _judgments,
    RUN: _run,
    SCORES: _scores,
    CALIBRATION: _calibration,
    GROUPS: _groups,
    TEXTS: _texts,
}
