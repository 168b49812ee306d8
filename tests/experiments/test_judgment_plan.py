"""The plan against the experiment that it reads."""

from __future__ import annotations

import pytest

from tests.cli.in_process import printed, refused
from unjudged import UsageError, sample
from unjudged.experiments import experiment
from unjudged.experiments.judgment_plan import ESTIMATORS, plan_judgments

RUNS = [str(path) for path in sample.runs.values()]


def test_the_level_is_the_first_that_reaches_the_target() -> None:
    found = plan_judgments(
        sample.qrels, sample.runs, tau=0.9, designs=["depth", "mixed"], repeats=3, queries=60
    )
    for one in found.designs:
        measure = ESTIMATORS[one.design]
        tried = experiment(sample.qrels, sample.runs, one.design, measures=measure, repeats=3)  # type: ignore[arg-type]
        reached = [level for level in sorted(tried.levels) if tried.find("tau", measure, level).mean >= 0.9]
        assert one.level == reached[0]
        row = tried.find("tau", measure, reached[0])
        assert one.judgments == round(60 * row.judged)
        assert one.tau == row.mean
        error = tried.find("rms", measure, reached[0]).mean
        assert one.width == pytest.approx(2 * 1.96 * error * 0.5**0.5)
    needed = [one.judgments or 0 for one in found.designs]
    assert needed == sorted(needed)


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


def test_refusals() -> None:
    for tau, width in ((None, None), (0.9, 0.1), (2.0, None), (None, 0.0)):
        with pytest.raises(UsageError):
            plan_judgments(sample.qrels, sample.runs, tau=tau, width=width)
    with pytest.raises(UsageError, match="queries"):
        plan_judgments(sample.qrels, sample.runs, tau=0.5, queries=0)
