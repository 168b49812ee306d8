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
        "choosing.next_documents": "next=next_documents",
        "choosing.next_result": "Candidate NextDocuments",
        "collecting.sample_file": "read_sample sample_text",
        "collecting.drawn_sample": "DrawnSample sample=draw",
        "collecting.judging_page": "judge=judging_page",
        "collecting.merge_result": "Merged",
        "collecting.merging": "merge",
        "collecting.stated_sample": "stated_sample",
        "pooling.left_out_groups": "left_out_groups",
        "pooling.designs": "DESIGNS Design design",
        "pooling.pool": "Pool pool=Pool.of_runs",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
