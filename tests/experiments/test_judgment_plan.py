"""The plan against the experiment that it reads, and its number of topics against enumeration."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed, refused
from unjudged import Judgments, UsageError, sample
from unjudged.agreement.orders import tau as tau_of
from unjudged.experiments import experiment
from unjudged.experiments.judgment_plan import ESTIMATORS, TopicResampling, plan_judgments
from unjudged.judging import DESIGNS, Pool
from unjudged.judging.collecting.drawn_sample import draw
from unjudged.judging.collecting.sample_file import read_sample, sample_text
from unjudged.judging.pooling.designs import level_for_budget, options_for_budget

RUNS = [str(path) for path in sample.runs.values()]


@pytest.mark.thorough
def test_at_the_topics_of_the_pilot_it_is_the_experiment() -> None:
    found = plan_judgments(sample.qrels, sample.runs, tau=0.9, designs=["depth", "mixed"], repeats=3)
    for one in found.tried:
        measure = ESTIMATORS["AP"][one.design]
        tried = experiment(sample.qrels, sample.runs, one.design, measures=measure, repeats=3)  # type: ignore[arg-type]
        row = tried.find("tau", measure, float(one.level or 0))
        assert one.judgments == round(30 * row.judged)
        if one.design == "depth":
            assert one.tau == pytest.approx(row.mean)
            assert one.width == pytest.approx(
                2 * 1.96 * tried.find("rms", measure, float(one.level or 0)).mean
            )
    for chosen in found.designs:
        first = next(one for one in found.tried if one.design == chosen.design and one.tau >= 0.9)
        assert chosen == first
    needed = [one.judgments or 0 for one in found.designs]
    assert needed == sorted(needed)


@pytest.mark.thorough
def test_fewer_topics_are_enumerated() -> None:
    """All pairs of four topics, one sample: the mean over many resamples is that over all subsets."""
    rng = np.random.default_rng(1)
    truth, estimates = rng.random((6, 4)), rng.random((1, 6, 4))
    subsets = [list(two) for two in combinations(range(4), 2)]
    every = [tau_of(estimates[0][:, two].mean(axis=1), truth[:, two].mean(axis=1)) for two in subsets]
    errors = [(estimates[0][:, two] - truth[:, two]).mean(axis=1) for two in subsets]
    found = TopicResampling(truth, 2, resamples=20_000).reached(estimates)
    assert found.tau == pytest.approx(np.mean(every), abs=0.01)
    assert found.width == pytest.approx(2 * 1.96 * np.sqrt(np.mean(np.square(errors))), rel=0.01)


def test_noise_shrinks_with_topics_and_bias_stays() -> None:
    rng = np.random.default_rng(1)
    truth = rng.random((5, 40))
    errors = rng.normal(0, 0.1, (20, 5, 40))
    unbiased = truth + errors - errors.mean(axis=(0, 2), keepdims=True)
    for estimates, factor in ((unbiased, 10.0), (truth[None] + 0.05, 1.0)):
        few, many = (TopicResampling(truth, n, resamples=400).reached(estimates).width for n in (20, 2000))
        assert few / many == pytest.approx(factor, rel=0.1)


def test_a_budget_trades_topics_for_depth() -> None:
    found = plan_judgments(sample.qrels, sample.runs, budget=1000, measure="nDCG@10", repeats=2, resamples=50)
    assert [one.tau for one in found.designs] == sorted((one.tau for one in found.designs), reverse=True)
    for one in found.tried:
        assert one.topics <= 120
        assert one.judgments is not None
        assert one.per_query is not None
        assert 999.5 - one.per_query <= one.judgments <= 1000.5
    best = max((one for one in found.tried if one.design == "depth"), key=lambda one: one.tau)
    assert best in found.designs
    fixed = plan_judgments(sample.qrels, sample.runs, budget=1000, queries=40, designs=["random"], repeats=2)
    assert fixed.designs[0].topics == 40
    assert fixed.designs[0].judgments == pytest.approx(1000, rel=0.02)


@pytest.mark.parametrize("name", DESIGNS)
def test_the_level_of_a_budget(name: str) -> None:
    design, pool = DESIGNS.find(name), Pool.of_runs(sample.runs, 20).blank
    for budget in (1480, 1700, 10**6):
        level = level_for_budget(design, pool, budget, seed=3)
        options = {"redraw": False} if name == "random" else {}

        def judged(at: float, options: dict[str, bool] = options) -> int:
            return int((design.draw(pool, at, 3, **options).grade >= 0).sum())

        assert judged(level) <= budget
        if design.level.name == "depth":
            assert judged(level + 1) > budget or judged(level) == len(pool.judgments.grade)
        else:
            assert judged(level) >= min(0.98 * budget, len(pool.judgments.grade))
    with pytest.raises(UsageError, match="judges at least"):
        level_for_budget(DESIGNS.find("stratified"), pool, 100)


@pytest.mark.parametrize("name", ["depth", "mixed"])
def test_designs_by_depth_judge_one_rank_more_in_some_queries(name: str) -> None:
    design, pool = DESIGNS.find(name), Pool.of_runs(sample.runs, 20).blank
    for budget in (1000, 1480, 1700):
        level, options = options_for_budget(design, pool, budget, seed=3)
        found, below, above = (
            design.draw(pool, level + more, 3, **given) for more, given in ((0, options), (0, {}), (1, {}))
        )
        query, judged = pool.judgments.query, found.grade >= 0
        assert 0.98 * budget <= judged.sum() <= budget
        assert found.origin == below.origin
        inside = pool.best[judged if name == "depth" else judged & (found.stratum == 1)]
        of = query[judged if name == "depth" else judged & (found.stratum == 1)]
        deepest = np.array([inside[of == q].max() for q in range(len(pool.judgments.queries))])
        assert (deepest == level + 1).sum() == options.get("deeper", 0)
        assert (deepest >= level).all()
        if name == "depth":
            assert (judged >= (below.grade >= 0)).all()
            assert (judged <= (above.grade >= 0)).all()
        if options:
            other = design.draw(pool, level, 4, **options)
            assert ((other.grade >= 0) != judged).any()


def test_a_file_says_which_queries_are_judged_deeper(tmp_path: Path) -> None:
    found = draw(Pool.of_runs(sample.runs, 20), "depth", 5, deeper=4, seed=1)
    assert found.method == "to rank 5, and to rank 6 in 4 queries, chosen at random"
    (tmp_path / "design.txt").write_text(sample_text(found))
    assert read_sample(tmp_path / "design.txt").method == found.method
    assert draw(Pool.of_runs(sample.runs, 20), "depth", 5).method == ""


@pytest.mark.thorough
@pytest.mark.parametrize("design", [["random"], ["stratified", "--top", "5"], ["depth"], ["mixed"]])
def test_sample_meets_the_budget(tmp_path: object, design: list[str]) -> None:
    runs = RUNS if design != ["random"] else []
    text = printed("sample", str(sample.qrels), *runs, "-d", *design, "--budget", "1000", "--format", "qrels")
    assert "--budget 1000" in text
    rows = [line for line in text.splitlines() if not line.startswith("#")]
    assert 980 <= sum(not line.endswith("-1") for line in rows) <= 1000
    folder = f"{tmp_path}/tasks"
    said = printed(
        "sample", str(sample.qrels), *runs, "-d", *design, "--budget", "1000", "--to-judge", folder
    )
    assert 980 <= int(said.split(" with ")[1].split()[0]) <= 1000


@pytest.mark.thorough
def test_a_target_out_of_reach_is_said() -> None:
    found = plan_judgments(sample.qrels, sample.runs, width=1e-9, designs=["random"], repeats=2)
    assert found.designs[0].shown == "not reached"
    assert found.designs[0].judgments is None


def test_the_command() -> None:
    options = ["--tau", "0.9", "-d", "depth", "--cost", "0.5"]
    text = printed("plan", "judgments", str(sample.qrels), *RUNS, *options)
    assert "Judgments for tau of at least 0.9" in text
    assert "149.50" in text
    assert "give one target" in refused(2, "plan", "judgments", str(sample.qrels), *RUNS)
    text = printed(
        "plan", "judgments", str(sample.qrels), *RUNS, "--budget", "800", "-d", "depth", "-m", "P@5"
    )
    assert "The best use of 800 judgments" in text


def test_refusals() -> None:
    for tau, width in ((None, None), (0.9, 0.1), (2.0, None), (None, 0.0)):
        with pytest.raises(UsageError):
            plan_judgments(sample.qrels, sample.runs, tau=tau, width=width)
    with pytest.raises(UsageError, match="queries"):
        plan_judgments(sample.qrels, sample.runs, tau=0.5, queries=0)
    with pytest.raises(UsageError, match="budget"):
        plan_judgments(sample.qrels, sample.runs, budget=0.0)
    with pytest.raises(UsageError, match="at least two"):
        plan_judgments(Judgments.read(sample.qrels), dict(list(sample.runs.items())[:1]), tau=0.9)
