"""Evaluations: values of systems by query, and rows of means with intervals, made when asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, Self

import numpy as np

from unjudged.base.choices import place_of
from unjudged.base.errors import UnjudgedWarning, UsageError
from unjudged.base.lazy import computed_once
from unjudged.base.notes import Note, said_once
from unjudged.base.segments import Floats
from unjudged.base.wording import counted, percent
from unjudged.collection.query_segments import SegmentsSource, several_segments
from unjudged.collection.scores import Score, Scores
from unjudged.measures.kernel.names import MeasureLike, place_of_measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.results.fields import Row
from unjudged.results.grid import Grid
from unjudged.results.result import Result
from unjudged.results.views import View, grid_of_view


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

    segments: SegmentsSource | None
    alpha: float
    interval: Any
    """An interval method with its parameters, None if none was asked for."""
    _how: tuple[float, int, Callable[[int, int], None] | None]

    def __init__(
        self,
        found: Any,
        segments: SegmentsSource | None,
        alpha: float,
        seed: int,
        on_progress: Callable[[int, int], None] | None,
    ) -> None:
        """Keep what was gathered and what is asked of it, and no more: thousands of calls make one."""
        how = (alpha, seed, on_progress)
        vars(self).update(
            source=found, segments=segments, view="systems", interval=None, alpha=alpha, _how=how
        )

    @computed_once
    def rows(self) -> Mapping[str, Sequence[Row]]:
        """Rows by view."""
        views: dict[str, Callable[[], Sequence[Row]]] = {"systems": self._systems, "queries": self._queries}
        return Rows(views | ({} if self.segments is None else {"segments": self._segments}))

    @computed_once
    def _evidence(self) -> Sequence[Any]:
        """Evidence by each measure, with ranges by the first, or by all if the interval needs them."""
        ranged = self.interval is not None and self.interval.method.needs == "ends"
        found: Sequence[Any] = self.source.find(ranged)
        return found

    def _systems(self) -> list[Row]:
        """Return rows of the systems with the interval that was asked for, or what is usual."""
        from unjudged.inference.system_rows import asked_interval, rows_alone

        usual = self.source.interval if self.interval is None else None
        allowed = asked_interval(usual, *self._how) if usual else None
        rows = rows_alone(self._evidence, self.interval, self.alpha, allowed)
        if self.interval is None:  # of the other measures ranges are not always known
            for row in rows:
                if row["measure"] != self.measures[0]:
                    row.pop("low", None), row.pop("high", None)
        return rows

    def _segments(self) -> list[Row]:
        """Return rows of the systems by segment."""
        from unjudged.inference.system_rows import rows_by_segment

        parts = several_segments(self.segments, list(self.source.queries))
        return rows_by_segment(self._evidence, self.interval, self.alpha, parts)

    def _queries(self) -> list[Row]:
        """Return rows of every system and query."""
        from unjudged.inference.system_rows import query_rows

        scores = self.source.scores
        values = [None] * len(self._evidence) if scores is None else np.moveaxis(scores.values, 2, 0)
        return [row for one, own in zip(self._evidence, values, strict=True) for row in query_rows(one, own)]

    @computed_once
    def settings(self) -> Mapping[str, Any]:
        """What was asked, and of which systems and queries."""
        told = {"systems": self.source.systems, "queries": self.source.queries, "alpha": self.alpha}
        interval = None if self.interval is None else str(self.interval)
        return {**told, "library": self.source.library, "interval": interval}

    @computed_once
    def notes(self) -> Sequence[str]:
        """What a reader must know: of coverage, of ties, and how intervals were made."""
        return [*self.source.notes, *self._methods()]

    @property
    def warnings(self) -> Sequence[UnjudgedWarning]:
        """Warnings that were given: why values mean less than they seem to."""
        found: Sequence[UnjudgedWarning] = self.source.warnings
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
        found: Sequence[str] = self.source.systems
        return found

    @property
    def queries(self) -> Sequence[str]:
        """Names of the queries, in the order of `values`."""
        return self.cube.queries

    @property
    def measures(self) -> Sequence[str]:
        """Names of the measures, in the order of `values`."""
        return list(map(str, self.source.measures))

    @property
    def missing(self) -> Mapping[str, Sequence[str]]:
        """For each run that lacks some, the queries of the judgments that it has no ranking for."""
        found: Mapping[str, Sequence[str]] = self.source.missing()
        return found

    @property
    def rankings(self) -> JudgedRankings:
        """The judged documents of the runs; scores of a table have none."""
        if self.source.rankings is None:
            raise UsageError("these scores come from a table: give judgments and runs to see rankings")
        found: JudgedRankings = self.source.rankings
        return found

    @property
    def cube(self) -> Scores:
        """The array with the names of its axes, which `compare` and others take as scores of any tool."""
        scores: Scores | None = self.source.scores
        if scores is None:
            raise UsageError("estimates with predictions have no values by query: use rows")
        return scores

    def value(self, measure: MeasureLike, *, run: str | None = None, query: str | None = None) -> float:
        """One number: the value of a query, or the mean. `run` may be left out if there is only one."""
        return self.cube.value(measure, run=run, query=query)

    def __iter__(self) -> Iterator[Score]:
        """Yield (run, query, measure, value), run by run, query by query."""
        return iter(self.cube)

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
        """The row of each system and measure."""
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
        from unjudged.inference.system_rows import asked_interval

        made = type(self)(self.source, self.segments, *self._how)
        vars(made).update(interval=asked_interval(interval, *self._how), view=self.view)
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
        said = [(row["measure"], Note(_covered(row))) for row in made]
        without = dict.fromkeys(f"{row['measure']}: {row['method']}." for row in rows if row not in made)
        return [*said_once(said, len({name for name, _ in said})), *without]

    def for_paper(self, decimals: int) -> Grid:
        """Return the view without marks, which only the note of a command explains."""
        rows, view = self.shown(self.view)
        view = replace(view, shown=[name for name in view.shown if name != "hardly judged"])
        title = f"Means over {counted(len(self.source.queries), 'query')}."
        return replace(grid_of_view(rows, view, decimals), title=title, notes=self.notes_of(self.view))


def _covered(row: Row) -> str:
    """Say what an interval covers, and under which assumptions."""
    level = "Intervals" if row["confidence"] == 1 else f"{percent(row['confidence'])} intervals"
    return f"{level}: {row['method']}."
