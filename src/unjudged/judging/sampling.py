"""Random samples by a seed and the names of documents.

Every document has a pseudorandom number that depends only on its query, its name and the seed; a sample takes
the documents with the smallest numbers. So a query's sample does not depend on the order of the judgments, on
other queries or on the machine, and a larger sample with the same seed contains the smaller one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b

import numpy as np

from unjudged.base import segments
from unjudged.base.segments import Floats, Integers, Mask
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.pooled import Numbers, PooledDocuments, mixed

_CELL_BITS = np.uint64(24)


def identities(judgments: Judgments) -> Numbers:
    """Return a number for each row, made from its query and its document."""
    return identities_of_rows(judgments.pooled, np.arange(len(judgments.grade)))


def identities_of_rows(pooled: PooledDocuments, rows: Integers) -> Numbers:
    """Return the numbers of some rows of a pool."""
    begun = [blake2b(query + b" ", digest_size=8).copy for query in pooled.queries.tolist()]
    digests = []
    for q, document in zip(pooled.query[rows].tolist(), pooled.documents.take(rows).tolist(), strict=True):
        digest = begun[q]()
        digest.update(document)
        digests.append(digest.digest())
    return _from_digests(digests)


def identities_of(names: Sequence[bytes]) -> Numbers:
    """Return a number for each name."""
    return _from_digests(blake2b(name, digest_size=8).digest() for name in names)


def _from_digests(digests: Iterable[bytes]) -> Numbers:
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def numbers(identity: Numbers, *seed: int | str) -> Numbers:
    """Pseudorandom numbers, independent between seeds (the finaliser of SplitMix64, twice)."""
    salt = blake2b(" ".join(map(str, seed)).encode(), digest_size=16).digest()
    first, second = np.frombuffer(salt, "<u8").astype(np.uint64)
    return mixed(mixed(identity ^ first) ^ second)


def smallest(number: Numbers, cell: Integers, wanted: Integers) -> Mask:
    """Return the `wanted[c]` rows with the smallest numbers of each cell c."""
    chosen: Mask = places(number, cell, len(wanted)) < wanted[cell]
    return chosen


def places(number: Numbers, cell: Integers, cells: int) -> Integers:
    """Return how many rows of its cell have a smaller number, for each row."""
    if cells < 1 << int(_CELL_BITS):  # both fit in one number, which sorts faster than two
        order = np.argsort(
            (cell.astype(np.uint64) << (64 - _CELL_BITS)) | (number >> _CELL_BITS), kind="stable"
        )
    else:
        order = np.lexsort((number, cell))
    sizes = np.bincount(cell, minlength=cells)
    place = np.empty(len(cell), np.int64)
    place[order] = segments.places(sizes) - 1
    return place


def rounded(share: float | Floats, sizes: Integers) -> Integers:
    """Size of this share of each cell: the nearest whole number, at least one if the share is above 0."""
    nearest = np.floor(np.asarray(share) * sizes + 0.5 + 1e-9).astype(np.int64)
    return np.minimum(np.where(np.asarray(share) > 0, np.maximum(nearest, 1), 0), sizes)


def redrawn(chosen: Mask, relevant: Mask, query: Integers, number: Numbers, chance: Floats) -> Mask:
    """Return the sample after the redraw rule.

    A query's sample without any of its relevant documents is discarded and drawn again until it has one
    (Yilmaz and Aslam, 2008). Repeated drawing may take very long; it ends with k relevant documents with the
    probability of k given k > 0, so k is drawn from that distribution at once. `chance` has one number from 0
    to 1 per query, which decides k.
    """
    queries = len(chance)
    size, held, found = (
        np.bincount(query[rows], minlength=queries) for rows in (chosen, relevant, chosen & relevant)
    )
    again = np.flatnonzero((found == 0) & (held > 0) & (size > 0))
    if not len(again):
        return chosen
    documents = np.bincount(query, minlength=queries)
    wanted = np.zeros((queries, 2), np.int64)
    for q in again.tolist():
        odds = np.cumsum(counts_of_relevant(int(documents[q]), int(held[q]), int(size[q])))
        wanted[q, 1] = 1 + np.searchsorted(odds[:-1], chance[q], "right")
        wanted[q, 0] = size[q] - wanted[q, 1]
    drawn = smallest(number, 2 * query + relevant, wanted.ravel())
    return np.where(np.isin(query, again), drawn, chosen)


def counts_of_relevant(documents: int, relevant: int, size: int) -> Floats:
    """Return the probabilities of 1, 2, ... relevant documents in a random sample, given that there is one.

    For samples that may contain none: size <= documents - relevant.
    """
    k = np.arange(1, min(relevant, size))
    ratio = (relevant - k) * (size - k) / ((k + 1.0) * (documents - relevant - size + k + 1))
    logs = np.concatenate([[0.0], np.cumsum(np.log(ratio))])
    weights = np.exp(logs - logs.max())
    share: Floats = weights / weights.sum()
    return share
