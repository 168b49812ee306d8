"""Evaluation of ranked retrieval that knows what it does not know."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from unjudged.errors import InputError, UnjudgedError, UsageError
from unjudged.evaluation import evaluate
from unjudged.measures.registry import MEASURES, Measure, measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run
from unjudged.scores import Scores
from unjudged.uncertainty.estimate import Estimate

if TYPE_CHECKING:
    from unjudged.comparison.pairwise import compare_pairs
    from unjudged.comparison.power import plan_queries
    from unjudged.experiments.robustness import experiment
    from unjudged.judging.pool import Pool
    from unjudged.simulation import simulate

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Estimate",
    "InputError",
    "JudgedRankings",
    "Judgments",
    "MEASURES",
    "Measure",
    "Pool",
    "Run",
    "Scores",
    "UnjudgedError",
    "UsageError",
    "compare",
    "compare_pairs",
    "evaluate",
    "experiment",
    "measure",
    "plan_queries",
    "simulate",
    "to_judge",
    *MEASURES,
]


_LATER = {
    "Pool": "unjudged.judging.pool",
    "compare_pairs": "unjudged.comparison.pairwise",
    "experiment": "unjudged.experiments.robustness",
    "plan_queries": "unjudged.comparison.power",
    "simulate": "unjudged.simulation",
}


def __getattr__(name: str) -> Any:
    """Every measure is here under its name; the laboratory is imported when it is asked for."""
    if name in MEASURES:
        return MEASURES[name]
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'unjudged' has no attribute {name!r}")
