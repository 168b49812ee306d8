"""Rules for conflicts against plain Python, adjudication, and one person over several files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median_low

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.in_process import printed
from unjudged import InputError, Judgments, UsageError
from unjudged.base.choices import Conflicts
from unjudged.judging import Pool
from unjudged.judging.collecting.answers import answers_grid, read_answers
from unjudged.judging.collecting.assignment import Assignment
from unjudged.judging.collecting.drawn_sample import draw
from unjudged.judging.collecting.merge_rules import RULES, Given, merge_rule
from unjudged.judging.collecting.merging import merge

POOL = Pool.of({"q1": dict.fromkeys("ab", -1), "q2": dict.fromkeys("xy", -1)})
ALL = draw(POOL, "random", 1.0)


def most_frequent(grades: list[int]) -> int:
    (first, votes), *others = Counter(grades).most_common()
    return -1 if others and others[0][1] == votes else first


PLAIN: dict[str, Callable[[list[int]], int]] = {
    "error": lambda _: -1,
    "majority": most_frequent,
    "median": median_low,
    "highest": max,
    "lowest": min,
    "first": lambda grades: grades[0],
    "last": lambda grades: grades[-1],
}


@given(st.lists(st.lists(st.integers(-1, 3), min_size=4, max_size=4), min_size=1, max_size=8))
def test_rules_are_those_of_plain_python(columns: list[list[int]]) -> None:
    table = np.array([column for column in columns if max(column) >= 0], np.int32).reshape(-1, 4).T
    own = np.arange(table.shape[1]) % 5 - 1
    for name, plain in PLAIN.items():
        found = RULES.find(name).settle(Given(table, own)).tolist()
        assert found == [plain([g for g in column if g >= 0]) for column in table.T.tolist()], name
    found = RULES.find("own").settle(Given(table, own)).tolist()
    assert found == [table[o, d] if o >= 0 else -1 for d, o in enumerate(own.tolist())]
    assert set(RULES) == {*PLAIN, "own"}


def test_the_own_assessor_decides() -> None:
    files = {"ann": {"q1": {"a": 2, "b": 0}, "q2": {"x": 1}}, "bob": {"q1": {"a": 0}, "q2": {"x": 0, "y": 1}}}
    assignment = Assignment({"q1": "ann", "q2": "bob"})
    found = merge(ALL, files, conflicts="own", assignment=assignment)
    assert found.judgments.grade.tolist() == [2, 0, 0, 1]
    with pytest.raises(UsageError, match="'own' needs an assignment"):
        merge(ALL, files, conflicts="own")
    with pytest.raises(InputError, match=r"1 document judged with different grades: q1 a \(ann: 2, bob: 0\)"):
        merge(ALL, files, conflicts="own", assignment=Assignment({"q1": "cy", "q2": "bob"}))


def test_a_tie_of_the_majority_is_adjudicated() -> None:
    rest = {"q1": {"b": 0}, "q2": {"x": 1, "y": 0}}
    files = {"ann": {**rest, "q1": {"a": 2, "b": 0}}, "bob": {"q1": {"a": 0, "b": 1}}, "cy": {"q1": {"b": 1}}}
    with pytest.raises(InputError, match="1 document judged with different grades: q1 a"):
        merge(ALL, files, conflicts="majority")
    found = merge(ALL, files, conflicts="majority", adjudicated={"q1": {"a": 1}})
    assert found.judgments.grade.tolist() == [1, 1, 1, 0]
    assert found.conflicts == [("q1", "a"), ("q1", "b")]
    assert found.to_adjudicate == [("q1", "b")]
    assert "settled by adjudication (1), the others by the rule 'majority'" in found.notes()[0]
    task = merge(ALL, files, conflicts="first").adjudication()
    assert task.splitlines()[1:] == [
        "# comment q1 a ann: 2, bob: 0",
        "# comment q1 b ann: 0, bob: 1, cy: 1",
        "q1 0 a -1",
        "q1 0 b -1",
    ]


def test_the_adjudicator_judges_blind(tmp_path: Path) -> None:
    """The page shows neither the grades nor the people, which the task's comments name."""
    rest = {"q2": {"x": 1, "y": 0}}
    files = {"annabel": {**rest, "q1": {"a": 2, "b": 0}}, "bobadil": {"q1": {"a": 0, "b": 0}}}
    task, page, texts = (tmp_path / name for name in ("task.qrels", "page.html", "texts.jsonl"))
    task.write_text(merge(ALL, files, conflicts="first").adjudication())
    assert "# comment q1 a annabel: 2, bobadil: 0" in task.read_text()
    texts.write_text('{"id": "a", "text": "words"}\n')
    printed("judge", str(task), "--documents", str(texts), "-o", str(page))
    shown = page.read_text()
    assert "words" in shown
    assert "annabel" not in shown
    assert "bobadil" not in shown


