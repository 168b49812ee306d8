# Written by `make docs`.
from unjudged.studies.agreement import rank_overlap as rank_overlap, tau as tau, tau_ap as tau_ap
from unjudged.studies.experimenting import Experiment as Experiment
from unjudged.studies.random_rankings import Simulated as Simulated, Uncertain as Uncertain, UncertaintyOfRBP as UncertaintyOfRBP, expected as expected, p_of_random_ranking as p_of_random_ranking, simulate as simulate, uncertainty_of_rbp as uncertainty_of_rbp, variance_of_ap as variance_of_ap

__all__ = [
    "Experiment",
    "Simulated",
    "Uncertain",
    "UncertaintyOfRBP",
    "expected",
    "p_of_random_ranking",
    "rank_overlap",
    "simulate",
    "tau",
    "tau_ap",
    "uncertainty_of_rbp",
    "variance_of_ap",
]
