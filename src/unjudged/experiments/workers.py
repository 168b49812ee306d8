"""The same work for many tasks, in this process or shared out to several."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence

from unjudged.experiments.checkpoint import Checkpoint, Task

Work = Callable[[Task], list[float]]

_work: list[Work] = []
"""In a process of its own: what it was sent to do."""


def each(
    work: Work,
    tasks: Sequence[Task],
    workers: int,
    kept: Checkpoint,
    on_step: Callable[[int], None] | None = None,
) -> dict[Task, list[float]]:
    """What the work gives for each task; those that are kept already are not done again."""
    left = [task for task in dict.fromkeys(tasks) if task not in kept.done]
    if on_step is not None:
        on_step(len(tasks) - len(left))
    results = map(work, left) if workers == 1 or len(left) < 2 else _shared(work, left, workers)
    for task, values in zip(left, results, strict=True):
        kept.add(task, values)
        if on_step is not None:
            on_step(len(kept.done))
    return kept.done


def _shared(work: Work, tasks: Sequence[Task], workers: int) -> Iterator[list[float]]:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Processes that start from nothing: a forked one inherits locks, but not the threads that hold them.
    pool = ProcessPoolExecutor(
        min(workers, len(tasks)), get_context("spawn"), initializer=_begin, initargs=(work,)
    )
    try:
        yield from pool.map(_do, tasks)
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(work: Work) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits for this one
    _work.append(work)


def _do(task: Task) -> list[float]:
    return _work[0](task)
