"""How judgments were made: recognised, kept by files, and joined."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, collections, examples
from tests.sample_files import text_of_sample
from unjudged import InputError, Judgments, UsageError, experiment, sample
from unjudged.base import segments
from unjudged.collection.collection import Collection, judged_rankings
from unjudged.data.tables import Ties, joined_ties
from unjudged.evidence.filled import Filled
from unjudged.judging import Pool
from unjudged.judging.designs import DESIGNS
from unjudged.measures.kernel import measure as kernel
from unjudged.measures.kernel.names import parse_measures
from unjudged.measures.precision import AP
from unjudged.rankings.extension import chosen_rows, extended
from unjudged.rankings.origin import KINDS, Kind, Origin, joined
from unjudged.rankings.pooled import PooledDocuments
from unjudged.rankings.runs import run_table


def read(tmp_path: Path, text: str) -> Judgments:
    file = tmp_path / "judgments"
    file.write_text(text)
    return Judgments.read(file)


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("q 0 a 1\nq 0 b 0\n", Origin("pool")),
        ("q 0 a 1\nq 0 b -2\n", Origin("pool")),
        ("q 0 a 1\nq 0 b -1\n", Origin("uniform sample")),
        ("q 0 a 1 1\nq 0 b 2 -1\n", Origin("stratified sample")),
        ("q a 1 1 0.5\nq b 0 1 0.25\n", Origin("weighted sample")),
        ("# unjudged-origin pool to rank 7: x\nq 0 a 1\nq 0 b -1\n", Origin("pool", 7)),
        ("# unjudged-origin guess: not a kind\nq 0 a 1\n", Origin("pool")),
    ],
)
def test_a_file_tells_the_origin(tmp_path: Path, text: str, origin: Origin) -> None:
    assert read(tmp_path, text).origin == origin


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("depth", [None, 10])
def test_a_file_keeps_the_origin(tmp_path: Path, kind: Kind, depth: int | None) -> None:
    """A random sample becomes the kind that grades alone can tell, and nothing else changes."""
    judgments = replace(
        Judgments.read({"q": {"a": 1, "b": -1, "c": 0}}),
        probability=np.full(3, 0.5),
        origin=Origin(kind, depth),
    )
    again = read(tmp_path, judgments.text()).origin
    assert again == (Origin("uniform sample", depth) if judgments.origin.sampled else judgments.origin)


def test_unequal_probabilities_are_unknown_in_a_file_that_does_not_have_them(tmp_path: Path) -> None:
    drawn = Pool.of(sample.qrels, sample.runs).stratified({10: 1.0, float("inf"): 0.2}, seed=1)
    assert not drawn.even
    assert read(tmp_path, drawn.text()).origin == Origin("unknown")
    assert read(tmp_path, text_of_sample(drawn, "strata")).origin == Origin("stratified sample")
    assert read(tmp_path, text_of_sample(drawn, "prels")).origin == Origin("weighted sample")


def test_samples_of_a_pool() -> None:
    pool = Pool.of(sample.qrels, sample.runs)
    assert pool.judgments.origin == Origin("uniform sample")
    assert pool.depth(5).origin == Origin("uniform sample"), "dense has unjudged documents there"
    assert pool.blank.depth(5).origin == Origin("pool", 5)
    assert pool.uniform(0.5, redraw=False).origin == pool.uniform(0.5).origin == Origin("uniform sample")
    assert pool.uniform(0.5, redraw=False).even
    assert pool.mixed(5).origin == Origin("stratified sample")
    assert pool.stratified({10: 0.5}).origin == Origin("stratified sample", 10)


@pytest.mark.parametrize("kind", ["stratified sample", "weighted sample", "chosen", "unknown"])
def test_a_part_of_a_sample_is_not_taken_for_a_part_of_the_pool(kind: Kind) -> None:
    """An experiment would compare it with judgments that are no better, and its file would name a pool."""
    pool = Pool.of(sample.qrels, sample.runs)
    drawn = replace(pool, judgments=replace(pool.judgments, origin=Origin(kind)))
    for design in DESIGNS.values():
        with pytest.raises(UsageError, match="taking judgments away needs a pool, and these judgments are"):
            design.draw(drawn, design.levels[0])
    with pytest.raises(UsageError, match="taking judgments away needs a pool"):
        experiment(drawn, levels=[0.5])


def test_joined_judgments_have_the_weaker_origin() -> None:
    assert joined(Origin("pool", 10), Origin("chosen")) == Origin("chosen", 10)
    assert joined(Origin("weighted sample", 10), Origin("stratified sample", 5)) == Origin(
        "weighted sample", 5
    )


def test_what_it_says() -> None:
    assert Origin("pool", 3).mark().endswith("the first 3 documents of every pooled run were judged")
    assert str(Origin("pool", 100)) == "a pool to rank 100"
    assert str(Origin("unknown")) == "labels of unknown origin"


QRELS = {"q1": {"a": 1, "b": 0, "c": -1}, "q2": {"a": 2}}
RUN = {"q1": {"c": 3.0, "a": 2.0, "x": 1.0}, "q2": {"a": 1.0}}


def test_a_pool_lists_the_query_of_each_row() -> None:
    pooled = Judgments.read(QRELS).pooled
    assert pooled.query.tolist() == [0, 0, 0, 1]
    assert list(pooled.queries) == ["q1", "q2"]
    assert list(pooled.documents) == ["a", "b", "c", "a"]


def test_new_grades_keep_the_pool_and_relabel_its_rankings() -> None:
    judgments = Judgments.read(QRELS)
    other = judgments.with_grades(np.array([0, 0, 1, 0], np.int32))
    assert other.pooled is judgments.pooled
    rankings = judged_rankings(judgments, {"run": RUN})
    assert AP.compute(rankings).tolist() == [0.5, 1.0]
    assert AP.compute(rankings.relabelled(other)).tolist() == [1.0, 0.0]


def test_judgments_of_another_pool_are_refused() -> None:
    judgments = Judgments.read(QRELS)
    rankings = judged_rankings(judgments, {"run": RUN})
    others = {
        "equal": Judgments.read(QRELS),
        "extended": extended(judgments, [run_table(RUN)]),
        "chosen": chosen_rows(judgments, np.ones(4, bool)),
        "completed": Filled.of(rankings).rankings.judgments,
        "pickled": pickle.loads(pickle.dumps(judgments)),
    }
    for other in others.values():
        with pytest.raises(UsageError, match="another pool"):
            rankings.relabelled(other)


def test_a_pickled_pool_is_its_columns_and_stays_one_pool() -> None:
    judgments = Judgments.read(QRELS)
    assert judgments.index is judgments.pooled.__dict__["index"]
    rankings = judged_rankings(judgments, {"run": RUN})
    again_judgments, again = pickle.loads(pickle.dumps((judgments, rankings)))
    assert set(again_judgments.pooled.__dict__) == {"queries", "offsets", "documents"}
    assert AP.compute(again.relabelled(again_judgments)).tolist() == [0.5, 1.0]
    assert AP.compute(judged_rankings(again_judgments, {"run": RUN})).tolist() == [0.5, 1.0]


def test_pickled_judgments_do_not_depend_on_what_was_computed() -> None:
    judgments = Judgments.read(QRELS)
    before = pickle.dumps(judgments)
    AP.compute(judged_rankings(judgments, {"run": RUN}))
    assert judgments.sampled_share.tolist() == [2 / 3, 1.0]
    assert pickle.dumps(judgments) == before


def test_a_pool_without_names_matches_nothing() -> None:
    unnamed = PooledDocuments.unnamed(np.array([0, 1, 3]))
    assert len(unnamed.queries) == 2
    assert unnamed.query.tolist() == [0, 1, 1]
    with pytest.raises(UsageError, match="no names"):
        unnamed.index  # noqa: B018
    with pytest.raises(UsageError, match="no names"):
        unnamed.keys(["q1"])


def test_a_document_listed_twice_is_refused_at_once() -> None:
    with pytest.raises(InputError, match="'a'"):
        Judgments.read([("q", "a", 1), ("q", "a", 0)])


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
