"""The whole cycle of a collection: the same bytes every time, estimates inside their intervals, an end."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

from unjudged import Judgments, sample

pytestmark = pytest.mark.thorough

SCRIPT = Path(__file__).parents[2] / "scripts" / "collection.py"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("collection_script", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def number(pattern: str, report: list[str]) -> float:
    found = re.search(pattern, "\n".join(report))
    assert found, report
    return float(found[1])


def test_the_sample_collection(script: ModuleType, tmp_path: Path) -> None:
    reports = [
        script.cycle(tmp_path / name, Judgments.of(sample.qrels), dict(sample.runs), depth=20)
        for name in "ab"
    ]
    assert reports[0] == reports[1]
    files = [path for path in sorted((tmp_path / "a").rglob("*")) if path.is_file()]
    assert files
    for path in files:
        assert path.read_bytes() == (tmp_path / "b" / path.relative_to(tmp_path / "a")).read_bytes()
    budget = number(r"A stratified sample for (\d+) draws", reports[0])
    assert 0.98 * budget <= number(r"A stratified sample for \d+ draws (\d+)", reports[0]) <= budget
    assert number(r"statAP \(joint\): .* (\d+)% inside", reports[0]) == 100
    assert any("Stop: more judging cannot, or is unlikely to, change" in line for line in reports[0])
    assert number(r"Both rounds: .* (\d+) conflicts settled", reports[0]) > 0
    assert number(r"Both rounds: .* (\d+) cannot be judged", reports[0]) > 0


def test_trec8(script: ModuleType, data: Path, tmp_path: Path) -> None:
    """A pool of half of the groups, a stratified draw, answers from the true judgments."""
    truth, runs = Judgments.read(data / "trec8" / "qrels.trec8.gz"), script.half_of_the_groups(data / "trec8")
    report = script.cycle(tmp_path, truth, runs, depth=100)
    assert number(r"xinfAP: .* (\d+)% of the runs inside", report) >= 90
    assert number(r"statAP \(joint\): .* (\d+)% inside", report) >= 95
    assert number(r"xinfAP: RMS error (0\.\d+)", report) < 0.01
    assert any("Stop: more judging cannot, or is unlikely to, change" in line for line in report)
    assert number(r"Both rounds: .* (\d+) conflicts settled", report) > 0
