"""Threads that read and match."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from unjudged.errors import UnjudgedError

Result = TypeVar("Result")


class Threads(ThreadPoolExecutor):
    """A pool of threads; if the system refuses to start one, that is an error with a remedy."""

    def submit(self, fn: Callable[..., Result], /, *args: Any, **kwargs: Any) -> Future[Result]:
        try:
            return super().submit(fn, *args, **kwargs)
        except RuntimeError as error:
            if "start new thread" not in str(error):
                raise
        remedy = "raise the limit on processes (ulimit -u) or free memory"
        raise UnjudgedError(f"the system refuses to start a thread for reading; {remedy}")
