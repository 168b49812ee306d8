# Written by `make docs`.
from unjudged.base.errors import InputError as InputError, UnjudgedError as UnjudgedError, UnjudgedWarning as UnjudgedWarning, UsageError as UsageError
from unjudged.collection.collection import Collection as Collection
from unjudged.collection.scores import Scores as Scores
from unjudged.diagnosis.checking import Check as Check, check as check
from unjudged.diagnosis.explaining import Explanation as Explanation, explain as explain
from unjudged.evidence.calibration import Calibration as Calibration
from unjudged.inference.power import QueryPlan as QueryPlan, plan_queries as plan_queries
from unjudged.measures.kernel.registry import MEASURES as MEASURES, Measure as Measure, measure as measure
from unjudged.questions.calibrating import calibrate as calibrate
from unjudged.questions.comparing import compare as compare
from unjudged.questions.comparing_collections import compare_collections as compare_collections
from unjudged.questions.defensible_choices import compare_choices as compare_choices
from unjudged.questions.evaluating import evaluate as evaluate
from unjudged.questions.gating import gate as gate
from unjudged.rankings.judged import JudgedRankings as JudgedRankings
from unjudged.rankings.judgments import Judgments as Judgments
from unjudged.rankings.runs import Run as Run
from unjudged.report.report_page import Page as Page, report_page as report_page
from unjudged.results.comparison import Comparison as Comparison
from unjudged.results.evaluation import Evaluation as Evaluation
from unjudged.results.gate_result import GateResult as GateResult
from unjudged.results.result import Result as Result
from unjudged.studies.auditing import audit as audit
from unjudged.studies.experimenting import experiment as experiment
from unjudged import judging as judging
from unjudged import studies as studies
from unjudged import measures as measures
from unjudged import predictions as predictions
from unjudged import sample as sample
from unjudged.measures import *

__version__: str
__all__ = [
    "Calibration",
    "Check",
    "Collection",
    "Comparison",
    "Evaluation",
    "Explanation",
    "GateResult",
    "InputError",
    "JudgedRankings",
    "Judgments",
    "MEASURES",
    "Measure",
    "Page",
    "QueryPlan",
    "Result",
    "Run",
    "Scores",
    "UnjudgedError",
    "UnjudgedWarning",
    "UsageError",
    "audit",
    "calibrate",
    "check",
    "compare",
    "compare_choices",
    "compare_collections",
    "evaluate",
    "experiment",
    "explain",
    "gate",
    "measure",
    "plan_queries",
    "report_page",
]
__all__ += measures.__all__
