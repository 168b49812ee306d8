"""`check`: what files are, what is wrong with them, and which questions they answer by which command."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any

import numpy as np

from unjudged.base.errors import UnjudgedError, UnjudgedWarning, UsageError
from unjudged.base.wording import counted, percent, shortlist
from unjudged.collection.description import Description
from unjudged.collection.finding import description_of
from unjudged.data.sources import expanded
from unjudged.diagnosis.recognised_files import (
    CALIBRATION,
    DESIGN,
    GROUPS,
    JUDGMENTS,
    RUN,
    SCORES,
    TEXTS,
    UNKNOWN,
    RecognisedFile,
    gaps_of,
    recognise,
)
from unjudged.evaluation.collection import described_runs, judged_rankings
from unjudged.evaluation.default_measures import DEFAULT
from unjudged.evaluation.groups import groups_of
from unjudged.evaluation.score_cells import UNNAMED
from unjudged.evaluation.scores import Scores
from unjudged.judging.groups_left_out import left_out_groups
from unjudged.judging.pooling import Pool
from unjudged.measures.kernel.estimand import BY_DOCUMENT, CHOOSING, Use, refused_use
from unjudged.measures.kernel.names import parse_measure
from unjudged.measures.kernel.registry import MEASURES
from unjudged.questions.evaluate import evaluate
from unjudged.questions.gate import gate
from unjudged.questions.sources import gather
from unjudged.rankings.extension import rows_of
from unjudged.rankings.origin import SAMPLES, UNIFORM
from unjudged.rankings.runs import RunSource
from unjudged.results.fields import Row
from unjudged.results.result import Result

HALF, FIFTH, NINE_TENTHS = 0.5, 0.2, 0.9
"""Shares of documents or queries from which on files belong together, lack too much, or do not match."""
MAY_GO_ON = "May a build go on in which the second replaces the first?"
ON_A_PAGE = "All of it on one page?"
MARGIN = 0.01
OF_ONE = "P@10"
"""The measure of one run, whose interval documents narrow."""
LEFT_OUT = "left out"
POOL_DEPTH = 100


def check(*files: str | os.PathLike[str]) -> Check:
    """Say what files are, what is wrong with them, and which commands answer which questions from them.

    With the groups of pooled runs it says how far off runs are that come later, in score and in place. The
    files may come in any order, and a description stands for the files that it names.

    >>> from unjudged import sample
    >>> [row["kind"] for row in check(sample.runs["fused"], sample.qrels).rows["files"]]
    ['run', 'judgments']
    """
    if not files:
        raise UsageError("no file given, expected at least one")
    names = [one for file in files for one in _files_of(os.fspath(file))]
    names = [os.path.join(".", name) if name.startswith("-") else name for name in names]
    patterns = [own.groups for file in files if (own := _described(os.fspath(file))) is not None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        found = _Files([recognise(name) for name in dict.fromkeys(names)], next(iter(patterns), None))
        rows: dict[str, Sequence[Row]] = {
            "files": [one.row() for one in found.files],
            "matches": [*found.matches()],
            "problems": [{"problem": one} for one in dict.fromkeys(found.problems())],
            "questions": [*found.questions()],
        }
        left_out = found.left_out()
        if left_out is not None:
            rows |= left_out.rows
        return Check(rows, left_out.notes if left_out is not None else ())


class Check(Result):
    """What files are, how they match, what is wrong with them, and what can be asked of them."""

    @property
    def recognised(self) -> bool:
        """Whether at least one file was recognised."""
        return any(row["kind"] != UNKNOWN for row in self.rows["files"])

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for row in self.rows["files"]:
            counts = [] if row["queries"] is None else [counted(row["queries"], "query")]
            counts += [] if row["documents"] is None else [f"{row['documents']:,} rows"]
            size = f" ({', '.join(counts)})" if counts else ""
            yield f"{row['file']}: {row['kind']}{size}\n  {row['description']}"
        for view, title, text in (
            ("matches", "How they match", "  {other} with {file}: {common}"),
            ("problems", "What is wrong", "  {problem}"),
        ):
            if self.rows[view]:
                yield f"\n{title}"
                yield from (text.format(**row) for row in self.rows[view])
        if self.notes:
            yield "\nAre new systems evaluated fairly?"
            yield from (f"  {note}" for note in self.notes)
        for refused, title, text in (
            (False, "What you can ask", "  {question}\n    {command}"),
            (True, "What these files do not answer", "  {question} {refusal}"),
        ):
            if own := [row for row in self.rows["questions"] if bool(row["refusal"]) == refused]:
                yield f"\n{title}"
                yield from (text.format(**row) for row in own)


def _described(name: str) -> Description | None:
    """Return the description that a name stands for, but for datasets, which are judgments alone."""
    return None if name.startswith("irds:") else description_of(name)


def _files_of(name: str) -> Iterable[str]:
    """Return the files of a pattern, or those that a description names."""
    described = _described(name)
    if described is None:
        return expanded(name)
    given: list[Any] = [one.file for one in described.judgments]
    given += described_runs(described).values()
    if described.scores is not None:
        given += np.atleast_1d(described.scores.file).tolist()
    texts = (described.queries, described.documents, described.groups)
    given += [one for one in texts if one is not None and os.path.isfile(str(one))]
    return list(dict.fromkeys(str(getattr(one, "file", one)) for one in given))


@dataclass(frozen=True)
class _Files:
    """Files by kind, and a pattern or a file of groups that a description has."""

    files: Sequence[RecognisedFile]
    described_groups: Any = None

    def of(self, kind: str) -> list[RecognisedFile]:
        return [one for one in self.files if one.kind == kind]

    @cached_property
    def qrels(self) -> RecognisedFile | None:
        """The judgments with the most documents that answer no design."""
        known = [one for one in self.of(JUDGMENTS) if not self._answers(one)] or self.of(JUDGMENTS)
        return max(known, key=lambda one: one.documents or 0, default=None)

    @cached_property
    def judges(self) -> list[RecognisedFile]:
        """Other judgments of the same documents."""
        others = [one for one in self.of(JUDGMENTS) if one is not self.qrels and not self._answers(one)]
        return [one for one in others if self.qrels is not None and _covered(self.qrels, one)]

    @cached_property
    def runs(self) -> dict[str, RunSource]:
        return dict(chain(*(one.content.items() for one in self.of(RUN))))

    def _answers(self, judgments: RecognisedFile) -> bool:
        """Whether judgments are answers to a design: half of them were drawn by it."""
        return any(_covered(judgments, design) >= HALF for design in self.of(DESIGN))

    def matches(self) -> Iterator[Row]:
        """Yield what files have in common."""
        for judgments in self.of(JUDGMENTS):
            queries = set(judgments.content.queries)
            for run in self.of(RUN):
                shared = len(queries.intersection(*(one.queries for one in run.content.values())))
                common = f"{shared} of {counted(len(queries), 'query')}"
                if shared:
                    judged = float(np.mean([first.mean() for first in _first_ten(judgments, run).values()]))
                    common += f"; {percent(judged, 0)} of the first ten documents are judged"
                yield {"file": judgments.file, "other": run.file, "common": common}
            for texts in self.of(TEXTS):
                waiting = _waiting(judgments)
                for names, what in ((queries, "queries"), (waiting, "unjudged documents")):
                    if common_names := len(names & texts.content):
                        said = f"texts of {common_names} of {len(names)} {what}"
                        yield {"file": judgments.file, "other": texts.file, "common": said}
        for judge in self.judges:
            assert self.qrels is not None  # noqa: S101 (judges are of its documents)
            common = f"grades of {percent(_covered(self.qrels, judge), 0)} of the judged documents"
            yield {"file": self.qrels.file, "other": judge.file, "common": common}

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with files, or would be if they were used together."""
        yield from (f"{one.file}: {one.description}" for one in self.of(UNKNOWN))
        for one in self.of(JUDGMENTS):
            grades = one.content.grade[one.content.grade >= 0]
            if not len(grades):
                yield f"{one.file}: nothing is judged, every grade is negative"
            elif (grades > 0).all() and len(grades) > len(one.content.queries):
                yield f"{one.file}: every judged document is relevant, so precision cannot be measured"
        yield from (f"{one.file}: {gaps}" for one in self.of(SCORES) if (gaps := gaps_of(one.content)))
        if self.qrels is not None:
            for run in self.of(RUN):
                yield from _problems_of(self.qrels, run)

    def left_out(self) -> Result | None:
        """Return how far off runs of a pooled group are when it is left out; None without groups."""
        groups: Any = [one.content for one in self.of(GROUPS)] or [self.described_groups]
        if self.qrels is None or len(self.runs) < 2 or groups[0] is None:
            return None
        named = groups[0] if isinstance(groups[0], dict) else groups_of(groups[0], list(self.runs))
        pool = Pool.of(self.qrels.content, self.runs)
        with suppress(UnjudgedError):
            return left_out_groups(pool, depth=self.qrels.content.origin.depth or POOL_DEPTH, groups=named)
        return None

    def questions(self) -> Iterator[Row]:
        """Yield questions, each with the command that answers it or the reason why none does."""
        files = [one.file for one in self.of(RUN)]
        if self.qrels is not None and files:
            yield from self._about_runs(self.qrels, files)
        yield from about_tables(self.of(SCORES))
        for design in self.of(DESIGN):
            answers = [one.file for one in self.of(JUDGMENTS) if _covered(one, design) >= HALF]
            if answers:
                words = ("merge", design.file, *answers, "-o", "judged.qrels")
                yield asked("Judgments from the sample and its answers?", *words)
        if files and self.qrels is None:
            yield not_asked("How good is each run?", "Give judgments too: a file of grades.")
        elif not files and self.qrels is not None:
            yield not_asked("How good is a run?", "Give a run too: a file of rankings.")

    def _about_runs(self, qrels: RecognisedFile, runs: list[str]) -> Iterator[Row]:
        files, systems = [qrels.file, *runs], len(self.runs)
        judged = partial(judged_rankings, qrels.content, self.runs)
        scored = tried(judged, "How good is each run?", "evaluate", *files)
        yield scored
        if scored["refusal"]:
            return
        yield asked("What would other queries show?", "evaluate", *files, "--interval", "queries")
        if qrels.content.scale is None:
            bounds = "How far could the unjudged documents change the scores?"
            yield asked(bounds, "evaluate", *files, "--interval", "bounds")
        if qrels.content.origin.kind in SAMPLES - {UNIFORM}:
            yield asked(
                "What would another sample of documents show?", "evaluate", *files, "--interval", "sampling"
            )
        if systems > 1:
            about = "Which is better, and could queries or judgments reverse it?"
            yield tried(partial(gather, qrels.content, self.runs, None), about, "compare", *files)
        if systems == len(runs) == 2:
            yield asked(MAY_GO_ON, "gate", *files, "--margin", str(MARGIN))
        yield asked(ON_A_PAGE, "report", *files, "-o", "report.html")
        alone = () if systems > 1 else ("-m", OF_ONE)
        yield allowed(qrels, CHOOSING, "What should be judged next?", "next", *files, *alone)
        for calibration in self.of(CALIBRATION):
            about = "How far off are scores of runs that were not pooled?"
            words = ("--interval", "calibrated", "--set", f"judgments.calibration={calibration.file}")
            checked = partial(calibration.content.check_collection, qrels.content)
            yield tried(checked, about, "evaluate", *files, *words)
        for judge in self.judges:
            about = f"How far does {judge.file} agree with the judgments?"
            yield allowed(qrels, BY_DOCUMENT, about, "audit", qrels.file, judge.file, *runs)


