# Written by `make docs`.
from unjudged.base.errors import AssumptionWarning as AssumptionWarning, ExtraQueriesWarning as ExtraQueriesWarning, InputError as InputError, MissingQueriesWarning as MissingQueriesWarning, NothingJudgedWarning as NothingJudgedWarning, UnjudgedError as UnjudgedError, UnjudgedWarning as UnjudgedWarning, UsageError as UsageError
from unjudged.citation import cite as cite
from unjudged.comparison.comparison_result import Comparison as Comparison
from unjudged.comparison.systems import compare as compare
from unjudged.comparison.testing.pairwise import compare_pairs as compare_pairs
from unjudged.comparison.testing.power import plan_queries as plan_queries
from unjudged.comparison.verdicts import Pair as Pair
from unjudged.evaluation.evaluation import evaluate as evaluate
from unjudged.evaluation.groups import calibrate as calibrate
from unjudged.evaluation.scores import Score as Score, Scores as Scores
from unjudged.experiments.judgment_plan import JudgmentPlan as JudgmentPlan, plan_judgments as plan_judgments
from unjudged.experiments.robustness import experiment as experiment
from unjudged.experiments.summary import Agreement as Agreement, Robustness as Robustness
from unjudged.judging.pooling.pool import Pool as Pool
from unjudged.measures.kernel.registry import MEASURES as MEASURES, Measure as Measure, measure as measure
from unjudged.predictions.auditing import Audit as Audit, audit as audit
from unjudged.predictions.combined_estimates import estimate_with_predictions as estimate_with_predictions
from unjudged.predictions.estimators.by_document import DocumentEstimates as DocumentEstimates, estimate_by_document as estimate_by_document
from unjudged.predictions.estimators.by_query import QueryEstimates as QueryEstimates, estimate_by_query as estimate_by_query, prediction_powered as prediction_powered
from unjudged.predictions.poisson_sample import design_for_predictions as design_for_predictions
from unjudged.predictions.predictions import Predictions as Predictions
from unjudged.predictions.run_checks import SpotCheck as SpotCheck, spot_check as spot_check, spot_check_design as spot_check_design
from unjudged.rankings.judged import JudgedRankings as JudgedRankings
from unjudged.rankings.judgments import Judgments as Judgments
from unjudged.rankings.runs import Run as Run
from unjudged.report.page.report_page import Page as Page, report_page as report_page
from unjudged.simulation import Simulated as Simulated, simulate as simulate
from unjudged.uncertainty.calibration import Calibration as Calibration
from unjudged.uncertainty.estimate import Estimate as Estimate, Estimates as Estimates
from unjudged import judging as judging, measures as measures, sample as sample
from unjudged.measures import *

__version__: str
__all__ = [
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
    "MEASURES",
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
    "simulate",
    "spot_check",
    "spot_check_design",
]
__all__ += measures.__all__
