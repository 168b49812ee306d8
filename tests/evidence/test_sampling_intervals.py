"""Intervals from random samples: by brute force, by enumeration of samples, by simulation."""

from contextlib import suppress
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from tests.intervals import intervals
from unjudged import Collection, Evaluation, UsageError, compare, evaluate, gate, sample
from unjudged.base.segments import Floats
from unjudged.evidence.drawn.effects import Effects, steps_of
from unjudged.evidence.drawn.estimated import EstimatedEvidence
from unjudged.evidence.drawn.population import Population
from unjudged.evidence.drawn.strata import ENOUGH
from unjudged.evidence.drawn.strata_means import SampledMeans
from unjudged.evidence.rankings_evidence import RankingsEvidence
from unjudged.judging.pooling import REST, Pool
from unjudged.measures.kernel.names import parse_measure
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

GRADES = [1, 0, 1, 0, 2, 1, 0, 0, 1]
STRATUM = [1, 1, 1, 2, 2, 2, 2, 2, 2]
RANKED = [0, 3, 2, 5, 1, 4]
"""Two strata of a pool; a run retrieves six of its documents."""


def collection_of(drawn: list[int]) -> Collection:
    """One ranking over the pool, with the drawn documents judged."""
    lines = [("q", f"d{i}", STRATUM[i], grade if i in drawn else -1) for i, grade in enumerate(GRADES)]
    columns = dict(zip(("query", "document", "stratum", "grade"), zip(*lines, strict=True), strict=True))
    import pandas as pd

    judgments = Judgments.read(pd.DataFrame(columns))
    run = {"q": {f"d{i}": float(-k) for k, i in enumerate(RANKED)}}
    return Collection(judgments, run, how="sample")


def rankings_of(drawn: list[int]) -> JudgedRankings:
    return collection_of(drawn).rankings


def samples(sizes: tuple[int, int]) -> list[list[int]]:
    """Every sample with these numbers of documents from the two strata."""
    members = [[i for i, s in enumerate(STRATUM) if s == number] for number in (1, 2)]
    drawn = (combinations(own, n) for own, n in zip(members, sizes, strict=True))
    return [[*first, *second] for first, second in product(*drawn)]


@pytest.mark.parametrize("name", ["P@4", "RBP(p=0.8)", "DCG@5"])
@pytest.mark.parametrize("sizes", [(2, 3), (3, 4), (2, 6)])
def test_sums_are_unbiased_over_all_samples(name: str, sizes: tuple[int, int]) -> None:
    """By the one estimator, with the chances of the strata, whatever is predicted."""
    measure, found = parse_measure(name), []
    truth = measure.compute(rankings_of(list(range(len(GRADES)))))[0]
    for drawn in samples(sizes):
        shared = collection_of(drawn).shared()
        population = Population.of(shared)
        assert population is not None
        steps = steps_of(measure, np.array(GRADES))
        chance = np.random.default_rng(3).uniform(0.1, 0.5, (len(GRADES), len(steps)))[population.row]
        chance = np.minimum.accumulate(chance, axis=1)
        plain = RankingsEvidence(shared, measure, shared.per_run(measure.compute(shared.judged_rankings)))
        effects = Effects.of(shared, measure, population.row, steps, chance)
        found.append(EstimatedEvidence(plain, population, effects).by_query[0, 0])
    assert np.mean(found) == pytest.approx(truth, abs=1e-12)


def deleted(drawn: list[int], measure_value) -> tuple[float, float]:  # type: ignore[no-untyped-def]
    """Value and variance of the jackknife, by leaving out each document in turn."""
    full = measure_value(drawn)
    value, variance = full, 0.0
    for number in (1, 2):
        own = [i for i in drawn if STRATUM[i] == number]
        n, size = len(own), STRATUM.count(number)
        left = [measure_value([d for d in drawn if d != i]) for i in own]
        value += (1 - n / size) * (n - 1) * (full - np.mean(left))
        variance += (1 - n / size) * (n - 1) / n * float(((left - np.mean(left)) ** 2).sum())
    return value, variance


