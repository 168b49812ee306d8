"""Standard output that cannot be written is an error like any other."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from unjudged.base.errors import InputError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def complete_output() -> Iterator[None]:
    """Flush standard output; raise InputError if that fails."""
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_output()
        raise InputError(f"standard output: cannot be written: {error.strerror}") from None


def drop_output() -> None:
    """Forget what was not written: Python would try to write it at its end, and fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
