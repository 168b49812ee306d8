"""What a command says on standard error besides its results; each thing once."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from unjudged.base.errors import UnjudgedWarning


def warn(problem: str) -> None:
    """Tell the user about something on standard error, once."""
    if problem not in _SAID and sys.stderr is not None:
        _SAID.add(problem)
        from unjudged.grids.escapes import plain

        sys.stderr.write(f"unjudged: {plain(problem)}\n")


_SAID: set[str] = set()
"""What this command has said on standard error, or shows on the terminal below its table."""


def already_said(notes: Iterable[str]) -> None:
    """Notes that the user sees with the results, so that no warning repeats them."""
    _SAID.update(notes)


@contextmanager
def warnings_on_standard_error() -> Iterator[None]:
    """Print each `UnjudgedWarning` as one line, after the results that it is about."""
    _SAID.clear()
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", UnjudgedWarning)
        try:
            yield
        finally:
            for warning in found:
                ours = issubclass(warning.category, UnjudgedWarning)
                warn(str(warning.message) if ours else f"{warning.category.__name__}: {warning.message}")
