"""Tables of scores that a command takes instead of judgments and runs, and how they are read."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from unjudged.base.choices import CorrectionName, TestName
from unjudged.base.errors import UsageError
from unjudged.cli.arguments import named_file
from unjudged.cli.input_options import InputOptions
from unjudged.cli.option import Option, OptionGroup, refuse
from unjudged.evaluation.collection import by_own_names
from unjudged.evaluation.query_segments import file_and_column
from unjudged.evaluation.scores import Scores
from unjudged.formats.sources import expanded
from unjudged.inference.corrections import CORRECTIONS, find_correction
from unjudged.inference.significance import DRAWS, TESTS, find_test


@dataclass(eq=False, repr=False)
class TableOptions(OptionGroup, title="Tables of scores"):
    """Tables of scores by query that any tool computed.

    Parameters
    ----------
    scores
        The files are tables of scores by query, not judgments and runs: CSV, TSV, Parquet or JSON with
        columns system, query, measure and value, or with a column per system or measure; or the output of
        `trec_eval -q`, ir_measures or `unjudged evaluate -q`. A file that names no system is one itself;
        NAME=FILE names it.
    wide
        What the columns of a wide table are, if their names do not tell: systems or measures.
    missing
        What a missing value is: an error, zero, or a reason to drop its query for all systems.
    value_range
        The lowest and highest value of measures that are not known here, such as --range 0,100.
    lower
        A measure that is not known here and whose lower values are better, such as --lower latency,cost; may
        be repeated.
    """

    scores: bool = False
    wide: Literal["systems", "measures"] | None = None
    missing: Literal["error", "zero", "drop"] = "error"
    value_range: Annotated[str | None, Option("--range")] = None
    lower: list[str] | None = None

    def check(self, inputs: InputOptions, **others: object) -> bool:
        """Return whether tables are given; refuse options that would be ignored then, or without them."""
        if not self.scores:
            used = {"wide": self.wide, "range": self.value_range, "missing": self.missing != "error"}
            refuse("{} is for tables of scores: add --scores", used | {"lower": self.lower})
            return False
        about_files = {**vars(inputs), "names": inputs.names != "file", "columns": None, "conflicts": None}
        refuse("{} needs judgments and runs: omit it with --scores", others | about_files)
        return True

    def read(
        self,
        files: Iterable[str],
        inputs: InputOptions,
        measures: Iterable[str] | None,
        by: str | None = None,
    ) -> Scores:
        """Return the scores of the files; `by` is a file of segments, or else a column."""
        given = [(name, inputs.table(file)) for name, file in map(named_file, files)]
        return Scores.of(
            by_own_names([(name, one) for name, file in given for one in expanded(file)]),
            measures,
            wide=self.wide,
            missing=self.missing,
            range=self._range(),
            by=None if by is None or os.path.exists(file_and_column(by)[0]) else by,
            lower=self.lower and [name for names in self.lower for name in names.split(",")],
        )

    def _range(self) -> tuple[float, float] | None:
        if self.value_range is None:
            return None
        try:
            low, high = map(float, self.value_range.split(","))
        except ValueError:
            low, high = 0.0, 0.0
        if not low < high:
            raise UsageError(f"--range is {self.value_range!r}, expected two numbers such as 0,100")
        return low, high


@dataclass(frozen=True)
class SignificanceOptions(OptionGroup, title="Tests over queries"):
    """How differences are tested.

    Parameters
    ----------
    test
        The test over queries.
    correction
        The correction for many comparisons.
    alpha
        The significance level. Intervals for other queries have the level 1 - alpha.
    draws
        How often tests, corrections and intervals that resample do so.
    seed
        The seed of whatever resamples.
    """

    test: Annotated[TestName, Option(choices=TESTS)] = "t"
    correction: Annotated[CorrectionName, Option(choices=CORRECTIONS)] = "holm"
    alpha: float = 0.05
    draws: int = DRAWS
    seed: int = 0

    def check_draws(self) -> None:
        """Refuse options of resampling where nothing resamples."""
        resampling = find_test(self.test).resamples or find_correction(self.correction).joint
        if (self.draws, self.seed) != (DRAWS, 0) and not resampling:
            raise UsageError(
                "--draws and --seed are for tests and corrections that resample, such as randomization"
            )
