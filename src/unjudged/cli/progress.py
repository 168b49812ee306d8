"""Bars for long work: on a terminal, and silence elsewhere."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

FROM_RUNS = 10


@contextmanager
def reading(runs: int) -> Iterator[Callable[[str], None] | None]:
    """Something to tell of each run that is read, where there are many."""
    if runs < FROM_RUNS:
        yield None
        return
    with progress("reading runs", runs) as told:
        count = itertools.count(1)
        yield None if told is None else lambda _: told(next(count))


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None] | None]:
    """Something to tell how many steps are done; the bar shows it and the time left."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.update(task, completed=done)
