"""Bounds with fractional grades hold every completion, and reach the extremes where they are exact."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tests.cli.in_process import printed
from tests.intervals import intervals
from tests.oracles.fractional_completions import MEASURES, case, completions, measures
from tests.report.test_page import said
from unjudged import calibrate, compare, evaluate, sample
from unjudged.evidence.value_bounds import bounds
from unjudged.judging import next as next_documents

CASES = 25


@pytest.mark.thorough
def test_bounds_against_every_completion() -> None:
    for seed in range(CASES):
        qrels, run = case(np.random.default_rng(seed))
        scores = evaluate(qrels, run, list(MEASURES))
        assert scores.rankings is not None
        found = intervals(scores, "bounds")[0]
        for k, measure in enumerate(measures()):
            every = [
                evaluate(complete, run, measure).values[0, 0, 0]
                for complete in completions(qrels, run, measure)
            ]
            low, high = min(every), max(every)
            placed, rankings = measure.on(scores.rankings.judgments), scores.rankings
            after_end = 0.0 if measure.traits.tail is None else float(measure.weights(1))
            assert found[k].low <= low + 1e-12, (measure, seed)
            assert found[k].high >= high - 1e-12, (measure, seed)
            limits = bounds(placed, rankings, after_end=False)
            if limits.exact and not measure.traits.skips_unjudged and not after_end:
                value = float(scores.values[0, 0, k])
                assert limits.low[0] == pytest.approx(min(low, value), abs=1e-12), (measure, seed)
                assert limits.high[0] == pytest.approx(max(high, value), abs=1e-12), (measure, seed)


def test_the_same_in_halves_as_in_whole_numbers() -> None:
    """Grades of 0.5 and 1 are those of 1 and 2 by measures that only ask which are relevant, to the bit."""
    rng = np.random.default_rng(1)
    whole = {f"q{i}": {f"d{j}": int(rng.choice([-1, 0, 1, 2])) for j in range(12)} for i in range(15)}
    halves = {q: {d: g / 2 if g > 0 else float(g) for d, g in own.items()} for q, own in whole.items()}
    runs = {
        name: {q: {f"d{j}": float(rng.random()) for j in range(14)} for q in whole}
        for name in ("a", "b", "c")
    }
    pairs = [
        ("AP(rel=2)", "AP(rel=1.0)"),
        ("P(rel=1)@5", "P(rel=0.5)@5"),
        ("RBP(p=0.8, rel=2)", "RBP(p=0.8, rel=1.0)"),
    ]
    for of_whole, of_halves in pairs:
        one, other = compare(whole, runs, of_whole), compare(halves, runs, of_halves)
        assert other.measures == compare(halves, runs, of_halves).measures
        for view in ("pairs", "systems"):
            rows = ([{**row, "measure": None} for row in found.rows[view]] for found in (one, other))
            assert repr(next(rows)) == repr(next(rows))
        first, second = (
            next_documents(q, runs, n=5, measure=m) for q, m in ((whole, of_whole), (halves, of_halves))
        )
        assert [(c["query"], c["document"], c["gain"]) for c in first.wanted] == [
            (c["query"], c["document"], c["gain"]) for c in second.wanted
        ]


def test_a_report_says_what_grades_stand_for() -> None:
    from unjudged.report.report_page import report_page

    qrels = {f"q{i}": {"a": 0.25, "b": 0.7, "c": -1.0} for i in range(3)}
    runs = {"one": {q: {"a": 2.0, "b": 1.0} for q in qrels}, "two": {q: {"b": 2.0, "c": 1.0} for q in qrels}}
    for given in (runs, {"one": runs["one"]}):
        assert "0 is 0, 1 is 0.25, 2 is 0.7" in said(report_page(qrels, given, "nDCG").html)


def test_calibrations_are_learnt_from_the_command_line(tmp_path: Path) -> None:
    """Fractions are taken wherever whole grades are."""
    halves = tmp_path / "halves.txt"
    halves.write_text(re.sub(r"(?m) 1$", " 0.5", sample.qrels.read_text()))
    learnt = tmp_path / "learnt.json"
    calibrate(halves, sample.runs, "(.*)", "nDCG@10").save(learnt)
    settings = ["--set", f"judgments.calibration={learnt}", "--interval", "calibrated(confidence=0.7)"]
    assert "calibrated" in printed(
        "evaluate", str(halves), str(sample.runs["boolean"]), "-m", "nDCG@10", *settings
    )
