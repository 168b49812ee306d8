"""Evaluation of ranked retrieval that knows what it does not know."""

from typing import Any

from unjudged.errors import InputError, UnjudgedError, UsageError
from unjudged.evaluation import compare, evaluate, to_judge
from unjudged.measures.registry import MEASURES, Measure, measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import Run
from unjudged.scores import Scores
from unjudged.uncertainty.comparison import Comparison
from unjudged.uncertainty.estimate import Estimate

__version__ = "0.1.0"

__all__ = [
    "Comparison",
    "Estimate",
    "InputError",
    "JudgedRankings",
    "Judgments",
    "MEASURES",
    "Measure",
    "Run",
    "Scores",
    "UnjudgedError",
    "UsageError",
    "compare",
    "evaluate",
    "measure",
    "to_judge",
    *MEASURES,
]


def __getattr__(name: str) -> Any:
    """Every measure is here under its name."""
    if name in MEASURES:
        return MEASURES[name]
    raise AttributeError(f"module 'unjudged' has no attribute {name!r}")
