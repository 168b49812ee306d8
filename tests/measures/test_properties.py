"""What holds for every measure of the registry, whatever the rankings."""

from __future__ import annotations

import inspect
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, collections, examples
from unjudged import MEASURES, JudgedRankings, Judgments, Measure, evaluate
from unjudged.collection.collection import judged_rankings
from unjudged.measures.gain import DCG
from unjudged.measures.kernel.names import parse

NEEDED = {"cutoff": 4, "recall": 0.3, "multiple": 1.5}


def complete(measure: Measure) -> Measure:
    """With a value for each parameter that it cannot do without."""
    needed = [n for n, default in measure.parameters.items() if default is inspect.Parameter.empty]
    return measure(**{name: NEEDED[name] for name in needed})


EVERY = [complete(measure) for measure in MEASURES.values()]
every_measure = pytest.mark.parametrize("measure", EVERY, ids=str)


GAINS = ("DCG(gains={1: 5, 2: 1})", "nDCG(gains={0: 0.5})", "RBP(max_grade=3)", "RBP(gains={1: 0.3}, rel=2)")


@pytest.mark.thorough
@pytest.mark.parametrize("measure", [*EVERY, *(m for name in GAINS for m in parse(name))], ids=str)
def test_its_traits_are_true(measure: Measure) -> None:
    if not measure.traits.estimates:
        measure.try_traits()


@examples(100)
@given(collection=collections())
def test_values_are_within_their_ranges(collection: tuple[Qrels, RunDict]) -> None:
    for values, measure in zip(evaluate(*collection, EVERY).values[0].T, EVERY, strict=True):
        low, high = measure.traits.range
        assert ((values >= low) & (values <= high + 1e-12)).all(), measure


OF_ONE_QUERY = [measure for measure in EVERY if not measure.traits.across_queries]


@examples(60)
@given(collection=collections())
def test_a_ranking_is_scored_on_its_own(collection: tuple[Qrels, RunDict]) -> None:
    """To the bit, whatever other rankings are computed with it."""
    qrels, run = collection
    shorter = {query: dict(list(documents.items())[:2]) for query, documents in run.items()}
    together = evaluate(qrels, {"a": run, "b": shorter}, OF_ONE_QUERY)
    for place, query in enumerate(together.queries):
        if query in run:
            alone = evaluate({query: qrels[query]}, {query: run[query]}, OF_ONE_QUERY)
            assert dict(zip(OF_ONE_QUERY, together.values[0, place], strict=True)) == dict(
                zip(OF_ONE_QUERY, alone.values[0, 0], strict=True)
            )


@examples(60)
@given(collection=collections(), depth=st.integers(1, 6))
def test_a_cutoff_hides_what_is_below_it(collection: tuple[Qrels, RunDict], depth: int) -> None:
    cut = [measure @ depth for measure in EVERY if measure.traits.at == "cutoff"]
    values, of_the_first = (evaluate(*collection, cut, depth=own).values[0].T for own in (None, depth))
    for measure, one, other in zip(cut, values, of_the_first, strict=True):
        np.testing.assert_array_equal(one, other, str(measure))


@examples(60)
@given(collection=collections())
def test_an_empty_ranking_for_a_query_that_is_missing(collection: tuple[Qrels, RunDict]) -> None:
    qrels, run = collection
    scores = evaluate(qrels, {"run": run}, EVERY)
    absent = [query for query in qrels if query not in run]
    assert list(scores.missing.get("run", [])) == absent
    for query in absent:
        relevant = sum(grade >= 1 for grade in qrels[query].values())
        of_nothing = {
            "RBPResidual": 1.0,
            "RBPUpper": 1.0,
            "GMAP": 0.00001,
            "GMBpref": 0.00001,
            "NumRel": relevant,
            "yaAP": pytest.approx(-np.log(1 + relevant)),
            "IdealDCG": scores.value("IdealDCG", query=query),
        }
        for measure in EVERY:
            assert scores.value(measure, query=query) == of_nothing.get(measure.name, 0.0), measure


@examples(60)
@given(collection=collections())
def test_relabelling_is_the_same_as_reading_again(collection: tuple[Qrels, RunDict]) -> None:
    """And a measure has the same values alone as beside all others."""
    qrels, run = collection
    judgments = Judgments.read(qrels)
    hidden = judgments.with_grades(np.where(np.arange(len(judgments.grade)) % 2, -1, judgments.grade))
    relabelled = judged_rankings(judgments, {"run": run}).relabelled(hidden)
    rows = iter(hidden.grade.tolist())
    again = {query: {document: next(rows) for document in grades} for query, grades in qrels.items()}
    for measure, values in zip(OF_ONE_QUERY, evaluate(again, run, OF_ONE_QUERY).values[0].T, strict=True):
        np.testing.assert_array_equal(measure.compute(relabelled), values, str(measure))


@every_measure
def test_its_name_reads_back(measure: Measure) -> None:
    assert parse(str(measure)) == [measure]
    assert parse(str(measure))[0].given == measure.given


@every_measure
def test_it_is_documented(measure: Measure) -> None:
    first, *rest = measure.help.split("\n")
    assert first.endswith((".", "beta."))
    assert any("unjudged" in line or "judged" in line for line in [first, *rest])
    assert ">>>" in measure.help


@examples(60)
@given(collection=collections(lowest=-1), cutoff=st.sampled_from([1, 2, 5, 1000]), highest=st.integers(0, 2))
def test_the_best_dcg_of_gains_of_1_is_that_of_any_gains(
    collection: tuple[Qrels, RunDict], cutoff: int, highest: int
) -> None:
    """To the bit: where every gain is 1, the number of relevant documents is enough."""
    qrels = {q: {d: min(grade, highest) for d, grade in own.items()} for q, own in collection[0].items()}
    for name in (f"nDCG@{cutoff}", "nDCG", f"IdealDCG@{cutoff}", "IdealDCG"):
        (measure,) = parse(name)
        general = evaluate(qrels, collection[1], measure(gains={1: 1.0})).values
        np.testing.assert_array_equal(evaluate(qrels, collection[1], measure).values, general)


@pytest.mark.parametrize("cutoff", [1, 10, 1000, 1001, inf])
def test_discounts_are_the_bits_of_the_formula(cutoff: float) -> None:
    """Discounts that are kept are those that would be computed, for any number of ranks at once."""
    rank = np.arange(1, 3000, dtype=np.int32)
    grade = np.random.default_rng(1).integers(0, 5, len(rank))
    judgments = Judgments.read({f"q{k}": {"d": int(g)} for k, g in zip(rank, grade, strict=True)})
    every = np.arange(len(rank), dtype=np.int32)  # one document per ranking, each at a rank of its own
    rankings = JudgedRankings(judgments, rank, every, np.arange(len(rank) + 1), rank, every)
    formula = np.where(rank <= cutoff, grade / np.log2(rank + 1.0), 0.0)
    measure = DCG if cutoff == inf else DCG(cutoff=cutoff)
    assert measure.compute(rankings).tobytes() == formula.tobytes()
