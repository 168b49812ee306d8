# Written by `make docs`.
from unjudged.experiments.robustness import experiment as experiment
from unjudged.experiments.simulation import Simulated as Simulated, simulate as simulate
from unjudged.experiments.summary import Agreement as Agreement, Robustness as Robustness

__all__ = [
    "Agreement",
    "Robustness",
    "Simulated",
    "experiment",
    "simulate",
]
