"""Asks every question again and compares the answers with the recorded ones: `make parity`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conftest import DATA
from tests.parity.collections import read_cases, write_cases
from tests.parity.recorded import ask, differences, read, write


def main() -> int:
    """Return 0 if every recorded answer comes again."""
    parser = argparse.ArgumentParser(prog="python -m tests.parity", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument(
        "--record", action="store_true", help="record today's answers after showing what differs"
    )
    given = parser.parse_args()
    started = time.monotonic()
    with TemporaryDirectory() as folder:
        write_cases(Path(folder), given.data.resolve() if given.data.is_dir() else None)
        names = {case.name for case in read_cases(Path(folder))}
        new = ask(Path(folder), names)
    recorded = read()
    old = {name: column for name, column in recorded.items() if name.partition(":")[0] in names}
    wrong = differences(old, new)
    print(*wrong[: None if given.record else 100], sep="\n")
    print(
        f"parity: {len(old) - len(wrong):,} passed, {len(wrong):,} failed, {time.monotonic() - started:.0f} s"
    )
    if given.record:
        write({name: column for name, column in recorded.items() if name not in old} | new)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
