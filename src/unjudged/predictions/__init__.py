"""Queries that people judged, and further ones of which models predict: estimates from both."""

from unjudged.base.lazy import LazyNames

_NAMES = LazyNames(
    "unjudged.predictions",
    {
        "by_query": "Powered QueryEvidence estimate_by_query prediction_powered",
        "judges": "Judges Predictions",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
