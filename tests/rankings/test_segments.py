"""Many segments at once give what each of them gives alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged.base import segments


@examples(100)
@given(
    counts=st.lists(st.integers(0, 12), max_size=8),
    block=st.integers(1, 20),
    combine=st.sampled_from([np.add, np.multiply]),
    seed=st.integers(0, 99),
)
def test_running_is_the_same_to_the_bit_in_blocks_and_alone(
    counts: list[int], block: int, combine: np.ufunc, seed: int
) -> None:
    values = np.random.default_rng(seed).random(sum(counts))
    ends, place = segments.ends(np.array(counts, np.int64)), segments.places(np.array(counts, np.int64))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(segments, "BLOCK", block)
        found = segments.running(values, ends, place, combine)
    for start, stop in zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True):
        own, steps = values[start:stop], np.arange(1, stop - start + 1)
        alone = segments.running(own, np.array([0, stop - start]), steps, combine)
        assert found[start:stop].tolist() == alone.tolist()
        np.testing.assert_allclose(alone, combine.accumulate(own), rtol=1e-12)
