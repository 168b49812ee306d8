"""Evaluations: values of systems by query, and rows of means with intervals, made when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, NamedTuple, Self

import numpy as np

from unjudged.base.choices import place_of
from unjudged.base.errors import UnjudgedWarning, UsageError
from unjudged.base.lazy import computed_once
from unjudged.base.notes import Note, said_once
from unjudged.base.segments import Floats
from unjudged.base.wording import counted, percent
from unjudged.collection.scores import Scores
from unjudged.measures.kernel.names import MeasureLike, place_of_measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.results.fields import Row
from unjudged.results.grid import Grid
from unjudged.results.result import Result
from unjudged.results.views import View, grid_of_view


class Score(NamedTuple):
    """One value: of a run on a query by a measure."""

    run: str
    query: str
    measure: str
    value: float


class Rows(Mapping[str, Sequence[Row]]):
    """Rows by view, made when they are first asked for."""

    def __init__(self, made: Mapping[str, Callable[[], Sequence[Row]]]) -> None:
        self._made = dict(made)
        self._rows: dict[str, Sequence[Row]] = {}

    def __getitem__(self, view: str) -> Sequence[Row]:
        if view not in self._rows:
            self._rows[view] = self._made[view]()
        return self._rows[view]

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)


class Evaluation(Result):
    """What systems score: `values[i, j, k]` is the value of run i on query j by measure k.

    A query that a run has no ranking for (`missing`) has the values of an empty ranking, which count in
    the means. Rows by view are made when they are asked for: `systems`, `queries`, and `segments` if they are
    known. `found["bm25"]["low"]` is a field of a system, by several measures `found["bm25"]["AP"]["low"]`.
    """

    scores: Scores | None

    def __init__(self, scores: Scores | None, asking: Any, view: str = "systems") -> None:
        vars(self).update(scores=scores, source=asking, view=view)  # and no more: thousands of calls make one

    @computed_once
    def rows(self) -> Mapping[str, Sequence[Row]]:
        """Rows by view."""
        return Rows(self.source.rows())

    @computed_once
    def settings(self) -> Mapping[str, Any]:
        """What was asked, and of which systems and queries."""
        found: Mapping[str, Any] = self.source.settings()
        return found

    @computed_once
    def notes(self) -> Sequence[str]:
        """What a reader must know: of coverage, of ties, and how intervals were made."""
        return [*self.source.found.notes, *self._methods()]

    @property
    def warnings(self) -> Sequence[UnjudgedWarning]:
        """Warnings that were given: why values mean less than they seem to."""
        found: Sequence[UnjudgedWarning] = self.source.found.warnings
        return found

    @property
    def values(self) -> Floats:
        """Runs x queries x measures."""
        return self.cube.values

    @property
    def means(self) -> Floats:
        """Runs x measures: means over all queries; sums of counts, geometric means for GMAP."""
        return self.cube.means

    @property
    def runs(self) -> Sequence[str]:
        """Names of the runs, in the order of `values`."""
        found: Sequence[str] = self.source.found.systems
        return found

    @property
    def queries(self) -> Sequence[str]:
        """Names of the queries, in the order of `values`."""
        return self.cube.queries

    @property
    def measures(self) -> Sequence[str]:
        """Names of the measures, in the order of `values`."""
        return list(map(str, self.source.found.measures))

    @property
    def missing(self) -> Mapping[str, Sequence[str]]:
        """For each run that lacks some, the queries of the judgments that it has no ranking for."""
        found: Mapping[str, Sequence[str]] = self.source.found.missing()
        return found

    @property
    def rankings(self) -> JudgedRankings:
        """The judged documents of the runs; scores of a table have none."""
        if self.source.found.rankings is None:
            raise UsageError("these scores come from a table: give judgments and runs to see rankings")
        found: JudgedRankings = self.source.found.rankings
        return found

    @property
    def cube(self) -> Scores:
        """The array with the names of its axes, which `compare` and others take as scores of any tool."""
        if self.scores is None:
            raise UsageError("estimates with predictions have no values by query: use rows")
        return self.scores

    def value(self, measure: MeasureLike, *, run: str | None = None, query: str | None = None) -> float:
        """One number: the value of a query, or the mean. `run` may be left out if there is only one."""
        return self.cube.value(measure, run=run, query=query)

    def __iter__(self) -> Iterator[Score]:
        """Yield (run, query, measure, value), run by run, query by query."""
        for (i, j, k), value in np.ndenumerate(self.values):
            yield Score(self.runs[i], self.queries[j], self.measures[k], float(value))

    def __getitem__(self, name: str) -> Any:
        """Return the row of a system, or by several measures its rows by their names."""
        if len(self.measures) == 1:
            return self.row(name)
        return {measure: self.row(name, measure) for measure in self.measures}

    def row(self, system: str, measure: MeasureLike | None = None) -> Row:
        """Return the row of a system by a measure, which may be left out if there is only one."""
        place_of("system", system, self.runs)
        if measure is None and len(self.measures) > 1:
            raise UsageError(f"say which measure: one of {', '.join(self.measures)}")
        chosen = self.measures[0 if measure is None else place_of_measure(measure, self.measures)]
        return self._by_name[system, chosen]

    @computed_once
    def _by_name(self) -> dict[tuple[str, str], Row]:
        return {(row["system"], row["measure"]): row for row in self.rows["systems"]}

    def as_view(self, view: str) -> Self:
        """Return the same, which shows itself by another view."""
        if view not in self.rows:
            if view == "segments":
                raise UsageError("segments of the queries are needed: segments=FILE (--set segments=FILE)")
            raise UsageError(f"no view {view!r} here: use {', '.join(self.rows)}")
        made = copy(self)
        vars(made)["view"] = view
        return made

    def with_interval(self, interval: str) -> Self:
        """Return the same with another interval, such as `model(prevalence=0.2)`."""
        made = type(self)(self.scores, self.source.with_interval(interval), self.view)
        made.rows["systems"]  # an interval that no measure can have is an error
        return made

    def shown(self, view: str) -> tuple[Sequence[Row], View]:
        """Return the rows of a view as people see them: a column per measure."""
        rows, plain = super().shown(view)
        return rows, plain.across_measures()

    def _methods(self) -> list[str]:
        """Say how intervals that were asked for were made, and which measures have none."""
        rows = [row for row in self.rows["systems"] if row.get("method")]
        made = [row for row in rows if not row["method"].startswith("no interval")]
        said = [(row["measure"], Note(_how(row))) for row in made]
        without = dict.fromkeys(f"{row['measure']}: {row['method']}." for row in rows if row not in made)
        return [*said_once(said, len({name for name, _ in said})), *without]

    def for_paper(self, decimals: int) -> Grid:
        """Return the view without marks, which only the note of a command explains."""
        rows, view = self.shown(self.view)
        view = replace(view, shown=[name for name in view.shown if name != "hardly judged"])
        title = f"Means over {counted(len(self.source.found.queries), 'query')}."
        return replace(grid_of_view(rows, view, decimals), title=title, notes=self.notes_of(self.view))


def _how(row: Row) -> str:
    """Say what an interval covers, and under which assumptions."""
    level = "Intervals" if row["confidence"] == 1 else f"{percent(row['confidence'])} intervals"
    return f"{level}: {row['method']}."
