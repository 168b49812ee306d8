"""Where text goes: standard output, or a file that appears whole."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from unjudged.errors import InputError
from unjudged.report.text import write_whole


def is_terminal() -> int | None:
    """The width of the terminal that standard output is, None where it is none."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


def show(text: str, output: Path | None = None) -> None:
    if output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        return
    try:
        write_whole(output, text)
    except OSError as error:
        raise InputError(f"{output}: cannot be written: {error.strerror}") from None
