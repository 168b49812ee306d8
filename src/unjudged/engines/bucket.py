"""One bucket of whole queries, evaluated as on one machine: what an engine calls for each of its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from unjudged.base.errors import InputError, UsageError
from unjudged.formats import grouping, matching
from unjudged.formats.columns import expected, layout_of
from unjudged.formats.readers.arrow.arrow_columns import Where, pyarrow_module, table_of_arrow
from unjudged.formats.tables import Matched
from unjudged.measures.counts import ONLY_EVALUATE
from unjudged.measures.kernel.registry import MEASURES, Measure, measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

if TYPE_CHECKING:
    import pyarrow as pa

PACKAGE = "unjudged."


@dataclass(frozen=True)
class Task:
    """Computation for every bucket. Measures travel by name, and users' own measures as functions."""

    runs: tuple[str, ...]
    measures: tuple[tuple[str, str, Mapping[str, Any], Any], ...]
    depth: int | None = None

    @classmethod
    def of(cls, runs: Sequence[str], measures: Sequence[Measure], depth: int | None = None) -> Task:
        if depth is not None and depth < 1:
            raise UsageError(f"depth is {depth}, expected a whole number of at least 1")
        for asked in measures:
            if asked.traits.across_queries:
                raise UsageError(ONLY_EVALUATE)
            if "actual" in asked.given:
                raise UsageError(
                    f"{asked} needs further judgments, which engines do not distribute: use one machine"
                )
        packed = tuple((str(m), m.name, dict(m.given), _own_function(m)) for m in measures)
        return cls(tuple(runs), packed, depth)

    def score(self, run: pa.Table, qrels: pa.Table) -> pa.Table:
        """(run, query, measure, value) of every run and query of the judgments.

        `run` has the columns query, document, score and run (a number). `qrels` has query, document, grade,
        the columns of a sample if it is one, and place: the original order of the judgments.
        """
        qrels = qrels.sort_by("place").drop_columns("place")
        columns = dict(zip(qrels.column_names, qrels.columns, strict=True))
        table = grouping.grouped(table_of_arrow(columns, lambda _: "a row of the judgments"))
        judgments = Judgments.from_table(table, layout_of(columns))
        if judgments.scale is not None:  # other buckets may have none, where `rel` would mean something else
            gain = next(gain for gain in judgments.scale.tolist() if gain % 1)
            problem = f"a row of the judgments: the grade is '{gain:g}', expected {expected('grade')}"
            raise InputError(f"{problem}; fractions are for one machine")
        matched = self._match(run, judgments)
        if not len(qrels):
            return _result([], [], [], np.zeros(0))
        rankings = JudgedRankings.of(judgments, matched)
        if self.depth is not None:
            rankings = rankings.cut(self.depth)
        measures = [_measure(*packed) for packed in self.measures]
        values = np.stack([asked.compute(rankings) for asked in measures], axis=-1)
        names = [name for name, *_ in self.measures]
        return _result(self.runs, list(judgments.queries), names, values)

    def _match(self, run: pa.Table, judgments: Judgments) -> list[Matched]:
        """Each run on its own; invalid rows are refused, also those of other queries."""
        run = run.sort_by("run") if len(self.runs) > 1 else run
        ends = np.searchsorted(run["run"].to_numpy(), np.arange(len(self.runs) + 1))
        matched = []
        for name, start, stop in zip(self.runs, ends, ends[1:], strict=False):
            rows = run.slice(start, stop - start)
            columns = {role: rows[role] for role in ("query", "document", "score")}
            matched.append(matching.match_rows(table_of_arrow(columns, _in_run(name)), judgments.index))
        return matched


def _in_run(name: str) -> Where:
    return lambda _: f"a row of run {name!r}"


def _own_function(asked: Measure) -> Any:
    return None if asked.function.__module__.startswith(PACKAGE) else asked.function


def _measure(_: str, name: str, given: Mapping[str, Any], function: Any) -> Measure:
    known = MEASURES[name] if function is None else measure()(function)
    return known(**given)


def _result(runs: Sequence[str], queries: Sequence[str], measures: Sequence[str], values: Any) -> pa.Table:
    arrow = pyarrow_module("an engine")
    columns = {
        "run": np.repeat(np.array(runs, object), len(queries) * len(measures)),
        "query": np.tile(np.repeat(np.array(queries, object), len(measures)), len(runs)),
        "measure": np.tile(np.array(measures, object), len(runs) * len(queries)),
    }
    texts = {name: arrow.array(column, arrow.string()) for name, column in columns.items()}
    return arrow.table({**texts, "value": arrow.array(np.ravel(values), arrow.float64())})
