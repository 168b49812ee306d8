"""How judgments were made: recognised, kept by files, and joined."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.sample_files import text_of_sample
from unjudged import Judgments, UsageError, experiment, sample
from unjudged.judging import Pool
from unjudged.judging.designs import DESIGNS
from unjudged.rankings.origin import KINDS, Kind, Origin, joined


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
