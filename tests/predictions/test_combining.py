"""Two files of judgments as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import InputError, Judgments, UsageError, combine
from unjudged.predictions.combining import DRAWN, RULES

FIRST = {"q1": {"d1": 1, "d2": 0, "d3": -1}, "q2": {"d1": 2}}
LAST = {"q1": {"d2": 1, "d3": 1, "d4": 0, "d1": 1}, "q3": {"d1": 0}}

Nested = dict[str, dict[str, int]]


def nested(judgments: Judgments) -> Nested:
    made: Nested = {query: {} for query in judgments.queries}
    names = list(judgments.queries)
    for q, d, g in zip(judgments.query, judgments.documents, judgments.grade.tolist(), strict=True):
        made[names[q]][d] = g
    return made


def test_conflicts_are_refused_by_default() -> None:
    with pytest.raises(
        InputError, match=r"1 document is judged differently .*\(query 'q1' document 'd2': 0 and 1\)"
    ):
        combine(FIRST, LAST)


@pytest.mark.parametrize(("rule", "grade"), [("first", 0), ("last", 1), ("highest", 1)])
def test_a_rule_settles_them(rule: str, grade: int) -> None:
    found = combine(FIRST, LAST, rule)  # type: ignore[arg-type]
    assert nested(found.judgments) == {
        "q1": {"d1": 1, "d2": grade, "d3": 1, "d4": 0},
        "q2": {"d1": 2},
        "q3": {"d1": 0},
    }
    assert (found.agreements, found.only_first, found.only_last) == (1, 1, 3)
    assert found.conflicts == [("q1", "d2", 0, 1)]
    (note,) = found.notes()
    assert note.startswith(f"1 document judged as before, 1 differently, settled by the rule {rule!r}")


def test_nobody_is_overwritten_without_a_conflict() -> None:
    found = combine({"q1": {"d1": 1}}, {"q1": {"d1": -1, "d2": -1}})
    assert nested(found.judgments) == {"q1": {"d1": 1, "d2": -1}}
    assert (found.agreements, found.conflicts, found.only_first, found.only_last) == (0, [], 1, 0)
    assert found.notes() == ["nothing in it is judged: every grade is -1"]


files = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.dictionaries(st.sampled_from(["d1", "d2", "d3"]), st.integers(-1, 2), min_size=1),
    min_size=1,
)


@given(first=files, last=files, rule=st.sampled_from(sorted(RULES)))
def test_every_document_is_as_the_rule_says(first: Nested, last: Nested, rule: str) -> None:
    found = combine(first, last, rule)  # type: ignore[arg-type]
    made = nested(found.judgments)
    rules: dict[str, Callable[[int, int], int]] = {
        "first": lambda a, _: a,
        "last": lambda _, b: b,
        "highest": max,
    }
    for query in {*first, *last}:
        for document in {*first.get(query, {}), *last.get(query, {})}:
            a, b = first.get(query, {}).get(document, -1), last.get(query, {}).get(document, -1)
            expected = rules[rule](a, b) if a >= 0 and b >= 0 else max(a, b)
            assert made[query][document] == expected
    judged = [g for documents in made.values() for g in documents.values() if g >= 0]
    assert len(judged) == found.agreements + len(found.conflicts) + found.only_first + found.only_last


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match="conflicts is 'mine'"):
        combine(FIRST, LAST, "mine")  # type: ignore[arg-type]
    recorded = replace(Judgments.of({"q1": {"d1": 1}}), probability=np.array([0.5]))
    with pytest.raises(InputError, match="a sample with recorded strata or probabilities"):
        combine(FIRST, recorded)
    with pytest.raises(InputError, match="documents that were not in the sample"):
        combine(recorded, FIRST)


def test_a_design_keeps_its_probabilities_and_what_was_not_drawn_stays_out() -> None:
    pool = Judgments.of({"q1": {"d1": DRAWN, "d2": -1, "d3": DRAWN}})
    design = replace(pool, probability=np.array([0.5, 0.2, 0.3]))
    found = combine(design, {"q1": {"d1": 1, "d2": 1}})
    assert nested(found.judgments) == {"q1": {"d1": 1, "d2": -1, "d3": DRAWN}}
    assert found.judgments.probability is not None
    np.testing.assert_array_equal(found.judgments.probability, [0.5, 0.2, 0.3])
    assert found.undrawn == 1
    assert found.notes() == ["1 document judged but not drawn: left out, because they are no random sample"]
