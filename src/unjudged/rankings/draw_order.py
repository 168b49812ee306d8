"""The frame of a check: documents that are drawn one after another, in an order that is fixed at the start.

Every document of the frame has a size, and its place in the order is random: the larger it is, the earlier it
tends to come. People judge from the front, so what is judged at any time is a random sample whose size is
decided by nothing but how far they came.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class DrawOrder:
    """Size, place in the order and batch of each row of some judgments.

    A row outside the frame has size 0 and order 0: it was judged before, or nobody will judge it. A document
    that nobody was asked about has batch 0. `settings` say how the order came about.
    """

    size: NDArray[np.float64]
    order: NDArray[np.int64]
    batch: NDArray[np.int64]
    settings: Mapping[str, Any] = field(default_factory=dict)
    rank: NDArray[np.int64] | None = None
    """Best rank of each row in the runs that the frame is of, 0 for none; None if it is not recorded."""

    @property
    def drawn(self) -> NDArray[np.bool_]:
        """Documents that people were asked to judge."""
        drawn: NDArray[np.bool_] = self.batch > 0
        return drawn

    def take(self, rows: NDArray[Any]) -> DrawOrder:
        """Return the frame of some rows, by their numbers or as a mask; -1 is a row outside the frame."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows

        def taken(column: NDArray[Any]) -> NDArray[Any]:
            return np.where(rows < 0, 0, column[np.maximum(rows, 0)])

        rank = None if self.rank is None else taken(self.rank)
        return DrawOrder(taken(self.size), taken(self.order), taken(self.batch), self.settings, rank)

    def front(self, waiting: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return the rows from the start of the order to the first one that waits for its answer.

        >>> frame = DrawOrder(np.array([1.0, 0.0, 2.0]), np.array([2, 0, 1]), np.array([1, 0, 1]))
        >>> frame.front(np.array([True, False, False]))
        array([2])
        """
        rows = np.flatnonzero(self.order > 0)
        rows = rows[np.argsort(self.order[rows], kind="stable")]
        stop = np.flatnonzero(waiting[rows])
        return rows[: stop[0]] if len(stop) else rows
