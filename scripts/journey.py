"""Count the files that a command passes, and how often it changes from one folder to another.

    python scripts/journey.py compare QRELS RUN RUN

Calls below the command's function count, but not those of imports. A reader follows a loop once: a change of
folder is a function that calls one in another folder, however often it does; how often is the second number.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from types import CodeType, FrameType
from typing import Any

import unjudged
from unjudged.cli.command_line import parsed

ROOT = os.path.dirname(unjudged.__file__) + os.sep


class Journey:
    """What a profiler sees: calls by file, and calls from functions of one folder to those of another."""

    def __init__(self) -> None:
        self.files: Counter[str] = Counter()
        self.changes: Counter[tuple[CodeType, CodeType]] = Counter()
        self.imports = 0

    def watch(self, frame: FrameType, event: str, _: Any) -> None:
        """Take a call."""
        if event in ("call", "return") and frame.f_code.co_name == "<module>":
            self.imports += 1 if event == "call" else -1
        elif event == "call" and not self.imports and is_ours(frame):
            self.files[place_of(frame.f_code)] += 1
            caller = frame.f_back
            while caller is not None and not is_ours(caller):
                caller = caller.f_back
            if caller is not None and folder_of(caller.f_code) != folder_of(frame.f_code):
                self.changes[caller.f_code, frame.f_code] += 1

    def text(self) -> str:
        """Return the numbers, and what they count."""
        files, changes = self.files, self.changes
        lines = [f"{len(files)} files, {len(changes)} changes of folder ({changes.total()} calls)"]
        lines += [f"{calls:6} {name}" for name, calls in sorted(files.items())]
        pairs = Counter((folder_of(one), folder_of(other)) for one, other in changes)
        lines += [f"{many:6} {one} -> {other}" for (one, other), many in pairs.most_common()]
        return "\n".join([*lines, ""])


def is_ours(frame: FrameType) -> bool:
    """Whether a frame runs a line of the package."""
    return frame.f_code.co_filename.startswith(ROOT)


def place_of(code: CodeType) -> str:
    """Return the file of a function, as seen from the package."""
    return code.co_filename.removeprefix(ROOT)


def folder_of(code: CodeType) -> str:
    """Return the folder of the package that a function is in."""
    return place_of(code).partition(os.sep)[0]


def journey_of(words: list[str]) -> Journey:
    """Run a command, and return what it passed."""
    journey, given = Journey(), parsed(words[0], words[1:])
    sys.setprofile(journey.watch)
    try:
        with open(os.devnull, "w") as nothing, redirect_stdout(nothing), redirect_stderr(nothing):
            given.command.run(given)
    finally:
        sys.setprofile(None)
    return journey


if __name__ == "__main__":
    sys.stdout.write(journey_of(sys.argv[1:]).text())
