"""`irds:<id>` stands for the judgments of a dataset of ir_datasets; nothing here is downloaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import ir_datasets
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import TrecPrels, TrecQrels, TrecQueries

from unjudged import InputError, Judgments, UsageError, evaluate, sample


class OnDisk:
    """A file that ir_datasets need not download."""

    def __init__(self, path: Path) -> None:
        self.file = path

    def path(self) -> Path:
        return self.file

    def stream(self) -> Any:
        return self.file.open("rb")


class NotThere:
    def stream(self) -> Any:
        raise RuntimeError("All download sources failed")


@pytest.fixture
def registered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "prels").write_text("q a 1 1 0.25\nq b 0 0 0.5\nr a -1 1 0.5\n")
    known = {
        "mine": Dataset(TrecQrels(OnDisk(Path(sample.qrels)), {})),
        "drawn": Dataset(TrecPrels(OnDisk(tmp_path / "prels"), {})),
        "far": Dataset(TrecQrels(NotThere(), {})),
        "bare": Dataset(TrecQueries(OnDisk(tmp_path / "none"))),
    }
    monkeypatch.setattr(ir_datasets, "load", known.__getitem__)


def test_a_dataset_in_the_place_of_a_file(registered: None) -> None:
    expected = evaluate(sample.qrels, sample.runs, ["AP", "infAP"])
    found = evaluate("irds:mine", sample.runs, ["AP", "infAP"])
    assert found.values.tobytes() == expected.values.tobytes()
    drawn = Judgments.read("irds:drawn")
    assert drawn.probability is not None
    assert drawn.probability.tolist() == [0.25, 1.0, 0.5]
    assert drawn.grade.tolist() == [1, 0, -1]


def test_what_may_be_wrong(registered: None) -> None:
    for name, message in {
        "irds:nothing": "irds:nothing: ir_datasets has no dataset of this name",
        "irds:bare": "irds:bare: this dataset has no judgments",
        "irds:far": "irds:far: its judgments are not on this machine and could not.*All download",
    }.items():
        with pytest.raises(InputError, match=message):
            Judgments.read(name)


def test_without_ir_datasets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    with pytest.raises(
        UsageError, match='irds:vaswani needs ir-datasets: pip install "unjudged\\[datasets\\]"'
    ):
        Judgments.read("irds:vaswani")


def test_the_command_line() -> None:
    command = [sys.executable, "-m", "unjudged", "evaluate", "irds:no/such/one", str(sample.runs["fused"])]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert found.stderr.startswith("unjudged: irds:no/such/one: ir_datasets has no dataset of this name")
