"""Count the files that a command passes, and how often a call leaves one folder for another.

    python scripts/journey.py compare QRELS RUN RUN

Only calls below the command's function count; a method without its own `def` line, such as the `__init__`
that a dataclass makes, belongs to no file.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from types import FrameType
from typing import Any

import unjudged

ROOT = os.path.dirname(unjudged.__file__) + os.sep
Journey = tuple[Counter[str], Counter[tuple[str, str]]]


def journey_of(words: list[str]) -> Journey:
    """Return how often functions of each file are called, and how often calls lead from folder to folder."""
    files: Counter[str] = Counter()
    changes: Counter[tuple[str, str]] = Counter()
    before = ["cli"]

    def watch(frame: FrameType, event: str, _: Any) -> None:
        name = frame.f_code.co_filename
        if event != "call" or not name.startswith(ROOT) or frame.f_code.co_name == "<module>":
            return
        files[name.removeprefix(ROOT)] += 1
        folder = os.path.dirname(name).removeprefix(ROOT)
        if folder != before[0]:
            changes[before[0], folder] += 1
            before[0] = folder

    given = program_parsed(words)
    sys.setprofile(watch)
    try:
        given.command.run(given)
    finally:
        sys.setprofile(None)
    return files, changes


def program_parsed(words: list[str]) -> Any:
    """Return a parsed command line."""
    from unjudged.cli.command_line import parsed

    return parsed(words[0], words[1:])


if __name__ == "__main__":
    with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
        files, changes = journey_of(sys.argv[1:])
    print(len(files), "files,", changes.total(), "changes of folder")
    for name, calls in sorted(files.items()):
        print(f"  {calls:6} {name}")
    for pair, calls in changes.most_common(40):
        print(f"  {calls:6} {pair[0]} -> {pair[1]}")
