"""Our measures in ir_measures, and thereby in PyTerrier. Importing this module registers them.

- A measure that ir_measures lacks is registered under its own name: `infNDCG`, `RBPResidual(p=0.8)@10`.
- Where the name is taken, ours has a prefix: `unjudged_AP(unjudged='condensed')`.
- `bound='low'` or `bound='high'` gives an end of the bounds that the unjudged documents leave.
- The provider `unjudged` computes ir_measures' own measures; unasked, those that no other provider supports.

`from unjudged.compat.ir_measures import AP` imports one for `calc_aggregate` or `pt.Experiment`;
`python -m unjudged.compat.ir_measures` is ir_measures' command line with all of them.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterable, Iterator
from inspect import Parameter
from typing import Any

import numpy as np

from unjudged.base.errors import missing_package

try:
    import ir_measures
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(str(missing_package("ir-measures", "unjudged.compat.ir_measures"))) from error
from ir_measures import Metric, measures, providers
from ir_measures.measures.base import _NOT_PROVIDED as NOT_PROVIDED
from ir_measures.measures.base import Agg, ParamInfo, SumAgg

from unjudged.base.segments import Floats
from unjudged.data import matching
from unjudged.data.frames import is_frame
from unjudged.evidence.value_bounds import bounds
from unjudged.measures.kernel.names import translated
from unjudged.measures.kernel.registry import MEASURES, POLICIES, Measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import run_table

PREFIX = "unjudged_"
BOUNDS = ("low", "high")


class OurMeasure(measures.Measure):  # type: ignore[misc]
    """One of our measures in the form of ir_measures; each has a subclass of its own."""

    ours: Measure

    def measure(self) -> Measure:
        """Our measure with the parameters of this one."""
        return self.ours(**{name: value for name, value in self.params.items() if name != "bound"})

    def validate_params(self) -> None:
        super().validate_params()
        self.measure().check_complete()

    def compute(self, rankings: JudgedRankings) -> Floats:
        bound = self.params.get("bound")
        if bound is None:
            return self.measure().compute(rankings)
        ends = bounds(self.measure(), rankings)
        return ends.low if bound == "low" else ends.high

    def runtime_impl(self, qrels: Any, run: Any) -> Iterator[Metric]:
        """Called by ir_measures' runtime provider, once per measure with the same two frames."""
        yield from _metrics({self: self.compute}, _matched_once(qrels, run))

    def aggregator(self) -> Agg:
        return SumAgg() if self.ours.traits.summary == "sum" else _OverQueries(self.ours)


class _OverQueries(Agg):  # type: ignore[misc]
    """Mean as in `Scores.means`, rounded once; the geometric mean for GMAP."""

    def __init__(self, measure: Measure) -> None:
        self.measure = measure
        self.values: list[float] = []

    def add(self, value: float) -> None:
        self.values.append(value)

    def result(self) -> float:
        return float(self.measure.over_queries(np.array(self.values))) if self.values else math.nan


class UnjudgedProvider(providers.Provider):  # type: ignore[misc]
    """ir_measures' own measures, computed by ours."""

    NAME = "unjudged"

    def supports(self, measure: Any) -> bool:
        measure.validate_params()
        return translated(measure) is not None

    def _evaluator(self, measures: Iterable[Any], qrels: Any) -> Any:
        return _Evaluator(list(measures), Judgments.read(_rows(qrels, "relevance")))


class _Evaluator(providers.Evaluator):  # type: ignore[misc]
    def __init__(self, measures: list[Any], judgments: Judgments) -> None:
        super().__init__(measures, set(judgments.queries))
        self.judgments = judgments
        self.asked = {measure: translated(measure) for measure in measures}
        unknown = ", ".join(str(theirs) for theirs, ours in self.asked.items() if ours is None)
        if unknown:
            raise ValueError(f"provider unjudged does not have {unknown}")

    def _iter_calc(self, run: Any) -> Iterator[Metric]:
        run = _rows(run, "score")
        if len(run):
            asked = {theirs: ours.compute for theirs, ours in self.asked.items() if ours is not None}
            yield from _metrics(asked, _match(self.judgments, run))


def _metrics(asked: dict[Any, Any], rankings: JudgedRankings) -> Iterator[Metric]:
    """Yield the values of measures as ir_measures has them, query by query."""
    queries = list(rankings.judgments.queries)
    for measure, compute in asked.items():
        for query, value in zip(queries, compute(rankings).tolist(), strict=True):
            yield Metric(query_id=query, measure=measure, value=value)


def _rows(source: Any, number: str) -> Any:
    """Dicts and frames as they are, named tuples as plain ones."""
    if isinstance(source, dict) or is_frame(source):
        return source
    return [(row.query_id, row.doc_id, getattr(row, number)) for row in source]


def _match(judgments: Judgments, run: Any) -> JudgedRankings:
    """Match a frame of rankings with judgments."""
    return JudgedRankings.from_matches(judgments, [matching.match(run_table(run), judgments.index)])


class _LastMatch:
    """Last two frames and their match, because measures are computed one after another."""

    frames: tuple[Any, Any] = (object, object)
    rankings: JudgedRankings | None = None


def _matched_once(qrels: Any, run: Any) -> JudgedRankings:
    """Match two frames, unless they are those of the last call."""
    last = _LastMatch.rankings
    same_qrels, same_run = (old() is new for old, new in zip(_LastMatch.frames, (qrels, run), strict=True))
    if last is None or not (same_qrels and same_run):
        last = _match(last.judgments if last is not None and same_qrels else Judgments.read(qrels), run)
        _LastMatch.rankings, _LastMatch.frames = last, (weakref.ref(qrels), weakref.ref(run))
    return last


def register() -> None:
    """Register every measure of ours with ir_measures, including those defined since the last call."""
    for name in MEASURES:
        _measure_of(name)
    if UnjudgedProvider.NAME not in providers.registry:
        ir_measures.DefaultPipeline.providers.append(providers.register(UnjudgedProvider()))


_MADE: dict[str, OurMeasure] = {}


def _measure_of(name: str) -> OurMeasure:
    """Return our measure of a name as one of ir_measures."""
    ours = MEASURES[name]
    if name not in _MADE or _MADE[name].ours is not ours:
        taken = name in measures.registry and not isinstance(measures.registry[name], OurMeasure)
        shown = PREFIX + name if taken else name
        parameters = {
            key: ParamInfo(default=NOT_PROVIDED if default is Parameter.empty else default)
            for key, default in ours.parameters.items()
        }
        policies = {key: ParamInfo() for key in POLICIES}
        body = {
            "ours": ours,
            "__name__": shown,
            "NAME": shown,
            "__doc__": ours.help,
            "AT_PARAM": ours.traits.at or "cutoff",
            "SUPPORTED_PARAMS": {**parameters, **policies, "bound": ParamInfo(choices=BOUNDS)},
        }
        _MADE[name] = type(shown, (OurMeasure,), body)()
        measures.registry[shown] = _MADE[name]
    return _MADE[name]


def __getattr__(name: str) -> OurMeasure:
    """Every measure is here under our name."""
    if name in MEASURES:
        return _measure_of(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


register()

if __name__ == "__main__":
    from ir_measures.__main__ import main_cli

    main_cli()
