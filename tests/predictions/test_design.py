"""Which documents people should judge: probabilities, draws, and what comes back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unjudged import InputError, Judgments, UsageError, sample
from unjudged.judging.judging_page import to_judge_in
from unjudged.judging.merging import merge
from unjudged.predictions import design_for_predictions, estimate_by_document
from unjudged.predictions.poisson_sample import probabilities
from unjudged.rankings.sample_file import sample_text

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
    assert odds(found) == pytest.approx({key: 2 * value / total for key, value in doubt.items()})


@pytest.mark.thorough
def test_draws_follow_the_probabilities_and_the_names_alone() -> None:
    many = {f"q{i}": RUN["q1"] for i in range(40)}
    turned = {q: many[q] for q in reversed(many)}
    counts = np.zeros(120)
    for seed in range(200):
        found = design_for_predictions(many, 30, None, "P@3", seed=seed)
        again = design_for_predictions(turned, 30, None, "P@3", seed=seed)
        assert sorted(to_judge_in(found)) == sorted(to_judge_in(again))
        assert found.drawn is not None
        counts += found.drawn
    assert counts.mean() / 200 == pytest.approx(0.25, abs=0.01)
    assert counts.std() / np.sqrt(200 * 0.25 * 0.75) == pytest.approx(1, abs=0.25)


def test_grades_come_back_with_their_probabilities(tmp_path: Path) -> None:
    """Also by way of the file, which has the grades that were known before."""
    found = design_for_predictions(RUN, 3, PREDICTED, "P@3", qrels={"q1": {"d3": 1}, "q2": {"d9": 0}}, seed=2)
    asked = to_judge_in(found)
    assert found.probability is not None
    np.testing.assert_array_equal(found.probability[found.grade >= 0], [1.0, 1.0])
    (tmp_path / "a.sample").write_text(sample_text(found))
    again = Judgments.read(tmp_path / "a.sample")
    assert (again.origin, again.stratum) == (found.origin, None)
    assert (odds(again), sorted(to_judge_in(again))) == (odds(found), sorted(asked))
    for design in (found, again):
        with pytest.raises(InputError, match=r"not judged yet, such as document .*the estimate needs all"):
            estimate_by_document(design, {"run": RUN}, None, "P@3")
        answers = {query: {d: 1 for q, d in asked if q == query} for query, _ in asked}
        judged = merge(design, {"people": {**answers, "elsewhere": {"d1": 1}}}).judgments
        assert (judged.grade >= 0).sum() == len(asked) + 2
        estimate_by_document(judged, {"run": RUN}, PREDICTED, "P@3")


def test_only_documents_of_the_pool_are_drawn() -> None:
    pool = {"q1": {"d1": 1, "d3": 0, "d8": 0}, "q2": {"d4": 1}}
    found = design_for_predictions([RUN, OTHER], 100, None, "P@3", among=pool)
    assert to_judge_in(found) == [("q1", "d1"), ("q1", "d3"), ("q2", "d4")]
    assert list(found.queries) == ["q1", "q2"]


def test_earlier_judgments_do_not_limit_the_queries() -> None:
    judged = {"q1": {"d1": 1, "d2": 0, "d3": 1, "d9": 0}}
    found = design_for_predictions(RUN, 100, None, "P@3", qrels=judged)
    assert {query for query, _ in to_judge_in(found)} == set(RUN) - {"q1"}
    limited = design_for_predictions(RUN, 100, None, "P@3", qrels=judged, among={"q2": {"d4": -1}})
    assert to_judge_in(limited) == [("q2", "d4")]
    with pytest.raises(InputError, match="nothing is left to draw"):
        design_for_predictions(RUN, 100, None, "P@3", qrels=judged, among=judged)


def test_a_query_that_people_judged_before_calibrates() -> None:
    qrels = {"q1": {"d1": 1, "d2": 0, "d3": 0}, "q2": {"d7": 0}}
    scores = {"q1": {"d1": 9.0, "d2": 2.0, "d3": 1.0}, "q2": {"d1": 8.0, "d4": 1.0}}
    found = design_for_predictions(RUN, 1, scores, "P@2", qrels=qrels)
    assert {document for _, document in to_judge_in(found)} <= {"d1", "d4"}
    raw = design_for_predictions(RUN, 1, scores, "P@2")  # no probabilities, and nothing is judged: by weight
    assert odds(raw) == odds(design_for_predictions(RUN, 1, None, "P@2"))


def odds(found: Judgments) -> dict[tuple[str, str], float]:
    """The probability of each document that could be drawn."""
    assert found.probability is not None
    names = found.pooled.names(np.arange(len(found.grade)))
    return dict(zip(names, found.probability.tolist(), strict=True))


def test_several_judges_count_alike_or_by_what_people_say_of_them() -> None:
    low = {q: {d: 0.8 * p for d, p in docs.items()} for q, docs in PREDICTED.items()}
    mean = {q: {d: 0.9 * p for d, p in docs.items()} for q, docs in PREDICTED.items()}
    both = design_for_predictions([RUN, OTHER], 2.0, {"one": PREDICTED, "two": low}, "RBP(p=0.5)")
    assert odds(both) == pytest.approx(odds(design_for_predictions([RUN, OTHER], 2.0, mean, "RBP(p=0.5)")))
    rng = np.random.default_rng(1)
    truth = {f"q{i}": {f"d{k}": int(rng.random() < 0.4) for k in range(10)} for i in range(40)}
    run = {q: {d: float(rng.random()) for d in docs} for q, docs in truth.items()}
    good = {q: {d: 0.2 + 0.6 * g for d, g in docs.items()} for q, docs in truth.items()}
    bad = {q: {d: float(rng.random()) for d in docs} for q, docs in truth.items()}
    people = {
        q: {d: g for d, g in docs.items() if d in ("d0", "d1", "d2", "d3")} for q, docs in truth.items()
    }
    found = design_for_predictions(run, 60, {"good": good, "bad": bad}, "P@10", qrels=people)
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
    assert found.drawn is not None
    assert found.drawn.all()
    known = design_for_predictions(RUN, 100, qrels={"q1": {"d3": 1}})
    assert (len(to_judge_in(known)), odds(known)) == (4, dict.fromkeys(odds(known), 1.0))
