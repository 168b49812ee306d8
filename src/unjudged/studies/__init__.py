"""Studies: audits of judges, how few judgments are enough, random rankings, and what RBP leaves open.

>>> from unjudged.studies import rank_overlap
>>> rank_overlap(["a", "b", "c"], ["b", "a", "c"], p=0.5)
0.5
"""

from unjudged.base.lazy import LazyNames

_NAMES = LazyNames(
    "unjudged.studies",
    {
        "baselines": "expected p_of_random_ranking variance_of_ap",
        "orders": "rank_overlap",
        "simulation": "Simulated simulate",
        "summary": "Experiment",
        "rbp_uncertainty": "Uncertain UncertaintyOfRBP uncertainty_of_rbp",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
