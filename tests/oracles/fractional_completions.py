"""Small rankings with fractional grades, and every completion of their judgments, one by one."""

from __future__ import annotations

import itertools

import numpy as np

from unjudged.measures.kernel.names import parse_measure
from unjudged.measures.kernel.registry import Measure

GAINS = (0.0, 0.25, 0.7, 1.0)
MEASURES = (
    *("nDCG", "nDCG@2", "nDCG(dcg='exp-log2')@3", "DCG@3", "RBP(p=0.8, max_grade=1)"),
    "RBP(p=0.5, max_grade=2)@3",
    *("RBP(p=0.8, rel=0.5)", "AP(rel=0.5)", "AP(rel=0.3)@2", "P(rel=0.7)@2", "R(rel=0.25)@3", "RR(rel=1.0)"),
    *("Rprec(rel=0.5)", "Bpref(rel=0.5)", "Success(rel=0.7)@2", "IPrec(rel=0.5)@0.5"),
)
Graded = dict[str, dict[str, float]]


def measures() -> list[Measure]:
    return [parse_measure(name) for name in MEASURES]


def case(rng: np.random.Generator) -> tuple[Graded, dict[str, dict[str, float]]]:
    """Judgments and a run of one query; some retrieved documents are unjudged."""
    n = int(rng.integers(1, 5))
    names = [f"d{i}" for i in range(n + int(rng.integers(0, 3)))]
    judged: dict[str, float] = {}
    for i, name in enumerate(names):
        state = rng.choice(["judged", "unjudged", "unpooled"], p=[0.6, 0.25, 0.15])
        if state == "judged" or (state == "unpooled" and i >= n):
            judged[name] = float(rng.choice(GAINS))
        elif state == "unjudged":
            judged[name] = -1.0
    judged["missed"] = 0.25  # so that grades are fractions
    order = rng.permutation(n)
    return {"q": judged}, {"q": {names[i]: float(n - place) for place, i in enumerate(order)}}


def completions(qrels: Graded, run: dict[str, dict[str, float]], measure: Measure) -> list[Graded]:
    """The judgments with every gain that is judged, or that the measure names, for every unknown document."""
    judged = qrels["q"]
    unknown = [d for d in run["q"] if d not in judged] + [d for d, g in judged.items() if g < 0]
    named = {float(measure.given[key]) for key in ("rel", "max_grade") if key in measure.given}
    known = {g for g in judged.values() if g >= 0} | {0.0} | named
    chosen = itertools.product(sorted(known), repeat=len(unknown))
    return [{"q": {**judged, **dict(zip(unknown, gains, strict=True))}} for gains in chosen]
