"""The action for pull requests: its steps run, with what a workflow would give them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unjudged import sample

yaml = pytest.importorskip("yaml")
ROOT = Path(__file__).parent.parent
QRELS, LEXICAL, FUSED, DENSE = (
    str(path) for path in (sample.qrels, *(sample.runs[name] for name in ("lexical", "fused", "dense")))
)


def run_action(folder: Path, **inputs: str) -> tuple[int, str]:
    """Run the steps but the installation; return the exit code and the summary."""
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    given = {name: str(one.get("default", "")) for name, one in action["inputs"].items()} | inputs
    assert {name for name, one in action["inputs"].items() if one.get("required")} <= {*inputs}
    summary, output = folder / "summary.md", folder / "output"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    known = {"PATH": path, "RUNNER_TEMP": str(folder), "GITHUB_ACTION_PATH": str(ROOT)}
    known |= {"GITHUB_STEP_SUMMARY": str(summary), "GITHUB_OUTPUT": str(output)}
    code = 0
    for step in action["runs"]["steps"]:
        own = {
            name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: given[found[1]], text)
            for name, text in step.get("env", {}).items()
        }
        if "pip install" not in step["run"]:
            done = subprocess.run(
                ["bash", "-e", "-c", step["run"]], env={**os.environ, **known, **own}, check=False
            )
            code = done.returncode
            assert f"exit-code={code}\n" in output.read_text()
    return code, summary.read_text()


@pytest.mark.skipif(sys.platform == "win32", reason="steps are for bash")
@pytest.mark.parametrize(
    ("runs", "inputs", "code", "said"),
    [
        ((LEXICAL, FUSED), {"margin": "0.01"}, 0, "PASS"),
        ((FUSED, LEXICAL), {"margin": "0.01", "measures": "nDCG@10 P@10"}, 1, "FAIL"),
        ((FUSED, DENSE), {}, 0, "UNDECIDED"),
        ((FUSED, DENSE), {"undecided": "fail", "options": "--judging worst"}, 1, "UNDECIDED"),
        ((FUSED, "nowhere.run"), {}, 3, ""),
    ],
)
def test_the_steps(
    runs: tuple[str, str], inputs: dict[str, str], code: int, said: str, tmp_path: Path
) -> None:
    found, summary = run_action(tmp_path, source=" ".join([QRELS, *runs]), **inputs)
    assert found == code
    assert said in summary.upper()
