"""What holds for every measure of the registry, whatever the rankings."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, collections, examples
from unjudged import MEASURES, JudgedRankings, Judgments, Measure, evaluate
from unjudged.collection.collection import judged_rankings
from unjudged.measures.gain import DCG
from unjudged.measures.kernel.names import parse
from unjudged.measures.kernel.traits import Traits

NEEDED = {"cutoff": 4, "recall": 0.3, "multiple": 1.5}


def complete(measure: Measure) -> Measure:
    """With a value for each parameter that it cannot do without."""
    needed = [n for n, default in measure.parameters.items() if default is inspect.Parameter.empty]
    return measure(**{name: NEEDED[name] for name in needed})


EVERY = [complete(measure) for measure in MEASURES.values()]
every_measure = pytest.mark.parametrize("measure", EVERY, ids=str)


def measures_with(trait: Callable[[Traits], Any]) -> pytest.MarkDecorator:
    """Those that a property is about."""
    return pytest.mark.parametrize("measure", [m for m in EVERY if trait(m.traits)], ids=str)


GAINS = ("DCG(gains={1: 5, 2: 1})", "nDCG(gains={0: 0.5})", "RBP(max_grade=3)", "RBP(gains={1: 0.3}, rel=2)")


@pytest.mark.thorough
@pytest.mark.parametrize("measure", [*EVERY, *(m for name in GAINS for m in parse(name))], ids=str)
def test_its_traits_are_true(measure: Measure) -> None:
    if not measure.traits.estimates:
        measure.try_traits()


@every_measure
@examples(60)
@given(collection=collections())
def test_within_its_range(measure: Measure, collection: tuple[Qrels, RunDict]) -> None:
    values = evaluate(*collection, measure).values
    low, high = measure.traits.range
    assert np.all((values >= low) & (values <= high + 1e-12))


@measures_with(lambda t: not t.across_queries)
@examples(40)
@given(collection=collections())
def test_a_ranking_is_scored_on_its_own(measure: Measure, collection: tuple[Qrels, RunDict]) -> None:
    """To the bit, whatever other rankings are computed with it."""
    qrels, run = collection
    together = evaluate(
        qrels, {"a": run, "b": {q: dict(list(d.items())[:2]) for q, d in run.items()}}, measure
    )
    for query in set(qrels) & set(run):
        alone = evaluate({query: qrels[query]}, {query: run[query]}, measure)
        assert together.value(measure, run="a", query=query) == alone.value(measure, query=query)


@measures_with(lambda t: t.at == "cutoff")
@examples(40)
@given(collection=collections(), depth=st.integers(1, 6))
def test_a_cutoff_hides_what_is_below_it(
    measure: Measure, collection: tuple[Qrels, RunDict], depth: int
) -> None:
    cut = measure @ depth
    np.testing.assert_array_equal(
        evaluate(*collection, cut).values, evaluate(*collection, cut, depth=depth).values
    )


@every_measure
@examples(30)
@given(collection=collections())
def test_an_empty_ranking_for_a_query_that_is_missing(
    measure: Measure, collection: tuple[Qrels, RunDict]
) -> None:
    qrels, run = collection
    scores = evaluate(qrels, {"run": run}, measure)
    absent = [query for query in qrels if query not in run]
    assert list(scores.missing.get("run", [])) == absent
    for query in absent:
        value, relevant = scores.value(measure, query=query), sum(g >= 1 for g in qrels[query].values())
        of_nothing = {
            "RBPResidual": 1.0,
            "RBPUpper": 1.0,
            "GMAP": 0.00001,
            "GMBpref": 0.00001,
            "NumRel": relevant,
            "yaAP": pytest.approx(-np.log(1 + relevant)),
            "IdealDCG": value,
        }
        assert value == of_nothing.get(measure.name, 0.0)


@measures_with(lambda t: not t.across_queries)  # only `evaluate` knows the other queries
@examples(30)
@given(collection=collections())
def test_relabelling_is_the_same_as_reading_again(
    measure: Measure, collection: tuple[Qrels, RunDict]
) -> None:
    qrels, run = collection
    judgments = Judgments.read(qrels)
    hidden = judgments.with_grades(np.where(np.arange(len(judgments.grade)) % 2, -1, judgments.grade))
    relabelled = judged_rankings(judgments, {"run": run}).relabelled(hidden)
    rows = iter(hidden.grade.tolist())
    again = {query: {document: next(rows) for document in grades} for query, grades in qrels.items()}
    np.testing.assert_array_equal(measure.compute(relabelled), evaluate(again, run, measure).values[0, :, 0])


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
