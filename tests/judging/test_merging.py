"""Answers of judges: conflicts, and documents that are missing or foreign."""

from __future__ import annotations

import numpy as np
import pytest

from unjudged import InputError, Judgments, UsageError, evaluate, xinfAP
from unjudged.base.choices import Conflicts
from unjudged.judging import Pool
from unjudged.judging.drawn_sample import draw
from unjudged.judging.merging import merge
from unjudged.rankings.origin import CHOSEN, Origin

POOL = Pool.of({"q1": dict.fromkeys("abcd", -1), "q2": dict.fromkeys("xy", -1)})
ALL = draw(POOL, "random", 1.0)


def grades(judgments: Judgments) -> list[int]:
    return list(judgments.grade.tolist())


@pytest.mark.parametrize(("rule", "grade"), [("last", 0), ("highest", 2)])
def test_conflicts_are_settled_by_a_rule(rule: Conflicts, grade: int) -> None:
    rest = {"q1": {"b": 0, "c": 0, "d": 0}, "q2": {"x": 1, "y": 0}}
    files = {"ann": {"q1": {"a": 1}}, "bob": {"q1": {"a": 2}}, "cy": {"q1": {"a": 0}}, "dee": rest}
    found = merge(ALL, files, conflicts=rule)
    assert grades(found.judgments) == [grade, 0, 0, 0, 1, 0]
    assert found.conflicts == [("q1", "a")]
    assert found.answers["q1", "a"] == {"ann": 1, "bob": 2, "cy": 0}
    with pytest.raises(
        InputError, match=r"1 document judged with different grades: q1 a \(ann: 1, bob: 2, cy: 0\)"
    ):
        merge(ALL, files)


def test_odd_documents_are_named_and_left_out() -> None:
    half = draw(POOL, "random", 0.5, seed=1)
    drawn = [
        (half.pooled.queries[int(half.pooled.query[row])], half.pooled.documents[row])
        for row in range(6)
        if half.drawn[row]
    ]
    (other,) = [d for d in "xy" if ("q2", d) not in drawn]
    answers: dict[str, dict[str, int]] = {"q2": {other: 1, "zz": 1}, "q9": {"a": 1}}
    for query, document in drawn[1:]:
        answers.setdefault(query, {})[document] = 1
    with pytest.raises(InputError, match=f"1 document drawn but not judged: {' '.join(drawn[0])}"):
        merge(half, {"ann": answers})
    found = merge(half, {"ann": answers}, allow_missing=True)
    assert found.missing == [drawn[0]]
    assert found.undrawn == [("q2", other)]
    assert found.foreign == [("q2", "zz"), ("q9", "a")]
    assert int((found.judgments.grade >= 0).sum()) == 2
    assert any(
        "2 documents judged but not in the pool, left out: q2 zz, q9 a." in note for note in found.notes()
    )


def test_missing_answers_scale_the_probabilities() -> None:
    found = merge(ALL, {"ann": {"q1": {"a": 1, "b": 0, "c": 1}, "q2": {"x": 1, "y": 0}}}, allow_missing=True)
    assert found.scaled
    assert found.judgments.probability is not None
    assert found.judgments.probability.tolist() == [0.75] * 4 + [1.0] * 2
    assert not merge(ALL, {"ann": {"q1": dict.fromkeys("abcd", 0), "q2": {"x": 1, "y": 0}}}).scaled


def test_a_grade_below_zero_is_no_answer() -> None:
    files = {
        "ann": {"q1": {"a": -1, "b": 1, "c": 0, "d": 0}, "q2": {"x": 0, "y": 0}},
        "bob": {"q1": {"a": 2}},
    }
    assert grades(merge(ALL, files).judgments) == [2, 1, 0, 0, 0, 0]


def test_estimates_refuse_chosen_judgments() -> None:
    chosen = Judgments(POOL.judgments.pooled, np.array([1, 0, -1, -1, 1, 0], np.int32), origin=Origin(CHOSEN))
    for name in ("infAP", "xinfAP", "infNDCG", "statAP", "indAP", "subAP"):
        with pytest.raises(UsageError, match="needs a random sample"):
            evaluate(chosen, {"q1": {"a": 1.0}, "q2": {"x": 1.0}}, name)
    assert evaluate(chosen, {"q1": {"a": 1.0}, "q2": {"x": 1.0}}, "AP").means[0][0] == 1.0
    assert xinfAP.traits.estimates


def test_an_unknown_rule() -> None:
    with pytest.raises(UsageError, match="expected one of error, majority, highest, last"):
        merge(ALL, {}, conflicts="loudest")  # type: ignore[arg-type]


def test_long_lists_end_in_a_number() -> None:
    """They ended in `, ....`, or said nothing of the rest."""
    pool = {"q": {f"d{n}": -1 for n in range(9)}}
    sample = draw(Pool(Judgments.of(pool)), "random", 1.0)
    ann, bob = ({"q": {f"d{n}": grade for n in range(7)}} for grade in (0, 1))
    with pytest.raises(InputError, match=r"^7 documents judged with different grades: .* and 2 more: settle"):
        merge(sample, {"ann": ann, "bob": bob})
    found = merge(sample, {"ann": ann, "bob": bob}, conflicts="last", allow_missing=True)
    assert found.notes()[0].endswith(" and 2 more.")
    assert found.notes()[1] == "2 documents drawn but not judged: q d7, q d8."
