"""`check`: what files are, what is wrong with them, and which questions they answer by which command."""

from __future__ import annotations

import os
import textwrap
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import inf
from typing import Any

from unjudged.base.errors import UnjudgedError, UnjudgedWarning, UsageError
from unjudged.base.wording import counted, percent, plain
from unjudged.collection.collection import Collection, described_runs
from unjudged.collection.description import STATED, Description, Labels, description_of
from unjudged.collection.scores import described_scores
from unjudged.collection.stale import StaleJudgments
from unjudged.data.nested_dicts import DATASET
from unjudged.data.tables import decode
from unjudged.diagnosis.answerable import (
    MARGIN,
    MAY_GO_ON,
    ON_A_PAGE,
    about_scores,
    about_tables,
    question,
    tried,
)
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
)
from unjudged.diagnosis.recognised_files import (
    RecognisedFile,
    gaps_of,
    people_first,
    recognise_described,
    recognised_words,
    with_names,
)
from unjudged.judging.pooling import Pool, left_out_groups
from unjudged.measures.kernel.permitted import CHOOSING, how_to_judge, refused_use
from unjudged.questions.calibrating import groups_of
from unjudged.questions.evaluating import evaluate
from unjudged.questions.fitting_measures import DEFAULT
from unjudged.questions.gathering import gather
from unjudged.questions.gating import check_rankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.origin import POSITIVES, SAMPLES, UNIFORM
from unjudged.rankings.runs import Run, name_runs
from unjudged.results.fields import Row
from unjudged.results.result import Result
from unjudged.studies.auditing import audit

OF_ONE = "P@10"
"""The measure of one run, whose interval documents narrow."""
HOLES = "holes(50)"
"""The design of a random check of what is not listed."""
POOL_DEPTH = 100
FEW = 0.5
"""With a smaller judged share of the first documents, judgments may be a sample."""
SAY_SO = "Then say so: --set judgments.how=positives"


def check(*files: str | os.PathLike[str]) -> Check:
    """Say what files are, what is wrong with them, and which commands answer which questions from them.

    With the groups of pooled runs it says how far off runs are that come later, in score and in place.

    Parameters
    ----------
    files
        Judgments, runs, tables of scores, groups, documents and topics in any order. A description or a
        folder of BEIR stands for the files that it has.

    >>> from unjudged import sample
    >>> [row["kind"] for row in check(sample.runs["fused"], sample.qrels).rows["files"]]
    ['run', 'judgments']
    """
    if not files:
        raise UsageError("no file given, expected at least one")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        found = _recognised([os.fspath(file) for file in files])
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
        return self.text()

    def text(self, width: float = inf) -> str:
        """Return what people read, with sentences wrapped to a width; commands stay on one line."""
        lines: list[str] = []
        wrap = partial(textwrap.wrap, break_on_hyphens=False, break_long_words=False)
        for line in self._lines():
            if len(line) <= width or line.startswith("    "):
                lines.append(line)
                continue
            indent = " " * (len(line) - len(line.lstrip()) + 2)
            lines += wrap(line, int(width), subsequent_indent=indent)
        return "\n".join(lines)

    def _lines(self) -> Iterator[str]:
        for row in self.rows["files"]:
            counts = [] if row["queries"] is None else [counted(row["queries"], "query")]
            counts += [] if row["documents"] is None else [f"{row['documents']:,} rows"]
            size = f" ({', '.join(counts)})" if counts else ""
            yield plain(f"{row['file']}: {row['kind']}{size}")
            yield from [f"  {plain(row['description'])}"] if row["kind"] != UNKNOWN else []
        matches, asked = self.rows["matches"], self.rows["questions"]
        for rows, title, text in (
            (matches, f"How they match {matches[0]['file'] if matches else ''}", "  {other}: {common}"),
            (self.rows["problems"], "What is wrong", "  {problem}"),
            ([{"note": one} for one in self.notes], "Are new systems evaluated fairly?", "  {note}"),
            ([one for one in asked if one["command"]], "What you can ask", "  {question}\n    {command}"),
            (
                [one for one in asked if one["refusal"]],
                "What these files do not answer",
                "  {question} {refusal}",
            ),
        ):
            yield from ["", title] if rows else []
            yield from (plain(line) for row in rows for line in text.format(**row).split("\n"))


