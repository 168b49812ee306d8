# Written by `make docs`.
from unjudged.predictions.audit_grids import Audit as Audit, Bias as Bias, Confusion as Confusion, CurvePoint as CurvePoint, Rating as Rating
from unjudged.predictions.auditing import audit as audit
from unjudged.predictions.combined_estimates import estimate_with_predictions as estimate_with_predictions
from unjudged.predictions.estimators.by_document import DocumentEstimates as DocumentEstimates, estimate_by_document as estimate_by_document
from unjudged.predictions.estimators.by_query import QueryEstimates as QueryEstimates, estimate_by_query as estimate_by_query
from unjudged.predictions.estimators.estimates import Powered as Powered, PredictedMeans as PredictedMeans, prediction_powered as prediction_powered
from unjudged.predictions.poisson_sample import design_for_predictions as design_for_predictions
from unjudged.predictions.predicted_comparison import PredictedComparison as PredictedComparison, PredictedPair as PredictedPair, compare_with_predictions as compare_with_predictions
from unjudged.predictions.predictions import Judges as Judges, Predictions as Predictions

__all__ = [
    "Audit",
    "Bias",
    "Confusion",
    "CurvePoint",
    "DocumentEstimates",
    "Judges",
    "Powered",
    "PredictedComparison",
    "PredictedMeans",
    "PredictedPair",
    "Predictions",
    "QueryEstimates",
    "Rating",
    "audit",
    "compare_with_predictions",
    "design_for_predictions",
    "estimate_by_document",
    "estimate_by_query",
    "estimate_with_predictions",
    "prediction_powered",
]
