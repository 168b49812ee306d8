"""Tables of scores in place of judgments and runs."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from unjudged.base.errors import UsageError
from unjudged.cli.options.input_options import InputOptions
from unjudged.cli.options.option import Option, OptionGroup, refuse
from unjudged.evaluation.scores import Scores
from unjudged.formats.files import expanded


@dataclass(eq=False, repr=False)
class TableOptions(OptionGroup, title="Tables of scores"):
    """Tables of scores by query that any tool computed.

    Parameters
    ----------
    scores
        The files are tables of scores by query, not judgments and runs: CSV, TSV, Parquet or JSON with
        columns system, query, measure and value, or with a column per system or measure; or the output of
        `trec_eval -q`, ir_measures or `unjudged evaluate -q`. A file that names no system is one itself.
    wide
        What the columns of a wide table are, if their names do not tell: systems or measures.
    missing
        What a missing value is: an error, zero, or a reason to drop its query for all systems.
    value_range
        The lowest and highest value of measures that are not known here, such as --range 0,100.
    """

    scores: bool = False
    wide: Literal["systems", "measures"] | None = None
    missing: Literal["error", "zero", "drop"] = "error"
    value_range: Annotated[str | None, Option("--range")] = None

    def check(self, inputs: InputOptions, **others: object) -> bool:
        """Return whether tables are given; refuse options that would be ignored then, or without them."""
        if not self.scores:
            used = {"wide": self.wide, "range": self.value_range, "missing": self.missing != "error"}
            refuse("{} is for tables of scores: add --scores", used)
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
        tables = [one for file in files for one in expanded(inputs.table(file))]
        return Scores.of(
            tables[0] if len(tables) == 1 else tables,
            measures,
            wide=self.wide,
            missing=self.missing,
            range=self._range(),
            by=None if by is None or os.path.exists(by) else by,
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
