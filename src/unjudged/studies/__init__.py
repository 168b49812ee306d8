"""Studies: audits of judges, how few judgments are enough, random rankings, and what RBP leaves open.

>>> from unjudged.studies import expected
>>> expected("P@10", documents=1000, relevant=50)
0.05
"""

from unjudged.base.lazy import LazyNames

_NAMES = LazyNames(
    "unjudged.studies",
    {
        "baselines": "expected p_of_random_ranking variance_of_ap",
        "orders": "rank_overlap tau tau_ap",
        "simulation": "Simulated simulate",
        "summary": "Experiment",
        "rbp_uncertainty": "Uncertain UncertaintyOfRBP uncertainty_of_rbp",
    },
)
__all__ = _NAMES.all  # noqa: PLE0605 (a list, sorted)
__getattr__ = _NAMES.get
__dir__ = _NAMES.listed
