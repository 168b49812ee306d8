"""Build a test collection: pool, draw, judge, merge, judge more, and see how fair it is to new runs.

The verbs are the same as on the command line:

>>> from unjudged import judging
>>> from unjudged.sample import runs
>>> drawn = judging.next(None, runs, design="stratified(20%, top=10)", seed=1)
>>> len(drawn.wanted)
1972
"""

from unjudged.base.lazy import LazyNames

_NAMES = LazyNames(
    "unjudged.judging",
    {
        "next_documents": "NextDocuments next=next_documents",
        "judging_page": "judge=judging_page",
        "merging": "Merged merge",
        "designs": "DESIGNS Design design stated_sample",
        "pooling": "Pool left_out_groups",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
