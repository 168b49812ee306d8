"""Bars for long work: on a terminal, and silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

FROM_RUNS = 10


@contextmanager
def reading(runs: int) -> Iterator[Callable[[str], None] | None]:
    """Something to tell of each run that is read, where there are many."""
    if runs < FROM_RUNS:
        yield None
        return
    with progress("reading runs", runs) as advance:
        yield advance


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[Any], None] | None]:
    """Something to call after each step; the bar says how much is done and the time left."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda _: bar.advance(task)
