# Written by `make docs`.
from unjudged.studies.baselines import expected as expected, p_of_random_ranking as p_of_random_ranking, variance_of_ap as variance_of_ap
from unjudged.studies.orders import rank_overlap as rank_overlap, tau as tau, tau_ap as tau_ap
from unjudged.studies.rbp_uncertainty import Uncertain as Uncertain, UncertaintyOfRBP as UncertaintyOfRBP, uncertainty_of_rbp as uncertainty_of_rbp
from unjudged.studies.simulation import Simulated as Simulated, simulate as simulate
from unjudged.studies.summary import Experiment as Experiment

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
