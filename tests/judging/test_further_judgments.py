"""Further judgments merged with earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import InputError, Judgments, UsageError
from unjudged.base.choices import Conflicts
from unjudged.judging.merge_result import BEFORE, Merged
from unjudged.judging.merging import merge
from unjudged.rankings.origin import CHOSEN, POOL, STRATIFIED, UNIFORM, UNKNOWN, WEIGHTED, Origin

FIRST = {"q1": {"d1": 1, "d2": 0, "d3": -1}, "q2": {"d1": 2}}
LAST = {"q1": {"d2": 1, "d3": 1, "d4": 0, "d1": 1}, "q3": {"d1": 0}}

Nested = dict[str, dict[str, int]]


def nested(judgments: Judgments) -> Nested:
    made: Nested = {query: {} for query in judgments.queries}
    names = list(judgments.queries)
    for q, d, g in zip(judgments.query, judgments.documents, judgments.grade.tolist(), strict=True):
        made[names[q]][d] = g
    return made


def only(found: Merged, judge: str) -> int:
    """The number of documents that this judge alone judged."""
    return sum(list(grades) == [judge] for grades in found.answers.values())


def test_conflicts_are_refused_by_default() -> None:
    with pytest.raises(
        InputError, match=r"1 document judged with different grades: q1 d2 \(before: 0, last: 1\)"
    ):
        merge(FIRST, {"last": LAST})


@pytest.mark.parametrize(("rule", "grade"), [("last", 1), ("highest", 1)])
def test_a_rule_settles_them(rule: Conflicts, grade: int) -> None:
    found = merge(FIRST, {"last": LAST}, conflicts=rule)
    assert nested(found.judgments) == {
        "q1": {"d1": 1, "d2": grade, "d3": 1, "d4": 0},
        "q2": {"d1": 2},
        "q3": {"d1": 0},
    }
    assert (found.agreements, only(found, BEFORE), only(found, "last")) == (1, 1, 3)
    assert found.conflicts == [("q1", "d2")]
    assert found.answers["q1", "d2"] == {BEFORE: 0, "last": 1}
    assert found.notes() == [
        "1 document judged as before.",
        f"1 document judged with different grades, settled by the rule {rule!r}: q1 d2 (before: 0, last: 1).",
    ]


def test_nobody_is_overwritten_without_a_conflict() -> None:
    found = merge({"q1": {"d1": 1}}, {"last": {"q1": {"d1": -1, "d2": -1}}})
    assert nested(found.judgments) == {"q1": {"d1": 1, "d2": -1}}
    assert (found.agreements, found.conflicts, only(found, BEFORE), only(found, "last")) == (0, [], 1, 0)
    assert found.notes() == ["Nothing in the answers is judged: every grade is -1."]


files = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.dictionaries(st.sampled_from(["d1", "d2", "d3"]), st.integers(-1, 2), min_size=1),
    min_size=1,
)


rules_to_try: st.SearchStrategy[Conflicts] = st.sampled_from(["last", "highest"])


@given(first=files, last=files, rule=rules_to_try)
def test_every_document_is_as_the_rule_says(first: Nested, last: Nested, rule: Conflicts) -> None:
    found = merge(first, {"last": last}, conflicts=rule)
    made = nested(found.judgments)
    rules: dict[str, Callable[[int, int], int]] = {
        "last": lambda _, b: b,
        "highest": max,
    }
    for query in {*first, *last}:
        for document in {*first.get(query, {}), *last.get(query, {})}:
            a, b = first.get(query, {}).get(document, -1), last.get(query, {}).get(document, -1)
            expected = rules[rule](a, b) if a >= 0 and b >= 0 else max(a, b)
            assert made[query][document] == expected
    judged = [g for documents in made.values() for g in documents.values() if g >= 0]
    assert len(judged) == (
        found.agreements + len(found.conflicts) + only(found, BEFORE) + only(found, "last")
    )


@given(several=st.lists(files, min_size=2, max_size=4), rule=rules_to_try)
def test_several_files_at_once_are_as_one_after_the_other(several: list[Nested], rule: Conflicts) -> None:
    one, *more = several
    at_once = merge(one, {str(number): file for number, file in enumerate(more)}, conflicts=rule)
    stepwise = Judgments.of(one)
    for file in more:
        stepwise = merge(stepwise, {"file": file}, conflicts=rule).judgments
    assert nested(at_once.judgments) == nested(stepwise)


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="conflicts is 'mine'"):
        merge(FIRST, {"last": LAST}, conflicts="mine")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="by name"):
        merge(FIRST, [("q1", "d1", 1)])  # type: ignore[arg-type]
    with pytest.raises(InputError, match="next take fractions"):
        merge(Judgments.with_fractions({"q1": {"d1": 0.5}}), {"last": {"q1": {"d1": 1}}})
    recorded = replace(Judgments.of({"q1": {"d1": 1}}), probability=np.array([0.5]))
    with pytest.raises(InputError, match="a sample with recorded strata or probabilities"):
        merge(FIRST, {"last": recorded})
    with pytest.raises(InputError, match="documents that were not in the sample"):
        merge(recorded, {"last": FIRST})


def test_a_sample_keeps_its_probabilities_and_what_was_not_drawn_stays_out() -> None:
    pool = Judgments.of({"q1": {"d1": -1, "d2": -1, "d3": -1}})
    drawn = replace(
        pool, probability=np.array([0.5, 0.2, 0.3]), drawn=np.array([1, 0, 1], bool), origin=Origin(WEIGHTED)
    )
    found = merge(drawn, {"ann": {"q1": {"d1": 1, "d2": 1}}})
    assert nested(found.judgments) == {"q1": {"d1": 1, "d2": -1, "d3": -1}}
    assert found.judgments.probability is not None
    np.testing.assert_array_equal(found.judgments.probability, [0.5, 0.2, 0.3])
    assert found.undrawn == [("q1", "d2")]
    assert found.notes() == ["1 document judged but not drawn, left out: q1 d2."]
    later = merge(found.judgments, {"bob": {"q1": {"d2": 1, "d3": 0}}})
    assert nested(later.judgments) == {"q1": {"d1": 1, "d2": -1, "d3": 0}}
    assert later.judgments.origin == Origin(WEIGHTED)


@pytest.mark.parametrize(
    ("kind", "added", "expected", "aloud"),
    [
        (POOL, {"d2": 1}, POOL, False),
        (UNIFORM, {"d2": 1}, UNKNOWN, True),
        (STRATIFIED, {"d2": 1}, UNKNOWN, True),
        (UNIFORM, {"d2": 1, "d3": 0}, POOL, False),
        (UNIFORM, {"d1": 1}, UNIFORM, False),
        (UNIFORM, {"d2": -1}, UNIFORM, False),
        (CHOSEN, {"d2": 1}, CHOSEN, False),
        (UNKNOWN, {"d2": 1}, UNKNOWN, False),
    ],
)
def test_the_origin_of_both(kind: Any, added: dict[str, int], expected: str, aloud: bool) -> None:
    first = replace(Judgments.of({"q1": {"d1": 1, "d2": -1, "d3": -1}}), origin=Origin(kind))
    if kind == STRATIFIED:
        first = replace(first, stratum=np.array([1, 2, 2], np.int32))
    found = merge(first, {"ann": {"q1": added}})
    assert found.judgments.origin.kind == expected
    assert any("were added to" in note for note in found.notes()) == aloud
    assert (found.judgments.stratum is not None) == (kind == expected == STRATIFIED)
    chosen = replace(Judgments.of({"q1": added}), origin=Origin(CHOSEN))
    if max(added.values()) >= 0:
        assert merge(first, {"ann": chosen}).judgments.origin.kind == CHOSEN
