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
def progress(
    what: str, total: int | None = None, *, then: str = "", after: float = SECONDS
) -> Iterator[Report]:
    """A callback that takes how many steps are done; a bar on standard error shows it and the time left.

    The bar appears once the work has taken `after` seconds, and only on a terminal. Without a `total` it
    shows only that work goes on, so the callback need not be called. `then` is what follows the last step.

    >>> from unjudged import sample
    >>> from unjudged.experiments import experiment
    >>> with progress("judging less", total=2) as report:
    ...     results = experiment(sample.qrels, sample.runs, levels=[0.5], repeats=2, on_step=report)
    """
    if sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    bar = _Bar(what, total, then)
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
    with progress("reading runs", runs, then="computing") as report:
        count = itertools.count(1)
        yield lambda _: report(next(count))


class _Bar:
    """A bar that another thread starts, unless the work has ended by then."""

    def __init__(self, what: str, total: int | None, then: str) -> None:
        self._what, self._total, self._then, self._done = what, total, then, 0
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
            task = bar.add_task(self._what, total=self._total)
            later = bar.add_task(self._then, total=None, visible=False)

            def update(done: int) -> None:
                over = bool(self._then) and self._total is not None and done >= self._total
                bar.update(task, completed=done, visible=not over)
                bar.update(later, visible=over)

            update(self._done)
            self._update, self._stop = update, bar.stop
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
