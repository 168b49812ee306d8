"""Temporary files and folders that are removed even if a signal ends the process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_unfinished: set[Path] = set()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is removed at the end, or when SIGTERM or SIGHUP ends the process."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="unjudged-") as name:
        folder = Path(name)
        with removed_if_ended(folder):
            yield folder


@contextmanager
def removed_if_ended(path: Path) -> Iterator[None]:
    """Remove a file or a folder if SIGTERM or SIGHUP ends the process meanwhile.

    A signal that the program already handles or ignores is left as it is.
    """
    ours = []
    _unfinished.add(path)
    if threading.current_thread() is threading.main_thread():
        ours = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _remove_and_end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)
        _unfinished.discard(path)


def _remove_and_end(number: int, _: FrameType | None) -> None:
    import shutil

    for path in _unfinished:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