def _first_ten(judgments: RecognisedFile, run: RecognisedFile) -> dict[str, Any]:
    """Return the share of the first ten documents that is judged, by query, of each run."""
    measure = parse_measure("Judged@10")
    rankings = judged_rankings(judgments.content, run.content)
    shares = measure.compute(rankings).reshape(len(run.content), -1)
    return dict(zip(run.content, shares, strict=True))


def _problems_of(judgments: RecognisedFile, run: RecognisedFile) -> Iterator[str]:
    """Yield in what a run does not fit judgments."""
    queries, graded = judgments.content.queries, judgments.content.documents
    for name, own in run.content.items():
        missing = [query for query in queries if query not in set(own.queries)]
        if len(missing) == len(queries):
            example = f"{queries[0]!r} there, {own.queries[0]!r} here"
            yield f"{run.file}: no query in common with {judgments.file}: {example}"
            return
        if len(missing) > FIFTH * len(queries):
            few = f"{len(missing)} of {len(queries)} queries: {shortlist(missing)}"
            yield f"{run.file}: {name} has no ranking for {few}"
        found = _first_ten(judgments, run)[name]
        if (found == 0).mean() >= NINE_TENTHS:
            example = f"{graded[0]!r} there, {own.table.documents[0]!r} here"
            many = f"{int((found == 0).sum())} of {len(queries)} queries"
            yield f"{run.file}: none of the first ten documents is judged in {many}: {example}"


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


