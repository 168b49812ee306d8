"""Planned numbers of labels: the formula written out, the promise kept in simulated studies, the command."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed, refused
from tests.predictions.test_several_judges import RUNS, TRUTH, judge, sampled
from unjudged import Judgments, UsageError, evaluate
from unjudged.formats.writing import judgments_text, run_text
from unjudged.measures.kernel.estimand import OTHER, THESE, Estimand
from unjudged.predictions import plan_labels, prediction_powered
from unjudged.predictions.estimators.by_document import estimate_population
from unjudged.predictions.estimators.population import POISSON, Population
from unjudged.predictions.label_plan import Planned
from unjudged.predictions.pilot import DIFFERENCE, MEAN, UNIFORM, WEIGHTED, WHOLE, Pilot, varies_by_query

MEASURE, MODEL = "RBP(p=0.9)", judge(0.5, 1)


def pilot_of(people: Judgments) -> Pilot:
    population = Population.of(people, RUNS)
    return Pilot.of(population, population.with_predictions(MODEL), MEASURE, "error")


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("design", [UNIFORM, WEIGHTED])
def test_the_variance_is_its_formula(design: str, alone: bool) -> None:
    pilot = pilot_of(sampled(0.3, 1))
    pi = pilot.odds(design, 100, alone)
    assert pi.sum() == pytest.approx(100)
    found, varies = pilot.sampling(design, 100, alone, MEAN)
    m, weight = pilot.expected, pilot.weight.toarray()
    guess = m if alone else m * (1 - m)
    squared = pilot.gain**2 if alone else (pilot.gain - m) ** 2
    fourth = guess if alone else m * (1 - m) * ((1 - m) ** 3 + m**3)
    shown = expected = variance = 0.0
    for d in range(len(m)):
        scale = (1 - pi[d]) / pi[d]
        variance += scale * weight[0, d] ** 2 * guess[d]
        if pilot.population.drawn[d]:
            both = scale * (weight[:, d] ** 2).sum() / pilot.population.inclusion[d]
            shown += both * squared[d]
            expected += both * guess[d]
    c = shown / expected
    assert found[0, 0] == pytest.approx(variance * c)
    study = pilot_ = total = 0.0
    for d in range(len(m)):
        scale, own, first = (1 - pi[d]) / pi[d], (weight[:, d] ** 2).sum(), pilot.population.inclusion[d]
        total += scale * own * c * guess[d]
        study += pi[d] * (1 - pi[d]) * (scale / pi[d] * own) ** 2 * c * fourth[d]
        left = max(c * fourth[d] - (c * guess[d]) ** 2, 0.0)
        pilot_ += (1 - first) / first * (scale * own) ** 2 * left
    assert varies == pytest.approx((study + pilot_) / total**2)


def test_the_least_number_is_the_least() -> None:
    pilot = pilot_of(sampled(0.3, 1))
    planned = Planned(MEAN, THESE, WEIGHTED, 0.08, 0.95)
    number = planned.least(pilot)
    assert number is not None

    def reached(labels: int) -> bool:
        covariance, varies = pilot.sampling(WEIGHTED, labels, alone=False, target=MEAN)
        width = float(2 * 1.959963984540054 * np.sqrt(np.diag(covariance)).mean())
        return width <= 0.08 and width * np.exp(1.6448536269514722 * np.sqrt(varies) / 2) <= 0.088

    assert reached(number)
    assert not reached(number - 1)


@pytest.mark.thorough
@pytest.mark.parametrize("design", [UNIFORM, WEIGHTED])
@pytest.mark.parametrize(("target", "queries"), [(MEAN, THESE), (DIFFERENCE, THESE), (MEAN, OTHER)])
def test_studies_reach_the_promised_width(design: str, target: str, queries: str) -> None:
    """On average, and in nine of ten up to a tenth, over 30 pilots, each followed by a study as planned."""
    whole = Population.of(TRUTH, RUNS)
    judges = whole.with_predictions(MODEL)
    width = 0.2 if queries == OTHER else 0.1
    rng, reached = np.random.default_rng(4), []
    for seed in range(30):
        pilot = pilot_of(sampled(0.35, seed))
        number = Planned(target, queries, design, width, 0.95).least(pilot)
        if number is None:
            continue
        pi = pilot.odds(design, number, alone=False)
        study = replace(whole, drawn=rng.random(len(pi)) < pi, inclusion=pi, design=POISSON)
        found = estimate_population(study, judges, MEASURE)
        if target == MEAN:
            widths = [found.mean(run, queries=queries == OTHER).width for run in RUNS]
        else:
            widths = [found.difference(a, b).width for a, b in combinations(RUNS, 2)]
        reached.append(float(np.mean(widths)) / width)
    assert len(reached) >= 20
    assert 0.8 < np.mean(reached) <= 1
    assert np.mean(np.array(reached) <= 1.1) >= 0.9


@pytest.mark.thorough
@pytest.mark.parametrize(("target", "width"), [(MEAN, 0.2), (DIFFERENCE, 0.15)])
def test_studies_of_whole_queries_reach_the_promised_width(target: str, width: float) -> None:
    """In nine of ten up to a tenth, over 40 large pilots, each followed by a study of as many queries."""
    names = evaluate(TRUTH, RUNS, MEASURE).queries
    labels = {q: {d: int(MODEL[q][d] >= 0.5) for d in docs} for q, docs in TRUTH.items()}
    human, model = (evaluate(own, RUNS, MEASURE).values[:, :, 0] for own in (TRUTH, labels))
    rng, reached = np.random.default_rng(4), []
    for seed in range(40):
        pilot = pilot_of(sampled(0.8, seed))
        number = Planned(target, OTHER, WHOLE, width, 0.95).least(pilot)
        if number is None:
            continue
        count = round(number * len(names) / int(pilot.open.sum()))
        judged = rng.permutation(len(names)) < count
        widths = [
            prediction_powered(*(share @ s for s in (human[:, judged], model[:, judged], model[:, ~judged])))
            .interval(0.95, Estimand(MEASURE))
            .width
            for share in pilot.shares(target)
        ]
        reached.append(float(np.mean(widths)) / width)
    assert len(reached) >= 30
    assert 0.7 < np.mean(reached) <= 1.02
    assert np.mean(np.array(reached) <= 1.1) >= 0.9


@pytest.mark.parametrize("target", [MEAN, DIFFERENCE])
def test_how_much_widths_of_whole_queries_vary(target: str) -> None:
    """Traces stand for means over runs or pairs: checked by variances of simulated Normal scores."""
    pilot = pilot_of(sampled(0.35, 1))
    runs, queries, n = len(RUNS), pilot.population.queries, 12
    spread = np.diag(np.arange(1.0, runs + 1)) + 0.5
    noise = np.diag(np.linspace(0.4, 0.8, runs)) + 0.1
    known = replace(pilot, between=spread, residual=spread, noise=noise)
    rng, shares = np.random.default_rng(1), np.array(list(pilot.shares(target)))
    scores = rng.multivariate_normal(np.zeros(runs), spread, (40_000, n - 1)) @ shares.T
    of_study = (scores**2).mean(axis=(1, 2))
    fixed = rng.multivariate_normal(np.zeros(runs), spread, queries)
    fixed = (fixed - fixed.mean(0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(fixed.T))).T
    fixed = fixed @ np.linalg.cholesky(spread).T
    noisy = fixed + rng.multivariate_normal(np.zeros(runs), noise, (20_000, queries))
    of_pilot = ((noisy - noisy.mean(1, keepdims=True)) @ shares.T).var(axis=1, ddof=1).mean(axis=1)
    mean = float(np.mean([share @ spread @ share for share in shares]))
    expected = of_study.var() / mean**2 * (n - 1) / (n - 2) * (1 - n / queries) + of_pilot.var() / mean**2
    assert varies_by_query(known, target, n, 0.3, mean / n) == pytest.approx(expected, rel=0.06)


def test_a_plan_has_a_row_for_each_target_and_design() -> None:
    plan = plan_labels(sampled(0.3, 1), RUNS, MODEL, 0.1, MEASURE)
    assert [need[:3] for need in plan.needs] == [
        (target, queries, design)
        for target in (MEAN, DIFFERENCE)
        for queries, designs in ((THESE, (UNIFORM, WEIGHTED)), (OTHER, (UNIFORM, WEIGHTED, WHOLE)))
        for design in designs
    ]
    for need in plan.needs:
        if need.alone is not None and need.queries == THESE:
            assert need.labels is not None
            assert need.labels < need.alone
    one = plan_labels(sampled(0.3, 1), {"a": RUNS["a"]}, MODEL, 0.1, MEASURE)
    assert {need.target for need in one.needs} == {MEAN}
    narrow = plan_labels(sampled(0.3, 1), RUNS, MODEL, 0.001, MEASURE)
    assert narrow.need(MEAN, OTHER, WHOLE).labels is None
    assert narrow.need(MEAN, THESE, UNIFORM).labels is not None
    assert "No number: not with these 30 queries, however many labels" in str(narrow)


@pytest.mark.parametrize("width", [0, -1, 2.5, float("nan")])
def test_a_width_is_a_number_above_0(width: float) -> None:
    with pytest.raises(UsageError, match="width is"):
        plan_labels(sampled(0.3, 1), RUNS, MODEL, width, MEASURE)


def test_the_command(tmp_path: Path) -> None:
    people, model = tmp_path / "people.prels", tmp_path / "model.run"
    people.write_text(judgments_text(sampled(0.3, 1)))
    model.write_text("".join(f"{q} Q0 {d} 1 {s} m\n" for q, docs in MODEL.items() for d, s in docs.items()))
    runs = [tmp_path / f"{name}.run" for name in RUNS]
    for path, run in zip(runs, RUNS.values(), strict=True):
        path.write_text(run_text(run, path.stem))
    words = ["plan", "labels", str(people), *map(str, runs)]
    both = ["--predictions", str(model), "--width", "0.1", "-m", MEASURE]
    rows = json.loads(printed(*words, *both, "--format", "json"))["rows"]
    named = {path.stem: path for path in runs}
    plan = plan_labels(Judgments.read(people), named, model, 0.1, MEASURE)
    assert [(row["labels"], row["people alone"]) for row in rows] == [need[3:] for need in plan.needs]
    assert "no predictions given" in refused(2, *words, "--width", "0.1")
    assert "no width given" in refused(2, *words, *both[:2])
