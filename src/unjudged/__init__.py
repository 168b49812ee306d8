"""Evaluate ranked retrieval when relevance judgments are incomplete.

`evaluate` scores runs, `compare` asks which of two is better, `to_judge` lists what to judge next. Every
measure is here under its name, and `measure` defines new ones.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from unjudged import measures
from unjudged.errors import (
    ExtraQueriesWarning,
    InputError,
    MissingQueriesWarning,
    NothingJudgedWarning,
    UnjudgedError,
    UnjudgedWarning,
    UsageError,
)
from unjudged.evaluation import evaluate
from unjudged.measures import *  # noqa: F403 (the measures, listed in measures/__init__.pyi)
from unjudged.measures.registry import MEASURES, Measure, measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run
from unjudged.scores import Score, Scores
from unjudged.uncertainty.estimate import Estimate
from unjudged.uncertainty.estimate_table import Estimates

__version__ = "0.2.0"

__all__ = [
    "MEASURES",
    "Agreement",
    "Audit",
    "Calibration",
    "Combined",
    "Comparison",
    "DocumentEstimates",
    "Estimate",
    "Estimates",
    "ExtraQueriesWarning",
    "InputError",
    "JudgedRankings",
    "JudgingDesign",
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
    "ToJudge",
    "UnjudgedError",
    "UnjudgedWarning",
    "UsageError",
    "Wanted",
    "audit",
    "calibrate",
    "cite",
    "combine",
    "compare",
    "compare_pairs",
    "design_for_predictions",
    "estimate_by_document",
    "estimate_by_query",
    "estimate_with_predictions",
    "evaluate",
    "experiment",
    "measure",
    "plan_queries",
    "prediction_powered",
    "report_page",
    "sample",
    "simulate",
    "spot_check",
    "spot_check_design",
    "to_judge",
]
__all__ += measures.__all__

if TYPE_CHECKING:
    from unjudged import sample
    from unjudged.citation import cite
    from unjudged.comparison.comparison_result import Comparison
    from unjudged.comparison.systems import compare
    from unjudged.comparison.testing.pairwise import compare_pairs
    from unjudged.comparison.testing.power import plan_queries
    from unjudged.comparison.verdicts import Pair
    from unjudged.experiments.robustness import Agreement, Robustness, experiment
    from unjudged.groups import calibrate
    from unjudged.judging.next_documents import ToJudge, Wanted, to_judge
    from unjudged.judging.pool import Pool
    from unjudged.predictions.auditing import Audit, audit
    from unjudged.predictions.combining import Combined, combine
    from unjudged.predictions.design import design_for_predictions
    from unjudged.predictions.estimators.by_document import DocumentEstimates, estimate_by_document
    from unjudged.predictions.estimators.by_query import QueryEstimates, estimate_by_query, prediction_powered
    from unjudged.predictions.judging_design import JudgingDesign
    from unjudged.predictions.source import Predictions
    from unjudged.predictions.spot_check import SpotCheck, spot_check, spot_check_design
    from unjudged.predictions.together import estimate_with_predictions
    from unjudged.report.html_page import Page, report_page
    from unjudged.simulation import Simulated, simulate
    from unjudged.uncertainty.calibration import Calibration
else:
    _LATER = {
        "Calibration": "unjudged.uncertainty.calibration",
        "ToJudge": "unjudged.judging.next_documents",
        "Wanted": "unjudged.judging.next_documents",
        "calibrate": "unjudged.groups",
        "cite": "unjudged.citation",
        "to_judge": "unjudged.judging.next_documents",
        "Comparison": "unjudged.comparison.comparison_result",
        "Pair": "unjudged.comparison.verdicts",
        "compare": "unjudged.comparison.systems",
        "compare_pairs": "unjudged.comparison.testing.pairwise",
        "plan_queries": "unjudged.comparison.testing.power",
        "Agreement": "unjudged.experiments.robustness",
        "Pool": "unjudged.judging.pool",
        "Robustness": "unjudged.experiments.robustness",
        "Page": "unjudged.report.html_page",
        "report_page": "unjudged.report.html_page",
        "Audit": "unjudged.predictions.auditing",
        "Combined": "unjudged.predictions.combining",
        "DocumentEstimates": "unjudged.predictions.estimators.by_document",
        "JudgingDesign": "unjudged.predictions.judging_design",
        "Predictions": "unjudged.predictions.source",
        "QueryEstimates": "unjudged.predictions.estimators.by_query",
        "SpotCheck": "unjudged.predictions.spot_check",
        "audit": "unjudged.predictions.auditing",
        "combine": "unjudged.predictions.combining",
        "design_for_predictions": "unjudged.predictions.design",
        "estimate_by_document": "unjudged.predictions.estimators.by_document",
        "estimate_by_query": "unjudged.predictions.estimators.by_query",
        "estimate_with_predictions": "unjudged.predictions.together",
        "prediction_powered": "unjudged.predictions.estimators.by_query",
        "spot_check": "unjudged.predictions.spot_check",
        "spot_check_design": "unjudged.predictions.spot_check",
        "Simulated": "unjudged.simulation",
        "experiment": "unjudged.experiments.robustness",
        "simulate": "unjudged.simulation",
    }

    def __getattr__(name: str) -> Any:
        """What is imported only when it is used, and measures defined elsewhere."""
        if name in MEASURES:
            return MEASURES[name]
        if name in _LATER:
            return getattr(import_module(_LATER[name]), name)
        if name == "sample":
            return import_module("unjudged.sample")
        raise AttributeError(f"module 'unjudged' has no attribute {name!r}")

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__, *MEASURES})
