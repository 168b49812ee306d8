"""The answer "cannot judge" (grade -2): not a grade, not missing, and not asked again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.intervals import intervals
from unjudged import InputError, Judgments, evaluate
from unjudged.formats.writing import judgments_text
from unjudged.judging import Pool
from unjudged.judging.drawn_sample import draw
from unjudged.judging.merging import merge
from unjudged.judging.next_documents import next_documents
from unjudged.predictions.poisson_sample import design_for_predictions
from unjudged.rankings.origin import A_POOL

POOL = Pool.of({"q1": dict.fromkeys("abcd", -1), "q2": dict.fromkeys("xy", -1)})
ALL = draw(POOL, "random", 1.0)
REST = {"q1": {"b": 1, "c": 0, "d": 0}, "q2": {"x": 1, "y": 0}}
RUNS = {"up": {"q1": dict(zip("abcd", (4, 3, 2, 1), strict=True)), "q2": {"x": 2, "y": 1}},
        "down": {"q1": dict(zip("dcba", (4, 3, 2, 1), strict=True)), "q2": {"y": 2, "x": 1}}}  # fmt: skip


def test_it_is_not_missing_and_not_a_grade() -> None:
    with pytest.raises(InputError, match="1 document drawn but not judged: q1 a"):
        merge(ALL, {"ann": REST})
    found = merge(ALL, {"ann": {**REST, "q1": {**REST["q1"], "a": -2}}})
    assert found.judgments.grade.tolist() == [-2, 1, 0, 0, 1, 0]
    assert (found.missing, found.conflicts, found.unable) == ([], [], [("q1", "a")])
    assert '1 document answered "cannot judge", which stay unjudged: q1 a.' in found.notes()
    assert "of which 1 cannot be judged" in repr(found.judgments)
    assert found.judgments.probability is not None
    assert found.judgments.probability.tolist() == [0.75] * 4 + [1.0] * 2  # the others stand for it


@pytest.mark.parametrize("order", [("ann", "bob"), ("bob", "ann")])
def test_the_grade_of_another_judge_counts_and_is_no_conflict(order: tuple[str, str]) -> None:
    given = {"ann": {**REST, "q1": {**REST["q1"], "a": -2}}, "bob": {"q1": {"a": 2}}}
    found = merge(ALL, {name: given[name] for name in order})
    assert found.judgments.grade.tolist() == [2, 1, 0, 0, 1, 0]
    assert (found.conflicts, found.unable, found.twice) == ([], [], [])


def test_other_negative_grades_are_no_answer() -> None:
    with pytest.raises(InputError, match="1 document drawn but not judged: q1 a"):
        merge(ALL, {"ann": {**REST, "q1": {**REST["q1"], "a": -3}}})


def test_files_keep_it_and_a_pool_stays_one(tmp_path: Path) -> None:
    file = tmp_path / "answers.qrels"
    file.write_text("q1 0 a 1\nq1 0 b -2\nq1 0 c 0\n")
    judgments = Judgments.read(file)
    assert judgments.origin == A_POOL
    assert judgments.waiting.tolist() == [False] * 3
    assert judgments_text(judgments) == file.read_text()


def test_measures_take_it_as_unjudged_and_bounds_leave_it_open() -> None:
    judged = {"q1": {"a": -2, "b": 1, "c": 0, "d": 0}, "q2": {"x": 1, "y": 0}}
    waiting = {**judged, "q1": {**judged["q1"], "a": -1}}
    one, other = (evaluate(qrels, RUNS, ["AP", "P@2", "Bpref", "Judged@2"]) for qrels in (judged, waiting))
    assert np.array_equal(one.values, other.values)
    ours, theirs = (intervals(scores)[0][1] for scores in (one, other))
    assert (ours.low, ours.high) == (theirs.low, theirs.high)
    assert ours.low < ours.high


def test_nobody_is_asked_again() -> None:
    judged = {"q1": {"a": -2, "b": 1, "c": -1, "d": 0}, "q2": {"x": 1, "y": -1}}
    asked = {(one["query"], one["document"]) for one in next_documents(judged, RUNS, 9, "P@2").wanted}
    assert asked
    assert ("q1", "a") not in asked
    sample = design_for_predictions(RUNS, 9, measure="P@2", qrels=judged)
    assert ("q1", "a") not in sample.to_judge()
    assert sample.to_judge() == [("q1", "c"), ("q2", "y")]
    assert merge(sample, {"ann": {"q1": {"c": 0}, "q2": {"y": 1}}}).judgments.grade.min() == -2
