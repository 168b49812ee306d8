"""Progress appears on a terminal when work takes long, and nowhere else."""

from __future__ import annotations

import io
import sys
import time

import pytest

from unjudged import experiment, sample
from unjudged.cli.output import progress, reading


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal; set within the test, because pytest sets it anew for each phase."""
    terminal = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", terminal)
    return terminal


def wait_for(terminal: Terminal, words: str) -> None:
    deadline = time.monotonic() + 10
    while words not in terminal.getvalue() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert words in terminal.getvalue()


def test_long_work_shows_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("working", 10, after=0.01) as report:
        report(3)
        wait_for(terminal, "working")
        report(10)
    assert "30 %" in terminal.getvalue()


def test_what_follows_the_last_run_is_not_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("reading", 2, then="computing", after=0.01) as report:
        for done, shown in ((1, "50 %"), (2, "computing")):
            report(done)
            wait_for(terminal, shown)
    assert "100 %" not in terminal.getvalue()


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("working", 10) as report:
        report(10)
    assert terminal.getvalue() == ""


def test_nothing_is_shown_where_there_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("working", 2, after=0.0) as report:
        report(1)
        time.sleep(0.05)
    assert capsys.readouterr().err == ""


def test_a_bar_stops_when_the_work_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)

    def fail() -> None:
        with progress("working", after=0.0):
            wait_for(terminal, "working")
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        fail()
    assert terminal.getvalue().endswith("\x1b[2K")


def test_callbacks_of_python_calls() -> None:
    steps: list[int] = []
    experiment(sample.qrels, sample.runs, levels=[0.5], measures="AP", repeats=3, on_step=steps.append)
    assert steps[-1] == 3
    with reading(2) as on_read:
        on_read("a")
        on_read("b")
