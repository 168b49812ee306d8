"""`check`: what files are, what is wrong with them, and which questions they answer by which command."""

from __future__ import annotations

import os
import shlex
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from unjudged.base.errors import UnjudgedError, UnjudgedWarning, UsageError
from unjudged.base.wording import counted, percent, plain
from unjudged.collection.collection import Collection, described_runs
from unjudged.collection.description import Description, description_of
from unjudged.collection.score_rows import UNNAMED
from unjudged.collection.scores import Scores
from unjudged.collection.stale import Fit
from unjudged.data.document_names import known_names
from unjudged.data.nested_dicts import DATASET
from unjudged.data.sources import expanded
from unjudged.data.tables import decode
from unjudged.diagnosis.kinds import CALIBRATION, DESIGN, GROUPS, JUDGMENTS, RUN, SCORES, TEXTS, UNKNOWN
from unjudged.diagnosis.recognised_files import RecognisedFile, gaps_of, recognise
from unjudged.evidence.runs_alone import BOUNDING
from unjudged.judging.groups_left_out import left_out_groups
from unjudged.judging.pooling import Pool
from unjudged.measures.kernel.estimand import CHOOSING, refused_use
from unjudged.measures.kernel.registry import MEASURES
from unjudged.questions.calibrating import groups_of
from unjudged.questions.evaluating import evaluate
from unjudged.questions.fitting_measures import DEFAULT
from unjudged.questions.gathering import gather, subject_of
from unjudged.questions.gating import check_rankings, gate
from unjudged.rankings.origin import POSITIVES, SAMPLES, UNIFORM
from unjudged.results.fields import Row
from unjudged.results.result import Result
from unjudged.studies.auditing import audit

