"""Logistic regression with squared penalties, in which every row also belongs to one group.

The weights of groups couple only through the other weights, so each step of Newton's method eliminates them:
thousands of groups cost little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from unjudged.rankings.judged import Floats, Integers

STEPS, LONGEST_STEP, SMALLEST_STEP = 50, 4.0, 1e-8


@dataclass(frozen=True, eq=False)
class GroupedLogistic:
    """The most likely weights, and how uncertain they are (Laplace's approximation of their posterior).

    The `weights` of columns have the precision matrix `precision` after the groups are integrated out. Given
    the others, the weight of a group has the precision `group_precision`, and a change of the others by v
    moves it by `-coupling @ v / group_precision`.
    """

    weights: Floats
    groups: Floats
    precision: Floats
    group_precision: Floats
    coupling: Floats

    @classmethod
    def fit(
        cls, table: Floats, group: Integers, relevant: Floats, penalty: Floats, group_penalties: Floats
    ) -> GroupedLogistic:
        """`table` is rows x columns; `group` and `relevant` are given for each row.

        A penalty is the precision of a normal prior around 0.

        >>> table, one, relevant = np.ones((3, 1)), np.zeros(3, int), np.array([1.0, 0.0, 0.0])
        >>> GroupedLogistic.fit(table, one, relevant, np.array([1e-9]), np.array([1e9])).weights.round(4)
        array([-0.6931])
        """
        from scipy.sparse import csr_matrix
        from scipy.special import expit

        size = len(group_penalties)
        member = csr_matrix((np.ones(len(group)), (group, np.arange(len(group)))), (size, len(group)))
        weights, groups = np.zeros(table.shape[1]), np.zeros(size)
        for _ in range(STEPS):
            chance = expit(table @ weights + groups[group])
            slope = table.T @ (relevant - chance) - penalty * weights
            group_slope = member @ (relevant - chance) - group_penalties * groups
            weighted = table * (chance * (1 - chance))[:, None]
            coupling = member @ weighted
            group_precision = member @ (chance * (1 - chance)) + group_penalties
            precision = table.T @ weighted + np.diag(penalty)
            precision -= coupling.T @ (coupling / group_precision[:, None])
            step = np.linalg.solve(precision, slope - coupling.T @ (group_slope / group_precision))
            group_step = (group_slope - coupling @ step) / group_precision
            longest = max(np.abs(step).max(initial=0.0), np.abs(group_step).max(initial=0.0))
            shorter = min(1.0, LONGEST_STEP / max(longest, SMALLEST_STEP))
            weights += shorter * step
            groups += shorter * group_step
            if longest < SMALLEST_STEP:
                break
        return cls(weights, groups, precision, group_precision, coupling)

    def spread(self, table: Floats, group: Integers) -> tuple[Floats, Floats]:
        """How the scores of these rows vary: a factor per standard normal number, all independent.

        The first part, rows x columns, multiplies numbers that all rows share; the second, one number per
        row, multiplies the number of the row's group.
        """
        root = np.linalg.inv(np.linalg.cholesky(self.precision)).T
        moved = self.coupling[group] / self.group_precision[group, None]
        return (table - moved) @ root, 1 / np.sqrt(self.group_precision[group])