def about_tables(tables: Sequence[RecognisedFile]) -> Iterator[Row]:
    """Yield the questions about tables: about all together if each is a system, else about each."""
    together = _together(tables)
    for scores, files in (
        [(one.content, [one]) for one in tables] if together is None else [(together, tables)]
    ):
        yield from _about(scores, [one.file for one in files], _settings(files))


def _settings(files: Sequence[RecognisedFile]) -> list[str]:
    """Return what says how tables are read."""
    return [word for key in dict.fromkeys(chain(*(one.options for one in files))) for word in ("--set", key)]


def _together(tables: Sequence[RecognisedFile]) -> Scores | None:
    """Return the scores of several tables, if each is a system: it has one, or columns as all others."""
    names = [list(one.content.runs) for one in tables]
    if len(tables) > 1 and all(len(own) == 1 or own == names[0] for own in names):
        with suppress(UnjudgedError):
            scores = Scores.of([one.file for one in tables], missing="zero")
            return scores if len(scores.runs) == len(tables) else None
    return None


def _about(scores: Scores, files: Sequence[str], settings: Sequence[str]) -> Iterator[Row]:
    words = (*files, *settings)
    spread = "What would other queries show of each system?"
    yield tried(
        partial(evaluate, scores, interval="queries"), spread, "evaluate", *words, "--interval", "queries"
    )
    if len(scores.runs) < 2:
        return
    chosen = _one_measure(scores)
    shown = scores.chosen(chosen[1:] or None)
    better = "Which system is better on other queries?"
    yield tried(partial(gather, shown, None, None), better, "compare", *words, *chosen)
    old, new = scores.runs[:2]
    named = [] if len(files) == len(scores.runs) == 2 else [old, new]
    named = ["--", *named] if any(name.startswith("-") for name in named) else named
    passed = partial(gate, shown, old, new, margin=MARGIN)
    unknown = [str(one) for one in shown.measures if one.name not in MEASURES and str(one) != UNNAMED]
    higher = [word for name in unknown[:1] for word in ("--set", f"scores.higher={name}")]
    more = (*settings, *higher, *chosen, "--margin", str(MARGIN))
    pair = (*files, *more, *named) if named[:1] == ["--"] else (*files, *named, *more)
    yield tried(passed, MAY_GO_ON, "gate", *pair)
    yield asked(ON_A_PAGE, "report", *words, "-o", "report.html")


