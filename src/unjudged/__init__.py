"""Evaluate ranked retrieval when relevance judgments are incomplete.

`evaluate` scores runs, `compare` asks which of two is better, `judging.next` lists what to judge next. Every
measure is here under its name, and `measure` defines new ones.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False  # without importing `typing`, which takes longer than all else here
__version__ = "0.2.0"

__all__ = [
    "MEASURES",
    "Agreement",
    "AssumptionWarning",
    "Audit",
    "Calibration",
    "Comparison",
    "DocumentEstimates",
    "Estimate",
    "Estimates",
    "ExtraQueriesWarning",
    "InputError",
    "JudgedRankings",
    "JudgmentPlan",
    "Judgments",
    "Measure",
    "MissingQueriesWarning",
    "NothingJudgedWarning",
    "Page",
    "Pair",
    "Pool",
    "Predictions",
    "QueryEstimates",
    "Robustness",
    "Run",
    "Score",
    "Scores",
    "Simulated",
    "SpotCheck",
    "UnjudgedError",
    "UnjudgedWarning",
    "UsageError",
    "audit",
    "calibrate",
    "cite",
    "compare",
    "compare_pairs",
    "design_for_predictions",
    "estimate_by_document",
    "estimate_by_query",
    "estimate_with_predictions",
    "evaluate",
    "experiment",
    "measure",
    "plan_judgments",
    "plan_queries",
    "prediction_powered",
    "report_page",
    "sample",
    "simulate",
    "spot_check",
    "spot_check_design",
]

if TYPE_CHECKING:
    from typing import Any

    from unjudged import measures, sample
    from unjudged.base.errors import (
        AssumptionWarning,
        ExtraQueriesWarning,
        InputError,
        MissingQueriesWarning,
        NothingJudgedWarning,
        UnjudgedError,
        UnjudgedWarning,
        UsageError,
    )
    from unjudged.citation import cite
    from unjudged.comparison.comparison_result import Comparison
    from unjudged.comparison.systems import compare
    from unjudged.comparison.testing.pairwise import compare_pairs
    from unjudged.comparison.testing.power import plan_queries
    from unjudged.comparison.verdicts import Pair
    from unjudged.evaluation.evaluation import evaluate
    from unjudged.evaluation.groups import calibrate
    from unjudged.evaluation.scores import Score, Scores
    from unjudged.experiments.judgment_plan import JudgmentPlan, plan_judgments
    from unjudged.experiments.robustness import experiment
    from unjudged.experiments.summary import Agreement, Robustness
    from unjudged.judging.pooling.pool import Pool
    from unjudged.measures import *  # noqa: F403 (the measures, listed in measures/__init__.pyi)
    from unjudged.measures.kernel.registry import MEASURES, Measure, measure
    from unjudged.predictions.auditing import Audit, audit
    from unjudged.predictions.combined_estimates import estimate_with_predictions
    from unjudged.predictions.estimators.by_document import DocumentEstimates, estimate_by_document
    from unjudged.predictions.estimators.by_query import QueryEstimates, estimate_by_query, prediction_powered
    from unjudged.predictions.poisson_sample import design_for_predictions
    from unjudged.predictions.predictions import Predictions
    from unjudged.predictions.spot_check import SpotCheck, spot_check, spot_check_design
    from unjudged.rankings.judged import JudgedRankings
    from unjudged.rankings.judgments import Judgments
    from unjudged.rankings.runs import Run
    from unjudged.report.page.report_page import Page, report_page
    from unjudged.simulation import Simulated, simulate
    from unjudged.uncertainty.calibration import Calibration
    from unjudged.uncertainty.estimate import Estimate
    from unjudged.uncertainty.estimate_table import Estimates

    __all__ += measures.__all__
else:
    _PUBLIC = __all__
    del __all__  # the measures belong to it too, and are imported when it is asked for
    _MODULES = {
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
        "predictions.spot_check": "SpotCheck spot_check spot_check_design",
        "predictions.combined_estimates": "estimate_with_predictions",
        "rankings.judged": "JudgedRankings",
        "rankings.judgments": "Judgments",
        "rankings.runs": "Run",
        "report.page.report_page": "Page report_page",
        "evaluation.scores": "Score Scores",
        "simulation": "Simulated simulate",
        "uncertainty.calibration": "Calibration",
        "uncertainty.estimate": "Estimate",
        "uncertainty.estimate_table": "Estimates",
    }
    _MODULE_OF = {name: module for module, names in _MODULES.items() for name in names.split()}

    def __getattr__(name: str) -> Any:
        """What is imported only when it is used: every public name, every measure and every module."""
        if name in _MODULE_OF:
            value = globals()[name] = getattr(import_module(f"unjudged.{_MODULE_OF[name]}"), name)
            return value
        if name == "__all__":
            return [*_PUBLIC, *import_module("unjudged.measures").__all__]
        if not name.startswith("_"):
            from importlib.util import find_spec

            if find_spec(f"unjudged.{name}") is not None:
                return import_module(f"unjudged.{name}")
            measures = import_module("unjudged.measures").MEASURES
            if name in measures:
                return measures[name]
        raise AttributeError(f"module 'unjudged' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__getattr__("__all__"), *__getattr__("MEASURES")})
