"""Documents drawn one after another: chances by enumeration, the file, and answers in any order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from math import prod
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import InputError, Judgments, judging, sample
from unjudged.judging import merge
from unjudged.judging.holes import in_random_order, with_next_batch
from unjudged.judging.judging_page import to_judge_in
from unjudged.rankings.sample_file import sample_text

POOL = Judgments.read({"q1": {"known": 1, "a": -1, "b": -1, "c": -1}, "q2": {"d": -1, "e": -1, "other": 0}})
SIZE = np.array([0.0, 3.0, 2.0, 1.0, 1.0, 2.0, 0.0])
NAMES = POOL.pooled.names(np.arange(len(SIZE)))
TRUTH = {name: place % 3 for place, name in enumerate(NAMES)}


def drawn(seed: int = 0, *batches: int) -> Judgments:
    made = in_random_order(POOL, SIZE, seed, {"measure": "P@2"})
    for n in batches:
        made = with_next_batch(answered(made) if to_judge_in(made) else made, n)
    return made


def answered(judgments: Judgments) -> Judgments:
    return merge(judgments, {"ann": answers_to(to_judge_in(judgments))}).judgments


def answers_to(asked: list[tuple[str, str]]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for query, document in asked:
        found.setdefault(query, {})[document] = TRUTH[query, document]
    return found


@pytest.mark.thorough
def test_the_chance_of_every_order_is_that_of_drawing_by_size() -> None:
    """5,000 seeds, the first two draws: without replacement, proportional to what is left."""
    rows, seeds = np.flatnonzero(SIZE).tolist(), 5000
    orders = (drawn(seed).frame.order for seed in range(seeds))  # type: ignore[union-attr]
    firsts = Counter(tuple(int(np.flatnonzero(order == place)[0]) for place in (1, 2)) for order in orders)
    for first, second in permutations(rows, 2):
        chance = prod([SIZE[first] / SIZE.sum(), SIZE[second] / (SIZE.sum() - SIZE[first])])
        assert abs(firsts[first, second] / seeds - chance) < 4.5 * np.sqrt(chance * (1 - chance) / seeds)


def test_batches_follow_the_order_and_wait_for_answers() -> None:
    one = drawn(3, 2)
    assert with_next_batch(one, 2) is one
    two = with_next_batch(answered(one), 2)
    assert two.frame is not None
    assert one.frame is not None
    assert two.frame.order.tolist() == one.frame.order.tolist()
    assert two.frame.batch[two.frame.order > 0].tolist() == [
        {1: 1, 2: 1, 3: 2, 4: 2, 5: 0}[place] for place in two.frame.order[two.frame.order > 0].tolist()
    ]
    whole = with_next_batch(answered(two), 9)
    assert len(to_judge_in(whole)) == 1
    assert with_next_batch(answered(whole), 1).drawn is None


@given(st.integers(0, 50), st.lists(st.integers(1, 2), min_size=1, max_size=2), st.data())
def test_answers_may_come_in_any_order_and_twice(seed: int, batches: list[int], data: st.DataObject) -> None:
    """Whatever is merged when, the judgments are those of all answers; others than asked for are left out."""
    waiting = drawn(seed, *batches)
    asked = to_judge_in(waiting)
    parts = data.draw(st.lists(st.lists(st.sampled_from(NAMES), min_size=1, unique=True), max_size=4))
    order = data.draw(st.permutations([*parts, asked, asked]))
    found = waiting
    for part in order:
        found = merge(found, {"ann": answers_to(part)}).judgments
    assert found.grade.tolist() == answered(waiting).grade.tolist()
    assert found.drawn is None
    assert found.frame is waiting.frame


def test_the_file_is_judgments(tmp_path: Path) -> None:
    file = tmp_path / "to-judge.sample"
    for made in (drawn(1, 2), drawn(1, 2, 2), answered(drawn(1, 2, 2)), answered(drawn(1, 5))):
        file.write_text(sample_text(made, ["two to judge"], seed=1))
        again = Judgments.read(file)
        assert again.pooled.names(np.arange(7)) == NAMES
        assert (again.origin, again.grade.tolist()) == (made.origin, made.grade.tolist())
        assert (again.drawn is None) == (made.drawn is None)
        assert made.frame is not None
        assert again.frame is not None
        for field in ("size", "order", "batch", "settings"):
            np.testing.assert_array_equal(getattr(again.frame, field), getattr(made.frame, field))
        assert to_judge_in(again) == to_judge_in(made)
    file.write_text(sample_text(drawn(1, 2)).replace(" -1\n", " 1\n"))
    assert Judgments.read(file).drawn is None
    with pytest.raises(InputError, match="give the sample first"):
        merge(POOL, {"ann": str(file)})


FORGERIES: list[tuple[Callable[[str], str], str]] = [
    (lambda text: text.replace('"order": {"', '"order": ["'), ":1: expected"),
    (lambda text: text.replace(" 3.0 ", " -3.0 "), r":\d+: the size is '-3.0'"),
    (lambda text: text.replace(" 3.0 ", " 0.0 "), "the order has gaps, or documents without a size"),
    (lambda text: text.replace(" 0.0 0 0 1", " 0.0 0 1 1"), "the order has gaps"),
    (lambda text: text.replace(" 0.0 0 0 1", " 0.0 0 1"), r":\d+: .*expected 7 columns"),
]


@pytest.mark.parametrize(("forge", "problem"), FORGERIES)
def test_a_forged_file_is_refused(tmp_path: Path, forge: Callable[[str], str], problem: str) -> None:
    text = sample_text(drawn(1, 2))
    assert forge(text) != text
    (tmp_path / "a.sample").write_text(forge(text))
    with pytest.raises(InputError, match=problem):
        Judgments.read(tmp_path / "a.sample")


@pytest.mark.parametrize(
    "asked", [{"design": "holes(20)"}, {"until": "better", "n": 20}], ids=["holes", "until better"]
)
def test_documents_are_drawn_by_what_they_could_change(asked: dict[str, str | int]) -> None:
    """By P@10 all ranks weigh the same; by nDCG@10 the first weighs 3.5 times as much as the tenth."""
    two = {name: sample.runs[name] for name in ("dense", "fused")}
    ratio = {}
    for measure in ("nDCG@10", "P@10"):
        drawn_now = judging.next(sample.qrels, two, measure=measure, **asked).sample  # type: ignore[arg-type]
        assert drawn_now is not None
        frame = drawn_now.frame
        assert frame is not None
        assert frame.settings["measure"] == measure
        top, tenth = (frame.size[(frame.rank == rank) & (frame.order > 0)].mean() for rank in (1, 10))
        ratio[measure] = top / tenth
    assert ratio["nDCG@10"] > 2.5
    assert ratio["P@10"] < 1.5