@pytest.mark.parametrize("drawn", [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 5, 8], [0, 1, 4, 5, 7]])
def test_average_precision_is_the_jackknifed_quotient(drawn: list[int]) -> None:
    joint = parse_measure("statAP(pairs='joint')")
    expected = deleted(drawn, lambda own: joint.compute(rankings_of(own))[0])
    means = SampledMeans.of(parse_measure("AP"), rankings_of(drawn))
    assert (means.value[0, 0], (means.deviations**2).sum()) == pytest.approx(expected)


def ndcg(drawn: list[int]) -> float:
    """nDCG@4 from the sample, by its definition; the best DCG is linear between whole numbers."""
    sizes = {s: STRATUM.count(s) / max(sum(STRATUM[i] == s for i in drawn), 1) for s in (1, 2)}
    gained = sum(
        GRADES[d] * sizes[STRATUM[d]] / np.log2(k + 2) for k, d in enumerate(RANKED[:4]) if d in drawn
    )
    best, filled = 0.0, 0.0
    discounts = np.append(0.0, 1 / np.log2(np.arange(2, 40))).cumsum()
    for grade in (2, 1):
        count = sum(sizes[STRATUM[i]] for i in drawn if GRADES[i] == grade)
        ends = np.interp(np.minimum([filled, filled + count], 4), np.arange(len(discounts)), discounts)
        best, filled = best + grade * (ends[1] - ends[0]), filled + count
    return float(gained / best)


@pytest.mark.parametrize("drawn", [[0, 1, 2, 4, 5, 6], [0, 2, 3, 4, 5, 8], [0, 1, 4, 5, 7]])
def test_ndcg_is_the_jackknifed_quotient(drawn: list[int]) -> None:
    means = SampledMeans.of(parse_measure("nDCG@4"), rankings_of(drawn))
    assert (means.value[0, 0], (means.deviations**2).sum()) == pytest.approx(deleted(drawn, ndcg))


def test_one_more_document_of_average_precision_by_trying_each() -> None:
    pool, ap = simulated(4, queries=3, size=40), parse_measure("AP")
    r = pool.rankings.relabelled(pool.stratified({5: 1.0, REST: 0.5}, seed=1))
    further = SampledMeans.of(ap, r).further
    for run, own in enumerate(further.steps()):
        changes = [
            (
                further.chance[q, h] / (further.stratum == h).sum(),
                abs(further.scale[q, h] * further.added[run, i] - further.lost[run, q, h]),
            )
            for q, h in np.ndindex(further.chance.shape)
            for i in np.flatnonzero(further.stratum == h)
        ]
        assert own == pytest.approx(sum(p * x**2 for p, x in changes) / sum(p * x for p, x in changes))


def test_one_run_with_few_documents_has_a_value_and_the_other_its_interval() -> None:
    pool = simulated(3, least=0.1)
    runs = {"a": run_of(pool, 0), "b": run_of(pool, 1)}
    few = pool.uniform(0.12, seed=1, redraw=False)
    scores = sampled(few, runs, ["nDCG@2", "P@2"])
    means = SampledMeans.of(parse_measure("nDCG@2"), pool.rankings.relabelled(few))
    size, behind = np.abs(means.deviations), means.documents_behind()
    assert behind == pytest.approx((size**2).sum(axis=1) ** 3 / (size**3).sum(axis=1) ** 2)
    rows = intervals(scores, "sampling")
    assert [row[0].has_interval for row in rows] == (behind >= ENOUGH).tolist() == [False, True]
    assert all(row[1].has_interval for row in rows)
    (lacking,) = (note for note in scores.notes if "not estimated" in note)
    rests = f"it rests on about {behind[0]:.1f} sampled relevant documents that count"
    assert lacking.startswith(f"nDCG@2 of a is not estimated: {rests}")
    assert lacking.endswith("drawn likewise), or use bounds.")
    assert scores.row("a", "nDCG@2")["mean"] == pytest.approx(scores.value("nDCG@2", run="a"))


