"""The file in which a worker says what it is doing, which the campaign reads meanwhile."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from fuzz.worker import State


def test_two_may_make_it_at_once(tmp_path: Path) -> None:
    for attempt in range(50):
        path, together = tmp_path / f"{attempt}.state", Barrier(2)

        def made(number: int, path: Path = path, together: Barrier = together) -> State:
            together.wait()
            state = State(path)
            if number == 0:
                state.begin(b"an input")
            return state

        with ThreadPoolExecutor(2) as pool:
            list(pool.map(made, range(2)))
        assert State(path).input() == b"an input"


def test_it_outlives_its_worker(tmp_path: Path) -> None:
    worker = State(tmp_path / "text.state")
    worker.begin(b"first")
    worker.end(finding=False)
    worker.begin(b"second")
    seen = State(tmp_path / "text.state")
    assert (seen.done, seen.findings, seen.input()) == (1, 0, b"second")
    assert seen.since > 0
