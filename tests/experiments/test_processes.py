"""Workers end with the process that started them, however it ends, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from unjudged import sample

pytestmark = pytest.mark.thorough

RUNS = [str(path) for path in sample.runs.values()]
LONG = [str(sample.qrels), *RUNS, "--repeats", "900", "-m", "subAP", "-m", "infAP", "--workers", "3"]
MARK = "UNJUDGED_TEST_OF_PROCESSES"


def marked(mark: str) -> list[int]:
    """Every process that inherited the mark in its environment."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
            except OSError:
                continue  # it has ended, or is another user's
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def stages(partial: Path, mark: str) -> dict[str, Callable[[], bool]]:
    return {
        "first worker": lambda: len(marked(mark)) >= 2,
        "all workers": lambda: len(marked(mark)) >= 4,
        "first result": lambda: partial.exists() and partial.read_bytes().count(b"\n") > 1,
        "many results": lambda: partial.exists() and partial.read_bytes().count(b"\n") > 30,
    }


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("stage", ["first worker", "all workers", "first result", "many results"])
@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT])
def test_a_killed_experiment_leaves_nothing(tmp_path: Path, way: signal.Signals, stage: str) -> None:
    temporary, mark = tmp_path / "temporary", f"{way.name} {stage} {os.getpid()}"
    temporary.mkdir()
    output = tmp_path / "found.csv"
    partial = output.with_name("found.csv.partial")
    process = subprocess.Popen(
        [sys.executable, "-m", "unjudged", "experiment", *LONG, "-o", str(output)],
        env={**os.environ, MARK: mark, "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(stages(partial, mark)[stage])
        assert process.poll() is None
        process.send_signal(way)
        # The pipe ends when no process holds it any more: what `| tee` waits for.
        process.communicate(timeout=30)
        wait_until(lambda: not marked(mark), 30)
    finally:
        for left in marked(mark):
            os.kill(left, signal.SIGKILL)
    assert process.returncode != 0
    assert not list(temporary.iterdir())
    assert not output.exists()


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_ctrl_c_goes_to_all_processes_and_is_reported_once(tmp_path: Path) -> None:
    mark, output = f"ctrl-c {os.getpid()}", tmp_path / "found.csv"
    process = subprocess.Popen(
        [sys.executable, "-m", "unjudged", "experiment", *LONG, "-o", str(output)],
        env={**os.environ, MARK: mark},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    partial = output.with_name("found.csv.partial")
    wait_until(stages(partial, mark)["first result"])
    os.killpg(process.pid, signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    kept = f"unjudged: {partial} keeps the samples so far: the same command continues.\n"
    assert (process.returncode, stderr.decode()) == (130, f"{kept}unjudged: interrupted\n")
    wait_until(lambda: not marked(mark), 30)


def test_an_error_in_a_worker_arrives(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from unjudged import JudgedRankings, UnjudgedError, measure, sample\n"
        "from unjudged.experiments import experiment\n"
        "class Odd(Exception):\n"
        "    def __init__(self, a, b):\n"
        "        super().__init__(f'{a} and {b}')\n"
        "@measure()\n"
        "def Fails(r: JudgedRankings):\n"
        "    raise KeyError('wrong')\n"
        "@measure()\n"
        "def FailsOddly(r: JudgedRankings):\n"
        "    raise Odd(1, 2)\n"
        "if __name__ == '__main__':\n"
        "    for name in ('Fails', 'FailsOddly'):\n"
        "        try:\n"
        "            experiment(sample.qrels, sample.runs, measures=name, workers=2)\n"
        "        except (KeyError, UnjudgedError) as error:\n"
        "            print(repr(error))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "KeyError('wrong')\nUnjudgedError('Odd: 1 and 2')\n", done.stderr
