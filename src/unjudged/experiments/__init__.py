"""Experiments: what a measure still says of systems when fewer documents are judged."""

from unjudged.base.lazy import LazyNames

_NAMES = LazyNames(
    "unjudged.experiments",
    {
        "robustness": "experiment",
        "simulation": "Simulated simulate",
        "summary": "Agreement Robustness",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
