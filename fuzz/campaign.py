"""Runs workers, a kind of input each, replaces those that crash, and counts what they find."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

from fuzz.worker import State, save

HANGING = 60.0  # seconds for one input
MOST_RESIDENT = 4 << 30  # bytes of memory of a worker


@dataclass
class Work:
    """One kind of input: its time, its worker, and what has been counted so far."""

    kind: str
    seconds: float
    seed: int
    folder: Path
    findings: Path
    process: subprocess.Popen[bytes] | None = None
    until: float = 0.0
    started: int = 0
    lost: list[str] = field(default_factory=list)  # what ended a worker, each time

    def start(self) -> None:
        """Start a worker for the time that is left."""
        self.until = self.until or time.monotonic() + self.seconds
        left = max(self.until - time.monotonic(), 0.1)
        command = [sys.executable, "-m", "fuzz.worker", self.kind, "--seconds", f"{left}"]
        command += ["--seed", str(self.seed * 1_000_003 + self.started)]
        command += ["--folder", str(self.folder), "--findings", str(self.findings)]
        self.started += 1
        with self.errors.open("wb") as errors:
            self.process = subprocess.Popen(command, stderr=errors)

    @property
    def errors(self) -> Path:
        return self.folder / f"{self.kind}.errors"

    def state(self) -> State:
        return State(self.folder / f"{self.kind}.state")

    def finished(self) -> bool:
        """Look after the worker; True once the time of this kind is over."""
        assert self.process is not None
        code = self.process.poll()
        if code == 0:
            return True
        reason = (
            crash_in(self.errors.read_text("utf-8", "replace"), code) if code is not None else self.excess()
        )
        if reason is None:
            return False
        self.process.kill()
        self.process.wait()
        self.lost.append(reason)
        state = self.state()
        if not state.since:
            raise RuntimeError(f"the worker for {self.kind} did not start:\n{self.errors.read_text()}")
        save(self.findings / self.kind, reason, self.errors.read_text("utf-8", "replace"), state.input())
        state.end(finding=True)
        if time.monotonic() > self.until:
            return True
        self.start()
        return False

    def excess(self) -> str | None:
        """What a running worker takes too much of."""
        assert self.process is not None
        if (since := self.state().since) and time.monotonic() - since > HANGING:
            return f"hang: more than {HANGING:g} seconds"
        with contextlib.suppress(OSError, IndexError):
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
            if pages * os.sysconf("SC_PAGESIZE") > MOST_RESIDENT:
                return f"memory: more than {MOST_RESIDENT >> 20} MB"
        return None


def crash_in(errors: str, code: int) -> str:
    """One line that names a crash: the sanitizer's summary, else our last line of Python and the signal."""
    summary = re.search(r"^SUMMARY: (.*)$|^.*(runtime error: .*)$", errors, re.MULTILINE)
    if summary:
        return "crash: " + re.sub(r"0x[0-9a-f]+|\(.*?\)", "", next(filter(None, summary.groups()))).strip()
    frame = re.search(r'File "\S*unjudged/(\S+)", line (\d+) in (\w+)', errors)
    place = f" in {frame[1]}:{frame[2]} {frame[3]}" if frame else ""
    return f"crash: exit code {code}{place}"


def run(kinds: list[str], seconds: float, workers: int, seed: int, findings: Path) -> int:
    """Share `seconds` of `workers` processes among the kinds; the number of findings."""
    began = time.time()
    share = seconds * min(workers, len(kinds)) / len(kinds)
    with tempfile.TemporaryDirectory(prefix="unjudged-fuzz-") as folder:
        works = [Work(kind, share, seed, Path(folder), findings) for kind in kinds]
        waiting, running = deque(works), list[Work]()
        try:
            while waiting or running:
                while waiting and len(running) < workers:
                    running.append(waiting.popleft())
                    running[-1].start()
                time.sleep(0.05)
                running = [work for work in running if not work.finished()]
        finally:
            for work in running:
                if work.process is not None:
                    work.process.kill()
                    work.process.wait()
        return report(
            works, [file for file in sorted(findings.glob("*/*.input")) if file.stat().st_mtime >= began]
        )


def report(works: list[Work], found: list[Path]) -> int:
    print(f"{'kind':<12}{'inputs':>10}{'a minute':>10}{'findings':>10}{'crashes':>10}")
    total = 0
    for work in works:
        state = work.state()
        total += state.findings
        rate = state.done / work.seconds * 60
        print(f"{work.kind:<12}{state.done:>10,}{rate:>10,.0f}{state.findings:>10}{len(work.lost):>10}")
    for file in found:
        print(f"{file}: {file.with_suffix('.txt').read_text().partition(chr(10))[0]}")
    return total
