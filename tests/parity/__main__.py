"""Asks every question again and compares the answers with the recorded ones: `make parity`."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.conftest import DATA
from tests.parity.collections import write_cases
from tests.parity.recorded import check


def main() -> int:
    """Return 0 if every difference is listed and every listed difference occurs."""
    parser = argparse.ArgumentParser(prog="python -m tests.parity", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    data: Path = parser.parse_args().data.resolve()
    started = time.monotonic()
    with TemporaryDirectory() as folder:
        write_cases(Path(folder), data if data.is_dir() else None)
        result = check(Path(folder), whole=True)
    print(*result.problems, sep="\n")
    took = time.monotonic() - started
    print(
        f"parity: {result.equal:,} rows equal, {result.deliberate:,} deliberate changes, {took:.0f} seconds"
    )
    print(f"{result.equal + result.deliberate} passed, {result.wrong} failed")
    return 1 if result.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
