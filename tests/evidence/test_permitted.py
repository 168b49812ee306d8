"""What may be computed from which judgments: every measure x use x kind of judgments."""

from __future__ import annotations

from dataclasses import replace
from inspect import Parameter
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from tests.intervals import intervals
from unjudged import MEASURES, InputError, Judgments, Measure, UsageError, calibrate, evaluate, sample
from unjudged.base.errors import AssumptionWarning
from unjudged.base.segments import Floats
from unjudged.evidence.intervals import INTERVALS
from unjudged.evidence.unjudged_sums import Uncertain
from unjudged.judging.holes import in_random_order, with_next_batch
from unjudged.judging.pooling import Pool, left_out_groups
from unjudged.measures.kernel.names import parse
from unjudged.measures.kernel.permitted import (
    BY_DOCUMENT,
    CHOOSING,
    COMPARISON,
    LEAVING_OUT,
    VALUE,
    Estimand,
    Use,
    permitted,
)
from unjudged.measures.kernel.traits import Refusal
from unjudged.rankings.extension import chosen_rows
from unjudged.rankings.origin import KINDS, Kind, Origin
from unjudged.studies import expected

POOL = Pool.of(sample.qrels, sample.runs)
NEEDED = {"cutoff": 10, "recall": 0.5, "multiple": 1.0}


def judgments_of(kind: Kind) -> Judgments:
    """The sample collection, judged in this way."""
    stratified = POOL.stratified({5: 1.0, float("inf"): 0.3}, seed=1)
    shallow = POOL.depth(3)
    made: dict[str, Judgments] = {
        "pool": POOL.depth(10),
        "checked pool": with_next_batch(in_random_order(shallow, (shallow.grade < 0).astype(float), 1), 50),
        "positives": replace(
            chosen_rows(POOL.judgments, POOL.judgments.grade > 0), origin=Origin("positives")
        ),
        "uniform sample": POOL.uniform(0.5, seed=1),
        "stratified sample": stratified,
        "weighted sample": replace(stratified, stratum=None, origin=Origin("weighted sample")),
        "chosen": replace(POOL.depth(3), origin=Origin("chosen")),
        "unknown": replace(POOL.depth(3), origin=Origin("unknown")),
    }
    return made[kind]


JUDGED = {kind: judgments_of(kind) for kind in KINDS}


def uses() -> dict[str, Use]:
    own = {name: method.use for name, method in INTERVALS.items() if name != "half"}
    others = {use.name: use for use in (COMPARISON, LEAVING_OUT, CHOOSING, BY_DOCUMENT)}
    return {"value": VALUE, **own, **others}


def measure_of(name: str) -> Measure:
    """The measure with what it needs."""
    plain = MEASURES[name]
    empty = [name for name, default in plain.parameters.items() if default is Parameter.empty]
    return plain(**{parameter: NEEDED[parameter] for parameter in empty})


@pytest.mark.thorough
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", list(MEASURES))
def test_every_cell_is_an_estimand_or_a_refusal_with_a_way_out(name: str, kind: Kind) -> None:
    """A refused measure names one that is permitted; a refused use names another way."""
    measure, judgments = measure_of(name), JUDGED[kind]
    for label, use in uses().items():
        answer = permitted(measure, judgments, use)
        if isinstance(answer, Estimand):
            assert kind in measure.traits.takes
            assert judgments.origin.kind in use.takes, label
            assert answer.measure
        else:
            assert isinstance(answer, Refusal)
            assert answer.reason, label
    value = permitted(measure, judgments)
    if isinstance(value, Refusal):
        instead = "xinfAP" if judgments.origin.sampled else measure.traits.estimates
        assert value.instead
        if instead:
            assert instead in value.instead
            assert isinstance(permitted(MEASURES[instead], judgments), Estimand)


