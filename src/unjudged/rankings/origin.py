"""How judgments were made: which documents were judged, and why those.

Everything that computes a number from judgments asks this first. Readers recognise it, files keep it, and
what draws, chooses or merges judgments sets it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from unjudged.base.choices import checked_int
from unjudged.base.segments import Floats, Integers, Mask
from unjudged.base.wording import counted

Kind = Literal[
    "pool",
    "checked pool",
    "uniform sample",
    "stratified sample",
    "weighted sample",
    "chosen",
    "positives",
    "unknown",
]

POOL: Final = "pool"
CHECKED: Final = "checked pool"
UNIFORM: Final = "uniform sample"
STRATIFIED: Final = "stratified sample"
WEIGHTED: Final = "weighted sample"
CHOSEN: Final = "chosen"
POSITIVES: Final = "positives"
UNKNOWN: Final = "unknown"

KINDS: dict[Kind, str] = {
    POOL: "a pool: every listed document was judged",
    CHECKED: "a pool with checks: some of the unjudged documents of runs were drawn in a recorded order",
    UNIFORM: "a uniform sample: the same share of every query's pool was judged, drawn at random",
    STRATIFIED: "a stratified sample: each stratum of a query's pool has a share of its own",
    WEIGHTED: "a weighted sample: each document was drawn with a recorded probability",
    CHOSEN: "chosen documents: they were selected for what their judgments would show",
    POSITIVES: "positives only: every listed document is relevant, all others count as not relevant",
    UNKNOWN: "labels of unknown origin: nothing is recorded of how the documents were selected",
}
"""Every kind of judgments, in words."""

IF_DRAWN: Final = "a uniform sample, if the judged ones were drawn at random"

SAMPLES: Final[frozenset[Kind]] = frozenset({UNIFORM, STRATIFIED, WEIGHTED})
"""Documents that were drawn at random, with known probabilities."""
RANDOM: Final[frozenset[Kind]] = frozenset({POOL, *SAMPLES})
"""What estimates from samples can use: a pool is a sample in which everything was drawn."""
EVEN: Final[frozenset[Kind]] = frozenset({POOL, UNIFORM})
"""What estimates from uniform samples can use."""
ANY: Final[frozenset[Kind]] = frozenset(KINDS)
WITH_NONRELEVANT: Final[frozenset[Kind]] = ANY - {POSITIVES}
"""What needs documents that were judged and are not relevant."""
OF_NONRELEVANT: Final = "documents judged not relevant"

MARK: Final = "unjudged-origin"
"""How a comment begins that records the origin where the columns of a file do not."""
_MARK: Final = rf"{MARK} ({'|'.join(KINDS)})(?: to rank ([0-9]{{1,10}}))?(?::|$)"


@dataclass(unsafe_hash=True, repr=False)
class Origin:
    """How judgments were made.

    `depth` is a rank, if it is known. The first documents of every pooled run, down to that rank, are in the
    pool. In a sample, they could be drawn; documents that every run has below it could not.

    >>> print(Origin("stratified sample", 10))
    a stratified sample to rank 10
    """

    kind: Kind = POOL
    depth: int | None = None

    def pool_depth(self, given: int | None = None) -> int | None:
        """Return the depth of the pool: the given one, else the recorded one of a pool, None if unknown."""
        if given is not None:
            return checked_int("pool_depth", given, least=1)
        return self.depth if self.kind in (POOL, CHECKED) else None

    @property
    def sampled(self) -> bool:
        """True for random samples."""
        return self.kind in SAMPLES

    def __str__(self) -> str:
        words = KINDS[self.kind].partition(":")[0]
        return words if self.depth is None else f"{words} to rank {self.depth}"

    @property
    def words(self) -> str:
        """How the judgments were made; lines of -1 alone do not prove a random sample."""
        return IF_DRAWN if self == A_SAMPLE else KINDS[self.kind]

    def mark(self, *, judged: bool = True) -> str:
        """A comment from which `read` restores the origin; `judged` unless every document still waits."""
        rank = "" if self.depth is None else f" to rank {self.depth}"
        words = KINDS[self.kind].partition(": ")[2]
        if self.kind == POOL and self.depth is not None:
            words = f"the first {counted(self.depth, 'document')} of every pooled run were judged"
        if self.kind == POOL and not judged:
            words = "every listed document is to be judged"
        if self.depth is not None and self.sampled:
            words = f"documents that every run has below rank {self.depth} could not be drawn"
        return f"{MARK} {self.kind}{rank}: {words}"

    @classmethod
    def read(cls, comments: Sequence[str], by_columns: Kind = POOL) -> Origin:
        """Return the origin that the comments of a file record, else the one that its columns imply."""
        for comment in comments:
            if marked := re.match(_MARK, comment):
                return cls(marked[1], int(marked[2]) if marked[2] else None)  # type: ignore[arg-type]
        return A_POOL if by_columns == POOL else cls(by_columns)


def below_pool(depth: int) -> str:
    """Say what is assumed of documents below the depth of the pool."""
    return f"documents that every run has below rank {depth}, the pool's depth, count as nonrelevant"


A_POOL: Final = Origin()
A_SAMPLE: Final = Origin(UNIFORM)


def joined(first: Origin, second: Origin) -> Origin:
    """Return the origin of two sets of judgments together: the weaker kind, to the lower rank."""
    kind = max((first.kind, second.kind), key=[*KINDS].index)
    return Origin(kind, min((o.depth for o in (first, second) if o.depth is not None), default=None))


def kind_by_columns(form: str, *, pooled_only: bool) -> Kind:
    """Return the kind that the columns of a file imply; `pooled_only` if some documents are not judged."""
    if form == "qrels":
        return UNIFORM if pooled_only else POOL
    return STRATIFIED if form == "strata" else WEIGHTED


@dataclass(eq=False, repr=False)
class DrawOrder:
    """The frame of a check: documents are drawn one after another, in an order that is fixed at the start.

    Every document has a size, and its place in the order is random: the larger it is, the earlier it tends to
    come. People judge from the front, so what is judged at any time is a random sample, whose size is decided
    by nothing but how far they came. Here are size, place and batch of each row of some judgments.

    A row outside the frame has size 0 and order 0: it was judged before, or nobody will judge it. A document
    that nobody was asked about has batch 0. `settings` say how the order came about.
    """

    size: Floats
    order: Integers
    batch: Integers
    settings: Mapping[str, Any] = field(default_factory=dict)
    rank: Integers | None = None
    """Best rank of each row in the runs that the frame is of, 0 for none; None if it is not recorded."""

    @property
    def drawn(self) -> Mask:
        """Documents that people were asked to judge."""
        drawn: Mask = self.batch > 0
        return drawn

    def take(self, rows: NDArray[Any]) -> DrawOrder:
        """Return the frame of some rows, by their numbers or as a mask; -1 is a row outside the frame."""
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows

        def taken(column: NDArray[Any]) -> NDArray[Any]:
            return np.where(rows < 0, 0, column[np.maximum(rows, 0)])

        rank = None if self.rank is None else taken(self.rank)
        return DrawOrder(taken(self.size), taken(self.order), taken(self.batch), self.settings, rank)

    def front(self, waiting: Mask) -> Integers:
        """Return the rows from the start of the order to the first one that waits for its answer.

        >>> frame = DrawOrder(np.array([1.0, 0.0, 2.0]), np.array([2, 0, 1]), np.array([1, 0, 1]))
        >>> frame.front(np.array([True, False, False]))
        array([2])
        """
        rows = np.flatnonzero(self.order > 0)
        rows = rows[np.argsort(self.order[rows], kind="stable")]
        stop = np.flatnonzero(waiting[rows])
        return rows[: stop[0]] if len(stop) else rows
