"""Groups of tied documents: who is in them, and the rankings that other orders of them give.

A group is made up of documents of one ranking that have the same score. Documents of one kind, which have the
same grade, stratum and probability, may change places without any effect. Documents that are not pooled are
another kind. A group of one kind alone is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from unjudged.base.segments import ends, owners, places, ranges
from unjudged.rankings.judged import Floats, Integers, JudgedRankings, Mask


@dataclass(frozen=True, eq=False)
class TieGroups:
    """Groups whose order may matter. Group g has ranks `first[g]` to `first[g] + size[g] - 1` of a ranking.

    `element` are the tied documents of the rankings, those of each group together, and `group` says which one
    each is in; `kind` numbers kinds of documents from 0.
    """

    rankings: JudgedRankings
    ranking: Integers
    first: Integers
    size: Integers
    element: Integers
    group: Integers
    kind: Integers

    @classmethod
    def of(cls, r: JudgedRankings, *, by_row: bool = False) -> TieGroups:
        """Find the groups; `by_row` makes every document a kind of its own."""
        if r.ties is None:
            none = np.zeros(0, np.int64)
            return cls(r, none, none, none, none, none, none)
        tied, first, last = r.ties
        ranking = r.ranking[tied]
        start = first.astype(np.int64)
        new = np.append(True, (ranking[1:] != ranking[:-1]) | (start[1:] != start[:-1]))[: len(tied)]
        group = np.cumsum(new) - 1
        size = (last - start + 1)[new]
        kind = _kinds(r, by_row)[tied]
        same = np.ones(len(size), bool)
        same[group[kind != kind[new][group]]] = False
        matters = ~same | (size > np.bincount(group, minlength=len(size)))
        kept, numbers, one = matters[group], np.cumsum(matters) - 1, np.flatnonzero(new)[matters]
        own = tied[kept], numbers[group[kept]], kind[kept]
        return cls(r, ranking[one], start[one], size[matters], *own)

    def __len__(self) -> int:
        return len(self.size)

    @cached_property
    def members(self) -> Integers:
        """How many documents with a line in the judgments each group has."""
        return np.bincount(self.group, minlength=len(self.size))

    @cached_property
    def starts(self) -> Integers:
        """Where the documents of each group begin in `element`, and the end of the last."""
        return ends(self.members)

    def own(self, g: int) -> slice:
        """Return where the documents of one group are in `element`."""
        return slice(*self.starts[g : g + 2].tolist())

    @cached_property
    def tied(self) -> Mask:
        """Which documents of the rankings are in a group."""
        tied = np.zeros(len(self.rankings.rank), bool)
        tied[self.element] = True
        return tied

    @cached_property
    def affected(self) -> Integers:
        """Rankings that have a group."""
        return np.unique(self.ranking)

    @cached_property
    def by_kind(self) -> tuple[Integers, Integers, Integers]:
        """For each kind of each group: the group, the place of one such document, how many there are."""
        kinds = int(self.kind.max(initial=0)) + 1
        pair, example, many = np.unique(self.group * kinds + self.kind, return_index=True, return_counts=True)
        return pair // kinds, example, many

    @cached_property
    def by_grade(self) -> tuple[JudgedRankings, JudgedRankings]:
        """The rankings with the best documents of each group first, and with them last."""
        labels = self.rankings.labels
        best = np.where(labels > 0, labels, np.where(labels == 0, -1, 0)).astype(float)
        return self.ordered(best), self.ordered(-best)

    @cached_property
    def by_judged(self) -> tuple[JudgedRankings, JudgedRankings]:
        """The rankings with the judged documents of each group first, and with them last."""
        judged = (self.rankings.labels >= 0).astype(float)
        return self.ordered(judged), self.ordered(-judged)

    def ordered(self, key: Floats) -> JudgedRankings:
        """Return the rankings with the documents of each group by `key`, the highest first.

        Documents without a line in the judgments have the key 0 and are after others of that key.
        """
        order = np.lexsort((-key[self.element], self.group))
        place = np.empty(len(order), np.int64)
        place[order] = places(self.members)
        after = key[self.element] < 0
        position = place - 1 + np.where(after, (self.size - self.members)[self.group], 0)
        return self.placed(self.first[self.group] + position)

    def shuffled(self, rng: np.random.Generator) -> JudgedRankings:
        """Return the rankings with the documents of each group in a random order."""
        slot = owners(self.size)
        order = np.lexsort((rng.random(len(slot)), slot))
        position = places(self.size)[order]
        own = ends(self.size)[:-1][self.group] + places(self.members) - 1
        return self.placed(self.first[self.group] + position[own] - 1)

    def placed(self, rank: Integers) -> JudgedRankings:
        """Return the rankings with the tied documents at these ranks."""
        new = self.rankings.rank.astype(np.int64)
        new[self.element] = rank
        return in_order(self.rankings, new)

    def arrangements(self) -> Integers:
        """How many orders of each group differ, as far as this fits 62 bits."""
        group, _, many = self.by_kind
        left, orders = self.size.tolist(), [1] * len(self)
        for g, alike in zip(group.tolist(), many.tolist(), strict=True):
            orders[g] = min(orders[g] * comb(left[g], alike), 1 << 62)
            left[g] -= alike
        return np.array(orders, np.int64)

    def orders(self, *, together: bool) -> Floats:
        """How many orders each ranking has: of all its groups `together`, or of one group after another."""
        orders = np.full(len(self.rankings), float(together))
        (np.multiply if together else np.add).at(orders, self.ranking, self.arrangements().astype(float))
        return orders

    def orders_of(self, g: int) -> Integers:
        """Order x document of the group: the places, from 0, in every order that differs from the others."""
        kinds = self.kind[self.own(g)]
        orders = [np.zeros(len(kinds), np.int64)]
        free = [tuple(range(int(self.size[g])))]
        for kind in np.unique(kinds):
            own, found, left = np.flatnonzero(kinds == kind), [], []
            for order, open_places in zip(orders, free, strict=True):
                for chosen in combinations(open_places, len(own)):
                    placed = order.copy()
                    placed[own] = chosen
                    found.append(placed)
                    left.append(tuple(p for p in open_places if p not in chosen))
            orders, free = found, left
        return np.stack(orders)


def _kinds(r: JudgedRankings, by_row: bool) -> Integers:
    """Return the number of the kind of each document."""
    if by_row:
        return r.row.astype(np.int64)
    recorded = [c for c in (r.judgments.stratum, r.judgments.probability) if c is not None]
    columns = [np.maximum(r.labels, -1).astype(float)]
    columns += [np.nan_to_num(column[r.row].astype(float), nan=-1.0) for column in recorded]
    _, kind = np.unique(np.stack(columns), axis=1, return_inverse=True)
    return kind.reshape(-1)


def in_order(r: JudgedRankings, rank: Integers) -> JudgedRankings:
    """Return the rankings with other ranks for their documents, in the order of these."""
    order = np.lexsort((rank, r.ranking))
    return moved(r, rank=rank[order].astype(np.int32), row=r.row[order])


def copies(r: JudgedRankings, ranking: Integers) -> JudgedRankings:
    """Return rankings again and again, as listed."""
    counts = r.counts[ranking]
    element = ranges(r.offsets[ranking], counts)
    return in_place_of(r, ranking, rank=r.rank[element], row=r.row[element], offsets=ends(counts))


def in_place_of(r: JudgedRankings, ranking: Integers, **documents: Any) -> JudgedRankings:
    """Return rankings of other documents, each for the query and of the length of the `ranking` listed."""
    return moved(r, retrieved=r.retrieved[ranking], query=r.query[ranking], ignored=(), **documents)


def moved(r: JudgedRankings, **columns: Any) -> JudgedRankings:
    """Return the rankings with other columns; nothing is known of ties and other queries any more."""
    return replace(r, element=None, elsewhere=None, ties=None, **columns)


def without(r: JudgedRankings, mask: Mask) -> JudgedRankings:
    """Return the rankings without some of their documents, whose ranks remain."""
    return replace(r.where(~mask), element=None)
