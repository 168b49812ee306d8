"""Makes saved inputs as small as they can be while what they show stays the same.

`python -m fuzz.minimise FILE ...`, each in a folder that names its kind; the files are changed in place.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
from pathlib import Path

from fuzz.kinds import kind_named
from fuzz.worker import State, examine

MOST_SECONDS = 20  # for one attempt


def title(kind: str, data: bytes, folder: Path) -> str:
    """What an input shows, found out by a process that may crash."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        with contextlib.suppress(BaseException):
            signal.alarm(MOST_SECONDS)
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            shown, _ = examine(kind, data, State(folder / "state"), folder)
            os.write(writer, (shown or "").encode("utf-8", "backslashreplace")[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        text = answer.read().decode()
    status = os.waitpid(child, 0)[1]
    return f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else text


def minimised(kind: str, data: bytes, folder: Path) -> bytes:
    """Take out ever smaller parts, each wherever that changes nothing."""
    kind_named(kind)  # imported here, not by every child
    wanted = title(kind, data, folder)
    size = max(len(data) // 2, 1)
    while size:
        at = 0
        while at < len(data):
            smaller = data[:at] + data[at + size :]
            if title(kind, smaller, folder) == wanted:
                data = smaller
            else:
                at += size
        size = size // 2 if len(data) < 4000 or size > len(data) // 64 else 0
    return data


def main() -> None:
    for name in sys.argv[1:]:
        path = Path(name)
        with tempfile.TemporaryDirectory(prefix="unjudged-fuzz-") as folder:
            before = path.read_bytes()
            after = minimised(path.parent.name, before, Path(folder))
        path.write_bytes(after)
        print(f"{path}: {len(before)} -> {len(after)} bytes")


if __name__ == "__main__":
    main()
