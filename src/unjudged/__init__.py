"""Evaluate ranked retrieval when relevance judgments are incomplete.

`evaluate` scores runs, `compare` asks which of two is better, `judging.next` lists what to judge next. Every
measure is here under its name, and `measure` defines new ones.
"""

from __future__ import annotations

from importlib import import_module

from unjudged.base.lazy import LazyNames

TYPE_CHECKING = False  # without importing `typing`, which takes longer than all else here
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.2.0"

_NAMES = LazyNames(
    "unjudged",
    {
        "citation": "cite",
        "comparison.comparison_result": "Comparison",
        "comparison.systems": "compare",
        "comparison.testing.pairwise": "compare_pairs",
        "comparison.testing.power": "plan_queries",
        "comparison.verdicts": "Pair",
        "base.errors": "AssumptionWarning ExtraQueriesWarning InputError MissingQueriesWarning "
        "NothingJudgedWarning UnjudgedError UnjudgedWarning UsageError",
        "evaluation.evaluation": "evaluate",
        "experiments.judgment_plan": "JudgmentPlan plan_judgments",
        "experiments.robustness": "experiment",
        "experiments.summary": "Agreement Robustness",
        "evaluation.groups": "calibrate",
        "judging.pooling.pool": "Pool",
        "measures.kernel.registry": "MEASURES Measure measure",
        "predictions.auditing": "Audit audit",
        "predictions.poisson_sample": "design_for_predictions",
        "predictions.estimators.by_document": "DocumentEstimates estimate_by_document",
        "predictions.estimators.by_query": "QueryEstimates estimate_by_query prediction_powered",
        "predictions.predictions": "Predictions",
        "predictions.run_checks": "SpotCheck spot_check spot_check_design",
        "predictions.combined_estimates": "estimate_with_predictions",
        "rankings.judged": "JudgedRankings",
        "rankings.judgments": "Judgments",
        "rankings.runs": "Run",
        "report.page.report_page": "Page report_page",
        "evaluation.scores": "Score Scores",
        "simulation": "Simulated simulate",
        "uncertainty.calibration": "Calibration",
        "uncertainty.estimate": "Estimate Estimates",
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
    return sorted({*globals(), *__getattr__("__all__"), *__getattr__("MEASURES")})
