"""Logistic regression with normal priors, in which some weights differ from group to group.

The deviations of groups couple only through the weights that all share, so each step of Newton's method
eliminates them: thousands of groups cost little. How much weights of one kind vary is learnt from the rows
too (MacKay, Bayesian Interpolation, Neural Computation 1992).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from unjudged.rankings.judged import Floats, Integers

STEPS, LONGEST_STEP, SMALLEST_STEP = 50, 4.0, 1e-8
ROUNDS, ROUGHLY = 4, 1e-3
"""So many times the priors are learnt from weights that are found roughly."""
BELIEF = 3.0
"""The precision that a prior begins with counts like so many weights."""
FIXED = -1
"""The kind of weights whose prior stays as it is given."""
AT_ONCE = 2048
"""Rows that are multiplied with themselves at a time."""
BOTH = ([0, 1], [0, 1])
"""The axes of groups and of their deviations, over which products are summed."""


@dataclass(frozen=True, eq=False)
class Priors:
    """Normal priors around 0: the precision of each weight. Weights of one `kind` have the same."""

    precision: Floats
    kind: Integers

    @property
    def fixed(self) -> bool:
        return bool((self.kind == FIXED).all())

    def learnt(self, first: Priors, weights: Floats, variance: Floats) -> Priors:
        """Return the priors by which such weights are most likely, beginning with the `first` ones.

        `weights` and their `variance`, given what was learnt from, are weights x columns.
        """
        known = 1 - variance * self.precision
        precision = self.precision.copy()
        for kind in np.unique(self.kind[self.kind != FIXED]).tolist():
            own = self.kind == kind
            spread = (weights[:, own] ** 2).sum() + BELIEF / first.precision[own][0]
            precision[own] = (known[:, own].sum() + BELIEF) / spread
        return replace(self, precision=precision)


@dataclass(frozen=True, eq=False)
class GroupedRows:
    """Rows x columns in order of their groups; in each group the weights of the columns `varying` deviate."""

    table: Floats
    group: Integers
    relevant: Floats
    varying: Integers
    groups: int

    @classmethod
    def of(
        cls, table: Floats, group: Integers, relevant: Floats, varying: Integers, groups: int
    ) -> GroupedRows:
        order = np.argsort(group, kind="stable")
        return cls(table[order], group[order], relevant[order], varying, groups)

    def fit(self, priors: Priors, group_priors: Priors) -> GroupedLogistic:
        """Return the regression, by these priors of the weights and of their deviations or by learnt ones.

        >>> rows = GroupedRows.of(np.ones((3, 1)), np.zeros(3, int), np.array([1, 0, 0]), np.zeros(0, int), 1)
        >>> none = Priors(np.zeros(0), np.zeros(0, int))
        >>> rows.fit(Priors(np.array([1e-9]), np.array([FIXED])), none).weights.round(4)
        array([-0.6931])
        """
        share = (self.relevant.sum() + 0.5) / (len(self.relevant) + 1)
        weights, deviations = np.zeros(self.table.shape[1]), np.zeros((self.groups, len(self.varying)))
        weights[0] = np.log(share / (1 - share))  # the first column is 1
        first, group_first = priors, group_priors
        for _ in range(0 if priors.fixed and group_priors.fixed else ROUNDS):
            found = self._most_likely(weights, deviations, priors, group_priors, ROUGHLY)
            weights, deviations = found.weights, found.deviations
            variance = np.diagonal(np.linalg.inv(found.precision))
            priors = priors.learnt(first, weights[None, :], variance[None, :])
            group_variance = np.diagonal(found.covariance, axis1=1, axis2=2)
            group_priors = group_priors.learnt(group_first, deviations, group_variance)
        return self._most_likely(weights, deviations, priors, group_priors, SMALLEST_STEP)

    def _most_likely(
        self, weights: Floats, deviations: Floats, priors: Priors, group_priors: Priors, smallest: float
    ) -> GroupedLogistic:
        """Newton's method from these weights and deviations, until a step is this small."""
        from scipy.special import expit

        table, own = self.table, self.table[:, self.varying]
        parts = list(_parts(self.group))
        many = range(0, len(table), AT_ONCE)
        weights, deviations = weights.copy(), deviations.copy()
        coupling, group_slope = np.zeros((*deviations.shape, len(weights))), np.zeros_like(deviations)
        for _ in range(STEPS):
            chance = expit(table @ weights + np.einsum("ij,ij->i", own, deviations[self.group]))
            residual, weight = self.relevant - chance, chance * (1 - chance)
            for g, part in parts:
                coupling[g] = (own[part] * weight[part, None]).T @ table[part]
                group_slope[g] = own[part].T @ residual[part]
            slope = table.T @ residual - priors.precision * weights
            left = group_slope - group_priors.precision * deviations
            covariance = np.linalg.inv(coupling[:, :, self.varying] + np.diag(group_priors.precision))
            moved = covariance @ coupling
            precision = np.diag(priors.precision)
            for some in (slice(start, start + AT_ONCE) for start in many):
                scaled = table[some] * np.sqrt(weight[some, None])
                precision += scaled.T @ scaled
            precision -= np.tensordot(coupling, moved, BOTH)
            step = np.linalg.solve(precision, slope - np.tensordot(moved, left, BOTH))
            group_step = (covariance @ left[:, :, None])[:, :, 0] - moved @ step
            longest = max(np.abs(step).max(initial=0.0), np.abs(group_step).max(initial=0.0))
            shorter = min(1.0, LONGEST_STEP / max(longest, SMALLEST_STEP))
            weights += shorter * step
            deviations += shorter * group_step
            if longest < smallest:
                break
        return GroupedLogistic(weights, self.varying, deviations, precision, np.asarray(covariance), moved)


