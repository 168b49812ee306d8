"""The same work for many tasks, in this process or shared out to several."""

from __future__ import annotations

import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from unjudged.errors import UnjudgedError
from unjudged.experiments.checkpoint import Checkpoint, Task

Work = Callable[[Task], list[float]]

ENDED = (
    "a process ended before its work was done: ended by the system, perhaps for want of memory (take fewer "
    'workers), or begun by a script that does not call it under `if __name__ == "__main__":`'
)

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
    left = [task for task in tasks if task not in kept.done]
    if on_step is not None:
        on_step(len(tasks) - len(left))
    results = map(work, left) if workers == 1 or len(left) < 2 else _shared(work, left, workers)
    done_before = len(tasks) - len(left)
    for done, (task, values) in enumerate(zip(left, results, strict=True), done_before + 1):
        kept.add(task, values)
        if on_step is not None:
            on_step(done)
    return kept.done


def _shared(work: Work, tasks: Sequence[Task], workers: int) -> Iterator[list[float]]:
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    with TemporaryDirectory() as folder:
        # By a file: writing to a pipe whose reader has ended before reading it all would never end.
        parcel = Path(folder) / "work"
        parcel.write_bytes(pickle.dumps(work))
        # Processes that start from nothing: a forked one inherits locks, but not the threads that hold them.
        pool = ProcessPoolExecutor(
            min(workers, len(tasks)), get_context("spawn"), initializer=_begin, initargs=(parcel,)
        )
        try:
            yield from pool.map(_do, tasks)
        except BrokenProcessPool:  # what is left of the pool ends itself
            pool.shutdown()
            raise UnjudgedError(ENDED) from None
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        pool.shutdown()


def _begin(parcel: Path) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that waits for this one
    _work.append(pickle.loads(parcel.read_bytes()))  # noqa: S301, which our own process has written


def _do(task: Task) -> list[float]:
    return _work[0](task)
