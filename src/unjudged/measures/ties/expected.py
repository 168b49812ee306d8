"""Expected value of a measure over all orders of tied documents, each order as likely as any other.

McSherry and Najork (2008) gave closed forms. What a measure declares of its `order` decides:

- 'none': the order does not matter;
- 'linear': a sum of terms that depend on a document and its rank, so that each document counts at the mean of
  its ranks (P, nDCG, RBP);
- 'local': a sum of terms that depend on a document, its rank, and which documents are above it. So the order
  of one group leaves the terms of others alone, and groups are enumerated one by one (AP, infAP, Bpref);
- 'whole': anything else; the orders of all groups are enumerated together (GMAP, IPrec).

Closed forms of single measures are registered with `expected_of`. Where there are more than `MOST` orders and
no closed form, orders are drawn at random.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from unjudged.base.segments import owners, ranges, sums
from unjudged.measures.kernel.measure import EXPECTED, Measure
from unjudged.measures.ties import closed_forms  # noqa: F401 (registers them)
from unjudged.measures.ties.groups import TieGroups, copies, in_order, in_place_of, without
from unjudged.rankings.judged import Floats, Integers, JudgedRankings

NONE, LINEAR, LOCAL, WHOLE = "none", "linear", "local", "whole"
MOST = 5040
"""Orders of a ranking that are enumerated, all orders of seven documents; more are drawn at random."""
DRAWS = 1000
AT_ONCE = 1 << 20
"""Documents of copied rankings that are evaluated together."""


@dataclass(frozen=True, eq=False)
class TiedValues:
    """Expected value of each ranking, and the standard error of those that orders were drawn for, else 0."""

    values: Floats
    error: Floats

    @property
    def sampled(self) -> bool:
        """Whether orders were drawn at random for any ranking."""
        return bool(np.count_nonzero(self.error))


def expected_values(
    measure: Measure, rankings: JudgedRankings, *, depth: int | None = None, seed: int = 0
) -> TiedValues:
    """Return the expected value of each ranking over all orders of its tied documents.

    With a `depth` the rankings are cut there after their documents are in order. `seed` is for measures and
    groups that are too large to enumerate.
    """
    compute = computing(measure, depth)
    values = compute(rankings)
    error = np.zeros(len(values))
    own, plain = resolved(measure, rankings, depth)
    groups = TieGroups.of(plain, by_row=depends_on_rows(own))

    def shown(found: Floats) -> Floats:
        return found if depth is not None else measure.corrected(found, plain)

    across = own.traits.across_queries and plain.elsewhere is not None
    if order_of(own, depth) == NONE or not (len(groups) or across):
        return TiedValues(values, error)
    if depth is None and (own.name in EXPECTED or own.traits.order == LINEAR):
        found = EXPECTED[own.name](groups, **own.own) if own.name in EXPECTED else _linear(own, groups)
        touched = np.arange(len(values)) if across else groups.affected
    else:
        together, touched = order_of(own, depth) == WHOLE, groups.affected
        found, error = _over_orders(computing(own, depth), groups, together=together, seed=seed)
        error = np.where(error > 0, np.abs(shown(found + error) - shown(found)), 0.0)
    values = values.copy()
    values[touched] = shown(found)[touched]
    return TiedValues(values, error)


def order_of(measure: Measure, depth: int | None) -> str:
    """What the order of tied documents changes; a depth may cut one group, on which then the set depends.

    It is 'whole' for a subcollection that is drawn by rank.
    """
    if measure.given.get("seed") is not None:
        return WHOLE
    return LOCAL if depth is not None and measure.traits.order == NONE else measure.traits.order


def resolved(measure: Measure, rankings: JudgedRankings, depth: int | None) -> tuple[Measure, JudgedRankings]:
    """Return measure and rankings with policies applied, unless rankings are cut, which comes first."""
    return measure.without_policies(rankings) if depth is None else measure.of_whole_grades(rankings)


def computing(measure: Measure, depth: int | None) -> Callable[[JudgedRankings], Floats]:
    """Return what computes the measure of rankings, cut at a depth."""
    return lambda r: measure.compute(r if depth is None else r.cut(depth))


def depends_on_rows(measure: Measure) -> bool:
    """Whether documents of the same grade may differ, because complete judgments say more."""
    return measure.given.get("actual") is not None


def _linear(measure: Measure, groups: TieGroups) -> Floats:
    """Each document of a group counts as much as on average over its ranks, alone in the ranking."""
    r = groups.rankings
    total = measure.compute(without(r, groups.tied))
    nothing = measure.compute(without(r, np.ones(len(r.rank), bool)))
    group, example, many = groups.by_kind
    row, size = r.row[groups.element[example]], groups.size[group]
    for start, stop in _batches(size):
        own = slice(start, stop)
        pair = owners(size[own])
        ranking = groups.ranking[group[own]][pair]
        alone = in_place_of(
            r,
            ranking,
            rank=ranges(groups.first[group[own]], size[own]).astype(np.int32),
            row=row[own][pair],
            offsets=np.arange(len(pair) + 1),
        )
        added = measure.compute(alone) - nothing[ranking]
        share = sums(added, pair, len(size[own])) / size[own] * many[own]
        total += sums(share, groups.ranking[group[own]], len(r))
    return total


def _batches(sizes: Integers) -> list[tuple[int, int]]:
    """Cut a list of things of these sizes where they come to `AT_ONCE`."""
    cuts = np.searchsorted(np.cumsum(sizes), np.arange(AT_ONCE, int(sizes.sum()), AT_ONCE)) + 1
    edges = np.unique([0, *cuts, len(sizes)]).tolist()
    return list(zip(edges, edges[1:], strict=False))


def _over_orders(
    compute: Callable[[JudgedRankings], Floats], groups: TieGroups, *, together: bool, seed: int
) -> tuple[Floats, Floats]:
    """Enumerate the orders of each ranking, or draw some where there are too many: means and their errors.

    Groups are enumerated one by one, unless `together`.
    """
    plain = compute(groups.rankings)
    found, error = plain.copy(), np.zeros(len(plain))
    few = (groups.orders(together=together) <= MOST)[groups.affected]
    tasks = groups_of(groups, groups.affected[few])
    if not together:
        tasks = [(ranking, [g]) for ranking, own in tasks for g in own]
    for (ranking, _), values in zip(tasks, values_of_orders(compute, groups, tasks), strict=True):
        found[ranking] += values.mean() - plain[ranking]
    drawn = groups.affected[~few]
    if len(drawn):
        found[drawn], error[drawn] = _drawn(compute, groups, drawn, seed)
    return found, error


Task = tuple[int, list[int]]
"""A ranking, and some of its groups whose orders are enumerated."""


def groups_of(groups: TieGroups, rankings: Integers) -> list[Task]:
    """Return the groups of each of these rankings."""
    first, last = (np.searchsorted(groups.ranking, rankings, side) for side in ("left", "right"))
    spans = zip(rankings.tolist(), first.tolist(), last.tolist(), strict=True)
    return [(ranking, list(range(start, stop))) for ranking, start, stop in spans]


def values_of_orders(
    compute: Callable[[JudgedRankings], Floats], groups: TieGroups, tasks: Sequence[Task]
) -> Iterator[Floats]:
    """Yield the values of a ranking in every order of some of its groups, the others as they are.

    The orders of many rankings are evaluated together.
    """
    waiting: list[tuple[int, Integers, Integers]] = []
    size = 0
    for ranking, some in tasks:
        waiting.append((ranking, *_orders(groups, some)))
        size += waiting[-1][2].shape[0] * int(groups.rankings.counts[ranking])
        if size > AT_ONCE:
            yield from _evaluated(compute, groups.rankings, waiting)
            waiting, size = [], 0
    if waiting:
        yield from _evaluated(compute, groups.rankings, waiting)


def _orders(groups: TieGroups, some: list[int]) -> tuple[Integers, Integers]:
    """Return the documents of some groups, and order x document: their ranks in every order."""
    every = [groups.orders_of(g) + groups.first[g] for g in some]
    element = np.concatenate([groups.element[groups.own(g)] for g in some])
    orders = product(*(range(len(own)) for own in every))
    return element, np.array(
        [np.concatenate([own[k] for own, k in zip(every, o, strict=True)]) for o in orders]
    )


def _evaluated(
    compute: Callable[[JudgedRankings], Floats],
    r: JudgedRankings,
    waiting: Sequence[tuple[int, Integers, Integers]],
) -> Iterator[Floats]:
    """Compute the values of rankings with documents at other ranks, order by order, all at once."""
    many = np.array([len(ranks) for _, _, ranks in waiting])
    repeated = copies(r, np.repeat([ranking for ranking, _, _ in waiting], many))
    new, start = repeated.rank.astype(np.int64), 0
    for ranking, element, ranks in waiting:
        width = int(r.counts[ranking])
        block = new[start : start + len(ranks) * width].reshape(len(ranks), width)
        block[:, element - int(r.offsets[ranking])] = ranks
        start += len(ranks) * width
    yield from np.split(compute(in_order(repeated, new)), np.cumsum(many)[:-1])


def _drawn(
    compute: Callable[[JudgedRankings], Floats], groups: TieGroups, rankings: Integers, seed: int
) -> tuple[Floats, Floats]:
    """Return means and their standard errors over orders that are drawn at random."""
    total, squares = np.zeros(len(rankings)), np.zeros(len(rankings))
    rng = np.random.default_rng(seed)
    base = None
    for _ in range(DRAWS):
        values = compute(groups.shuffled(rng))[rankings]
        base = values if base is None else base
        total += values - base
        squares += (values - base) ** 2
    mean = total / DRAWS
    spread = np.maximum(squares / DRAWS - mean**2, 0.0) * DRAWS / (DRAWS - 1)
    return mean + (0.0 if base is None else base), np.sqrt(spread / DRAWS)
