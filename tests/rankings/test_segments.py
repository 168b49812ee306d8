"""Segments against the plainest loops."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unjudged import segments

COUNTS = st.lists(st.integers(0, 5), max_size=8)


@given(COUNTS, st.data())
def test_segments_are_what_loops_make(counts: list[int], data: st.DataObject) -> None:
    n = np.array(counts, np.int64)
    starts = np.array(
        data.draw(st.lists(st.integers(0, 99), min_size=len(counts), max_size=len(counts))), np.int64
    )
    assert segments.ends(n).tolist() == [sum(counts[:i]) for i in range(len(counts) + 1)]
    assert segments.owners(n).tolist() == [s for s, many in enumerate(counts) for _ in range(many)]
    assert segments.places(n).tolist() == [i + 1 for many in counts for i in range(many)]
    expected = [int(first) + i for first, many in zip(starts, counts, strict=True) for i in range(many)]
    assert segments.ranges(starts, n).tolist() == expected


def test_a_mask_has_ends_too() -> None:
    assert segments.ends(np.array([True, False, True])).tolist() == [0, 1, 1, 2]