def _recognised(words: Sequence[str]) -> _Files:
    """Return what the files are that words name, and the description among them."""
    described, named, others, files = None, "", list[str](), list[RecognisedFile]()
    for word in words:
        own = None if word.startswith(DATASET) else description_of(word)
        if own is not None and described is not None:
            raise UsageError(f"{named} and {word} are two collections: check one at a time")
        if own is not None:
            described, named, files = own, word, [*recognise_described(own)]
        else:
            others.append(word)
    beside = recognised_words(others)
    found = {one.file: one for one in (*files, *beside)}
    made = _Files([*found.values()], described, named, [one.file for one in beside])
    return replace(made, files=with_names(made.files, made.names())) if made.all_of(TEXTS) else made


@dataclass(frozen=True)
class _Files:
    """Files, the description that some of them are of, the word that names it, and files beside it."""

    files: Sequence[RecognisedFile]
    described: Description | None = None
    named: str = ""
    beside: Sequence[str] = ()

    def all_of(self, kind: str) -> list[RecognisedFile]:
        """Return the files of one kind."""
        return [one for one in self.files if one.kind == kind]

    @property
    def labels(self) -> Sequence[Labels]:
        """What is described of the judgments."""
        return () if self.described is None else self.described.judgments

    @cached_property
    def qrels(self) -> RecognisedFile | None:
        """The file of people's judgments, of those in the description if it has some."""
        known = self.all_of(JUDGMENTS) or self.all_of(LABELS)
        return next(
            iter(people_first(one for one in known if not self.labels or one.file not in self.beside)), None
        )

    @cached_property
    def sources(self) -> Mapping[str, Any]:
        """Files of runs by the names of the runs: given beside the description, or else its own."""
        if beside := [one.file for one in self.all_of(RUN) if one.file in self.beside]:
            return name_runs(beside)
        broken = {one.file for one in self.all_of(UNKNOWN)}
        own = {} if self.described is None else described_runs(self.described)
        return {name: run for name, run in own.items() if str(run) not in broken}

    @cached_property
    def runs(self) -> dict[str, Run]:
        """Runs by name."""
        known = {one.file: [*one.content.values()] for one in self.all_of(RUN)}
        read = {name: known.get(str(run), []) for name, run in self.sources.items()}
        return {name: own[0] if len(own) == 1 else Run.read(self.sources[name]) for name, own in read.items()}

    @cached_property
    def whole(self) -> Collection | UnjudgedError | None:
        """The judgments with all runs; None without either, or why they are no collection."""
        if self.qrels is None or not self.runs:
            return None
        try:
            return Collection(self.described if self.labels else self.qrels.content, self.runs)
        except UnjudgedError as error:
            return error

    def collection(self, *names: str) -> Collection:
        """Return the judgments with some of the runs."""
        assert isinstance(self.whole, Collection)  # noqa: S101
        return self.whole.chosen({name: self.runs[name] for name in names})

    def names(self) -> set[bytes]:
        """Return the names of queries and documents in judgments and runs, to be looked up in texts."""
        known: list[Any] = [run.documents for run in self.runs.values()]
        for one in self.all_of(JUDGMENTS):
            known += [one.content.queries, one.content.documents]
        return {name for names in known for name in names.tolist()}

    @cached_property
    def shares(self) -> tuple[dict[str, float], list[str]]:
        """The judged share of the first ten documents of each run, and why others cannot be evaluated."""
        shares, errors = dict[str, float](), list[str]()
        if isinstance(self.whole, UnjudgedError):
            errors.append(str(self.whole))
        for name in self.runs if isinstance(self.whole, Collection) else ():
            try:
                shares[name] = evaluate(self.collection(name), measures="Judged@10").value("Judged@10")
            except UnjudgedError as error:
                errors.append(str(error))
        return shares, errors

    @property
    def usable(self) -> list[str]:
        """Runs that can be evaluated."""
        return list(self.shares[0])

    def matches(self) -> Iterator[Row]:
        """Yield what files have in common."""
        if self.qrels is None:
            return
        judgments, file = self.qrels.content, self.qrels.file
        queries, documents = {*judgments.queries.tolist()}, {*judgments.documents.tolist()}
        how = "listed" if judgments.origin.kind == POSITIVES else "judged"
        for name, share in self.shares[0].items():
            shared = len(queries.intersection(self.runs[name].queries.tolist()))
            common = f"{shared:,} of {counted(len(queries), 'query')}"
            common += f"; {percent(share, 0)} of the first ten documents are {how}"
            yield {"file": file, "other": name, "common": common}
        for one in self.all_of(TEXTS):
            for names, what in ((queries, "queries"), (documents, f"{how} documents")):
                if known := len(names & one.content):
                    said = f"texts of {known:,} of {len(names):,} {what}"
                    yield {"file": file, "other": one.file, "common": said}

    @cached_property
    def fit(self) -> StaleJudgments | None:
        """How the judgments fit the first file with texts of their documents; None without one."""
        for one in self.all_of(TEXTS):
            with suppress(UnjudgedError):
                return (
                    None
                    if self.qrels is None
                    else StaleJudgments.look_up(self.qrels.content, one.file, one.content)
                )
        return None

    def stale(self, fit: StaleJudgments, file: str) -> Iterator[str]:
        """Say which documents of judgments and runs are not in the corpus."""
        if fit.gone.any():
            yield from (f"{file}: {said}" for said in fit.sentences())
            kept, dropped = (
                evaluate(Collection(own, {"best": fit.best}), measures=DEFAULT).value(DEFAULT)
                for own in (fit.judgments, fit.kept)
            )
            most = f"no system can reach more than {DEFAULT} {dropped:.4f}, as these documents are dropped"
            yield f"{file}: {most}; {kept:.4f} if they are kept (--set stale=keep)"
        known = next(one.content for one in self.all_of(TEXTS) if one.file == fit.documents)
        for name, run in self.runs.items():
            returned = run.documents.tolist()
            outside = [document for document in returned if document not in known]
            if outside:
                yield (
                    f"{name}: {len(outside):,} of {len(returned):,} documents that it returns are not in "
                    f"{fit.file}, such as {decode(outside[0])!r}"
                )

    def problems(self) -> Iterator[str]:
        """Yield what is wrong with files, or would be if they were used together."""
        yield from (one.problem for one in self.all_of(UNKNOWN))
        for one in self.all_of(JUDGMENTS):
            grades = one.content.grade[one.content.grade >= 0]
            if not len(grades):
                yield f"{one.file}: nothing is judged, every grade is negative"
            elif (grades > 0).all() and one.content.origin.kind != POSITIVES:
                yield f"{one.file}: every judged document is relevant: is that all that was listed? {SAY_SO}"
        yield from (f"{one.file}: {gaps}" for one in self.all_of(SCORES) if (gaps := gaps_of(one.content)))
        yield from self.shares[1]
        for name in self.usable:
            try:
                check_rankings(self.collection(name).shared())
            except UnjudgedError as error:
                yield str(error)
        if self.fit is not None and self.qrels is not None:
            yield from self.stale(self.fit, self.qrels.file)

    def left_out(self) -> Result | None:
        """Return how far off runs of a pooled group are when it is left out; None without groups."""
        files = [one.content for one in self.all_of(GROUPS)]
        groups: Any = files[0] if files else self.described and self.described.groups
        pooled = self.labels[0].pooled if self.labels else ()
        names = [name for name in self.usable if name in (pooled or self.runs)]
        if len(names) < 2 or groups is None:
            return None
        with suppress(UnjudgedError):
            collection = self.collection(*names)
            pool = Pool.of(collection.judgments, dict(collection.runs))
            depth = collection.judgments.origin.depth or POOL_DEPTH
            (measure,) = collection.measures(None, lambda: [DEFAULT])[:1]
            return left_out_groups(pool, measure, depth=depth, groups=groups_of(groups, names))
        return None

    def questions(self) -> Iterator[Row]:
        """Yield questions, each with the command that answers it or the reason why none does."""
        if self.usable:
            yield from self._about_runs()
        elif self.runs and self.qrels is None:
            yield question("How good is each run?", refusal="Give judgments too: a file of grades.")
        elif self.qrels is not None and not self.runs:
            yield question("How good is a run?", refusal="Give a run too: a file of rankings.")
        if self.described is not None and self.described.scores is not None:
            with suppress(UnjudgedError):
                scores = described_scores(self.described)
                yield from about_scores(scores, [self.named], [])
        yield from about_tables([one for one in self.all_of(SCORES) if one.file in self.beside])
        for one in self.all_of(DESIGN):
            yield question("Which grades do its documents have?", "judge", one.file, "-o", "page.html")

    def _about_runs(self) -> Iterator[Row]:
        assert self.qrels is not None  # noqa: S101
        asked = self.collection(*self.usable)
        judgments = asked.judgments
        unusable = {str(self.sources[name]) for name in self.runs if name not in self.usable}
        named = self.beside if self.labels else [one.file for one in self.files]
        runs = [one.file for one in self.all_of(RUN) if one.file in named and one.file not in unusable]
        files = [self.named if self.labels else self.qrels.file, *runs]
        yield tried(partial(evaluate, asked), "How good is each run?", "evaluate", *files)
        if judgments.origin.kind in SAMPLES - {UNIFORM}:
            about = "What would another sample of documents show?"
            yield question(about, "evaluate", *files, "--interval", "sampling")
        if len(self.usable) > 1:
            about = "Which is better, and could other queries or more judgments reverse it?"
            yield tried(partial(gather, asked), about, "compare", *files)
        if len(self.usable) == 2:
            yield question(*MAY_GO_ON, *files, "--margin", str(MARGIN))
        yield question(*ON_A_PAGE, *files, "-o", "report.html")
        yield self._about_judging(judgments, files)
        for one in self.all_of(CALIBRATION):
            about = "How far off are scores of runs that were not pooled?"
            told = ("--interval", "calibrated", "--set", f"judgments.calibration={one.file}")
            attempt = partial(one.content.check_collection, judgments)
            yield tried(attempt, about, "evaluate", *files, *told)
        if asked.predictions:
            about = "How far do models agree with people?"
            yield tried(partial(audit, asked), about, "audit", *files)
        judges = [one for one in self.all_of(JUDGMENTS) + self.all_of(LABELS) if one.file in self.beside]
        judges = [one for one in judges if one is not self.qrels]
        for one in judges:
            about = f"How far does {one.file} agree with the judgments?"
            attempt = partial(audit, self.qrels.content, one.content)
            yield tried(attempt, about, "audit", self.qrels.file, one.word, *runs)
        if judges or asked.predictions:
            yield from self._if_drawn(asked, files, judges)

    def _about_judging(self, judgments: Judgments, files: Sequence[str]) -> Row:
        """Return the question of what to judge next."""
        about, refusal = "What should be judged next?", refused_use(judgments, CHOOSING)
        if judgments.origin.kind == POSITIVES:
            about = "How many documents that are not listed are relevant?"
            return question(about, "next", *files, "--design", HOLES, "-o", "to-judge.sample")
        if refusal:
            return question(about, refusal=f"{refusal}.")
        how = how_to_judge(judgments, len(self.usable)) or ["-o", "to-judge.qrels"]
        alone = judgments.frame is None and len(self.usable) == 1
        return question(about, "next", *files, *(["-m", OF_ONE] if alone else []), *how)

    def _if_drawn(
        self, asked: Collection, files: Sequence[str], judges: Sequence[RecognisedFile]
    ) -> Iterator[Row]:
        """Yield the question of labels as a sample of all that runs have, or down to some rank."""
        few = not asked.judgments.recorded and min(self.shares[0].values()) < FEW
        if not few or len(self.usable) < 2:
            return
        about = "Which is better, if the documents that people judged were drawn at random?"
        models: dict[str, Any] = {one.name or one.file: one.content for one in judges} or asked.predictions
        runs, answers, none = asked.loaded().runs, list[Row](), 1 << 30
        best = asked.rankings.best_rank(missing=none)
        deepest = int(best[(asked.judgments.grade >= 0) & (best < none)].max(initial=1))
        for depth in (None, deepest):
            attempt = partial(_gathered, asked.judgments, runs, models, STATED[0], depth)
            stated = ["--set", f"judgments.how={STATED[0]}"]
            stated += ["--set", f"judgments.depth={depth}"] if depth else []
            words = (files[0], *(one.word for one in judges), *files[1:], *stated)
            answers.append(tried(attempt, about, "compare", *words))
        yield next((row for row in answers if row["command"]), answers[0])


def _gathered(judgments: Any, runs: Any, models: Any, how: str, depth: int | None) -> None:
    """Gather what there is of runs with judgments that were drawn in this way."""
    gather(Collection(judgments, runs, predictions=models, how=how, depth=depth))
