"""Answers of judges: conflicts, documents that are missing or foreign, kappa against statsmodels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import aggregate_raters
from statsmodels.stats.inter_rater import cohens_kappa as their_cohen
from statsmodels.stats.inter_rater import fleiss_kappa as their_fleiss

from unjudged import InputError, Judgments, UsageError, evaluate, xinfAP
from unjudged.agreement.kappa import (
    agreements,
    agreements_by_topic,
    cohen_kappa,
    fleiss_kappa,
)
from unjudged.base.choices import Conflicts
from unjudged.judging import Pool
from unjudged.judging.collecting.drawn_sample import draw
from unjudged.judging.collecting.merging import merge
from unjudged.rankings.origin import CHOSEN, Origin

POOL = Pool.of({"q1": dict.fromkeys("abcd", -1), "q2": dict.fromkeys("xy", -1)})
ALL = draw(POOL, "random", 1.0)


def grades(judgments: Judgments) -> list[int]:
    return list(judgments.grade.tolist())


@pytest.mark.parametrize(("rule", "grade"), [("first", 1), ("last", 0), ("highest", 2)])
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
    with pytest.raises(
        UsageError, match="expected one of error, own, majority, median, highest, lowest, first, last"
    ):
        merge(ALL, {}, conflicts="loudest")  # type: ignore[arg-type]


tables = st.integers(2, 5).flatmap(
    lambda judges: st.lists(
        st.lists(st.integers(0, 3), min_size=judges, max_size=judges), min_size=2, max_size=30
    )
)


@given(tables)
def test_kappa_is_that_of_statsmodels(rows: list[list[int]]) -> None:
    table = np.array(rows)
    counts, _ = aggregate_raters(table)
    ours = fleiss_kappa(counts)
    if len(np.unique(table)) == 1:
        assert np.isnan(ours)
    else:
        assert ours == pytest.approx(their_fleiss(counts), abs=1e-12)
    a, b = table[:, 0], table[:, 1]
    if len(np.unique(table[:, :2])) == 1:
        assert np.isnan(cohen_kappa(a, b))
        return
    matrix = np.zeros((4, 4))
    np.add.at(matrix, (a, b), 1)
    theirs = their_cohen(matrix, return_results=False, wt=None)
    assert cohen_kappa(a, b) == pytest.approx(theirs, abs=1e-12)


def test_the_published_example_of_fleiss() -> None:
    """Fourteen judges, ten subjects, five categories: kappa .210 (the table that textbooks copy)."""
    counts = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    assert round(fleiss_kappa(counts), 3) == 0.210


def test_agreement_by_pair_and_topic() -> None:
    answers = {
        ("q1", "a"): {"ann": 1, "bob": 1},
        ("q1", "b"): {"ann": 2, "bob": 1},
        ("q1", "c"): {"ann": 0, "bob": 0},
        ("q2", "x"): {"ann": 0, "cy": 1},
        ("q2", "y"): {"cy": 1},
    }
    pairs = agreements(list(answers.values()))
    assert [row.who for row in pairs] == ["ann and bob", "ann and cy", "all, 2 judges each"]
    assert pairs[0].documents == 3
    assert pairs[0].same_grade == pytest.approx(2 / 3)
    assert (pairs[0].same_relevance, pairs[0].kappa_of_relevance) == (1.0, 1.0)
    assert [(row.who, row.documents, row.same_relevance) for row in agreements_by_topic(answers)] == [
        ("q1", 3, 1.0),
        ("q2", 1, 0.0),
    ]


def test_long_lists_end_in_a_number() -> None:
    """They ended in `, ....`, or said nothing of the rest."""
    pool = {"q": {f"d{n}": -1 for n in range(9)}}
    sample = draw(Pool(Judgments.of(pool)), "random", 1.0)
    ann, bob = ({"q": {f"d{n}": grade for n in range(7)}} for grade in (0, 1))
    with pytest.raises(InputError, match=r"^7 documents judged with different grades: .* and 2 more: settle"):
        merge(sample, {"ann": ann, "bob": bob})
    found = merge(sample, {"ann": ann, "bob": bob}, conflicts="first", allow_missing=True)
    assert found.notes()[0].endswith(" and 2 more.")
    assert found.notes()[1] == "2 documents drawn but not judged: q d7, q d8."
