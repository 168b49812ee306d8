"""People and models judging together: estimates that use predictions for precision and people for truth."""

from unjudged.base.lazy import LazyNames

_NAMES = LazyNames(
    "unjudged.predictions",
    {
        "audit_grids": "Audit Bias Confusion CurvePoint Rating",
        "auditing": "audit",
        "combined_estimates": "estimate_with_predictions",
        "estimators.estimates": "Powered PredictedMeans prediction_powered",
        "estimators.by_document": "DocumentEstimates estimate_by_document",
        "estimators.by_query": "QueryEstimates estimate_by_query",
        "poisson_sample": "design_for_predictions",
        "predicted_comparison": "PredictedComparison PredictedPair compare_with_predictions",
        "predictions": "Judges Predictions",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