@pytest.mark.parametrize("kind", KINDS)
def test_values_follow(kind: Kind) -> None:
    """Estimates from random samples refuse other judgments, in the words of `permitted`."""
    for name in ("AP", "nDCG", "infAP", "indAP", "subAP", "xinfAP", "statAP", "infNDCG"):
        measure = MEASURES[name]
        if kind in ("checked pool", "positives", "chosen", "unknown") and measure.traits.estimates:
            with pytest.raises(UsageError) as refused:
                evaluate(JUDGED[kind], sample.runs["fused"], name)
            assert str(refused.value) == str(permitted(measure, JUDGED[kind]))
        else:
            assert evaluate(JUDGED[kind], sample.runs["fused"], name).means[0, 0] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_calibration_and_left_out_groups_need_a_pool(kind: Kind) -> None:
    pooled = {name: run for name, run in sample.runs.items() if name != "dense"}
    groups = {name: name for name in pooled}
    if kind == "pool":
        assert calibrate(JUDGED[kind], pooled, groups, "P@10", depth=10).groups == 5
        return
    with pytest.raises(UsageError, match="leaving out pooled runs needs a pool"):
        calibrate(JUDGED[kind], pooled, groups, "P@10", depth=10)
    with pytest.raises(UsageError, match="leaving out pooled runs needs a pool"):
        left_out_groups(Pool.of(JUDGED[kind], pooled), "P@10", depth=10)


def test_scattered_labels_are_no_pool() -> None:
    """A tenth of the labels, without a word on how they were selected: they were taken for a pool."""
    judgments = Judgments.read(sample.qrels)
    chosen = np.arange(len(judgments.grade)) % 10 == 0
    rows = zip(judgments.query.tolist(), judgments.documents, judgments.grade.tolist(), strict=True)
    labels = [
        (judgments.queries[q], d, g) for (q, d, g), kept in zip(rows, chosen, strict=True) if kept and g >= 0
    ]
    pooled = {name: run for name, run in sample.runs.items() if name != "dense"}
    with pytest.raises(
        UsageError, match=r"needs a pool of these runs, and .*% of the documents in the first 10"
    ):
        calibrate(labels, pooled, {name: name for name in pooled}, "P@10", depth=10)


def test_what_is_estimated() -> None:
    assert str(permitted(MEASURES["infP"](cutoff=5), JUDGED["stratified sample"])) == (
        "mean P@5 (these queries, the pool judged)"
    )
    assert str(permitted(MEASURES["AP"], JUDGED["chosen"])) == (
        "mean AP (these queries, judgments as they are)"
    )
    refused = permitted(MEASURES["infAP"], JUDGED["stratified sample"])
    assert str(refused) == (
        "infAP needs a uniform sample, and these judgments are a stratified sample with unequal shares: "
        "use xinfAP or statAP"
    )


def test_default_measures_follow_the_origin() -> None:
    named = {kind: evaluate(JUDGED[kind], sample.runs["fused"]).measures for kind in KINDS}
    own = {"stratified sample": ["xinfAP"], "weighted sample": ["statAP"]}
    assert named.pop("positives") == ["nDCG@10", "RR@10", "R@100"]
    assert named == {kind: ["nDCG@10", "AP", *own.get(kind, []), "Judged@10"] for kind in named}


def test_unequal_shares_are_said_aloud() -> None:
    with pytest.warns(AssumptionWarning, match="infAP needs a uniform sample.*: use xinfAP or statAP"):
        evaluate(JUDGED["stratified sample"], sample.runs["fused"], "infAP")


QRELS = {"q": {"a": 1, "b": 0}}
RUN = {"q": {"a": 4.0, "b": 3.0, "x": 2.0, "y": 1.0}}
MODEL: dict[str, Any] = {"draws": 2, "prevalence": 0.5}
GIVEN: dict[str, Any] = {"bounds": {}, "model": MODEL}


@pytest.mark.parametrize(
    "name", ["P(chance=10)@2", "RBP(chance=220)", "RBP(unjudged='condensed')", "infAP", "statAP"]
)
@pytest.mark.parametrize("interval", GIVEN)
def test_policies_and_estimates_are_refused(name: str, interval: str) -> None:
    with pytest.raises(UsageError, match=r"without|estimates|no bounds"):
        intervals(evaluate(QRELS, RUN, name), interval, **GIVEN[interval])


