"""Asks old and new at once, and compares: `make parity`."""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.parity.collections import write_cases
from tests.parity.compare import Change, compare_lines

HERE = Path(__file__).parent
FROZEN = ("ask_old.py", "questions.py", "rows.py", "collections.py")


def main() -> int:
    """Return 0 if every difference is listed and every listed difference occurs."""
    parser = argparse.ArgumentParser(prog="python -m tests.parity", description=__doc__)
    parser.add_argument("--old", type=Path, required=True, help="Python with the package of commit 705eafce")
    parser.add_argument("--folder", type=Path, default=Path("build/parity"))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    given = parser.parse_args()
    folder: Path = given.folder.resolve()
    collections, sample = folder / "collections", folder / "source" / "src" / "unjudged" / "sample"
    shutil.rmtree(collections, ignore_errors=True)
    data = Path(os.environ.get("UNJUDGED_DATA", given.data)).resolve()
    write_cases(collections, sample, data if data.is_dir() else None)
    started = time.monotonic()
    kept = folder / f"old-{_content(collections)}.jsonl"
    asked = [("new", Path(sys.executable), folder / "new.jsonl")]
    if not kept.exists():
        for other in folder.glob("old-*.jsonl"):
            other.unlink()
        asked.append(("old", given.old, kept.with_suffix(".part")))
    running = [
        subprocess.Popen(
            [python, "-m", f"tests.parity.ask_{side}", collections, file],
            env=_environment(side),
            cwd=HERE.parents[1],
        )
        for side, python, file in asked
    ]
    codes = [process.wait() for process in running]
    if any(codes):
        return 1
    if len(asked) > 1:
        asked[1][2].rename(kept)
    with kept.open(encoding="utf-8") as old, (folder / "new.jsonl").open(encoding="utf-8") as new:
        result = compare_lines(old, new, Change.read())
    took = time.monotonic() - started
    print(*result.problems, sep="\n")
    print(
        f"parity: {result.equal:,} rows equal, {result.deliberate:,} deliberate changes, {took:.0f} seconds"
    )
    print(f"{result.equal + result.deliberate} passed, {result.wrong} failed")
    return 1 if result.wrong else 0


def _content(collections: Path) -> str:
    """Return a digest of all that old answers depend on."""
    digest = hashlib.sha256()
    for file in [*(HERE / name for name in FROZEN), *sorted(collections.rglob("*.*"))]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:16]


def _environment(side: str) -> dict[str, str]:
    """Return the environment of a process; the old one finds only the package beside its Python."""
    dropped = {"PYTHONPATH"} if side == "old" else set()
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "OPENBLAS_NUM_THREADS": "1"}


if __name__ == "__main__":
    sys.exit(main())
