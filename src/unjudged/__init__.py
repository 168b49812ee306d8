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

__version__ = "0.1.0"

__all__ = [
    "MEASURES",
    "Agreement",
    "Comparison",
    "Estimate",
    "InputError",
    "JudgedRankings",
    "Judgments",
    "Measure",
    "Pool",
    "Robustness",
    "Run",
    "Score",
    "Scores",
    "Simulated",
    "UnjudgedError",
    "UsageError",
    "Wanted",
    "compare",
    "evaluate",
    "experiment",
    "measure",
    "sample",
    "simulate",
    "to_judge",
]
__all__ += measures.__all__

if TYPE_CHECKING:
    from unjudged import sample
    from unjudged.experiments.robustness import Agreement, Robustness, experiment
    from unjudged.judging.pool import Pool
    from unjudged.simulation import Simulated, simulate
else:
    _LATER = {
        "Agreement": "unjudged.experiments.robustness",
        "Pool": "unjudged.judging.pool",
        "Robustness": "unjudged.experiments.robustness",
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
