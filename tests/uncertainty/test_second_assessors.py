"""Intervals had another assessor judged: formulas, simulated people, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student
from scipy.stats import ttest_1samp

from tests.cli.in_process import printed, refused
from unjudged import InputError, Judgments, UsageError, compare, evaluate, sample
from unjudged.measures.kernel.estimand import ASSESSORS
from unjudged.uncertainty.second_assessors import SecondAssessors, prediction

RUNS = {
    "a": {q: {"w": 4, "x": 3, "y": 2, "z": 1} for q in ("q1", "q2", "q3", "q4")},
    "b": {q: {"z": 4, "y": 3, "x": 2, "w": 1} for q in ("q1", "q2", "q3", "q4")},
}
FIRST = {q: {"w": 1, "x": 1, "y": 0, "z": 0} for q in ("q1", "q2", "q3", "q4")}
SECOND = {
    "ann": {"q1": {"w": 1, "x": 0, "y": 0, "z": 0}, "q2": {"w": 1, "x": 1, "y": 0, "z": 0}},
    "bob": {"q2": {"w": 0, "x": 0, "y": 0, "z": 1}, "q3": {"w": 1, "x": 0, "y": 0, "z": 0}},
}


def test_with_as_many_topics_it_is_the_interval_from_the_means_of_people() -> None:
    shift = np.random.default_rng(1).normal(size=(4, 5))
    middle, half = prediction(shift.ravel(), np.repeat(range(4), 5), 5, 0.9)
    people = shift.mean(axis=1)
    assert float(middle) == pytest.approx(people.mean())
    assert float(half) == pytest.approx(student.ppf(0.95, 3) * people.std(ddof=1) * np.sqrt(1 + 1 / 4))


def test_more_topics_count_as_so_many_and_fewer_add_their_spread() -> None:
    shift, person = np.random.default_rng(2).normal(size=12), np.repeat(range(3), 4)
    half = {topics: float(prediction(shift, person, topics, 0.95)[1]) for topics in (2, 4, 50)}
    assert half[50] == pytest.approx(half[4])
    table = shift.reshape(3, 4)
    within, between = table.var(axis=1, ddof=1).mean(), 4 * table.mean(axis=1).var(ddof=1)
    one, other = between / 3, within * (1 / 2 - 1 / 4)
    freedom = (one + other) ** 2 / (one**2 / 2 + other**2 / 9)
    assert half[2] == pytest.approx(student.ppf(0.975, freedom) * np.sqrt(one + other))


def test_one_second_assessor_is_asked_about_other_topics() -> None:
    shift = np.array([0.1, 0.3, -0.1, 0.2])
    middle, half = prediction(shift, np.zeros(4, int), 10, 0.95)
    assert float(middle) == pytest.approx(shift.mean())
    assert float(half) == pytest.approx(student.ppf(0.975, 3) * shift.std(ddof=1) * np.sqrt(1 / 4 + 1 / 10))


@given(
    st.lists(st.tuples(st.integers(0, 2), st.floats(-1, 1)), min_size=4, max_size=15),
    st.floats(-2, 2),
    st.floats(0.1, 3),
    st.randoms(),
)
def test_moving_stretching_and_reordering(
    cells: list[tuple[int, float]], move: float, stretch: float, random: object
) -> None:
    cells = [(0, 0.0), (1, 0.5), (2, 0.1), *cells]
    person, shift = np.array([p for p, _ in cells]), np.array([s for _, s in cells])
    middle, half = prediction(shift, person, 8, 0.95)
    moved = prediction(stretch * shift + move, person, 8, 0.95)
    assert float(moved[0]) == pytest.approx(stretch * float(middle) + move, abs=1e-9)
    assert float(moved[1]) == pytest.approx(stretch * float(half), rel=1e-6, abs=1e-9)
    order = list(range(len(cells)))
    random.shuffle(order)  # type: ignore[attr-defined]
    again = prediction(shift[order], person[order], 8, 0.95)
    assert float(again[1]) == pytest.approx(float(half), rel=1e-9)
    assert float(half) >= 0


@pytest.mark.parametrize(("people", "spread"), [(3, 0.0), (3, 1.0), (6, 0.5)])
def test_it_holds_for_another_person(people: int, spread: float) -> None:
    """Under its own assumptions at least 95 %, up to three standard errors of 3,000 studies."""
    rng, studies, topics = np.random.default_rng(people), 3000, 20
    person = np.repeat(range(people), 5)
    shift = rng.normal(0, spread, (studies, people))[:, person] + rng.normal(size=(studies, len(person)))
    truth = rng.normal(0, spread, studies) + rng.normal(size=(studies, topics)).mean(axis=1)
    middle, half = prediction(shift, person, topics, 0.95)
    assert (np.abs(truth - middle) <= half).mean() > 0.95 - 3 * np.sqrt(0.95 * 0.05 / studies)


def test_a_small_case_by_hand() -> None:
    """P@2 of run a: 1 by the first grades; by ann 0.5 and 1, by bob 0 and 0.5."""
    scores = evaluate(FIRST, RUNS, "P@2")
    shifts = SecondAssessors.of(SECOND).shifts(scores.measures[0], scores.rankings, 2)  # type: ignore[arg-type]
    assert shifts.shift.tolist() == [[-0.5, 0.0, -1.0, -0.5], [0.0, 0.0, 0.5, 0.0]]
    assert shifts.person.tolist() == [0, 0, 1, 1]
    one, other = (row[0] for row in scores.estimate("assessors", second=SECOND))
    assert (one.value, other.value) == (0.5, 0.125)
    assert (one.uncertainty, one.of.queries) == (ASSESSORS, "these queries")
    _, half = prediction(shifts.shift[0], shifts.person, 4, 0.95)
    assert (one.low, one.high) == (max(0.0, 0.5 - float(half)), min(1.0, 0.5 + float(half)))
    assert "2 second assessors on 4 topics judged twice" in one.method
    assert (
        "one second assessor cannot tell" in scores.estimate("assessors", second=SECOND["ann"])[0][0].method
    )


def test_a_document_that_only_one_judged_does_not_count() -> None:
    second = {"ann": {"q1": {"w": 1, "x": -2, "v": 3}, "q2": {"w": 1, "x": 1}, "q3": {"w": 0, "x": 1}}}
    scores = evaluate(FIRST, RUNS, "P@2")
    found = SecondAssessors.of(second).shifts(scores.measures[0], scores.rankings, 2)  # type: ignore[arg-type]
    assert found.shift.tolist() == [[0.0, -0.5], [0.0, 0.0]]
    assert found.thin == 1


def test_a_comparison_names_the_assessor() -> None:
    found = compare(FIRST, RUNS, "P@2", second=SECOND)
    pair = found.pair("a", "b")
    assert pair.assessors is not None
    assert pair.assessors.value == pytest.approx(1 - 0.5 - 0.125)
    text = str(found)
    assert "Another assessor, 95%: +0.3750, -1.0000 to +1.0000 (had another assessor judged" in text
    assert (
        text.rstrip()
        .split("Verdict: ")[1]
        .split("\n")[0]
        .endswith("Another assessor could say the opposite.")
    )
    turned = found.pair("b", "a").assessors
    assert turned is not None
    assert turned.value == -pair.assessors.value
    assert compare(FIRST, RUNS, "P@2").pair("a", "b").assessors is None
    agreeing = compare(FIRST, RUNS, "P@2", second={"ann": FIRST, "bob": FIRST})
    assert "Another assessor would most likely agree on the order." in str(agreeing)


def test_each_pair_has_p_values_under_every_assessor() -> None:
    """By scipy, from the values of P@2 on topics judged twice; people of different topics are a set."""
    runs = {name: {q: dict(docs) for q, docs in run.items()} for name, run in RUNS.items()}
    runs["b"]["q1"] = {"x": 2, "z": 1}
    second = {**SECOND, "cy": {"q3": {"w": 0, "x": 1, "y": 1, "z": 1}, "q4": dict(FIRST["q4"])}}
    found = compare(FIRST, runs, "P@2", second=second, correction="none")
    one, other = found.pair("a", "b").under_assessors
    assert (one.assessors, one.topics) == (("ann", "cy"), 4)
    assert (other.assessors, other.topics) == (("bob",), 2)
    first, ann_cy = [0.5, 1.0, 1.0, 1.0], [0.5, 1.0, -0.5, 1.0]
    assert one.first_difference == pytest.approx(np.mean(first))
    assert one.first_p == pytest.approx(ttest_1samp(first, 0).pvalue)
    assert one.difference == pytest.approx(np.mean(ann_cy))
    assert one.p == pytest.approx(ttest_1samp(ann_cy, 0).pvalue)
    assert one.conclusions(0.05) == {1, 0}
    assert one.conclusions(0.001) == {0}
    turned = found.pair("b", "a").under_assessors[0]
    assert (turned.difference, turned.p) == (-one.difference, one.p)
    text = str(found)
    p = f"p = {one.first_p:.4f} by the first grades; +0.5000, p = {one.p:.4f} by those of ann, cy."
    assert f"On 4 topics judged twice: +0.8750, {p}" in text
    assert "Whether it is significant on the topics judged twice depends on the assessor." in text
    record = found.records().as_records().as_columns()
    assert record["assessors_1_assessors"] == ["ann, cy"]
    assert record["assessors_1_p"] == [one.p]


def test_what_is_refused() -> None:
    scores = evaluate(FIRST, RUNS, ["P@2"])
    with pytest.raises(UsageError, match="need judgments of second assessors"):
        scores.estimate("assessors")
    with pytest.raises(InputError, match=r"have other queries \(q9\)"):
        scores.estimate("assessors", second={"q9": {"w": 1}})
    with pytest.raises(InputError, match="1 topic judged twice, expected two or more; in 1 more topic"):
        scores.estimate("assessors", second={"q1": {"w": 1}, "q2": {"w": 1, "x": 0, "y": 0}})
    with pytest.raises(UsageError, match="Judged@2 is not about relevance"):
        evaluate(FIRST, RUNS, "Judged@2").estimate("assessors", second=SECOND)
    with pytest.raises(UsageError, match="estimates from a random sample"):
        evaluate(FIRST, RUNS, "infAP").estimate("assessors", second=SECOND)
    with pytest.raises(UsageError, match="same file is given twice"):
        SecondAssessors.of(["x.qrels", "x.qrels"])


def test_the_commands(tmp_path: Path) -> None:
    qrels = Judgments.of(sample.qrels)
    files = []
    for number, name in enumerate(("ann", "bob", "cy")):
        own = np.isin(qrels.query, range(5 * number, 5 * number + 5))
        rng = np.random.default_rng(number)
        other = np.where(rng.random(len(qrels.grade)) < 0.2, 1 - np.minimum(qrels.grade, 1), qrels.grade)
        lines = [
            f"{q} 0 {d} {g}\n"
            for (q, d), g in zip(qrels.pooled.names(np.flatnonzero(own)), other[own], strict=True)
        ]
        files += ["--second", str(tmp_path / f"{name}.qrels")]
        Path(files[-1]).write_text("".join(lines))
    runs = [str(sample.runs[name]) for name in ("fused", "reranked")]
    table = printed("evaluate", str(sample.qrels), runs[0], "-m", "P@10", "--interval", "assessors", *files)
    assert "3 second assessors on 15 topics" in " ".join(table.split())
    text = printed("compare", str(sample.qrels), *runs, "-m", "P@10", *files)
    assert "Another assessor, 95%" in text
    pairs = printed("compare", str(sample.qrels), *runs, "-m", "P@10", "--pairs", *files)
    assert "another assessor" in pairs
    record = printed("compare", str(sample.qrels), *runs, "-m", "P@10", "--format", "json", *files)
    assert "assessors_low" in record
    assert '"assessors_1_assessors": "ann, bob, cy", "assessors_1_topics": 15' in record
    assert "p by assessors: by the first grades and by theirs" in " ".join(pairs.split())
    assert "needs --second FILE" in refused(
        2, "evaluate", str(sample.qrels), runs[0], "--interval", "assessors"
    )
    unused = refused(2, "evaluate", str(sample.qrels), runs[0], "--interval", "queries", *files[:2])
    assert "--second is for --interval assessors" in unused