@dataclass(frozen=True, eq=False)
class GroupedLogistic:
    """Most likely weights, and how uncertain they are (Laplace's approximation of their posterior).

    In group g, the weights of the columns `varying` are `deviations[g]` more than the `weights`. These have
    the precision matrix `precision` after the deviations are integrated out. Given the weights, the
    deviations have the covariance matrix `covariance[g]`, and a change of the weights by v moves them by
    `-moved[g] @ v`.
    """

    weights: Floats
    varying: Integers
    deviations: Floats
    precision: Floats
    covariance: Floats
    moved: Floats

    @property
    def of_groups(self) -> Floats:
        """Groups x columns: the weights that hold in each group."""
        found = np.tile(self.weights, (len(self.deviations), 1))
        found[:, self.varying] += self.deviations
        return found

    @cached_property
    def _root(self) -> Floats:
        """A factor of the covariance of the weights."""
        return np.asarray(np.linalg.inv(np.linalg.cholesky(self.precision)).T)

    def spread(self, table: Floats, group: Integers) -> tuple[Floats, Floats]:
        """How the scores of these rows, in any order, vary.

        Both results are factors of independent standard normal numbers. Those of the first, rows x columns,
        are shared by all rows; those of the second, rows x deviations, by the rows of a group.
        """
        shared, own = table.copy(), table[:, self.varying]
        for g, rows in _rows(group):
            shared[rows] -= own[rows] @ self.moved[g]
            own[rows] = own[rows] @ np.linalg.cholesky(self.covariance[g])
        return shared @ self._root, own

    def drawn(self, table: Floats, group: Integers, shared: Floats, own: Floats | None) -> Floats:
        """Return rows x draws: the spread times normal numbers, columns x draws.

        Those of groups are groups x deviations x draws; without them the scores do not vary by group.
        """
        weights, deviating = self._root @ shared, table[:, self.varying]
        found = table @ weights
        for g, rows in _rows(group):
            change = -self.moved[g] @ weights
            if own is not None:
                change += np.linalg.cholesky(self.covariance[g]) @ own[g]
            found[rows] += deviating[rows] @ change
        return np.asarray(found)


def _rows(group: Integers) -> Iterator[tuple[int, Integers]]:
    """Yield each group that has rows, which are in any order, and where they are."""
    order = np.argsort(group, kind="stable")
    for g, part in _parts(group[order]):
        yield g, order[part]


def _parts(group: Integers) -> Iterator[tuple[int, slice]]:
    """Each group that has rows, which are in order of their groups, and where they are."""
    present, starts, sizes = np.unique(group, return_index=True, return_counts=True)
    for g, first, size in zip(present.tolist(), starts.tolist(), sizes.tolist(), strict=True):
        yield g, slice(first, first + size)
