"""Build a test collection: pool, draw, judge, merge, judge more, and see how fair it is to new runs.

The verbs are those of the command line:

>>> from unjudged import judging
>>> from unjudged.sample import runs
>>> drawn = judging.sample(judging.pool(runs, depth=20), "stratified", 0.2, seed=1, top=10)
>>> len(drawn.to_judge())
1637
"""

from unjudged.base.lazy import LazyNames

_NAMES = LazyNames(
    "unjudged.judging",
    {
        "next_documents": "NextDocuments next=next_documents",
        "sample_file": "read_sample sample_text stated_sample",
        "drawn_sample": "DrawnSample sample=draw",
        "judging_page": "judge=judging_page",
        "merge_result": "Merged",
        "merging": "merge",
        "groups_left_out": "left_out_groups",
        "designs": "DESIGNS Design design",
        "pooling": "Pool pool=Pool.of_runs",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
