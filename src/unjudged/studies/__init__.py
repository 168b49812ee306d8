"""Studies: audits of judges, how few judgments are enough, random rankings, and what RBP leaves open.

>>> from unjudged.studies import expected
>>> expected("P@10", documents=1000, relevant=50)
0.05
"""

from unjudged.base.lazy import LazyNames

_NAMES = LazyNames(
    "unjudged.studies",
    {
        "agreement": "rank_overlap tau tau_ap",
        "experimenting": "Experiment",
        "random_rankings": "Simulated Uncertain UncertaintyOfRBP expected p_of_random_ranking simulate "
        "uncertainty_of_rbp variance_of_ap",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