MARGIN = 0.01
OF_ONE = "P@10"
"""The measure of one run, whose interval documents narrow."""
POOL_DEPTH = 100
SAY_SO = "Then say so: --set judgments.how=positives"


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
    described = [own.groups for file in files if (own := _described(os.fspath(file))) is not None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        found = _Files([recognise(name) for name in dict.fromkeys(names)], next(iter(described), None))
        rows: dict[str, Sequence[Row]] = {
            "files": [one.row() for one in found.files],
            "matches": [*found.matches()],
            "problems": [{"problem": one} for one in dict.fromkeys(found.problems())],
            "stale": [] if found.fit is None else found.fit.queries,
            "questions": [*found.questions()],
        }
        left_out = found.left_out()
    if left_out is None:
        return Check(rows)
    return Check(rows | dict(left_out.rows), left_out.notes)


class Check(Result):
    """What files are, how they match, what is wrong with them, and what can be asked of them."""

    @property
    def recognised(self) -> bool:
        """Whether at least one file was recognised."""
        return any(row["kind"] != UNKNOWN for row in self.rows["files"])

    def __str__(self) -> str:
        return "\n".join(plain(line) for text in self._lines() for line in text.split("\n"))

    def _lines(self) -> Iterator[str]:
        for row in self.rows["files"]:
            counts = [] if row["queries"] is None else [counted(row["queries"], "query")]
            counts += [] if row["documents"] is None else [f"{row['documents']:,} rows"]
            size = f" ({', '.join(counts)})" if counts else ""
            yield f"{row['file']}: {row['kind']}{size}\n  {row['description']}"
        asked = self.rows["questions"]
        for rows, title, text in (
            (self.rows["matches"], "How they match", "  {other} with {file}: {common}"),
            (self.rows["problems"], "What is wrong", "  {problem}"),
            ([{"note": one} for one in self.notes], "Are new systems evaluated fairly?", "  {note}"),
            ([one for one in asked if one["command"]], "What you can ask", "  {question}\n    {command}"),
            (
                [one for one in asked if one["refusal"]],
                "What these files do not answer",
                "  {question} {refusal}",
            ),
        ):
            yield from [f"\n{title}"] if rows else []
            yield from (text.format(**row) for row in rows)


def _described(name: str) -> Description | None:
    """Return the description that a name stands for, but for datasets, which are judgments alone."""
    return None if name.startswith(DATASET) else description_of(name)


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
    return dict.fromkeys(str(getattr(one, "file", one)) for one in given)


@dataclass(frozen=True)
class _Files:
    """Files by kind, and a pattern or a file of groups that a description has."""

    files: Sequence[RecognisedFile]
    described_groups: Any = None

    def of(self, kind: str) -> list[RecognisedFile]:
        return [one for one in self.files if one.kind == kind]

    @cached_property
    def qrels(self) -> RecognisedFile | None:
        """The judgments with the most documents."""
        return max(self.of(JUDGMENTS), key=lambda one: one.documents or 0, default=None)

    @cached_property
    def runs(self) -> dict[str, Any]:
        """Runs by name."""
        return {name: run for one in self.of(RUN) for name, run in one.content.items()}

    @cached_property
    def collection(self) -> Collection | None:
        """The judgments and the runs, if they have a query in common."""
        if self.qrels is None or not self.runs:
            return None
        with suppress(UnjudgedError):
            made = Collection(self.qrels.content, self.runs)
            return made if made.rankings else None
        return None

    def matches(self) -> Iterator[Row]:
        """Yield what files have in common."""
        if self.qrels is None:
            return
        queries, file = set(self.qrels.content.queries), self.qrels.file
        if self.collection is not None:
            shares = evaluate(self.collection, measures="Judged@10")
            for one in self.of(RUN):
                own = [shares.value("Judged@10", run=name) for name in one.content]
                shared = len(queries.intersection(*(run.queries for run in one.content.values())))
                common = f"{shared} of {counted(len(queries), 'query')}"
                how = "listed" if self.qrels.content.origin.kind == POSITIVES else "judged"
                common += f"; {percent(float(np.mean(own)), 0)} of the first ten documents are {how}"
                yield {"file": file, "other": one.file, "common": common}
        waiting = {*self.qrels.content.documents.take(np.flatnonzero(self.qrels.content.grade < 0))}
        for one in self.of(TEXTS):
            for names, what in ((queries, "queries"), (waiting, "unjudged documents")):
                if known := len(one.content(names)):
                    said = f"texts of {known} of {len(names)} {what}"
                    yield {"file": file, "other": one.file, "common": said}

    @cached_property
    def fit(self) -> Fit | None:
        """How the judgments fit the first file of documents; None without one."""
        for one in self.of(TEXTS):
            with suppress(UnjudgedError):
                return None if self.qrels is None else Fit.of(self.qrels.content, one.file)
        return None

    def stale(self) -> Iterator[str]:
        """Say which documents of judgments and runs are not in the corpus."""
        fit, qrels = self.fit, self.qrels
        if fit is None or qrels is None:
            return
        if fit.gone.any():
            yield from (f"{qrels.file}: {said}" for said in fit.sentences())
            kept, dropped = (
                evaluate(Collection(own, {"best": fit.best}), measures=DEFAULT).value(DEFAULT)
                for own in (qrels.content, fit.kept)
            )
            most = f"no system can reach more than {DEFAULT} {dropped:.4f}, as these documents are dropped"
            yield f"{qrels.file}: {most}; {kept:.4f} if they are kept (--set stale=keep)"
        for name, run in self.runs.items():
            returned = run.documents.tolist()
            known = known_names(fit.documents, {*returned})
            outside = [document for document in returned if document not in known]
            if outside:
                yield (
                    f"{name}: {len(outside):,} of {len(returned):,} documents that it returns are not in "
                    f"{fit.file}, such as {decode(outside[0])!r}"
                )

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with files, or would be if they were used together."""
        yield from self.stale()
        yield from (f"{one.file}: {one.description}" for one in self.of(UNKNOWN))
        for one in self.of(JUDGMENTS):
            grades = one.content.grade[one.content.grade >= 0]
            if not len(grades):
                yield f"{one.file}: nothing is judged, every grade is negative"
            elif (grades > 0).all() and one.content.origin.kind != POSITIVES:
                yield f"{one.file}: every judged document is relevant: is that all that was listed? {SAY_SO}"
        yield from (f"{one.file}: {gaps}" for one in self.of(SCORES) if (gaps := gaps_of(one.content)))
        for name, run in self.runs.items() if self.qrels is not None else ():
            assert self.qrels is not None  # noqa: S101
            try:
                check_rankings(Collection(self.qrels.content, {name: run}).shared())
            except UnjudgedError as error:
                yield str(error)

    def left_out(self) -> Result | None:
        """Return how far off runs of a pooled group are when it is left out; None without groups."""
        groups: Any = [one.content for one in self.of(GROUPS)] or [self.described_groups]
        if self.collection is None or len(self.runs) < 2 or groups[0] is None:
            return None
        judgments = self.collection.judgments
        with suppress(UnjudgedError):
            pool, depth = Pool.of(judgments, self.runs), judgments.origin.depth or POOL_DEPTH
            return left_out_groups(pool, depth=depth, groups=groups_of(groups[0], list(self.runs)))
        return None

    def questions(self) -> Iterator[Row]:
        """Yield questions, each with the command that answers it or the reason why none does."""
        files = [one.file for one in self.of(RUN)]
        if self.qrels is not None and files:
            yield from self._about_runs(self.qrels, files)
        elif files:
            yield _row("How good is each run?", refusal="Give judgments too: a file of grades.")
        elif self.qrels is not None:
            yield _row("How good is a run?", refusal="Give a run too: a file of rankings.")
        yield from _about_tables(self.of(SCORES))
        for one in self.of(DESIGN):
            yield _row("Which grades do its documents have?", "judge", one.file, "-o", "page.html")

    def _about_runs(self, qrels: RecognisedFile, runs: list[str]) -> Iterator[Row]:
        files, names = [qrels.file, *runs], list(self.runs)
        asked = Collection(qrels.content, self.runs)
        scored = _tried(partial(evaluate, asked), "How good is each run?", "evaluate", *files)
        yield scored
        if scored["refusal"]:
            return
        intervals = {"queries": "What would other queries show?"}
        if qrels.content.scale is None and refused_use(qrels.content, BOUNDING) is None:
            intervals["bounds"] = "How far could the unjudged documents change the scores?"
        if qrels.content.origin.kind in SAMPLES - {UNIFORM}:
            intervals["sampling"] = "What would another sample of documents show?"
        for interval, about in intervals.items():
            yield _row(about, "evaluate", *files, "--interval", interval)
        if len(names) > 1:
            about = "Which is better, and could queries or judgments reverse it?"
            yield _tried(partial(gather, subject_of(asked)), about, "compare", *files)
        if len(names) == len(runs) == 2:
            yield _row(*MAY_GO_ON, *files, "--margin", str(MARGIN))
        yield _row(*ON_A_PAGE, *files, "-o", "report.html")
        refusal = refused_use(qrels.content, CHOOSING)
        alone = () if len(names) > 1 else ("-m", OF_ONE)
        words = () if refusal else ("next", *files, *alone)
        yield _row("What should be judged next?", *words, refusal=f"{refusal}." if refusal else "")
        for one in self.of(CALIBRATION):
            about = "How far off are scores of runs that were not pooled?"
            told = ("--interval", "calibrated", "--set", f"judgments.calibration={one.file}")
            attempt = partial(one.content.check_collection, qrels.content)
            yield _tried(attempt, about, "evaluate", *files, *told)
        for one in self.of(JUDGMENTS):
            if one is not qrels:
                about = f"How far does {one.file} agree with the judgments?"
                attempt = partial(audit, qrels.content, one.content)
                yield _tried(attempt, about, "audit", qrels.file, one.file, *runs)


MAY_GO_ON = "May a build go on in which the second replaces the first?", "gate"
ON_A_PAGE = "All of it on one page?", "report"


def _about_tables(tables: Sequence[RecognisedFile]) -> Iterator[Row]:
    """Yield the questions about tables: about all together if each is a system, else about each."""
    together = _together(tables)
    for scores, several in [(one.content, [one]) for one in tables] if together is None else [together]:
        settings = dict.fromkeys(key for one in several for key in one.settings)
        more = [word for key in settings for word in ("--set", key)]
        yield from _about(scores, [one.file for one in several], more)


def _together(tables: Sequence[RecognisedFile]) -> tuple[Scores, Sequence[RecognisedFile]] | None:
    """Return the scores of several tables, if each is a system: it has one, or columns as all others."""
    names = [list(one.content.runs) for one in tables]
    if len(tables) > 1 and all(len(own) == 1 or own == names[0] for own in names):
        with suppress(UnjudgedError):
            scores = Scores.read([one.file for one in tables], missing="zero")
            return (scores, tables) if len(scores.runs) == len(tables) else None
    return None


def _about(scores: Scores, files: Sequence[str], settings: Sequence[str]) -> Iterator[Row]:
    words = (*files, *settings)
    spread = "What would other queries show of each system?"
    attempt = partial(evaluate, scores, interval="queries")
    yield _tried(attempt, spread, "evaluate", *words, "--interval", "queries")
    if len(scores.runs) < 2:
        return
    chosen = _one_measure(scores)
    shown = scores.chosen(chosen[1:] or None)
    better = "Which system is better on other queries?"
    yield _tried(partial(gather, subject_of(shown)), better, "compare", *words, *chosen)
    old, new = scores.runs[:2]
    named = [] if len(files) == len(scores.runs) == 2 else [old, new]
    named = ["--", *named] if any(name.startswith("-") for name in named) else named
    unknown = [str(one) for one in shown.measures if one.name not in MEASURES and str(one) != UNNAMED]
    higher = [word for name in unknown[:1] for word in ("--set", f"scores.higher={name}")]
    more = (*settings, *higher, *chosen, "--margin", str(MARGIN))
    pair = (*files, *more, *named) if named[:1] == ["--"] else (*files, *named, *more)
    yield _tried(partial(gate, shown, old, new, margin=MARGIN), *MAY_GO_ON, *pair)
    yield _row(*ON_A_PAGE, *words, "-o", "report.html")


def _one_measure(scores: Scores) -> list[str]:
    """Return the option for one measure of quality, if the table has several measures."""
    traits = {str(measure): measure.traits for measure in scores.measures}
    names = [name for name, own in traits.items() if own.quality and own.summary != "sum"]
    plain = [name for name in names if not {*name} & {*" ,"} and not name.startswith("-")]
    if len(scores.measures) == 1 or not plain:
        return []
    return ["-m", DEFAULT if DEFAULT in plain else plain[0]]


def _row(question: str, *words: str, refusal: str = "") -> Row:
    """Return a question with the words of a command that answers it, or why nothing here does."""
    command = shlex.join(["unjudged", *words]) if words else ""
    return {"question": question, "command": command, "refusal": refusal}


def _tried(attempt: Callable[[], object], question: str, *words: str) -> Row:
    """Return the question, refused for the reason for which an attempt to answer it fails."""
    try:
        attempt()
    except UnjudgedError as error:
        return _row(question, refusal=f"{error}.")
    return _row(question, *words)
