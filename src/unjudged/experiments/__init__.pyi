# Written by `make docs`.
from unjudged.experiments.judgment_plan import JudgmentPlan as JudgmentPlan, plan_judgments as plan_judgments
from unjudged.experiments.robustness import experiment as experiment
from unjudged.experiments.simulation import Simulated as Simulated, simulate as simulate
from unjudged.experiments.summary import Agreement as Agreement, Robustness as Robustness

__all__ = [
    "Agreement",
    "JudgmentPlan",
    "Robustness",
    "Simulated",
    "experiment",
    "plan_judgments",
    "simulate",
]