def test_the_adjudicator_may_be_unable_to_judge() -> None:
    files = {"ann": {"q1": {"a": 2, "b": 0}, "q2": {"x": 1, "y": 0}}, "bob": {"q1": {"a": 0}}}
    found = merge(ALL, files, adjudicated={"q1": {"a": -2}})
    assert found.judgments.grade.tolist() == [-2, 0, 1, 0]
    assert found.unable == [("q1", "a")]


def test_a_rule_of_your_own() -> None:
    @merge_rule("mean", "the mean, rounded down")
    def mean(given: Given) -> np.ndarray:
        found: np.ndarray = np.nanmean(np.where(given.grades >= 0, given.grades, np.nan), axis=0)
        return found.astype(np.int32)

    try:
        files = {"ann": {"q1": {"a": 3, "b": 0}, "q2": {"x": 1, "y": 0}}, "bob": {"q1": {"a": 0}}}
        rule: Conflicts = "mean"  # type: ignore[assignment]
        assert merge(ALL, files, conflicts=rule).judgments.grade.tolist() == [1, 0, 1, 0]
    finally:
        del RULES["mean"]


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return path


def test_a_person_is_one_over_rounds(tmp_path: Path) -> None:
    first = written(
        tmp_path / "one" / "ann.qrels", "q1 0 a 1\nq1 0 b 0\n# comment q1 b far off\n# seconds q1 b 3.5\n"
    )
    second = written(tmp_path / "two" / "ann-judged (1).qrels", "q1 0 b 2\nq2 0 x 1\n")
    third = written(tmp_path / "cy.qrels", "# unjudged-assessor bob\nq2 0 y -2\n# comment q2 y cut off\n")
    people = read_answers([first, second, third])
    assert list(people) == ["ann", "bob"]
    found = merge(ALL, people)
    assert found.judgments.grade.tolist() == [1, 2, 1, -2]
    assert (list(found.judges), found.conflicts, found.regraded) == (["ann", "bob"], [], [("q1", "b")])
    assert "1 document judged differently by the same judge, whose later file counts: q1 b." in found.notes()
    rows = answers_grid(people, found.judgments).rows
    assert [tuple(row[:7]) for row in rows] == [
        ("q1", "a", "ann", "1", "1", None, None),
        ("q1", "b", "ann", "0", "2", 3.5, "far off"),
        ("q1", "b", "ann", "2", "2", None, None),
        ("q2", "x", "ann", "1", "1", None, None),
        ("q2", "y", "bob", "cannot judge", "cannot judge", None, "cut off"),
    ]
    with pytest.raises(UsageError, match="the same file is given twice"):
        read_answers([first, first])


def test_what_is_wrong_in_a_file_is_named_by_line(tmp_path: Path) -> None:
    file = written(tmp_path / "ann.qrels", "# unjudged-assessor ann\nq1 0 a 1\nq1 0 b 7\nq2 0 x -2\n")
    with pytest.raises(
        InputError, match=r"ann.qrels:3: the grade of document 'b' of query 'q1' is 7, expected one of 0, 1"
    ):
        read_answers([file], grades=[0, 1])
    assert read_answers([file], grades=[0, 1, 7])["ann"][0].judgments.grade.tolist() == [1, 7, -2]
    written(file, "q1 0 a 1\n# seconds q1 a soon\n")
    with pytest.raises(InputError, match=r"ann.qrels:2: the time is 'soon', expected a finite number"):
        read_answers([file])
    written(file, "# unjudged-assessor ann\n# unjudged-assessor bob\nq1 0 a 1\n")
    with pytest.raises(InputError, match="names 2 assessors, ann, bob"):
        read_answers([file])


def test_no_agreement_is_not_a_number() -> None:
    same = {"q1": {"a": 1, "b": 1}, "q2": {"x": 1, "y": 1}}
    for grid in merge(ALL, {"ann": same, "bob": same}).grids():
        assert "nan" not in str(grid)
    assert "A kappa is blank where only one grade was given" in str(grid)
    assert Judgments.of(same).grade.tolist() == [1] * 4
