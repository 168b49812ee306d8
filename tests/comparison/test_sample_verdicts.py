"""Every verdict on the sample, against the complete judgments from which the sample was made."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unjudged import compare, evaluate, sample
from unjudged.comparison.verdicts import CLEAR, SETTLED, SIGNIFICANT

SCRIPT = Path(__file__).parents[2] / "scripts" / "make_sample.py"


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, int]]:
    """The grade of every document, from making the sample once more."""
    spec = spec_from_file_location("make_sample", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script: Any = module_from_spec(spec)
    spec.loader.exec_module(script)
    grades: list[np.ndarray] = []
    draw = script.urn

    def recorded(relevant: np.ndarray, *rest: Any) -> np.ndarray:
        if not grades or grades[-1] is not relevant:
            grades.append(relevant)
        ranking: np.ndarray = draw(relevant, *rest)
        return ranking

    script.urn, script.FOLDER = recorded, tmp_path_factory.mktemp("sample")
    script.main()
    assert (script.FOLDER / "qrels.txt").read_bytes() == Path(sample.qrels).read_bytes()
    return {
        f"q{number:02d}": {f"d{d:03d}": int(grade) for d, grade in enumerate(row)}
        for number, row in enumerate(grades, 1)
    }


@pytest.mark.parametrize("measure", ["RBP(p=0.8)", "RBP(p=0.95)", "P@10", "AP", "nDCG@10", "RR"])
def test_no_verdict_contradicts_the_complete_judgments(
    complete: dict[str, dict[str, int]], measure: str
) -> None:
    found = compare(sample.qrels, sample.runs, measure)
    truth = evaluate(complete, sample.runs, measure)
    for pair in found.pairs():
        true = truth.value(measure, run=pair.a) - truth.value(measure, run=pair.b)
        if pair.difference.method == "exact":
            assert pair.difference.low - 1e-12 <= true <= pair.difference.high + 1e-12
        if pair.verdict in (CLEAR, SETTLED) and pair.better is not None:
            assert (true > 0) == (pair.better == pair.a), pair
    assert any(pair.verdict == CLEAR for pair in found.pairs()) or measure not in ("RBP(p=0.8)", "P@10")


def test_the_worse_run_is_not_called_better(complete: dict[str, dict[str, int]]) -> None:
    """`dense` was not pooled. Complete judgments bring it near `reranked`, but not past it."""
    runs = {name: sample.runs[name] for name in ("reranked", "dense")}
    truth = evaluate(complete, runs, "RBP(p=0.8)")
    assert truth.value("RBP(p=0.8)", run="reranked") == pytest.approx(0.502, abs=0.0005)
    assert truth.value("RBP(p=0.8)", run="dense") == pytest.approx(0.483, abs=0.0005)
    found = compare(sample.qrels, runs)
    assert (found.verdict, found.ahead, found.better) == (SIGNIFICANT, "reranked", None)
