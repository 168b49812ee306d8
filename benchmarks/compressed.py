"""A compressed run beside the plain one and beside decompression alone: `python compressed.py QRELS RUN`.

Each is a process of its own; the best of its repeats counts.
"""

from __future__ import annotations

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

from bench import Cost, best, ours

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

REPEATS = 5
SUFFIXES = (".gz", ".zst")


def packed(run: Path, suffix: str) -> Path:
    path = run.with_name(run.name + suffix)
    if not path.exists():
        unfinished = path.with_name(path.name + ".part")
        with run.open("rb") as source, unfinished.open("wb") as target:
            if suffix == ".gz":
                with gzip.GzipFile(fileobj=target, mode="wb", compresslevel=6) as stream:
                    shutil.copyfileobj(source, stream, 1 << 20)
            else:
                with zstd.ZstdFile(target, "wb", level=3) as stream:
                    shutil.copyfileobj(source, stream, 1 << 20)
        unfinished.rename(path)
    return path


def alone(path: Path) -> dict[str, list[str]]:
    """Commands that only decompress a file, where they are installed."""
    if path.suffix == ".gz":
        commands = {"zcat": ["zcat", str(path)]}
        if not subprocess.run([sys.executable, "-c", "import isal"], check=False).returncode:
            commands["isal"] = [sys.executable, "-m", "isal.igzip", "-dc", str(path)]
        return commands
    return {"zstd -dc": ["zstd", "-dcq", str(path)]} if shutil.which("zstd") else {}


def row(what: str, cost: Cost, plain: Cost) -> str:
    ratios = f"{cost.wall / plain.wall:.2f}x | {cost.cpu / plain.cpu:.2f}x"
    return f"| {what} | {cost.wall:.2f} | {cost.cpu:.2f} | {ratios} |"


def main() -> None:
    qrels, run = map(Path, sys.argv[1:])
    plain = best(ours(qrels, [run]), REPEATS)
    print("| 7 million lines, the whole process | s | processor s | time / plain | processor / plain |")
    print("|---|---:|---:|---:|---:|")
    print(row("plain text", plain, plain))
    for suffix in SUFFIXES:
        path = packed(run, suffix)
        print(row(suffix, best(ours(qrels, [path]), REPEATS), plain))
        for tool, command in alone(path).items():
            print(row(f"`{tool}` alone", best(command, REPEATS), plain))


if __name__ == "__main__":
    main()
