"""Which query each row has, and the rows of each query brought together."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from unjudged.base.segments import ends, stable_order
from unjudged.base.threads import Threads
from unjudged.formats.matching import SMALLEST_PART, cores
from unjudged.formats.readers.buffers import arrow_of, arrow_of_ids, ids_of, ids_of_chunks
from unjudged.formats.scan import scanner
from unjudged.formats.tables import Ids, Scattered, Table


def numbered(names: Ids) -> tuple[Ids, NDArray[np.int32]]:
    """Each name once, in the order they come, and for each row the number of its name. Cores share the rows.

    Arrow hashes text without a key, so a file can be written whose queries all collide. The scanner's hash
    has a random key.
    """
    parts = min(cores(), len(names) // SMALLEST_PART)
    if parts < 2:
        return _numbered_at_once(names)
    cuts = pairwise(np.linspace(0, len(names), parts + 1).astype(np.int64).tolist())
    own = [Ids(names.data, names.offsets[start : stop + 1]) for start, stop in cuts]
    with Threads(parts) as pool:
        found = list(pool.map(_numbered_at_once, own))
        known, code = _numbered_at_once(Ids.joined([distinct for distinct, _ in found]))
        codes = np.split(code, np.cumsum([len(distinct) for distinct, _ in found])[:-1])
        moved = pool.map(np.take, codes, [number for _, number in found])
        return known, np.concatenate(list(moved))


def _numbered_at_once(names: Ids) -> tuple[Ids, NDArray[np.int32]]:
    number, first = scanner.number_names(names)
    return ids_of(arrow_of_ids(names).take(arrow_of(first))), number


def grouped(rows: Scattered) -> Table:
    """The rows of each query together, as they came; each core takes a part of the documents."""
    order = stable_order(rows.number)
    documents = arrow_of_ids(rows.documents)
    with Threads(cores()) as pool:
        taken = pool.map(documents.take, map(arrow_of, np.array_split(order, cores())))
        together = ids_of_chunks(taken)
    starts = ends(np.bincount(rows.number))
    return Table(rows.queries, starts, together, rows.numbers[order], np.zeros(0, np.int64))
