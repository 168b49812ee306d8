"""Work done for many tasks, in this process or shared by several.

Each worker has a pipe to this process and shares nothing else with it: no file, no semaphore, no queue. When
this process ends, however it ends, the pipe closes and the worker ends too. An executor of processes would
need semaphores, which the death of this process leaves to others to remove, and it waits forever for a worker
that ends before it has read its work, as in a script without a guard.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from unjudged.base.errors import UnjudgedError
from unjudged.experiments.checkpoint import Checkpoint, Task

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

Work = Callable[[Task], list[float]]
Done = tuple[Task, list[float]]

ENDED = (
    "a worker process ended before its work was done: the system may have stopped it for lack of memory (use "
    'fewer workers), or a script started it outside `if __name__ == "__main__":`'
)


def run_all(
    work: Work,
    tasks: Sequence[Task],
    workers: int,
    kept: Checkpoint,
    on_step: Callable[[int], None] | None = None,
) -> dict[Task, list[float]]:
    """Return the result of each task; tasks in the checkpoint are not done again."""
    left = [task for task in tasks if task not in kept.done]
    before = len(tasks) - len(left)
    if on_step is not None:
        on_step(before)
    here = workers == 1 or len(left) < 2
    results = ((task, work(task)) for task in left) if here else _shared(work, left, workers)
    for done, (task, values) in enumerate(results, before + 1):
        kept.add(task, values)
        if on_step is not None:
            on_step(done)
    return kept.done


def _shared(work: Work, tasks: Sequence[Task], workers: int) -> Iterator[Done]:
    """Yield results as they come. A worker gets its next task when it has returned the last one."""
    from multiprocessing.connection import wait

    waiting = list(reversed(tasks))
    running: dict[Connection, BaseProcess] = {}
    try:
        for _ in range(min(workers, len(tasks))):
            pipe, process = _started()
            running[pipe] = process
        parcel = pickle.dumps(work)
        for pipe in running:
            pipe.send_bytes(parcel)
            pipe.send(waiting.pop())
        busy = set(running)
        while busy:
            for ready in wait(list(busy)):
                pipe = cast("Connection", ready)
                result = pipe.recv()
                if isinstance(result, BaseException):
                    raise result
                if waiting:
                    pipe.send(waiting.pop())
                else:
                    busy.remove(pipe)
                yield result
    except (EOFError, ConnectionError):
        raise UnjudgedError(ENDED) from None
    finally:
        for pipe, process in running.items():
            pipe.close()
            process.terminate()
            process.join()


def _started() -> tuple[Connection, BaseProcess]:
    """Start a worker from nothing: a fork would inherit locks, but not the threads that hold them."""
    from multiprocessing import get_context

    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs,), daemon=True)
    with _interrupts_held():
        process.start()
    theirs.close()  # only the worker holds it now, so that it closes when the worker ends
    return ours, process


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back, which is for the process that waits: a worker that starts inherits the block.

    Windows has nothing like this; there a worker ignores Ctrl-C as soon as it runs.
    """
    if sys.platform == "win32":
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # it would unblock the signal
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _serve(pipe: Connection) -> None:
    """In a worker: receive the work, then do one task after another until the pipe is closed."""
    from threading import Thread

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        work: Work = pickle.loads(pipe.recv_bytes())  # noqa: S301, our own process wrote it
        while True:
            task = pipe.recv()
            pipe.send((task, work(task)))
    except (EOFError, ConnectionError):
        return
    except BaseException as error:  # noqa: BLE001, it is raised in the process that waits
        pipe.send(_portable(error))


def _end_with_parent() -> None:
    """End this process at once when its parent has ended, even while it computes."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait

    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(1)


def _portable(error: BaseException) -> BaseException:
    """Return the error, or its text where the error itself cannot travel between processes."""
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301, our own error
    except Exception:  # noqa: BLE001, an error of any class can fail in any way
        return UnjudgedError(f"{type(error).__name__}: {error}")
    return error