def test_cutoffs_of_several_strata_are_for_sums() -> None:
    pool = simulated(3)
    runs = {"a": run_of(pool, 0), "b": run_of(pool, 1)}
    scores = sampled(pool.stratified({5: 1.0, REST: 0.1}, seed=1), runs, ["P@10", "nDCG@10", "AP"])
    rows = intervals(scores, "sampling")
    assert [[one.has_interval for one in row] for row in rows] == [[True, False, True]] * 2
    assert "nDCG@10 is not estimated from several strata: use nDCG, or P or RBP" in rows[0][1].method
    assert scores.row("b", "nDCG@10")["mean"] == pytest.approx(scores.value("nDCG@10", run="b"))


def test_complete_judgments_give_the_measure_and_no_variance() -> None:
    complete = rankings_of(list(range(len(GRADES))))
    for name in ("AP", "nDCG", "nDCG@3"):
        measure = parse_measure(name)
        means = SampledMeans.of(measure, complete)
        assert means.value[0] == pytest.approx(measure.compute(complete))
        assert means.variances()[0] == pytest.approx(0.0)


def simulated(seed: int, queries: int = 40, size: int = 200, least: float = 0.0) -> Pool:
    """A pool whose documents are relevant the more often the higher two runs have them."""
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    runs: dict[str, dict[str, dict[str, float]]] = {"a": {}, "b": {}}
    for q in range(queries):
        relevant = rng.random(size) < least + rng.beta(1, 6)
        qrels[f"q{q}"] = {f"d{i}": int(y) for i, y in enumerate(relevant)}
        for run, skill in (("a", 2.0), ("b", 1.2)):
            score = skill * relevant + rng.normal(size=size)
            order = np.argsort(-score)[:120]
            runs[run][f"q{q}"] = {f"d{i}": float(score[i]) for i in order}
    return Pool.of(qrels, runs)


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["AP", "nDCG", "nDCG@10"])
def test_intervals_and_those_of_differences_hold(name: str) -> None:
    pool, measure = simulated(1), parse_measure(name)
    truth = measure.compute(pool.rankings).reshape(2, -1).mean(axis=1)
    contrast = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, -1.0]])
    held: list[Floats] = []
    for seed in range(120):
        drawn = pool.stratified({5: 1.0, REST: 0.2}, seed=seed)
        means = SampledMeans.of(measure, pool.rankings.relabelled(drawn))
        error = contrast @ (means.value.mean(axis=1) - truth)
        held.append(np.abs(error) <= 1.96 * np.sqrt(means.variances(contrast)))
    assert (np.mean(held, axis=0) >= 0.9).all()


@pytest.mark.thorough
def test_the_correction_removes_bias() -> None:
    pool, ap, joint = simulated(6, least=0.06), parse_measure("AP"), parse_measure("statAP(pairs='joint')")
    truth = ap.compute(pool.rankings).mean()
    drawn = [pool.rankings.relabelled(pool.stratified({5: 1.0, REST: 0.2}, seed=seed)) for seed in range(80)]
    plain = np.mean([joint.compute(r) for r in drawn]) - truth
    corrected = np.mean([SampledMeans.of(ap, r).value for r in drawn]) - truth
    assert abs(corrected) < 0.5 * abs(plain)


def test_combinations_of_one_run_are_that_run() -> None:
    pool = simulated(2)
    r = pool.rankings.relabelled(pool.stratified({5: 1.0, REST: 0.2}, seed=3))
    for name in ("AP", "nDCG@10"):
        means = SampledMeans.of(parse_measure(name), r)
        assert means.variances(np.eye(2)) == pytest.approx(means.variances())


def sampled(judgments: Judgments, runs: Any, measures: str | list[str]) -> Evaluation:
    """Scores by judgments of which it is stated that they are a random sample."""
    return evaluate(Collection(judgments, runs, how="sample"), measures=measures)


