"""Standard output, whose failures are errors like any other, and what a command says on standard error."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from unjudged.base.errors import InputError, UnjudgedWarning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


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


def warn(problem: str) -> None:
    """Tell the user about something on standard error, once."""
    if problem not in _SAID and sys.stderr is not None:
        _SAID.add(problem)
        from unjudged.base.wording import plain

        sys.stderr.write(f"unjudged: {plain(problem)}\n")


_SAID: set[str] = set()
"""Sentences that this command has said on standard error, or shows on the terminal below its table."""


def already_said(notes: Iterable[str]) -> None:
    """Notes that the user sees with the results, so that no warning repeats them."""
    _SAID.update(notes)


@contextmanager
def warnings_on_standard_error() -> Iterator[None]:
    """Print each `UnjudgedWarning` as one line, after the results that it is about."""
    import warnings

    _SAID.clear()
    with warnings.catch_warnings(record=True) as recorded:
        warnings.simplefilter("always", UnjudgedWarning)
        try:
            yield
        finally:
            for warning in recorded:
                ours = issubclass(warning.category, UnjudgedWarning)
                warn(str(warning.message) if ours else f"{warning.category.__name__}: {warning.message}")
