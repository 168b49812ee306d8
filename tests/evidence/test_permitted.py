"""What may be computed from which judgments: every measure x use x kind of judgments."""

from __future__ import annotations

from dataclasses import replace
from inspect import Parameter

import numpy as np
import pytest

from unjudged import MEASURES, Judgments, Measure, UsageError, calibrate, evaluate, sample
from unjudged.base.errors import AssumptionWarning
from unjudged.evidence.intervals import INTERVALS
from unjudged.judging.holes import in_random_order, with_next_batch
from unjudged.judging.pooling import Pool, left_out_groups
from unjudged.measures.kernel.estimand import (
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
