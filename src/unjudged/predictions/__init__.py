"""People and models judging together: estimates that use predictions for precision and people for truth."""

from unjudged.base.lazy import LazyNames

_NAMES = LazyNames(
    "unjudged.predictions",
    {
        "by_document": "DocumentEvidence estimate_by_document",
        "by_query": "Powered QueryEvidence estimate_by_query prediction_powered",
        "evidence": "estimate_with_predictions",
        "poisson_sample": "design_for_predictions",
        "judges": "Judges Predictions",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
