"""Commands that answer the same question give the same leader, the same values and intervals that agree."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tests.intervals import Found, intervals
from unjudged import (
    Calibration,
    Collection,
    Judgments,
    UsageError,
    calibrate,
    compare,
    evaluate,
    judging,
    report_page,
    sample,
)
from unjudged.base.errors import AssumptionWarning
from unjudged.measures.kernel.names import parse_measure
from unjudged.measures.kernel.permitted import COMPARISON, permitted

pytestmark = pytest.mark.thorough

MEASURES = ["AP", "nDCG@10", "P@10", "RBP(p=0.8)"]
POOLED = {name: path for name, path in sample.runs.items() if name != "dense"}
ROUNDING = 1e-9


def two(a: str, b: str) -> dict[str, Path]:
    return {name: sample.runs[name] for name in (a, b)}


@cache
def truth() -> dict[str, dict[str, int]]:
    """Grades of every document that a run retrieves; where people gave none, a rule does."""
    judged = Judgments.read(sample.qrels)
    names = [judged.queries[q] for q in judged.query]
    grades: dict[str, dict[str, int]] = {query: {} for query in judged.queries}
    for path in sample.runs.values():
        for line in path.read_text().splitlines():
            query, _, document, *_ = line.split()
            grades[query][document] = int(int(document[1:]) % 4 != 0)
    for query, document, grade in zip(names, judged.documents, judged.grade.tolist(), strict=True):
        grades[query][document] = grade if grade >= 0 else grades[query].get(document, 0)
    return grades


def model() -> dict[str, dict[str, float]]:
    """Probabilities that are right of most documents."""
    return {
        query: {d: 0.8 if (grade > 0) != (int(d[1:]) % 7 == 0) else 0.2 for d, grade in documents.items()}
        for query, documents in truth().items()
    }


@cache
def learnt() -> Calibration:
    return calibrate(sample.qrels, POOLED, {name: name for name in POOLED}, MEASURES, depth=20)


def inside(inner: Found, outer: Found) -> bool:
    return outer.low - ROUNDING <= inner.low <= inner.high <= outer.high + ROUNDING


@pytest.mark.parametrize("run", list(sample.runs))
def test_bounds_hold_every_interval_of_the_same_quantity(run: str) -> None:
    """Calibrated and model intervals lie inside the bounds of what they say they are of."""
    scores = evaluate(sample.qrels, {run: sample.runs[run]}, MEASURES)
    for prevalence in (0.05, 0.5):
        modelled = intervals(scores, "model", prevalence=prevalence)[0]
        for bounds, given in zip(intervals(scores, "bounds")[0], modelled, strict=True):
            assert inside(given, bounds)
    calibrated = intervals(scores, "calibrated", calibration=learnt(), confidence=0.8)[0]
    cut = evaluate(sample.qrels, {run: sample.runs[run]}, MEASURES, depth=20)
    for named, bounds in zip(calibrated, intervals(cut, "bounds")[0], strict=True):
        assert named.value == pytest.approx(bounds.value)
        assert bounds.low - ROUNDING <= named.low <= named.high <= bounds.high + ROUNDING


def test_a_sample_that_the_bounds_disprove_is_refused() -> None:
    """The first ten documents of these runs are all judged, so these are no uniform sample."""
    runs = two("reranked", "fused")
    bounds = intervals(evaluate(sample.qrels, runs, "P@10"), "bounds")[0][0]
    assert bounds.width == 0
    stated = Collection(sample.qrels, runs, how="sample")
    found = evaluate(stated, measures="P@10")
    assert any("541 of the 541 listed" in note and "not a random sample" in note for note in found.notes)
    assert "estimate_low" not in found["reranked"]


def test_a_measure_for_uniform_samples_says_that_these_are_none() -> None:
    """`doctor` and the default table took any pool that was judged in part for a uniform sample."""
    with pytest.warns(AssumptionWarning, match="infAP needs a uniform sample, but 541 of the 541"):
        evaluate(sample.qrels, two("reranked", "fused"), ["AP", "infAP"])
    assert not evaluate(sample.qrels, two("reranked", "fused"), "AP").warnings
    drawn = judging.Pool.of(truth(), sample.runs).uniform(0.5, seed=1)
    assert not evaluate(drawn, two("reranked", "fused"), "infAP").warnings


@pytest.mark.filterwarnings("ignore")
def test_samples_are_refused_everywhere_alike() -> None:
    """By the sentence of `permitted`."""
    people = judging.next(None, POOLED, design="stratified(40%, top=5)", seed=1).sample
    assert people is not None
    judged = judging.merge(people, {"them": truth()}).judgments
    sentence = str(permitted(parse_measure("infAP"), judged, COMPARISON))
    for ask in (compare, report_page):
        with pytest.raises(UsageError) as refusal:
            ask(judged, POOLED, "infAP")
        assert str(refusal.value) == sentence
