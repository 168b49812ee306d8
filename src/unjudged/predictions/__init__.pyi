# Written by `make docs`.
from unjudged.predictions.by_query import Powered as Powered, QueryEvidence as QueryEvidence, estimate_by_query as estimate_by_query, prediction_powered as prediction_powered
from unjudged.predictions.judges import Judges as Judges, Predictions as Predictions

__all__ = [
    "Judges",
    "Powered",
    "Predictions",
    "QueryEvidence",
    "estimate_by_query",
    "prediction_powered",
]