def _one_measure(scores: Scores) -> list[str]:
    """Return the option for one measure of quality, if the table has several measures."""
    traits = {str(measure): measure.traits for measure in scores.measures}
    names = [name for name, own in traits.items() if own.quality and own.summary != "sum"]
    plain = [name for name in names if not {*name} & {*" ,"} and not name.startswith("-")]
    if len(scores.measures) == 1 or not plain:
        return []
    return ["-m", DEFAULT if DEFAULT in plain else plain[0]]


def asked(question: str, *words: str) -> Row:
    """Return a question that the words of a command answer."""
    return {"question": question, "command": shlex.join(["unjudged", *words]), "refusal": ""}


def not_asked(question: str, refusal: str) -> Row:
    """Return a question that nothing here answers."""
    return {"question": question, "command": "", "refusal": refusal}


def allowed(qrels: RecognisedFile, use: Use, question: str, *words: str) -> Row:
    """Return the question, refused where judgments of this origin do not allow it."""
    refusal = refused_use(qrels.content, use)
    return asked(question, *words) if refusal is None else not_asked(question, f"{refusal}.")


def tried(attempt: Callable[[], object], question: str, *words: str) -> Row:
    """Return the question, refused for the reason for which an attempt to answer it fails."""
    try:
        attempt()
    except UnjudgedError as error:
        return not_asked(question, f"{error}.")
    return asked(question, *words)
