"""Every measure of pytrec_eval-terrier, which runs trec_eval 9.0.8, on thousands of rankings."""

from __future__ import annotations

import random
from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, collections, examples
from unjudged import MEASURES, evaluate
from unjudged.compat import pytrec_eval as ours
from unjudged.measures.kernel.names import parse

theirs = pytest.importorskip("pytrec_eval")

PAIRS = 4000
PARAMETERS = {"P_1", "P_7", "recall.2,3", "ndcg_cut.1,4", "map_cut_3", "success_2", "relative_P.2"}
PARAMETERS |= {"iprec_at_recall.0.15,0.55", "Rprec_mult.0.5,1.5", "set_F.2.5", "11pt_avg.0.2,0.5,0.8"}


def check(qrels: Qrels, run: RunDict, measures: set[str], level: int, judged_only: bool) -> int:
    """Check that both give the same values, and return the number of rankings."""
    expected = theirs.RelevanceEvaluator(qrels, measures, level, judged_only).evaluate(run)
    got = ours.RelevanceEvaluator(qrels, measures, level, judged_only).evaluate(run)
    assert list(got) == list(expected)
    for query, values in expected.items():
        assert list(got[query]) == list(values)
    if got:
        wanted = [list(values.values()) for values in expected.values()]
        np.testing.assert_allclose(
            [list(values.values()) for values in got.values()], wanted, rtol=1e-12, atol=1e-12, equal_nan=True
        )
    return len(got)


def safe(qrels: Qrels, level: int) -> Qrels:
    """pytrec_eval crashes on a topic with nothing judged, and misreads a level above all grades."""
    return {query: grades for query, grades in qrels.items() if max(grades.values()) >= level - 1 >= 0}


@examples(200)
@given(collections(), st.integers(1, 3), st.booleans(), st.sampled_from(["all", "parameters"]))
def test_any_collection(collection: tuple[Qrels, RunDict], level: int, judged_only: bool, which: str) -> None:
    measures = ours.supported_measures if which == "all" else PARAMETERS
    check(safe(collection[0], level), collection[1], measures, level, judged_only)


OTHERS = {"unj", "dcg", "ideal_dcg", "yaap", "gm_map", "gm_bpref"}
"""The first came with trec_eval 10; pytrec_eval has no yaap; the last two are logarithms there."""
NAMES = {name for measure in MEASURES.values() for name in measure.traits.trec_eval} - OTHERS
OF_NAMES = {
    name: measure
    for plain in NAMES
    for measure in parse(plain)
    for name in ours.RelevanceEvaluator({"q": {"d": 1}}, {plain}).evaluate({"q": {"d": 1.0}})["q"]
    if parse(name) == [measure]
}


def test_pytrec_eval_knows_every_name() -> None:
    assert theirs.supported_measures >= NAMES


@examples(150)
@given(collections(), st.booleans())
def test_measures_by_name_have_the_values_of_the_drop_in(
    collection: tuple[Qrels, RunDict], judged_only: bool
) -> None:
    """trec_eval's -J is a policy of each measure."""
    found = ours.RelevanceEvaluator(collection[0], NAMES, 1, judged_only).evaluate(collection[1])
    policy = {"unjudged": "condensed"} if judged_only else {}
    values = evaluate(*collection, [measure(**policy) for measure in OF_NAMES.values()])
    for query, row in found.items():
        own = dict(zip(OF_NAMES, values.values[0, list(values.queries).index(query)], strict=True))
        shown = {name: value for name, value in row.items() if name in own and not isnan(value)}
        assert [own[name] for name in shown] == pytest.approx([*shown.values()], rel=1e-12, abs=1e-12)


def ranking(rng: random.Random) -> tuple[dict[str, int], dict[str, float]]:
    """The judgments and scores of one query: few or many, some tied, some tied only in single precision."""
    documents = [f"d{i}" if rng.random() < 0.9 else f"é{i}" for i in range(rng.choice([3, 10, 40]))]
    highest = rng.choice([1, 1, 3, 12])
    judged = rng.sample(documents, rng.randint(1, len(documents)))
    grades = {d: rng.choice([-1, 0, *range(highest + 1)]) for d in judged}
    grades[judged[0]] = highest
    found = rng.sample([*documents, *(f"n{i}" for i in range(5))], rng.randint(1, len(documents)))
    whole, start = rng.choice([(2, 0.0), (0, 0.0), (3, 16777216.0)])
    return grades, {d: start + (rng.randint(-whole, whole) if whole else rng.random()) for d in found}


@pytest.mark.thorough
@pytest.mark.parametrize("judged_only", [False, True])
@pytest.mark.parametrize("level", [1, 2])
def test_thousands_of_rankings(level: int, judged_only: bool) -> None:
    rng = random.Random(level)
    made = {f"q{i}": ranking(rng) for i in range(PAIRS)}
    qrels = safe({query: grades for query, (grades, _) in made.items()}, level)
    run = {query: scores for query, (_, scores) in made.items()}
    for measures in (ours.supported_measures, PARAMETERS):
        assert check(qrels, run, measures, level, judged_only) == PAIRS
