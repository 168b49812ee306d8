"""People and models judging together: estimates that use predictions for precision and people for truth."""

from unjudged.predictions.auditing import Audit, audit
from unjudged.predictions.by_document import DocumentEstimates, estimate_by_document
from unjudged.predictions.by_query import QueryEstimates, estimate_by_query, prediction_powered
from unjudged.predictions.combining import Combined, combine
from unjudged.predictions.design import JudgingDesign, design_for_predictions
from unjudged.predictions.source import Predictions, PredictionsSource
from unjudged.predictions.spot_check import SpotCheck, spot_check, spot_check_design

__all__ = [
    "Audit",
    "Combined",
    "DocumentEstimates",
    "JudgingDesign",
    "Predictions",
    "PredictionsSource",
    "QueryEstimates",
    "SpotCheck",
    "audit",
    "combine",
    "design_for_predictions",
    "estimate_by_document",
    "estimate_by_query",
    "prediction_powered",
    "spot_check",
    "spot_check_design",
]
