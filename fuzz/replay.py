"""Checks saved inputs in a process of their own, so that one that crashes is only counted."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from fuzz.campaign import HANGING, crash_in

ROOT = Path(__file__).parents[1]


def check(files: list[Path]) -> dict[Path, str | None]:
    """For each file what is found, None if nothing is. The folder of a file names its kind."""
    found: dict[Path, str | None] = {}
    left = sorted(files)
    while left:
        done, problem = _checked(left)
        found.update(done)
        left = left[len(done) :]
        if left:
            found[left.pop(0)] = problem
    return found


def _checked(files: list[Path]) -> tuple[dict[Path, str | None], str]:
    """What one process gives for the files, up to one that ends it, and what ended it."""
    with tempfile.TemporaryDirectory(prefix="unjudged-fuzz-") as folder:
        command = [sys.executable, "-m", "fuzz.worker", "--folder", folder, "--findings", folder, "--files"]
        try:
            worker = subprocess.run(
                [*command, *(str(file.resolve()) for file in files)],
                capture_output=True, text=True, errors="replace", cwd=ROOT, check=False,
                timeout=HANGING + len(files),
            )  # fmt: skip
            output, problem = worker.stdout, crash_in(worker.stderr, worker.returncode)
        except subprocess.TimeoutExpired as late:
            output, problem = (late.stdout or b"").decode(), f"hang: more than {HANGING:g} seconds"
    lines = [json.loads(line) for line in output.splitlines()]
    return {file: title for file, (_, title) in zip(files, lines, strict=False)}, problem
