"""The examples run as they stand and print what they say they print."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.engines.test_spark import missing

EXAMPLES = Path(__file__).parent.parent / "examples"
NEEDS = {"pandas_frames": "pandas", "polars_frames": "polars", "pyterrier_experiment": "pyterrier"}


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_an_example(name: str) -> None:
    reason = missing("classic") if name == "spark_cluster" else None
    if name in NEEDS and find_spec(NEEDS[name]) is None:
        reason = f"{NEEDS[name]} is not installed"
    if reason:
        pytest.skip(reason)
    path = EXAMPLES / f"{name}.py"
    found = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr[-3000:]
    said = path.read_text().partition("\n# Prints:\n")[2].splitlines()
    assert said
    assert [line.rstrip() for line in found.stdout.splitlines()] == [line[2:] for line in said]
