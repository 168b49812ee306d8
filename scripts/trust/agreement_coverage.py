"""How often 95 % intervals of coefficients of agreement hold the mean over sets of as many queries."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from held import Held

from unjudged.base.segments import Floats
from unjudged.studies.agreement import COEFFICIENTS, STATISTICS, Estimate, QueryDraws
from unjudged.studies.auditing import OF_ORDERS, coefficient_estimates

SIZES = (20, 50, 200)
TRIALS, DRAWS, LEVEL = 2000, 100, 0.95
GRADES = np.arange(4.0)

Estimates = dict[str, Estimate]


def documents_by_query(rng: np.random.Generator, queries: int) -> Floats:
    """Documents of each query by the grades of two judges: queries differ in grades, size and agreement."""
    size = rng.integers(5, 60, queries)
    share = rng.dirichlet([4, 2, 1, 0.5], queries)
    same = rng.beta(6, 3, queries)
    table = np.empty((queries, 4, 4))
    for q in range(queries):
        independent = np.outer(share[q], [0.4, 0.3, 0.2, 0.1])
        chance = same[q] * np.diag(share[q]) + (1 - same[q]) * independent
        table[q] = rng.multinomial(size[q], chance.ravel()).reshape(4, 4)
    return table


def of_documents(seed: int, queries: int) -> list[Held]:
    """Measure every coefficient of documents."""
    rng = np.random.default_rng([seed, queries])

    def estimates(_: int) -> Estimates:
        return coefficient_estimates(documents_by_query(rng, queries), GRADES, LEVEL)

    return _coverage(estimates, {name: c.title for name, c in COEFFICIENTS.items()}, queries)


def of_leaderboards(seed: int, queries: int, systems: int = 20) -> list[Held]:
    """Measure every coefficient of two leaderboards whose judges differ in bias and in noise."""
    rng = np.random.default_rng([seed, queries, systems])
    quality, bias = rng.normal(0, 0.06, systems), rng.normal(0, 0.03, systems)
    coefficients = {name: STATISTICS[name] for name in OF_ORDERS}
    limits = {name: c.limits for name, c in coefficients.items()}

    def estimates(trial: int) -> Estimates:
        hard = rng.normal(0, 0.2, (queries, 1))
        first = quality + hard + rng.normal(0, 0.15, (queries, systems))
        second = first + bias + rng.normal(0, 0.09, (queries, systems))

        def drawn(weights: Floats) -> dict[str, Floats]:
            pairs = list(zip(weights @ first / queries, weights @ second / queries, strict=True))
            return {name: np.array([c.function(b, a) for a, b in pairs]) for name, c in coefficients.items()}

        draws = QueryDraws(queries, confidence=LEVEL, draws=DRAWS, seed=trial)
        values = {n: c.function(second.mean(0), first.mean(0)) for n, c in coefficients.items()}
        return draws.estimates(values, drawn, limits)

    return _coverage(estimates, {name: c.title for name, c in coefficients.items()}, queries)


def _coverage(estimates: Callable[[int], Estimates], titles: dict[str, str], queries: int) -> list[Held]:
    """Take the mean value of all trials as the truth of sets of so many queries."""
    found = [estimates(trial) for trial in range(TRIALS)]
    cases = []
    for name, title in titles.items():
        own = [trial[name] for trial in found]
        truth = float(np.nanmean([e.value for e in own]))
        held = np.mean([e.low <= truth <= e.high if e.has_interval else True for e in own])
        cases.append(Held("simulated", f"{queries} queries", title, LEVEL, float(held), TRIALS))
    return cases
