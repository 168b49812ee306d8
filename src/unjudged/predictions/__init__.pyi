# Written by `make docs`.
from unjudged.predictions.by_document import DocumentEvidence as DocumentEvidence, estimate_by_document as estimate_by_document
from unjudged.predictions.by_query import Powered as Powered, QueryEvidence as QueryEvidence, estimate_by_query as estimate_by_query, prediction_powered as prediction_powered
from unjudged.predictions.evidence import estimate_with_predictions as estimate_with_predictions
from unjudged.predictions.judges import Judges as Judges, Predictions as Predictions
from unjudged.predictions.poisson_sample import design_for_predictions as design_for_predictions

__all__ = [
    "DocumentEvidence",
    "Judges",
    "Powered",
    "Predictions",
    "QueryEvidence",
    "design_for_predictions",
    "estimate_by_document",
    "estimate_by_query",
    "estimate_with_predictions",
    "prediction_powered",
]
