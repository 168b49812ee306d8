"""Rankings in blocks, tied documents of some of them, and many segments at once."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, collections, examples
from unjudged.base import segments
from unjudged.collection.collection import Collection
from unjudged.data.tables import Ties, joined_ties
from unjudged.measures.kernel import measure as kernel
from unjudged.measures.kernel.names import parse_measures

RANKS = st.lists(st.tuples(st.integers(1, 9), st.integers(0, 3)), max_size=12)


@given(collections(), st.integers(1, 9))
def test_measures_are_the_same_in_blocks(collection: tuple[Qrels, RunDict], size: int) -> None:
    qrels, run = collection
    rankings = Collection(qrels, {"a": run, "b": run}).rankings
    measures = parse_measures(["AP", "nDCG@2", "Bpref", "Judged@3", "RBP(p=0.5)"])
    whole = kernel.compute_all(measures, rankings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernel, "AT_ONCE", size)
        assert kernel.compute_all(measures, rankings).tolist() == whole.tolist()
    blocks = list(rankings.blocks(size))
    assert np.concatenate([block.rank for block in blocks]).tolist() == rankings.rank.tolist()
    assert sum(map(len, blocks)) == len(rankings)
    joined = joined_ties([block.ties for block in blocks], [len(block.rank) for block in blocks])
    assert (joined is None) == (rankings.ties is None)
    if joined is not None and rankings.ties is not None:
        assert [column.tolist() for column in joined] == [column.tolist() for column in rankings.ties]


@given(RANKS, st.data())
def test_ties_of_some_documents(ranks: list[tuple[int, int]], data: st.DataObject) -> None:
    """The first and the last rank of every document come back, whichever documents are taken."""
    first = np.array([low for low, _ in ranks], np.int32)
    last = np.array([low + more for low, more in ranks], np.int32)
    ties = Ties.of(first, last)
    assert (ties is None) == bool((first == last).all())
    if ties is None:
        return
    source = np.array(data.draw(st.lists(st.integers(0, len(ranks) - 1))), np.intp)
    found = ties.among(source)
    filled = first[source], first[source].copy()
    if found is not None:
        filled[1][found.place] = found.last
        assert found.first.tolist() == first[source][found.place].tolist()
    assert filled[1].tolist() == last[source].tolist()


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