def test_an_estimate_is_asked_for_by_the_name_of_its_measure() -> None:
    pool = simulated(3)
    drawn = pool.stratified({5: 1.0, REST: 0.3}, seed=1)
    runs = {"a": run_of(pool, 0), "b": run_of(pool, 1)}
    names = ["xinfAP", "statAP", "AP", "infNDCG", "P@10"]
    scores = sampled(drawn, runs, names)
    own = [scores.row("a", name) for name in names]
    assert ["estimate_low" in row for row in own] == [False, False, True, False, True]
    assert own[0]["mean"] == scores.value("xinfAP", run="a")
    assert own[2]["as_judged"] == scores.value("AP", run="a") < own[2]["mean"]
    asked = scores.with_interval("sampling").row("a", "xinfAP")
    assert asked["method"] == "no interval: xinfAP is an estimate itself: ask for AP"
    for name in ("AP", "P@10", "xinfAP"):
        compared = {row["system"]: row["mean"] for row in compare(drawn, runs, name).systems}
        gated = gate(drawn, runs["a"], runs["b"], name).checks[0]
        means = [scores.row(run, name)["mean"] for run in "ab"]
        assert [compared[run] for run in "ab"] == pytest.approx(means, abs=1e-12)
        assert gated["difference"] == pytest.approx(means[1] - means[0], abs=1e-12)


@pytest.mark.parametrize("design", ["strata", "uniform"])
def test_an_estimate_does_not_depend_on_other_runs(design: str) -> None:
    pool = simulated(3)
    drawn = pool.stratified({5: 1.0, REST: 0.3}, seed=1) if design == "strata" else pool.uniform(0.3, seed=1)
    runs = {"a": run_of(pool, 0), "b": run_of(pool, 1)}
    both = sampled(drawn, runs, ["P@10", "AP"])
    for name in runs:
        one = sampled(drawn, {name: runs[name]}, ["P@10", "AP"])
        for measure in ("P@10", "AP"):
            for field in ("mean", "estimate_low", "estimate_high"):
                assert one.row(name, measure)[field] == pytest.approx(
                    both.row(name, measure)[field], abs=1e-12
                )


def run_of(pool: Pool, i: int) -> dict[str, dict[str, float]]:
    r, documents = pool.rankings.run(i), pool.judgments.documents.tolist()
    found: dict[str, dict[str, float]] = {}
    for ranking, row, rank in zip(r.ranking.tolist(), r.row.tolist(), r.rank.tolist(), strict=True):
        found.setdefault(pool.judgments.queries[ranking], {})[documents[row].decode()] = -float(rank)
    return found


def test_what_a_sample_lacks_is_said() -> None:
    pool = simulated(4)
    run = {"a": run_of(pool, 0)}
    with pytest.raises(
        UsageError,
        match="needs a pool with checks, a uniform sample, a stratified sample or a weighted sample",
    ):
        intervals(evaluate(pool.judgments, run, "AP"), "sampling")
    with pytest.raises(UsageError, match="nothing was drawn from one of the strata of query"):
        intervals(sampled(pool.stratified({5: 1.0, REST: 0.0}), run, "AP"), "sampling")
    few = pool.uniform(0.06, seed=1, redraw=False)
    with pytest.raises(UsageError, match=r"relevant documents, 2\.2 per query, too few to tell how AP"):
        intervals(sampled(few, run, "AP"), "sampling")
    half = pool.uniform(0.5, seed=1, redraw=False)
    barren = half.with_grades(np.where(half.query < 6, np.minimum(half.grade, 0), half.grade))
    with pytest.raises(
        UsageError, match=r"7 of 40 queries have no relevant document .*\(about [0-9,]+ or more"
    ):
        intervals(sampled(barren, run, "AP"), "sampling")
    assert intervals(sampled(few, run, "P@10"), "sampling")[0][0].has_interval
    sparse = pool.stratified({5: 1.0, REST: 0.02}, seed=1)
    with pytest.raises(UsageError, match="fewer than one per query, too few to tell how AP would vary"):
        intervals(sampled(sparse, run, "AP"), "sampling")
    judged_to_five = pool.only(pool.best <= 5)
    with pytest.raises(UsageError, match="these judgments are not a random sample"):
        intervals(sampled(judged_to_five, run, "P@10"), "sampling")
    row = intervals(sampled(pool.uniform(0.5), run, ["AP", "RR"]), "sampling")[0]
    assert "RR is not estimated from a sample" in row[1].method


