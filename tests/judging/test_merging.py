"""Answers of judges merged with a sample or with earlier judgments: conflicts, origins, what is odd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.intervals import intervals
from unjudged import InputError, Judgments, UsageError, evaluate, xinfAP
from unjudged.base.choices import Conflicts
from unjudged.judging import Merged, merge
from unjudged.judging import next as next_documents
from unjudged.judging.merging import RULES
from unjudged.rankings.origin import A_POOL, CHOSEN, POOL, STRATIFIED, UNIFORM, UNKNOWN, WEIGHTED, Origin

Nested = dict[str, dict[str, int]]

LISTED = Judgments.read({"q1": dict.fromkeys("abcd", -1), "q2": dict.fromkeys("xy", -1)})
RUNS = {"up": {"q1": dict(zip("abcd", (4, 3, 2, 1), strict=True)), "q2": {"x": 2, "y": 1}},
        "down": {"q1": dict(zip("dcba", (4, 3, 2, 1), strict=True)), "q2": {"y": 2, "x": 1}}}  # fmt: skip
REST: Nested = {"q1": {"b": 1, "c": 0, "d": 0}, "q2": {"x": 1, "y": 0}}
FIRST: Nested = {"q1": {"d1": 1, "d2": 0, "d3": -1}, "q2": {"d1": 2}}
LAST: Nested = {"q1": {"d2": 1, "d3": 1, "d4": 0, "d1": 1}, "q3": {"d1": 0}}


def drawn(share: str = "100%", seed: int = 0) -> Judgments:
    found = next_documents(LISTED, RUNS, design=f"uniform({share})", seed=seed).sample
    assert found is not None
    return found


ALL = drawn()


def nested(judgments: Judgments) -> Nested:
    made: Nested = {query: {} for query in judgments.queries}
    rows = judgments.pooled.names(np.arange(len(judgments.grade)))
    for (query, document), grade in zip(rows, judgments.grade.tolist(), strict=True):
        made[query][document] = grade
    return made


def conflicts(found: Merged) -> list[tuple[str, str, str]]:
    return [(row["query"], row["document"], row["grades"]) for row in found.rows["conflicts"]]


def most_frequent(grades: list[int]) -> int:
    (first, votes), *others = Counter(grades).most_common()
    return -1 if others and others[0][1] == votes else first


PLAIN: dict[str, Callable[[list[int]], int]] = {
    "error": lambda _: -1,
    "majority": most_frequent,
    "highest": max,
    "last": lambda grades: grades[-1],
}


@given(st.lists(st.lists(st.integers(-1, 3), min_size=4, max_size=4), min_size=1, max_size=8))
def test_rules_are_those_of_plain_python(columns: list[list[int]]) -> None:
    table = np.array([column for column in columns if max(column) >= 0], np.int32).reshape(-1, 4).T
    for name, plain in PLAIN.items():
        found = RULES.find(name)(table).tolist()
        assert found == [plain([g for g in column if g >= 0]) for column in table.T.tolist()], name
    assert set(RULES) == set(PLAIN)


files = st.dictionaries(
    st.sampled_from(["q1", "q2"]),
    st.dictionaries(st.sampled_from(["d1", "d2", "d3"]), st.integers(-1, 2), min_size=1),
    min_size=1,
)
rules_to_try: st.SearchStrategy[Conflicts] = st.sampled_from(["last", "highest"])


@given(first=files, last=files, rule=rules_to_try)
def test_every_document_is_as_the_rule_says(first: Nested, last: Nested, rule: Conflicts) -> None:
    made = nested(merge(first, {"last": last}, conflicts=rule).judgments)
    for query in {*first, *last}:
        for document in {*first.get(query, {}), *last.get(query, {})}:
            given = [one.get(query, {}).get(document, -1) for one in (first, last)]
            expected = PLAIN[rule](given) if min(given) >= 0 else max(given)
            assert made[query][document] == expected


@given(several=st.lists(files, min_size=2, max_size=4), rule=rules_to_try)
def test_several_files_at_once_are_as_one_after_the_other(several: list[Nested], rule: Conflicts) -> None:
    one, *more = several
    at_once = merge(one, {str(number): file for number, file in enumerate(more)}, conflicts=rule)
    stepwise = Judgments.read(one)
    for file in more:
        stepwise = merge(stepwise, {"file": file}, conflicts=rule).judgments
    assert nested(at_once.judgments) == nested(stepwise)


@pytest.mark.parametrize(("rule", "grade"), [("last", 0), ("highest", 2)])
def test_conflicts_are_settled_by_a_rule(rule: Conflicts, grade: int) -> None:
    answers = {"ann": {"q1": {"a": 1}}, "bob": {"q1": {"a": 2}}, "cy": {"q1": {"a": 0}}, "dee": REST}
    found = merge(ALL, answers, conflicts=rule)
    assert found.judgments.grade.tolist() == [grade, 1, 0, 0, 1, 0]
    assert conflicts(found) == [("q1", "a", "ann: 1, bob: 2, cy: 0")]
    with pytest.raises(
        InputError, match=r"1 document judged with different grades: q1 a \(ann: 1, bob: 2, cy: 0\)"
    ):
        merge(ALL, answers)


def test_the_earlier_judgments_come_first() -> None:
    with pytest.raises(InputError, match=r"different grades: q1 d2 \(before: 0, last: 1\)"):
        merge(FIRST, {"last": LAST})
    found = merge(FIRST, {"last": LAST}, conflicts="last")
    assert nested(found.judgments) == {
        "q1": {"d1": 1, "d2": 1, "d3": 1, "d4": 0},
        "q2": {"d1": 2},
        "q3": {"d1": 0},
    }
    assert found.notes == [
        "1 document judged alike by several, or as before.",
        "1 document judged with different grades, settled by the rule 'last': q1 d2 (before: 0, last: 1).",
    ]
    nothing = merge({"q1": {"d1": 1}}, {"last": {"q1": {"d1": -1, "d2": -1}}})
    assert nested(nothing.judgments) == {"q1": {"d1": 1, "d2": -1}}
    assert nothing.notes == ["Nothing in the answers is judged: every grade is -1."]


def test_a_tie_of_the_majority_is_an_error() -> None:
    rest: Nested = {"q1": {"b": 0, "c": 0, "d": 0}, "q2": {"x": 1, "y": 0}}
    answers: dict[str, Nested] = {
        "ann": {**rest, "q1": {**rest["q1"], "a": 2}},
        "bob": {"q1": {"a": 0, "b": 1}},
        "cy": {"q1": {"b": 1}},
    }
    with pytest.raises(InputError, match="1 document judged with different grades: q1 a"):
        merge(ALL, answers, conflicts="majority")
    found = merge(ALL, {**answers, "dee": {"q1": {"a": 2}}}, conflicts="majority")
    assert found.judgments.grade.tolist() == [2, 1, 0, 0, 1, 0]
    assert [(query, document) for query, document, _ in conflicts(found)] == [("q1", "a"), ("q1", "b")]


def test_long_lists_end_in_a_number() -> None:
    """They ended in `, ....`, or said nothing of the rest."""
    ann, bob = ({"q": {f"d{n}": grade for n in range(7)}} for grade in (0, 1))
    with pytest.raises(InputError, match=r"^7 documents judged with different grades: .* and 2 more: settle"):
        merge(ann, {"bob": bob})
    assert merge(ann, {"bob": bob}, conflicts="last").notes[0].endswith(" and 2 more.")


def test_a_sample_waits_for_missing_answers_and_leaves_others_out() -> None:
    half = drawn("50%", seed=1)
    assert half.drawn is not None
    names = half.pooled.names(np.flatnonzero(half.drawn))
    (other,) = [document for document in "xy" if ("q2", document) not in names]
    answers: Nested = {"q2": {other: 1, "zz": 1}, "q9": {"a": 1}}
    for query, document in names[1:]:
        answers.setdefault(query, {})[document] = 1
    found = merge(half, {"ann": answers})
    assert found.notes == [
        f"1 document drawn and not judged yet, for which estimates wait: {' '.join(names[0])}.",
        f"3 documents judged but not drawn, left out: q2 {other}, q2 zz, q9 a.",
    ]
    assert int((found.judgments.grade >= 0).sum()) == 2
    later = merge(found.judgments, {"bob": {names[0][0]: {names[0][1]: 0}}}).judgments
    assert (later.drawn, later.origin) == (None, Origin(UNIFORM))
    assert later.probability is not None
    assert later.probability.tolist() == half.probability.tolist()  # type: ignore[union-attr]
    again = merge(
        later, {"ann": {q: {d: g for d, g in one.items() if (q, d) in names} for q, one in answers.items()}}
    )
    assert again.judgments.grade.tolist() == later.grade.tolist()


def test_cannot_judge_is_an_answer_and_no_grade() -> None:
    """The others of the stratum stand for the document."""
    found = merge(ALL, {"ann": {**REST, "q1": {**REST["q1"], "a": -2}}})
    assert found.judgments.grade.tolist() == [-2, 1, 0, 0, 1, 0]
    assert found.notes == ['1 document answered "cannot judge", which stay unjudged: q1 a.']
    assert "of which 1 cannot be judged" in repr(found.judgments)
    assert found.judgments.probability is not None
    assert found.judgments.probability.tolist() == [0.75] * 4 + [1.0] * 2
    for grade in (-1, -3):  # every other negative grade is no answer
        assert merge(ALL, {"ann": {**REST, "q1": {**REST["q1"], "a": grade}}}).judgments.drawn is not None


@pytest.mark.parametrize("order", [("ann", "bob"), ("bob", "ann")])
def test_the_grade_of_another_judge_counts_and_is_no_conflict(order: tuple[str, str]) -> None:
    given = {"ann": {**REST, "q1": {**REST["q1"], "a": -2}}, "bob": {"q1": {"a": 2}}}
    found = merge(ALL, {name: given[name] for name in order})
    assert found.judgments.grade.tolist() == [2, 1, 0, 0, 1, 0]
    assert (conflicts(found), found.notes) == ([], [])


def test_what_cannot_be_judged_counts_as_unjudged_and_is_not_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "answers.qrels"
    file.write_text("q1 0 a 1\nq1 0 b -2\nq1 0 c 0\n")
    judgments = Judgments.read(file)
    assert judgments.origin == A_POOL
    assert not judgments.waiting.any()
    assert judgments.text() == file.read_text()
    judged = {"q1": {"a": -2, "b": 1, "c": -1, "d": 0}, "q2": {"x": 1, "y": -1}}
    waiting = {**judged, "q1": {**judged["q1"], "a": -1}}
    one, other = (evaluate(qrels, RUNS, ["AP", "P@2", "Bpref", "Judged@2"]) for qrels in (judged, waiting))
    assert np.array_equal(one.values, other.values)
    ours, theirs = (intervals(scores)[0][1] for scores in (one, other))
    assert (ours.low, ours.high) == (theirs.low, theirs.high)
    asked = next_documents(judged, RUNS["down"], n=9, measure="P@2").wanted
    assert sorted((row["query"], row["document"]) for row in asked) == [("q1", "c"), ("q2", "y")]
    sample = next_documents(judged, RUNS, design="holes(9)", measure="P@2").sample
    assert sample is not None
    assert merge(sample, {"ann": {"q1": {"c": 0}, "q2": {"y": 1}}}).judgments.grade.min() == -2


@pytest.mark.parametrize(
    ("first", "answers", "rule", "problem"),
    [
        (
            FIRST,
            {"last": LAST},
            "mine",
            "conflicts is 'mine', expected one of error, majority, highest, last",
        ),
        (FIRST, [("q1", "d1", 1)], "error", "by name"),
        (
            {"q1": {"d1": 0.5}},
            {"last": {"q1": {"d1": 1}}},
            "error",
            "'0.5', expected a whole number .*: round them",
        ),
        (
            FIRST,
            {"last": replace(Judgments.read({"q1": {"d1": 1}}), probability=np.array([0.5]))},
            "error",
            "a drawn sample, whose probabilities",
        ),
        (
            replace(Judgments.read({"q1": {"d1": 1}}), probability=np.array([0.5])),
            {"last": FIRST},
            "error",
            "documents that were not in the sample",
        ),
    ],
)
def test_what_cannot_be_is_refused(first: Any, answers: Any, rule: Any, problem: str) -> None:
    with pytest.raises((UsageError, InputError), match=problem):
        merge(first, answers, conflicts=rule)


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
    first = replace(Judgments.read({"q1": {"d1": 1, "d2": -1, "d3": -1}}), origin=Origin(kind))
    if kind == STRATIFIED:
        first = replace(first, stratum=np.array([1, 2, 2], np.int32))
    found = merge(first, {"ann": {"q1": added}})
    assert found.judgments.origin.kind == expected
    assert any("were added to" in note for note in found.notes) == aloud
    assert (found.judgments.stratum is not None) == (kind == expected == STRATIFIED)
    chosen = replace(Judgments.read({"q1": added}), origin=Origin(CHOSEN))
    if max(added.values()) >= 0:
        assert merge(first, {"ann": chosen}).judgments.origin.kind == CHOSEN


def test_estimates_refuse_chosen_judgments() -> None:
    chosen = Judgments(LISTED.pooled, np.array([1, 0, -1, -1, 1, 0], np.int32), origin=Origin(CHOSEN))
    for name in ("infAP", "xinfAP", "infNDCG", "statAP", "indAP", "subAP"):
        with pytest.raises(UsageError, match="needs a random sample"):
            evaluate(chosen, {"q1": {"a": 1.0}, "q2": {"x": 1.0}}, name)
    assert evaluate(chosen, {"q1": {"a": 1.0}, "q2": {"x": 1.0}}, "AP").means[0][0] == 1.0
    assert xinfAP.traits.estimates


def test_a_sample_of_single_documents_keeps_its_probabilities() -> None:
    pool = Judgments.read({"q1": {"d1": -1, "d2": -1, "d3": -1}})
    odds = np.array([0.5, 0.2, 0.3])
    one_by_one = replace(pool, probability=odds, drawn=np.array([1, 0, 1], bool), origin=Origin(WEIGHTED))
    found = merge(one_by_one, {"ann": {"q1": {"d1": 1, "d2": 1, "d3": 0}}}).judgments
    assert nested(found) == {"q1": {"d1": 1, "d2": -1, "d3": 0}}
    assert found.probability is not None
    assert (found.probability.tolist(), found.origin) == (odds.tolist(), Origin(WEIGHTED))


BODY = "q1 0 a 2\nq1 0 b -2\nq1 0 c 0\n"
EXPORT = f"# unjudged-answers: 2 of 3 documents judged\n{BODY}".encode()


@pytest.mark.parametrize("data", [EXPORT, EXPORT.replace(b"\n", b"\r\n"), BODY.encode()])
def test_whole_exports_of_the_page_pass(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "ann.qrels").write_bytes(data)
    assert merge(ALL, {"ann": tmp_path / "ann.qrels"}).judgments.grade.tolist()[:3] == [2, -2, 0]


@pytest.mark.parametrize(
    ("data", "now"),
    [
        (EXPORT[:-9], "1 of 2 documents judged"),
        (EXPORT.replace(b"q1 0 b -2\n", b""), "2 of 2 documents judged"),
        (EXPORT.replace(b"q1 0 a 2", b"q1 0 a -1"), "1 of 3 documents judged"),
    ],
)
def test_a_cut_export_is_refused(tmp_path: Path, data: bytes, now: str) -> None:
    (tmp_path / "ann.qrels").write_bytes(data)
    problem = "ann.qrels:1: the file was cut or edited: 2 of 3 documents judged at export, "
    with pytest.raises(InputError, match=f"{problem}{now} now: .*delete its first line"):
        merge(ALL, {"ann": tmp_path / "ann.qrels"})
