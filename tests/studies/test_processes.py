"""Workers end with the process that started them, however it ends, and leave nothing behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from unjudged import sample

pytestmark = pytest.mark.thorough

RUNS = [str(path) for path in sample.runs.values()]
LONG = [str(sample.qrels), *RUNS, "-d", "uniform(repeats=900)", "-m", "subAP", "infAP"]
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


def worked(process: int) -> float:
    """Seconds of processor time that a process has taken; 0 if it has ended."""
    with suppress(OSError):
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")
    return 0.0


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@contextmanager
def at_work(mark: str, **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """An experiment whose workers are at work; at the end nothing is left of it."""
    command = [sys.executable, "-m", "unjudged", "experiment", *LONG]
    process = subprocess.Popen(command, env={**os.environ, MARK: mark, **options.pop("env", {})}, **options)
    try:
        wait_until(lambda: any(worked(own) > 0.7 for own in marked(mark) if own != process.pid), 120)
        assert process.poll() is None
        yield process
        wait_until(lambda: not marked(mark), 30)
    finally:
        for left in marked(mark):
            os.kill(left, signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("way", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL, signal.SIGINT])
def test_a_killed_experiment_leaves_nothing(tmp_path: Path, way: signal.Signals) -> None:
    mark = f"{way.name} {os.getpid()}"
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    environment = {"TMPDIR": str(tmp_path)}
    with at_work(mark, env=environment, **streams) as process:
        process.send_signal(way)
        # The pipe ends when no process holds it any more: what `| tee` waits for.
        found, _ = process.communicate(timeout=30)
    assert process.returncode != 0
    assert found == b""
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="looks for processes in /proc")
def test_ctrl_c_goes_to_all_processes_and_is_reported_once() -> None:
    mark = f"ctrl-c {os.getpid()}"
    with at_work(mark, stderr=subprocess.PIPE, start_new_session=True) as process:
        os.killpg(process.pid, signal.SIGINT)
        _, stderr = process.communicate(timeout=30)
        assert (process.returncode, stderr.decode()) == (130, "unjudged: interrupted\n")


def test_an_error_in_a_worker_arrives(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from unjudged import JudgedRankings, experiment, measure, sample\n"
        "@measure()\n"
        "def Fails(r: JudgedRankings):\n"
        "    raise KeyError('wrong')\n"
        "if __name__ == '__main__':\n"
        "    try:\n"
        "        experiment(sample.qrels, sample.runs, measures='Fails', workers=2)\n"
        "    except KeyError as error:\n"
        "        print(repr(error))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "KeyError('wrong')\n", done.stderr
