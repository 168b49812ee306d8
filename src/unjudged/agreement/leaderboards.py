"""Agreement of leaderboards: the same systems, scored on the same queries by several sources."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import NamedTuple

import numpy as np

from unjudged.agreement.orders import largest_drop, order_overlap, spearman, tau, tau_ap
from unjudged.agreement.resampling import QueryDraws, row_of
from unjudged.base.errors import UsageError
from unjudged.base.wording import shortlist
from unjudged.evaluation.scores import Scores
from unjudged.inference.pairwise import compare_pairs
from unjudged.measures.kernel.measure import Measure
from unjudged.rankings.judged import Floats
from unjudged.results.fields import Row
from unjudged.uncertainty.estimate import Estimate

SIGNIFICANT = ("same_winner", "opposite", "only_first", "only_second", "neither")
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


def leaderboard_rows(
    sources: Mapping[str, Scores], *, p: float, drawing: Callable[[int], QueryDraws], alpha: float
) -> dict[str, list[Row]]:
    """Return rows `orders`, `means` and `significance`, over the systems, queries and measures of all."""
    systems, queries, measures = _in_common(sources)
    draws, coefficients = drawing(len(queries)), order_coefficients(p)
    scores = {name: _aligned(own, systems, queries) for name, own in sources.items()}
    rows: dict[str, list[Row]] = {"orders": [], "means": [], "significance": []}
    for measure in measures:
        by = {"measure": str(measure)}
        own = [scores[n][:, :, list(map(str, s.measures)).index(str(measure))] for n, s in sources.items()]
        means = [measure.over_queries(values) for values in own]
        tests = [compare_pairs(values, alpha=alpha) for values in own]
        sign = [np.sign(test.pairs.difference) * test.significant for test in tests]
        for i in np.argsort(-means[0], kind="stable").tolist():
            for name, mean in zip(sources, means, strict=True):
                rank = 1 + int((mean > mean[i]).sum())
                found = {"system": systems[i], "source": name, "mean": float(mean[i]), "rank": rank}
                rows["means"].append(by | found)
        for (i, first), (j, second) in combinations(enumerate(sources), 2):
            both = f"{first}, {second}"
            for name, one in _estimates(draws, coefficients, own[i], own[j], means[i], means[j]).items():
                rows["orders"].append(row_of(one, both, coefficients[name].title, **by))
            a, b = sign[i], sign[j]
            kinds = (a * b > 0, a * b < 0, (a != 0) & (b == 0), (a == 0) & (b != 0), (a == 0) & (b == 0))
            many = {name: int(kind.sum()) for name, kind in zip(SIGNIFICANT, kinds, strict=True)}
            rows["significance"].append({**by, "sources": both, **many})
    return rows


def _estimates(
    draws: QueryDraws,
    coefficients: Mapping[str, OrderCoefficient],
    first: Floats,
    second: Floats,
    *means: Floats,
) -> dict[str, Estimate]:
    """Estimate the coefficients of two sources from their scores, systems x queries, and their means."""
    functions = {name: c.function for name, c in coefficients.items()}

    def drawn(weights: Floats) -> dict[str, Floats]:
        pairs = list(zip(weights @ first.T, weights @ second.T, strict=True))
        return {name: np.array([f(a, b) for a, b in pairs]) for name, f in functions.items()}

    whole = {name: function(*means) for name, function in functions.items()}
    return draws.estimates(whole, drawn, {name: c.limits for name, c in coefficients.items()})


def _in_common(sources: Mapping[str, Scores]) -> tuple[list[str], list[str], list[Measure]]:
    """Return the systems, the queries and the measures that all sources have."""
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
    return systems, queries, measures


def _aligned(scores: Scores, systems: Sequence[str], queries: Sequence[str]) -> Floats:
    """Return the values of these systems and queries, in this order."""
    run = {name: i for i, name in enumerate(scores.runs)}
    query = {name: j for j, name in enumerate(scores.queries)}
    return scores.values[np.ix_([run[n] for n in systems], [query[n] for n in queries])]
