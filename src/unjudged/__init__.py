"""Evaluate ranked retrieval when relevance judgments are incomplete.

`evaluate` scores runs, `compare` asks which of two is better, `judging.next` lists what to judge next. Every
measure is here under its name, and `measure` defines new ones. `judging` is for collecting judgments,
`predictions` for predicted relevance, `studies` for studies of judgments.
"""

from __future__ import annotations

from importlib import import_module

from unjudged.base.lazy import LazyNames

TYPE_CHECKING = False  # without importing `typing`, which takes longer than all else here
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.3.0.dev0"

_NAMES = LazyNames(
    "unjudged",
    {
        "base.errors": "InputError UnjudgedError UnjudgedWarning UsageError",
        "inference.power": "QueryPlan plan_queries",
        "diagnosis.checking": "Check check",
        "diagnosis.explaining": "Explanation explain",
        "studies.auditing": "audit",
        "studies.experimenting": "experiment",
        "collection.collection": "Collection",
        "questions.evaluating": "evaluate",
        "questions.calibrating": "calibrate",
        "collection.scores": "Scores",
        "results.evaluation": "Evaluation",
        "results.gate_result": "GateResult",
        "measures.kernel.registry": "MEASURES Measure measure",
        "questions.comparing": "compare",
        "questions.comparing_collections": "compare_collections",
        "questions.defensible_choices": "compare_choices",
        "questions.gating": "gate",
        "rankings.judged": "JudgedRankings",
        "rankings.judgments": "Judgments",
        "rankings.runs": "Run",
        "report.report_page": "Page report_page",
        "results.comparison": "Comparison",
        "results.result": "Result",
        "evidence.calibration": "Calibration",
    },
)


def __getattr__(name: str) -> Any:
    """Import what is used, when it is used: every public name, every measure and every module."""
    if name in _NAMES.places:
        return _NAMES.get(name)
    if name == "__all__":
        return [*_NAMES.all, "sample", *import_module("unjudged.measures").__all__]
    if not name.startswith("_"):
        from importlib.util import find_spec

        if find_spec(f"unjudged.{name}") is not None:
            return import_module(f"unjudged.{name}")
        measures = import_module("unjudged.measures").MEASURES
        if name in measures:
            return measures[name]
    return _NAMES.get(name)


def __dir__() -> list[str]:
    modules = ("judging", "measures", "predictions", "studies", "__version__")
    return sorted({*__getattr__("__all__"), *__getattr__("MEASURES"), *modules})
