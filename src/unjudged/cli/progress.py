"""Progress of long work: a bar on a terminal after two seconds, silence elsewhere."""

from __future__ import annotations

import itertools
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SECONDS = 2.0
Report = Callable[[int], None]


@contextmanager
def progress(what: str, total: int | None = None, *, after: float = SECONDS) -> Iterator[Report]:
    """A callback that takes how many steps are done; a bar on standard error shows it and the time left.

    The bar appears once the work has taken `after` seconds, and only on a terminal. Without a `total` it
    shows only that work goes on, so the callback need not be called.

    >>> from unjudged import experiment, sample
    >>> with progress("judging less", total=2) as report:
    ...     found = experiment(sample.qrels, sample.runs, levels=[0.5], repeats=2, on_step=report)
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    bar = _Bar(what, total)
    timer = threading.Timer(after, bar.start)
    timer.daemon = True
    timer.start()
    try:
        yield bar.report
    finally:
        timer.cancel()
        bar.stop()


@contextmanager
def reading(runs: int) -> Iterator[Callable[[str], None]]:
    """A callback that takes the name of each run that was read."""
    with progress("reading runs", runs) as report:
        count = itertools.count(1)
        yield lambda _: report(next(count))


class _Bar:
    """A bar that another thread starts, unless the work has ended by then."""

    def __init__(self, what: str, total: int | None) -> None:
        self._what, self._total, self._done = what, total, 0
        self._lock = threading.Lock()
        self._stop: Callable[[], None] | None = None
        self._update: Report | None = None
        self._ended = False

    def start(self) -> None:
        from rich.console import Console
        from rich.progress import Progress

        with self._lock:
            if self._ended:
                return
            bar = Progress(console=Console(stderr=True), transient=True)
            task = bar.add_task(self._what, total=self._total, completed=self._done)
            self._update = lambda done: bar.update(task, completed=done)
            self._stop = bar.stop
            bar.start()

    def report(self, done: int) -> None:
        with self._lock:
            self._done = done
            if self._update is not None:
                self._update(done)

    def stop(self) -> None:
        with self._lock:
            self._ended = True
            if self._stop is not None:
                self._stop()
