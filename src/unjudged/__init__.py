"""Evaluate ranked retrieval when relevance judgments are incomplete.

`evaluate` scores runs, `compare` asks which of two is better, `to_judge` lists what to judge next. Every
measure is here under its name, and `measure` defines new ones.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from unjudged import measures
from unjudged.errors import InputError, UnjudgedError, UsageError
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
    "Calibration",
    "Comparison",
    "Estimate",
    "Estimates",
    "InputError",
    "JudgedRankings",
    "Judgments",
    "Measure",
    "Page",
    "Pair",
    "Pool",
    "Robustness",
    "Run",
    "Score",
    "Scores",
    "Simulated",
    "ToJudge",
    "UnjudgedError",
    "UsageError",
    "Wanted",
    "calibrate",
    "compare",
    "compare_pairs",
    "evaluate",
    "experiment",
    "measure",
    "plan_queries",
    "report_page",
    "sample",
    "simulate",
    "to_judge",
]
__all__ += measures.__all__

if TYPE_CHECKING:
    from unjudged import sample
    from unjudged.comparison.pairwise import compare_pairs
    from unjudged.comparison.power import plan_queries
    from unjudged.comparison.systems import Comparison, compare
    from unjudged.comparison.verdicts import Pair
    from unjudged.experiments.robustness import Agreement, Robustness, experiment
    from unjudged.groups import calibrate
    from unjudged.judging.next_documents import ToJudge, Wanted, to_judge
    from unjudged.judging.pool import Pool
    from unjudged.report.html_page import Page, report_page
    from unjudged.simulation import Simulated, simulate
    from unjudged.uncertainty.calibration import Calibration
else:
    _LATER = {
        "Calibration": "unjudged.uncertainty.calibration",
        "ToJudge": "unjudged.judging.next_documents",
        "Wanted": "unjudged.judging.next_documents",
        "calibrate": "unjudged.groups",
        "to_judge": "unjudged.judging.next_documents",
        "Comparison": "unjudged.comparison.systems",
        "Pair": "unjudged.comparison.verdicts",
        "compare": "unjudged.comparison.systems",
        "compare_pairs": "unjudged.comparison.pairwise",
        "plan_queries": "unjudged.comparison.power",
        "Agreement": "unjudged.experiments.robustness",
        "Pool": "unjudged.judging.pool",
        "Robustness": "unjudged.experiments.robustness",
        "Page": "unjudged.report.html_page",
        "report_page": "unjudged.report.html_page",
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