@pytest.mark.parametrize("name", ["GMAP", "GMBpref"])
def test_models_are_of_arithmetic_means(name: str) -> None:
    with pytest.raises(UsageError, match="this interval is of arithmetic means"):
        intervals(evaluate(QRELS, RUN, name), "model", **MODEL)


@pytest.mark.parametrize("interval", GIVEN)
def test_a_scale_that_new_grades_would_move_is_refused(interval: str) -> None:
    with pytest.raises(UsageError, match="a new grade would move the scale"):
        intervals(evaluate(QRELS, RUN, "RBP(scale='query')"), interval, **GIVEN[interval])


def test_graded_rbp_is_the_same_both_ways() -> None:
    """The unjudged document, and all after the end of the ranking, get the grade of the only relevant one."""
    scores = evaluate({"q": {"a": 4}}, {"q": {"a": 2.0, "u": 1.0}}, "RBP(max_grade=4)")
    assert intervals(scores, "model", prevalence=1.0, draws=5)[0][0].value == pytest.approx(1.0)


def distribution(weight: Floats, chance: Floats) -> tuple[Floats, Floats]:
    found = Uncertain(weight, chance).exact
    assert found is not None
    return found


def test_weights_of_nothing() -> None:
    """Everything that counts is judged, and much below it is not."""
    support, probability = distribution(np.zeros(60), np.full(60, 0.5))
    assert float(support @ probability) == 0.0
    support, probability = distribution(np.zeros(0), np.zeros(0))
    assert support.tolist() == [0.0]


def test_many_equal_weights_are_binomial() -> None:
    support, probability = distribution(np.full(900, 0.01), np.full(900, 0.02))
    expected = binom.pmf(np.arange(900), 900, 0.02)
    assert probability == pytest.approx(expected[np.round(support * 100).astype(int)], abs=1e-14)
    assert probability.sum() == pytest.approx(1.0, abs=1e-12)


def test_too_many_values_are_rounded_to_a_lattice() -> None:
    """The mean is kept, and the variance and the share below a value nearly so."""
    found = Uncertain(0.2 * 0.8 ** np.arange(3000.0), np.full(3000, 0.3))
    values, probability = found.distribution
    assert found.exact is None
    assert values @ probability == pytest.approx(found.mean, abs=1e-12)
    assert values**2 @ probability - found.mean**2 == pytest.approx(found.variance, rel=1e-3)
    drawn = (np.random.default_rng(3).random((100_000, 60)) < 0.3) @ found.weight[:60]
    for share in (0.025, 0.5, 0.975):
        assert found.quantile(share) == pytest.approx(np.quantile(drawn, share), abs=5e-3)


def test_large_collections_have_a_baseline() -> None:
    harmonic = np.log(8_841_823) + 0.5772156649015329 + 0.5 / 8_841_823
    assert expected("RR", 8_841_823, 1) == pytest.approx(harmonic / 8_841_823, rel=1e-9)
    assert expected("RR", 10**9, 1) == pytest.approx((np.log(1e9) + 0.5772156649015329) / 1e9, rel=1e-9)
    assert expected("RR", 1000, 30) == pytest.approx(expected("RR@1000", 1000, 30), rel=1e-13)
    with pytest.raises(UsageError, match="expected a cutoff of at most 100000000"):
        expected("Success@999999999", 10**9, 1)


@pytest.mark.parametrize("name", ["nDCG(gains={[]: 1})", f"RBP(p=1{'0' * 400})", "ERR(max_grade=60)"])
def test_odd_parameters(name: str) -> None:
    with pytest.raises(UsageError):
        parse(name)


def test_odd_values() -> None:
    with pytest.raises(UsageError, match="too high for exponential gains"):
        evaluate({"q": {"a": 1100}}, RUN, "nDCG(dcg='exp-log2')")
    assert evaluate(QRELS, RUN, "AP", depth=10**12).values.item() == 1.0
    with pytest.raises(InputError, match="document 'e' of query 'q': the score is 'abc'"):
        evaluate(QRELS, {"q": {"d": np.float32(1), "e": "abc"}}, "AP")
