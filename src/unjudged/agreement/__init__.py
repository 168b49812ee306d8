"""Agreement of judges on documents, and of leaderboards on systems.

>>> from unjudged.agreement import rank_overlap
>>> rank_overlap(["a", "b", "c"], ["b", "a", "c"], p=0.5)
0.5
"""

from unjudged.base.lazy import LazyNames

_NAMES = LazyNames(
    "unjudged.agreement",
    {
        "agreeing": "agree",
        "coefficients": "COEFFICIENTS Coefficient",
        "orders": "rank_overlap",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
