"""Threads that share work."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self, TypeVar

from unjudged.base.errors import UnjudgedError

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

Result = TypeVar("Result")


class Threads:
    """A pool of threads, made for the first piece of work; the import takes as long as reading a small file.

    If the system refuses to start a thread, that is an error with a remedy.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.pool: ThreadPoolExecutor | None = None

    def submit(self, work: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        if self.pool is None:
            from concurrent.futures import ThreadPoolExecutor

            self.pool = ThreadPoolExecutor(self.most)
        try:
            return self.pool.submit(work, *args, **kwargs)
        except RuntimeError as error:
            if "start new thread" not in str(error):
                raise
        remedy = "raise the limit on processes (ulimit -u) or free memory"
        raise UnjudgedError(f"the system refuses to start a thread; {remedy}")

    def map(self, work: Callable[..., Result], *items: Iterable[Any]) -> Iterator[Result]:
        """Return the results in order; all work is handed out at once."""
        handed_out = [self.submit(work, *each) for each in zip(*items, strict=True)]
        return (future.result() for future in handed_out)

    def shutdown(self, *, wait: bool = True, cancel_futures: bool = False) -> None:
        if self.pool is not None:
            self.pool.shutdown(wait=wait, cancel_futures=cancel_futures)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown(cancel_futures=True)


def cores() -> int:
    """Return how many threads can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
