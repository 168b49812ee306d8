"""`doctor`: what files are, how they match, and which questions they answer by which command; its result."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import partial
from itertools import chain

import numpy as np

from unjudged.base.errors import UnjudgedError, UnjudgedWarning, UsageError
from unjudged.base.wording import counted
from unjudged.diagnosis.recognised_files import (
    CALIBRATION,
    DESIGN,
    GROUPS,
    JUDGMENTS,
    RUN,
    SCORES,
    TEXTS,
    UNKNOWN,
    ZERO,
    RecognisedFile,
    gaps_of,
    recognise,
)
from unjudged.evaluation.evaluation import evaluate
from unjudged.evaluation.scores import Scores
from unjudged.formats.files import expanded
from unjudged.measures.kernel.estimand import (
    BY_DOCUMENT,
    CHOOSING,
    COMPARISON,
    LEAVING_OUT,
    Use,
    permitted,
    refused_use,
)
from unjudged.measures.kernel.names import parse
from unjudged.measures.kernel.traits import Refusal
from unjudged.predictions.combined_estimates import estimate_with_predictions
from unjudged.questions.compare import compare
from unjudged.questions.gate import gate
from unjudged.questions.sources import DEFAULT
from unjudged.rankings.extension import rows_of
from unjudged.rankings.origin import SAMPLES, UNIFORM
from unjudged.rankings.runs import RunSource
from unjudged.results.grid import Column, Grid, Shown, grid_of, in_paragraphs

COVERED = 0.5
"""Share of judged documents from which on another file of numbers may be predictions of their relevance."""


def doctor(*files: str | os.PathLike[str]) -> Diagnosis:
    """Say what files are, how they match each other, and which commands answer which questions from them.

    The files may come in any order.

    >>> from unjudged import sample
    >>> [one.kind for one in doctor(sample.runs["fused"], sample.qrels).files]
    ['run', 'judgments']
    """
    if not files:
        raise UsageError("no file given, expected at least one")
    names = [one for file in files for one in expanded(os.fspath(file))]
    names = [os.path.join(".", name) if name.startswith("-") else name for name in names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        recognised = [recognise(name) for name in dict.fromkeys(names)]
        patient = _Patient(recognised)
        return Diagnosis(recognised, list(patient.matches()), list(patient.questions()))


@dataclass(frozen=True, eq=False)
class _Patient:
    """Files by kind; judgments are those with the most queries."""

    files: Sequence[RecognisedFile]

    def of(self, kind: str) -> list[RecognisedFile]:
        return [one for one in self.files if one.kind == kind]

    @property
    def qrels(self) -> RecognisedFile | None:
        known = [one for one in self.of(JUDGMENTS) if not self._answers(one)] or self.of(JUDGMENTS)
        return max(known, key=lambda one: one.documents or 0, default=None)

    def _answers(self, judgments: RecognisedFile) -> bool:
        """Whether judgments are answers to a design: half of them were drawn by it."""
        return any(_covered(judgments, design) >= COVERED for design in self.of(DESIGN))

    def predictions(self) -> list[RecognisedFile]:
        """Return files with numbers for most judged documents: probabilities, or other judgments."""
        if self.qrels is None:
            return []
        others = [one for one in self.of(JUDGMENTS) if one is not self.qrels and not self._answers(one)]
        for one in self.of(RUN):
            scores = one.table.numbers[:, 0]
            if len(one.content) == 1 and 0 <= scores.min() < scores.max() <= 1:
                others += [one] if _covered(self.qrels, one) >= COVERED else []
        return others

    def runs(self) -> list[RecognisedFile]:
        guesses = self.predictions() if len(self.of(RUN)) > 1 else []
        return [one for one in self.of(RUN) if one not in guesses] or self.of(RUN)

    def matches(self) -> Iterator[Match]:
        names = {one.file: set(one.content.queries) for one in self.of(JUDGMENTS)}
        for judgments in self.of(JUDGMENTS):
            for run in self.of(RUN):
                yield Match(judgments.file, run.file, _in_common(judgments, run))
        for other in self.predictions():
            assert self.qrels is not None  # noqa: S101 (they are predictions of its documents)
            numbers = f"numbers for {_covered(self.qrels, other):.0%} of the judged documents"
            yield Match(self.qrels.file, other.file, numbers)
        for texts in self.of(TEXTS):
            for file, queries in names.items():
                if common := len(queries & texts.content):
                    yield Match(file, texts.file, f"topics of {common} of {counted(len(queries), 'query')}")
            for judgments in self.of(JUDGMENTS):
                waiting = _waiting(judgments)
                if common := len(waiting & texts.content):
                    of = f"{common} of {counted(len(waiting), 'unjudged document')}"
                    yield Match(judgments.file, texts.file, f"texts of {of}")

    def questions(self) -> Iterator[Question]:
        runs = [one.file for one in self.runs()]
        systems = sum(len(one.content) for one in self.runs())
        if self.qrels is not None and runs:
            yield from self._about_runs(self.qrels, runs, systems)
        elif runs:
            yield asked("Which documents should people judge?", "pool", *runs)
        yield from about_tables(self.of(SCORES))
        yield from self._about_judging()
        if not any((runs, self.of(SCORES), self.of(DESIGN), len(self.of(UNKNOWN)) == len(self.files))):
            yield Question("How good is a run?", "", "Give a run too: a file of rankings.")
        elif runs and self.qrels is None:
            yield Question("How good is each run?", "", "Give judgments too: a file of grades.")

    def _about_runs(self, qrels: RecognisedFile, runs: list[str], systems: int) -> Iterator[Question]:
        files = [qrels.file, *runs]
        by_name: dict[str, RunSource] = dict(chain(*(one.content.items() for one in self.runs())))
        judged = partial(evaluate, qrels.content, by_name, "Judged@10")
        scored = tried(judged, "How good is each run?", "evaluate", *files)
        yield scored
        if scored.refusal:
            return
        if qrels.content.scale is not None:
            yield Question("Anything else?", "", "Fractional grades are for evaluate alone: round them.")
            return
        bounds = "How far could the unjudged documents change the scores?"
        yield asked(bounds, "evaluate", *files, "--interval", "bounds")
        yield asked("What would other queries show?", "evaluate", *files, "--interval", "queries")
        if qrels.content.origin.kind in SAMPLES - {UNIFORM}:
            yield tried(
                lambda: evaluate(qrels.content, by_name).estimate("sampling"),
                "What would another sample of documents show?",
                *("evaluate", *files, "--interval", "sampling"),
            )
        if systems > 1:
            compared = permitted(parse(DEFAULT)[0], qrels.content, COMPARISON)
            one = () if isinstance(compared, Refusal) else ("-m", DEFAULT)
            yield asked(
                "Which is better, and could queries or judgments reverse it?", "compare", *files, *one
            )
            if systems == len(runs) == 2:
                yield asked(MAY_GO_ON, "gate", *files, "--margin", str(MARGIN))
            yield asked(ON_A_PAGE, "report", *files, "-o", "report.html")
        alone = () if systems > 1 else ("-m", OF_ONE)  # a measure whose interval documents narrow
        yield _allowed(qrels, CHOOSING, "What should be judged next?", "next", *files, *alone)
        for calibration in self.of(CALIBRATION):
            about = "How far off are scores of runs that were not pooled?"
            words = ("--interval", "calibrated", "--calibration", calibration.file)
            checked = partial(calibration.content.check_collection, qrels.content)
            yield tried(checked, about, "evaluate", *files, *words)
        for groups in self.of(GROUPS):
            about = "How far off would the scores of new systems be?"
            more = ("--groups", groups.file, "-o", "calibration.json")
            yield _allowed(qrels, LEAVING_OUT, about, "calibrate", *files, *more)
        for predictions in self.predictions():
            about = f"How good are the runs with {predictions.file} as predictions?"
            estimated = partial(estimate_with_predictions, qrels.content, by_name, predictions.file)
            yield tried(estimated, about, "evaluate", *files, "--predictions", predictions.file)
            about = f"How far does {predictions.file} agree with the judgments?"
            yield _allowed(qrels, BY_DOCUMENT, about, "audit", qrels.file, predictions.file, *runs)
            if predictions.kind == JUDGMENTS and systems > 1:
                about = f"Would {predictions.file} rank the runs alike?"
                yield asked(about, "agree", qrels.file, predictions.file, "--runs", *runs)

    def _about_judging(self) -> Iterator[Question]:
        for judgments in self.of(JUDGMENTS):
            queries = set(judgments.content.queries)
            topics = [one.file for one in self.of(TEXTS) if queries & one.content][:1]
            shown = [word for file in topics for word in ("--queries", file)]
            for texts in self.of(TEXTS):
                if _waiting(judgments) & texts.content:
                    words = ("judge", judgments.file, "--documents", texts.file, *shown, "-o", "judging.html")
                    yield asked("A page on which people judge the documents?", *words)
        for design in self.of(DESIGN):
            answers = [one for one in self.of(JUDGMENTS) if _covered(one, design) >= COVERED]
            for one in answers:
                merged = ("merge", design.file, one.file, "-o", "judged.qrels")
                yield asked("Judgments from the sample and its answers?", *merged)
            if not answers:
                missing = "Give the answers too: a file of grades."
                yield Question("How good are the runs on this sample?", "", missing)


def _allowed(qrels: RecognisedFile, use: Use, question: str, *words: str) -> Question:
    """Return the question, refused where judgments of this origin do not allow it."""
    refusal = refused_use(qrels.content, use)
    return asked(question, *words) if refusal is None else Question(question, "", f"{refusal}.")


def _in_common(judgments: RecognisedFile, run: RecognisedFile) -> str:
    queries = set(judgments.content.queries)
    shared = len(queries.intersection(*(one.queries for one in run.content.values())))
    if not shared:
        ours, theirs = judgments.content.queries[0], run.table.queries[0]
        return f"no query in common: {ours!r} here, {theirs!r} there"
    share = evaluate(judgments.content, run.content, "Judged@10").means.mean()
    judged = f"{share:.0%} of the first ten documents are judged"
    return f"{shared} of {counted(len(queries), 'query')}; {judged}"


def _waiting(judgments: RecognisedFile) -> set[str]:
    """Return the documents that are pooled and not judged."""
    return set(judgments.content.documents.take(np.flatnonzero(judgments.content.grade < 0)))


def _covered(judgments: RecognisedFile, other: RecognisedFile) -> float:
    """Return the share of judged documents that another file holds."""
    rows = rows_of(judgments.content, other.table)
    held = np.zeros(len(judgments.content.grade), bool)
    held[rows[rows >= 0]] = True
    judged = judgments.content.grade >= 0
    return float(held[judged].mean()) if judged.any() else 0.0


MAY_GO_ON = "May a build go on in which the second replaces the first?"
ON_A_PAGE = "All of it on one page?"
MARGIN = 0.01
OF_ONE = "P@10"


def about_tables(tables: Sequence[RecognisedFile]) -> Iterator[Question]:
    """Yield the questions about tables: about all together if each is a system, else about each."""
    together = _together(tables)
    if together is not None:
        files, gaps = [one.file for one in tables], gaps_of(together)
        yield from _about(together, files, ZERO if gaps else (), named=len(tables) > 2)
    for one in tables if together is None else ():
        yield from _about(one.content, [one.file], one.options, named=True)


def _together(tables: Sequence[RecognisedFile]) -> Scores | None:
    """Return the scores of several tables, if each is a system: it has one, or columns as all others."""
    names = [list(one.content.runs) for one in tables]
    if len(tables) > 1 and all(len(own) == 1 or own == names[0] for own in names):
        with suppress(UnjudgedError):
            scores = Scores.of([one.file for one in tables], missing="zero")
            return scores if len(scores.runs) == len(tables) else None
    return None


def _about(
    scores: Scores, files: Sequence[str], options: Sequence[str], *, named: bool
) -> Iterator[Question]:
    words = ("--scores", *files, *options)
    spread = "What would other queries show of each system?"
    yield tried(partial(scores.estimate, "queries"), spread, "evaluate", *words, "--interval", "queries")
    if len(scores.runs) < 2:
        return
    chosen = _one_measure(scores)
    shown = scores.chosen(chosen[1:] or None)
    yield tried(
        partial(compare, shown), "Which system is better on other queries?", "compare", *words, *chosen
    )
    old, new = scores.runs[:2]
    names = _option("--old", old) + _option("--new", new) if named else []
    passed = partial(gate, shown, old, new, margin=MARGIN)
    yield tried(passed, MAY_GO_ON, "gate", *words, *names, *chosen, "--margin", str(MARGIN))
    yield asked(ON_A_PAGE, "report", *words, "-o", "report.html")


def _one_measure(scores: Scores) -> list[str]:
    """Return the option for one measure of quality, if the table has several measures."""
    traits = {str(measure): measure.traits for measure in scores.measures}
    names = [name for name, own in traits.items() if own.quality and own.summary != "sum"]
    plain = [name for name in names if not {*name} & {*" ,"} and not name.startswith("-")]
    if len(scores.measures) == 1 or not plain:
        return []
    return ["-m", DEFAULT if DEFAULT in plain else plain[0]]


def _option(name: str, value: str) -> list[str]:
    """Return an option and its value, in one word if the value looks like another option."""
    return [f"{name}={value}"] if value.startswith("-") else [name, value]


@dataclass(frozen=True)
class Match:
    """Two files that belong together, and what they have in common."""

    first: str
    second: str
    common: str


@dataclass(frozen=True)
class Question:
    """A question that files answer by a command, or why they do not."""

    question: str
    command: str
    refusal: str = ""


def asked(question: str, *words: str) -> Question:
    """Return a question that the words of a command answer."""
    return Question(question, shlex.join(["unjudged", *words]))


def tried(attempt: Callable[[], object], question: str, *words: str) -> Question:
    """Return the question, refused for the reason for which an attempt to answer it fails."""
    try:
        attempt()
    except UnjudgedError as error:
        return Question(question, "", f"{error}.")
    return asked(question, *words)


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Shown):
    """What files are, how they match, and what can be asked of them."""

    files: Sequence[RecognisedFile]
    matches: Sequence[Match]
    questions: Sequence[Question]

    @property
    def recognised(self) -> bool:
        """Whether at least one file was recognised."""
        return any(one.kind != UNKNOWN for one in self.files)

    def grid(self) -> Grid:
        """Return a row per file."""
        rows = [(f.file, f.kind, f.queries, f.documents, f.description) for f in self.files]
        counts = Column("queries", "integer"), Column("rows", "integer")
        return Grid([Column("file"), Column("kind"), *counts, Column("description")], rows)

    def grids(self) -> list[Grid]:
        """Return the files, what they have in common, and the questions."""
        matches = grid_of(["file", "with", "common"], list(map(astuple, self.matches)))
        questions = grid_of(["question", "command", "refusal"], list(map(astuple, self.questions)))
        return [self.grid(), matches, questions]

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return in_paragraphs(str(self))

    def _lines(self) -> Iterator[str]:
        for one in self.files:
            counts = [counted(one.queries, "query")] if one.queries is not None else []
            counts += [f"{one.documents:,} rows"] if one.documents is not None else []
            size = f" ({', '.join(counts)})" if counts else ""
            yield f"{one.file}: {one.kind}{size}" if one.kind != UNKNOWN else f"{one.file}: unknown"
            yield f"  {one.description}"
        if self.matches:
            yield "\nHow they match"
            yield from (f"  {m.second} with {m.first}: {m.common}" for m in self.matches)
        if answered := [q for q in self.questions if not q.refusal]:
            yield "\nWhat you can ask"
            yield from (f"  {q.question}\n    {q.command}" for q in answered)
        if refused := [q for q in self.questions if q.refusal]:
            yield "\nWhat these files do not answer"
            yield from (f"  {q.question} {q.refusal}" for q in refused)
