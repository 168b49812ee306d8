# Written by `make docs`.
from unjudged.predictions.by_document import DocumentEstimates as DocumentEstimates, estimate_by_document as estimate_by_document
from unjudged.predictions.by_query import Powered as Powered, QueryEstimates as QueryEstimates, estimate_by_query as estimate_by_query, prediction_powered as prediction_powered
from unjudged.predictions.combined_estimates import estimate_with_predictions as estimate_with_predictions
from unjudged.predictions.estimates import PredictedMeans as PredictedMeans
from unjudged.predictions.poisson_sample import design_for_predictions as design_for_predictions
from unjudged.predictions.predictions import Judges as Judges, Predictions as Predictions

__all__ = [
    "DocumentEstimates",
    "Judges",
    "Powered",
    "PredictedMeans",
    "Predictions",
    "QueryEstimates",
    "design_for_predictions",
    "estimate_by_document",
    "estimate_by_query",
    "estimate_with_predictions",
    "prediction_powered",
]
