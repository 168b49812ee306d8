"""How often 95 % intervals of coefficients of agreement hold the mean over sets of as many queries."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from coverage_tables import Cell, markdown, share, shortfalls

from unjudged.agreement.coefficients import COEFFICIENTS
from unjudged.agreement.leaderboards import order_coefficients
from unjudged.agreement.resampling import QueryDraws
from unjudged.rankings.judged import Floats

SIZES = (20, 50, 200)
TRIALS, TRUTH, DRAWS = 600, 1500, 100
GRADES = np.arange(4.0)
WHY = "Queries differ in size and agreement, and few of them show too little of that spread."

Values = dict[str, float]
Drawn = dict[str, Floats]


class AgreementCoverage(NamedTuple):
    """A coefficient, the number of queries, and the share of trials in which the interval held."""

    coefficient: str
    queries: int
    held: float


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


def of_documents(seed: int, queries: int) -> list[AgreementCoverage]:
    """Measure every coefficient of documents."""
    rng = np.random.default_rng([seed, queries])

    def values(table: Floats) -> Values:
        return {name: float(c.function(_counts(name, table), GRADES)) for name, c in COEFFICIENTS.items()}

    def drawn(table: Floats, weights: Floats) -> Drawn:
        again = np.tensordot(weights, table, 1)
        return {name: c.function(_counts(name, again), GRADES) for name, c in COEFFICIENTS.items()}

    limits = {name: c.limits for name, c in COEFFICIENTS.items()}
    titles = {name: c.title for name, c in COEFFICIENTS.items()}

    def study() -> tuple[Values, Callable[[Floats], Drawn]]:
        table = documents_by_query(rng, queries)
        return values(table.sum(0)), lambda weights: drawn(table, weights)

    return _coverage(study, limits, titles, queries)


def _counts(name: str, table: Floats) -> Floats:
    return table + np.swapaxes(table, -1, -2) if COEFFICIENTS[name].of_all else table


def of_leaderboards(seed: int, queries: int, systems: int = 20) -> list[AgreementCoverage]:
    """Measure every coefficient of two leaderboards whose judges differ in bias and in noise."""
    rng = np.random.default_rng([seed, queries, systems])
    quality, bias = rng.normal(0, 0.06, systems), rng.normal(0, 0.03, systems)
    same = "rbo_w", "rbo_b"  # as rbo_a where nothing is tied
    coefficients = {name: c for name, c in order_coefficients(10, 0.9).items() if name not in same}

    def study() -> tuple[Values, Callable[[Floats], Drawn]]:
        hard = rng.normal(0, 0.2, (queries, 1))
        first = quality + hard + rng.normal(0, 0.15, (queries, systems))
        second = first + bias + rng.normal(0, 0.09, (queries, systems))

        def drawn(weights: Floats) -> Drawn:
            pairs = list(zip(weights @ first, weights @ second, strict=True))
            return {name: np.array([c.function(a, b) for a, b in pairs]) for name, c in coefficients.items()}

        return {n: c.function(first.mean(0), second.mean(0)) for n, c in coefficients.items()}, drawn

    limits = {name: c.limits for name, c in coefficients.items()}
    return _coverage(study, limits, {name: c.title for name, c in coefficients.items()}, queries)


def _coverage(
    study: Callable[[], tuple[Values, Callable[[Floats], Drawn]]],
    limits: dict[str, tuple[float, float]],
    titles: dict[str, str],
    queries: int,
) -> list[AgreementCoverage]:
    many = [study()[0] for _ in range(TRUTH)]
    truth = {name: float(np.nanmean([values[name] for values in many])) for name in titles}
    held = dict.fromkeys(titles, 0)
    for trial in range(TRIALS):
        values, drawn = study()
        draws = QueryDraws(queries, confidence=0.95, draws=DRAWS, seed=trial)
        for name, e in draws.estimates(values, drawn, limits).items():
            held[name] += e.low <= truth[name] <= e.high if e.has_interval else True
    return [AgreementCoverage(titles[name], queries, count / TRIALS) for name, count in held.items()]


def agreement_table(cases: list[AgreementCoverage]) -> str:
    """Return a row per coefficient and a column per number of queries."""
    sizes = sorted({case.queries for case in cases})
    held = {(case.coefficient, case.queries): share(case.held) for case in cases}
    titles = dict.fromkeys(case.coefficient for case in cases)
    rows = [[title, *(held[title, size] for size in sizes)] for title in titles]
    cells = [Cell(f"{one.coefficient}, {one.queries} queries,", one.held, 0.95, TRIALS) for one in cases]
    return markdown(["coefficient", *(f"{size} queries" for size in sizes)], rows) + shortfalls(cells, WHY)