@pytest.mark.thorough
def test_the_named_budget_is_enough_in_nearly_all_samples() -> None:
    """The number that a refusal names is answered when so many documents are drawn."""
    pool = simulated(4)
    run = {"a": run_of(pool, 0)}
    with pytest.raises(UsageError) as refused:
        intervals(sampled(pool.uniform(0.06, seed=1, redraw=False), run, "AP"), "sampling")
    named = int(str(refused.value).split("(about ")[1].split()[0].replace(",", ""))
    rate = named / len(pool.judgments.grade)
    assert rate < 0.3
    answered = 0
    for seed in range(20):
        with suppress(UsageError):
            drawn = pool.uniform(rate, seed=seed, redraw=False)
            answered += intervals(sampled(drawn, run, "AP"), "sampling")[0][0].has_interval
    assert answered >= 17


@pytest.mark.parametrize("name", ["AP", "nDCG"])
def test_quotients_of_one_stratum_are_corrected_for_skewness(name: str) -> None:
    """Each end is where the Normal statistic, or Hall's, has its quantile: whichever is further away."""
    pool = simulated(4)
    drawn = pool.uniform(0.4, seed=2, redraw=False)
    scores = sampled(drawn, {"a": run_of(pool, 0)}, name)
    found = intervals(scores, "sampling")[0][0]
    assert scores.rankings is not None
    means = SampledMeans.of(parse_measure(name), scores.rankings)
    value, error = float(means.value.mean()), float(np.sqrt(means.variances()[0]))
    moved, z = means.deviations[0] / len(means.seen), 1.959963985
    a = float(-(moved**3).sum()) / (3 * error**3)
    assert a > 0

    def corrected(truth: float) -> float:
        t = (value - truth) / error
        return float(((1 + a * t) ** 3 - 1) / (3 * a) + a / 2)

    assert found.low == pytest.approx(value - z * error, rel=1e-8)
    high = brentq(lambda truth: corrected(truth) + z, value, 9)
    assert high > value + z * error
    assert found.high == pytest.approx(min(high, scores["a"]["high"]), rel=1e-8)


def test_queries_without_a_sampled_relevant_document_are_counted() -> None:
    pool = simulated(5)
    drawn = next(
        sample
        for seed in range(100)
        if 0 < (sample := pool.uniform(0.15, seed=seed, redraw=False)).count(1).tolist().count(0) <= 4
    )
    unseen = drawn.count(1).tolist().count(0)
    (said,) = (note for note in sampled(drawn, {"a": run_of(pool, 0)}, "AP").notes if "drawn" in note)
    assert f"{unseen} quer" in said
    assert "no relevant one among them and count as the others do" in said


@pytest.mark.parametrize("name", ["AP", "nDCG", "P@20"])
def test_documents_that_could_not_be_drawn_have_one_rule(name: str) -> None:
    """Most first documents of dense are outside the pool: not in its interval, but they may turn it."""
    lines = [line.split() for line in sample.qrels.read_text().splitlines() if not line.startswith("#")]
    judged = [(query, document, int(grade)) for query, _, document, grade in lines if int(grade) >= 0]
    drawn = Pool.of(judged, sample.runs).stratified({5: 1.0, np.inf: 0.3}, seed=2)
    runs = {one: sample.runs[one] for one in ("reranked", "dense")}
    found, pair = evaluate(drawn, runs, name), compare(drawn, runs, name).pair()
    row = found["dense"]
    assert row["estimate_high"] - row["estimate_low"] < 0.2 * (row["high"] - row["low"])
    assert pair["more_judging"] == "could flip it"
    assert 0 < pair["flip"] < pair["seen"]
    (said,) = (note for note in found.notes if "could not be drawn" in note)
    assert name in said
    pooled = {one[:2] for one in judged}
    within: dict[str, dict[str, dict[str, float]]] = {}
    for run, path in runs.items():
        for query, _, document, _, score, _ in map(str.split, path.read_text().splitlines()):
            if (query, document) in pooled:
                within.setdefault(run, {}).setdefault(query, {})[document] = float(score)
    assert not any("could not be drawn" in note for note in evaluate(drawn, within, name).notes)
