"""Temporary folders that are removed even if a signal ends the process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

ENDING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
_folders: set[str] = set()


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """A folder that is removed at the end, or when SIGTERM or SIGHUP ends the process.

    A signal that the program already handles or ignores is left as it is.
    """
    import tempfile

    ours = []
    with tempfile.TemporaryDirectory(prefix="unjudged-") as folder:
        _folders.add(folder)
        if threading.current_thread() is threading.main_thread():
            ours = [number for number in ENDING if signal.getsignal(number) is signal.SIG_DFL]
        for number in ours:
            signal.signal(number, _remove_and_end)
        try:
            yield Path(folder)
        finally:
            for number in ours:
                signal.signal(number, signal.SIG_DFL)
            _folders.discard(folder)


def _remove_and_end(number: int, _: FrameType | None) -> None:
    import shutil

    for folder in _folders:
        shutil.rmtree(folder, ignore_errors=True)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
