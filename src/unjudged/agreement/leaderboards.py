"""Agreement of leaderboards: the same systems, scored on the same queries by several sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from unjudged.agreement.orders import largest_drop, order_overlap, spearman, tau, tau_ap
from unjudged.agreement.resampling import QueryDraws
from unjudged.base.errors import UsageError
from unjudged.base.wording import counted, shortlist
from unjudged.evaluation.scores import Scores
from unjudged.grids.grid import Cell, Column, Grid, Shown, blank
from unjudged.inference.pairwise import compare_pairs
from unjudged.measures.kernel.measure import Measure
from unjudged.rankings.judged import Floats
from unjudged.uncertainty.estimate import Estimate

SIGNIFICANT = ("same winner", "opposite", "only first", "only second", "neither")
"""What two sources say of a pair of systems: which of them call the difference significant."""


class OrderCoefficient(NamedTuple):
    """A coefficient of two orders of systems, its name in tables, and the values it can have."""

    title: str
    function: Callable[[Floats, Floats], float]
    limits: tuple[float, float] = (-1.0, 1.0)


def order_coefficients(p: float) -> dict[str, OrderCoefficient]:
    """Return tau-b, tau_AP of the second order as an estimate of the first, and the other coefficients."""
    return {
        "tau": OrderCoefficient("tau", tau),
        "tau_ap": OrderCoefficient("tau_AP", lambda first, second: tau_ap(second, first)),
        "spearman": OrderCoefficient("Spearman", spearman),
        "rbo": OrderCoefficient("RBO", partial(order_overlap, p=p), (0.0, 1.0)),
        "drop": OrderCoefficient("largest move", largest_drop, (0.0, np.inf)),
    }


@dataclass(frozen=True, eq=False, repr=False)
class LeaderboardAgreement(Shown):
    """How far sources agree on the order of systems by one measure.

    `scores[s]` is systems x queries by source s.
    """

    measure: Measure
    sources: Sequence[str]
    systems: Sequence[str]
    queries: Sequence[str]
    scores: Sequence[Floats]
    coefficients: Mapping[str, OrderCoefficient]
    draws: QueryDraws
    alpha: float = 0.05

    @cached_property
    def means(self) -> Floats:
        """Sources x systems."""
        return np.stack([self.measure.over_queries(values) for values in self.scores])

    @cached_property
    def estimates(self) -> dict[tuple[str, str], dict[str, Estimate]]:
        """Coefficients of each pair of sources, by name."""
        return {
            (self.sources[i], self.sources[j]): self._of_pair(i, j)
            for i, j in combinations(range(len(self.sources)), 2)
        }

    def _of_pair(self, i: int, j: int) -> dict[str, Estimate]:
        functions = {name: c.function for name, c in self.coefficients.items()}
        limits = {name: c.limits for name, c in self.coefficients.items()}
        whole = {name: function(self.means[i], self.means[j]) for name, function in functions.items()}

        def drawn(weights: Floats) -> dict[str, Floats]:
            pairs = list(zip(*(weights @ self.scores[s].T for s in (i, j)), strict=True))
            return {name: np.array([f(a, b) for a, b in pairs]) for name, f in functions.items()}

        return self.draws.estimates(whole, drawn, limits)

    @cached_property
    def significant(self) -> dict[tuple[str, str], tuple[int, ...]]:
        """For each pair of sources, how many pairs of systems are of each kind of `SIGNIFICANT`."""
        tests = [compare_pairs(values, alpha=self.alpha) for values in self.scores]
        sign = [np.sign(test.pairs.difference) * test.significant for test in tests]
        counted_pairs = {}
        for i, j in combinations(range(len(self.sources)), 2):
            a, b = sign[i], sign[j]
            kinds = (a * b > 0, a * b < 0, (a != 0) & (b == 0), (a == 0) & (b != 0), (a == 0) & (b == 0))
            counted_pairs[self.sources[i], self.sources[j]] = tuple(int(kind.sum()) for kind in kinds)
        return counted_pairs

    def grid(self) -> Grid:
        """Return a row per pair of sources and coefficient."""
        rows: list[list[Cell]] = [
            [f"{a}, {b}", self.coefficients[name].title, e.value, blank(e.low), blank(e.high)]
            for (a, b), found in self.estimates.items()
            for name, e in found.items()
        ]
        return Grid(
            [
                Column("sources", "label"),
                Column("coefficient", "label"),
                *map(Column, ("value", "low", "high")),
            ],
            rows,
            f"Order of {counted(len(self.systems), 'system')} by {self.measure}",
            self.notes,
        )

    @property
    def notes(self) -> list[str]:
        """Sentences that a reader of the coefficients must know."""
        return [self.draws.note]

    def means_grid(self) -> Grid:
        """Return a row per system: its mean and its rank by each source, best by the first source first."""
        rank = 1 + (self.means[:, :, None] < self.means[:, None, :]).sum(axis=2)
        columns = [Column("system", "label")]
        for name in self.sources:
            columns += [Column(name), Column(f"rank {name}", "integer")]
        rows: list[list[Cell]] = []
        for i in np.argsort(-self.means[0], kind="stable"):
            cells = [cell for s in range(len(self.sources)) for cell in (self.means[s, i], rank[s, i])]
            rows.append([self.systems[i], *(cell.item() for cell in cells)])
        return Grid(columns, rows, f"Means by {self.measure}")

    def significant_grid(self) -> Grid:
        """Return a row per pair of sources: on how many pairs of systems they agree."""
        columns = [Column("sources", "label"), *(Column(kind, "integer") for kind in SIGNIFICANT)]
        rows: list[list[Cell]] = [[f"{a}, {b}", *kinds] for (a, b), kinds in self.significant.items()]
        note = f"Paired t test, Holm's step-down correction for each source, alpha = {self.alpha:g}."
        return Grid(columns, rows, "Significant pairs of systems", [note])


def leaderboards(
    sources: Mapping[str, Scores],
    *,
    p: float,
    draws: Callable[[int], QueryDraws],
    alpha: float,
) -> list[LeaderboardAgreement]:
    """Return the agreement by each measure that all sources have, over the systems and queries of all."""
    first, *others = sources.values()
    systems = [run for run in first.runs if all(run in other.runs for other in others)]
    queries = [query for query in first.queries if all(query in set(other.queries) for other in others)]
    measures = [m for m in first.measures if all(str(m) in map(str, other.measures) for other in others)]
    for what, common, have in (
        ("system", systems, [s.runs for s in sources.values()]),
        ("query", queries, [s.queries for s in sources.values()]),
        ("measure", measures, [list(map(str, s.measures)) for s in sources.values()]),
    ):
        if len(common) < 1 + (what == "system"):
            named = "; ".join(f"{name} has {shortlist(own)}" for name, own in zip(sources, have, strict=True))
            least = "two systems" if what == "system" else f"one {what}"
            raise UsageError(f"expected at least {least} in common: {named}")
    if lower := [str(m) for s in sources.values() for m in s.measures if m.traits.lower]:
        raise UsageError(
            f"leaderboards have the highest mean first, and lower values of {lower[0]} are better"
        )
    scores = {name: _aligned(own, systems, queries) for name, own in sources.items()}
    coefficients = order_coefficients(p)
    return [
        LeaderboardAgreement(
            measure,
            list(sources),
            systems,
            queries,
            [scores[n][:, :, list(map(str, s.measures)).index(str(measure))] for n, s in sources.items()],
            coefficients,
            draws(len(queries)),
            alpha,
        )
        for measure in measures
    ]


def _aligned(scores: Scores, systems: Sequence[str], queries: Sequence[str]) -> Floats:
    """Return the values of these systems and queries, in this order."""
    run = {name: i for i, name in enumerate(scores.runs)}
    query = {name: j for j, name in enumerate(scores.queries)}
    return scores.values[np.ix_([run[n] for n in systems], [query[n] for n in queries])]
