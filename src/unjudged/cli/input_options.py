"""Files of a command: judgments and runs, their columns, and how they are read."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal, get_args

from unjudged.base.choices import Conflicts
from unjudged.base.errors import InputError, UnjudgedError, UsageError
from unjudged.cli.given_arguments import usage
from unjudged.cli.option import Option, OptionGroup
from unjudged.cli.standard_streams import warn
from unjudged.evaluation.collection import name_runs
from unjudged.evaluation.scores import Scores
from unjudged.formats.columns import NEEDED, OPTIONAL
from unjudged.formats.sources import FileWithColumns
from unjudged.formats.streams import name_file_in_errors
from unjudged.measures.kernel.registry import Measure
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunSource

RUN_ROLES = (*NEEDED["score"], *OPTIONAL["score"], "run")
QRELS_ROLES = (*NEEDED["grade"], *OPTIONAL["grade"])
IF_TABLE = "; if the file is a table of scores by query, add --scores"
Words = Annotated[list[str] | None, Option(words=True)]


@dataclass(eq=False, repr=False)
class InputOptions(OptionGroup, title="Files"):
    """Columns of files, and what names the runs.

    Parameters
    ----------
    columns
        The columns of the runs that have a header or fields, if their names are not the usual ones:
        --columns query=topic document=url score=cosine. Also rank, for runs without scores, and run, for
        files with several runs. Of a table of scores: query, system, measure, value and repeat.
    qrels_columns
        The columns of the judgments: --qrels-columns query=topic document=url grade=stars.
    names
        What names a run: its file, or its tag (the sixth column of TREC text, or a column `tag`).
    """

    columns: Words = None
    qrels_columns: Words = None
    names: Literal["file", "tag"] = "file"

    def judgments(self, file: str) -> str:
        """Return the file of the judgments with its columns."""
        return _with_columns(file, self.qrels_columns, "--qrels-columns", QRELS_ROLES)

    def table(self, file: str) -> str:
        """Return the file of a table of scores with its columns."""
        from unjudged.evaluation.score_reading import ROLES

        return _with_columns(file, self.columns, "--columns", (*ROLES, "run"))

    def runs(self, files: Sequence[str], least: int = 1, *, or_scores: bool = False) -> dict[str, RunSource]:
        """Return at least one or two runs by name; a file may hold several, a pattern match several.

        `or_scores` says that the command also takes tables of scores.
        """
        own: list[RunSource] = [_with_columns(file, self.columns, "--columns", RUN_ROLES) for file in files]
        named = name_runs(own, self.names) if own else {}
        if len(named) < least:
            problem = "two or more runs are needed" if named or least > 1 else "no run given"
            hint = "" if own or not or_scores else IF_TABLE
            raise UsageError(f"{problem}: {usage()}{hint}")
        return named


def _with_columns(file: str, words: Sequence[str] | None, option: str, roles: Sequence[str]) -> str:
    columns: dict[str, str] = {}
    for word in (part for given in words or () for part in re.split(r",(?=[a-z]+=)", given)):
        role, equals, name = word.partition("=")
        if not (equals and name) or role not in roles:
            expected = f"expected {roles[0]}=NAME {roles[1]}=NAME {roles[2]}=NAME"
            raise UsageError(f"{option} has {word!r}, {expected}; it may also have {', '.join(roles[3:])}")
        if role in columns:
            raise UsageError(f"{option} names the {role} twice")
        columns[role] = name
    return FileWithColumns.of(file, columns) if columns else file


@dataclass(eq=False, repr=False)
class JudgmentOptions(InputOptions):
    """How files are read, and files of further judgments.

    Parameters
    ----------
    judged
        A file of further judgments, such as `unjudged next` asks for; may be repeated.
    conflicts
        Which grade counts if a file of --judged judges a document differently: that of the majority, the
        highest or the last. By default that is an error.
    """

    judged: Annotated[list[str] | None, Option("-j", "--judged", reads=True)] = None
    conflicts: Annotated[Conflicts, Option(choices=get_args(Conflicts))] = "error"

    @property
    def further(self) -> list[str]:
        return list(self.judged or ())

    def read(self, qrels: str, *, fractions: bool = False, or_scores: bool = False) -> Judgments:
        """Return the judgments with those of the further files.

        `or_scores` says that the command also takes tables of scores.
        """
        try:
            return read_judgments(self.judgments(qrels), self.further, self.conflicts, fractions=fractions)
        except InputError as error:
            if or_scores and _is_table(qrels):
                raise InputError(f"{error.problem}{IF_TABLE}", source=error.source, line=error.line) from None
            raise

    def read_judged(self, qrels: str, *, fractions: bool = False) -> Judgments:
        """Return the same, for commands that cannot do without judgments."""
        judgments = self.read(qrels, fractions=fractions)
        if not (judgments.grade >= 0).any():
            raise InputError("nothing is judged: every grade is negative", source=qrels)
        return judgments


CONDITION = "if every document of the pool could be drawn"
"""Assumption of estimates from a sample; a design for P@10, for example, draws among the first ten only."""


def read_judgments(
    qrels: str, judged: Sequence[str] | None, conflicts: Conflicts = "error", *, fractions: bool = False
) -> Judgments:
    """Return the judgments with those of further files; say on standard error where the files differ."""
    read = Judgments.with_fractions if fractions else Judgments.read
    judgments = read(qrels)
    if judged:
        from unjudged.judging.merging import merge

        for file in judged:
            with name_file_in_errors(file):
                merged = merge(judgments, {Path(file).stem: file}, conflicts=conflicts)
            judgments = merged.judgments
            for note in merged.notes:
                warn(f"{file}: {note}")
    return judgments


def suggest_estimates(judgments: Judgments, measures: Sequence[Measure]) -> None:
    """Where judgments are a recorded sample, name the measures that use it, unless one was asked for."""
    asked_for = any(measure.traits.estimates for measure in measures if measure.name != "infAP")
    if asked_for or not judgments.origin.sampled or not (judgments.grade >= 0).any():
        return
    if (rank := judgments.origin.depth) is not None:
        below = f"nothing is known of documents that every run has below rank {rank}"
        warn(f"These judgments are a sample: statP@{rank} estimates P@{rank} from them; {below}.")
    elif judgments.probability is not None:
        warn(f"These judgments record inclusion probabilities: statAP estimates AP from them, {CONDITION}.")
    elif judgments.stratum is not None:
        warn(f"These judgments record strata: xinfAP and statAP estimate AP from them, {CONDITION}.")


def _is_table(file: str) -> bool:
    """Whether a file can be read as a table of scores of several systems or measures."""
    with suppress(UnjudgedError):
        return os.path.isfile(file) and len((scores := Scores.of(file)).runs) * len(scores.measures) > 1
    return False
