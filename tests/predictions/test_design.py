"""Which documents people should judge: probabilities, draws, and what comes back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import InputError, Judgments, UsageError, sample
from unjudged.cli.input_options import read_judgments
from unjudged.judging import DrawnSample
from unjudged.judging.merging import merge
from unjudged.judging.sample_file import read_sample, sample_text
from unjudged.predictions import design_for_predictions, estimate_by_document
from unjudged.predictions.poisson_sample import probabilities
from unjudged.rankings.origin import CHOSEN, Origin

RUN = {"q1": {"d1": 4.0, "d2": 3.0, "d3": 2.0}, "q2": {"d1": 2.0, "d4": 1.0}}
OTHER = {"q1": {"d9": 4.0, "d1": 3.0}, "q3": {"d1": 2.0}}
PREDICTED = {
    "q1": {"d1": 0.5, "d2": 0.9, "d3": 0.1, "d9": 0.5},
    "q2": {"d1": 0.5, "d4": 0.5},
    "q3": {"d1": 0.2},
}


@given(
    size=st.lists(st.just(0.0) | st.floats(1e-200, 1e6), min_size=1, max_size=40),
    share=st.floats(0.05, 1.0),
    floor=st.floats(0, 0.04),
)
def test_probabilities_add_up_to_the_budget(size: list[float], share: float, floor: float) -> None:
    sizes = np.array(size)
    pi = probabilities(sizes, np.ones(len(sizes), bool), share * len(sizes), floor)
    assert ((pi >= floor) & (pi <= 1)).all()
    positive = max(float((sizes > 0).sum()), 0.0)
    everything = not positive or share * len(sizes) >= len(sizes)
    reachable = len(sizes) if everything else positive + floor * (len(sizes) - positive)
    assert pi.sum() == pytest.approx(min(share * len(sizes), reachable), rel=1e-9)
    inside = (pi > floor) & (pi < 1) & (sizes > 0)
    if positive:
        ratio = pi[inside] / sizes[inside]
        np.testing.assert_allclose(ratio, ratio[:1].repeat(len(ratio)), rtol=1e-9)


def test_weight_and_doubt_decide() -> None:
    """RBP(p=0.5) weighs 1/2, 1/4, 1/8: against the probabilities written down."""
    found = design_for_predictions([RUN, OTHER], 2.0, PREDICTED, "RBP(p=0.5)", floor=0.01)
    assert found.judgments.probability is not None
    recorded = {
        (found.judgments.queries[q], d): p
        for q, d, p in zip(
            found.judgments.query, found.judgments.documents, found.judgments.probability, strict=True
        )
    }
    doubt = {
        ("q1", "d1"): (0.5 + 0.25) * 0.5,
        ("q1", "d2"): 0.25 * 0.3,
        ("q1", "d3"): 0.125 * 0.3,
        ("q1", "d9"): 0.5 * 0.5,
        ("q2", "d1"): 0.5 * 0.5,
        ("q2", "d4"): 0.25 * 0.5,
        ("q3", "d1"): 0.5 * 0.4,
    }
    total = sum(doubt.values())
    assert recorded == pytest.approx({key: 2 * value / total for key, value in doubt.items()})
    assert found.method == "proportional to weight x doubt by predicted probabilities, at least 0.01"


@pytest.mark.thorough
def test_draws_follow_the_probabilities_and_the_names_alone() -> None:
    many = {f"q{i}": RUN["q1"] for i in range(40)}
    turned = {q: many[q] for q in reversed(many)}
    counts = np.zeros(120)
    for seed in range(200):
        found = design_for_predictions(many, 30, None, "P@3", seed=seed)
        assert sorted(found.to_judge()) == sorted(
            design_for_predictions(turned, 30, None, "P@3", seed=seed).to_judge()
        )
        counts += found.drawn
    assert counts.mean() / 200 == pytest.approx(0.25, abs=0.01)
    assert counts.std() / np.sqrt(200 * 0.25 * 0.75) == pytest.approx(1, abs=0.25)


def test_grades_come_back_with_their_probabilities() -> None:
    found = design_for_predictions(RUN, 3, PREDICTED, "P@3", qrels={"q1": {"d3": 1}, "q2": {"d9": 0}}, seed=2)
    grades: dict[str, dict[str, int]] = {}
    for query, document in found.to_judge():
        grades.setdefault(query, {})[document] = 1
    merged = merge(found, {"people": {**grades, "elsewhere": {"d1": 1}}})
    judged = merged.judgments
    assert merged.foreign == [("elsewhere", "d1")]
    assert (judged.grade >= 0).sum() == len(found.to_judge()) + 2 == found.drawn.sum()
    known = {"d3", "d9"} & set(judged.documents)
    assert known == {"d3", "d9"}
    assert found.earlier.sum() == 2
    np.testing.assert_array_equal(judged.probability[found.earlier], 1.0)  # type: ignore[index]
    estimate_by_document(judged, {"run": RUN}, PREDICTED, "P@3")


def test_a_design_is_restored_from_its_file(tmp_path: Path) -> None:
    found = design_for_predictions(RUN, 3, PREDICTED, "P@3", qrels={"q1": {"d3": 1}, "q2": {"d9": 0}}, seed=2)
    file = tmp_path / "design.txt"
    file.write_text(sample_text(replace(found, made_by="how it was made")))
    again = read_sample(file)
    before = found.judgments.grade >= 0
    assert before.sum() == 2
    assert (again.judgments.grade == -1).all()
    for field in ("drawn", "earlier", "probability"):
        np.testing.assert_array_equal(getattr(again, field), getattr(found, field))
    np.testing.assert_array_equal(found.earlier, before)
    assert (again.seed, again.made_by, again.origin) == (2, "how it was made", found.origin)
    assert again.judgments.stratum is None
    file.write_text(sample_text(replace(found, origin=Origin(CHOSEN))))
    with pytest.raises(InputError, match="no random sample"):
        read_judgments(str(file), None)


def test_what_people_are_given_does_not_show_ranks() -> None:
    found = design_for_predictions([RUN, OTHER], 100, None, "P@3")
    head, *lines = found.task().splitlines()
    assert head.startswith(f"# {len(lines)} documents of 3 topics to judge: replace each -1 by a grade, or")
    assert sorted(tuple(line.split()[0:3:2]) for line in lines) == sorted(found.to_judge())


def test_a_design_with_open_judgments_is_not_estimated_from() -> None:
    found = design_for_predictions(RUN, 4.5, None, "P@3")
    with pytest.raises(InputError, match=r"not judged yet, such as document .*the estimate needs all"):
        estimate_by_document(found.judgments, {"run": RUN}, None, "P@3")


def test_only_documents_of_the_pool_are_drawn() -> None:
    pool = {"q1": {"d1": 1, "d3": 0, "d8": 0}, "q2": {"d4": 1}}
    found = design_for_predictions([RUN, OTHER], 100, None, "P@3", among=pool)
    assert found.to_judge() == [("q1", "d1"), ("q1", "d3"), ("q2", "d4")]
    assert list(found.judgments.queries) == ["q1", "q2"]


def test_earlier_judgments_do_not_limit_the_queries() -> None:
    judged = {"q1": {"d1": 1, "d2": 0, "d3": 1, "d9": 0}}
    found = design_for_predictions(RUN, 100, None, "P@3", qrels=judged)
    assert {query for query, _ in found.to_judge()} == set(RUN) - {"q1"}
    limited = design_for_predictions(RUN, 100, None, "P@3", qrels=judged, among={"q2": {"d4": -1}})
    assert limited.to_judge() == [("q2", "d4")]
    with pytest.raises(InputError, match="nothing is left to draw"):
        design_for_predictions(RUN, 100, None, "P@3", qrels=judged, among=judged)


def test_an_incomplete_answer_is_refused() -> None:
    found = design_for_predictions(RUN, 4.5, None, "P@3")
    (query, document), *_ = found.to_judge()
    answers = {query: {document: 1}} if len(found.to_judge()) > 1 else {"q9": {"d": 1}}
    with pytest.raises(InputError, match="drawn but not judged"):
        merge(found, {"people": answers})
    with pytest.raises(InputError, match="not judged yet, such as document"):
        estimate_by_document(merge(found.judgments, {"people": {query: {document: 1}}}).judgments, RUN, None)


def test_a_query_that_people_judged_before_calibrates() -> None:
    qrels = {"q1": {"d1": 1, "d2": 0, "d3": 0}, "q2": {"d7": 0}}
    scores = {"q1": {"d1": 9.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 8.0, "d4": 1.0}}
    found = design_for_predictions(RUN, 1, scores, "P@2", qrels=qrels)
    assert "calibrated" in found.method
    assert {document for _, document in found.to_judge()} <= {"d1", "d4"}
    raw = design_for_predictions(RUN, 1, scores, "P@2")
    assert "no probabilities" in raw.method


def odds(found: DrawnSample) -> dict[tuple[str, str], float]:
    """The probability of each document that could be drawn."""
    own = found.judgments
    assert own.probability is not None
    listed = zip(own.query, own.documents, own.probability, strict=True)
    return {(own.queries[q], document): float(p) for q, document, p in listed}


def test_several_judges_count_alike_or_by_what_people_say_of_them() -> None:
    low = {q: {d: 0.8 * p for d, p in docs.items()} for q, docs in PREDICTED.items()}
    mean = {q: {d: 0.9 * p for d, p in docs.items()} for q, docs in PREDICTED.items()}
    both = design_for_predictions([RUN, OTHER], 2.0, {"one": PREDICTED, "two": low}, "RBP(p=0.5)")
    assert odds(both) == pytest.approx(odds(design_for_predictions([RUN, OTHER], 2.0, mean, "RBP(p=0.5)")))
    assert "predicted probabilities, the mean of one, two" in both.method
    rng = np.random.default_rng(1)
    truth = {f"q{i}": {f"d{k}": int(rng.random() < 0.4) for k in range(10)} for i in range(40)}
    run = {q: {d: float(rng.random()) for d in docs} for q, docs in truth.items()}
    good = {q: {d: 0.2 + 0.6 * g for d, g in docs.items()} for q, docs in truth.items()}
    bad = {q: {d: float(rng.random()) for d in docs} for q, docs in truth.items()}
    people = {
        q: {d: g for d, g in docs.items() if d in ("d0", "d1", "d2", "d3")} for q, docs in truth.items()
    }
    found = design_for_predictions(run, 60, {"good": good, "bad": bad}, "P@10", qrels=people)
    assert "calibrated predictions of good, bad" in found.method
    alone = odds(design_for_predictions(run, 60, good, "P@10", qrels=people))
    assert odds(found) == pytest.approx(
        alone, abs=0.08
    )  # the judge that tells nothing weighs next to nothing
    assert odds(design_for_predictions(run, 60, {"good": good}, "P@10", qrels=people)) == alone


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match=r"a floor of 0\.5 alone draws 150 of 300 documents.*below 0\.33"):
        design_for_predictions(sample.runs["dense"], 100, measure="P@10", floor=0.5)
    with pytest.raises(UsageError, match="budget is 0"):
        design_for_predictions(RUN, 0)
    with pytest.raises(UsageError, match="floor is 1"):
        design_for_predictions(RUN, 10, floor=1)
    with pytest.raises(UsageError, match="cannot be estimated by document"):
        design_for_predictions(RUN, 10, measure="AP")


def test_all_documents_where_the_budget_allows() -> None:
    found = design_for_predictions(RUN, 100)
    assert found.drawn.all()
    assert isinstance(found.judgments, Judgments)
    head, _, row, *_, note = str(found).splitlines()
    assert head == "predictions, 5 documents drawn"
    assert row.split() == ["1", "5", "5", "1.0000", "1.0000"]
    assert note == "Drawn proportional to weight, at least 0.01."
    known = design_for_predictions(RUN, 100, qrels={"q1": {"d3": 1}})
    assert [list(row) for row in known.grid().rows] == [[1, 4, 4, 1, 1.0, 1.0]]
