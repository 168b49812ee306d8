"""Spark, classic and over Connect, and Sail: each in a process of its own, where it is installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

CASES = Path(__file__).parent / "spark_cases.py"


def missing(engine: str) -> str | None:
    if find_spec("pyspark") is None:
        return "pyspark is not installed"
    if engine != "classic" and find_spec("grpc") is None:
        return "pyspark[connect] is not installed"
    if engine == "sail":
        return None if find_spec("pysail") is not None else "pysail is not installed"
    if find_spec("py4j") is None:
        return "only Spark's client is installed"
    java = shutil.which("java")
    if java is None:
        return "there is no Java"
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(\d+)', said)
    return None if version is not None and int(version[1]) >= 17 else "Java is older than 17"


@pytest.mark.parametrize("engine", ["classic", "connect", "sail"])
def test_on(engine: str, tmp_path: Path) -> None:
    reason = missing(engine)
    if reason:
        pytest.skip(reason)
    command = [sys.executable, "-m", "pytest", str(CASES), "-q", "-p", "no:cacheprovider", "-W", "default"]
    if engine == "connect":  # which differs from classic Spark in how functions and errors travel
        command += ["-k", "last_bit or twice or judgments or your_own"]
    env = {**os.environ, "UNJUDGED_SPARK": engine, "SPARK_LOCAL_DIRS": str(tmp_path)}
    found = subprocess.run(
        command, cwd=CASES.parents[2], env=env, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stdout[-6000:]
