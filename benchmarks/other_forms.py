"""The same run compressed, and with its lines in another order: `python other_forms.py FOLDER QUERIES`.

Prints tables of ours beside decompression alone, pytrec_eval and trec_eval. Each is a process of its own, and
the best of its repeats counts. The means must be the same to the last bit.
"""

from __future__ import annotations

import gzip
import random
import shutil
import subprocess
import sys
from pathlib import Path

from bench import Cost, best, made, means_of, ours, peer

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

REPEATS = 5
HEAD = ["| lines of a run | tool | s | processor s | peak MB | time / ours | means differ by |"]
ORDERS = ("in no order", "by rank")
TREC_EVAL = ["-m", "map", "-m", "ndcg_cut.10", "-m", "bpref", "-m", "infAP"]


def write_form(run: Path, form: str, target: Path) -> None:
    """Write the run in another form, in a process of its own: a child's peak is never below its parent's."""
    data = run.read_bytes()
    if form == ".gz":
        target.write_bytes(gzip.compress(data, 6))
    elif form == ".zst":
        target.write_bytes(zstd.compress(data, 3))
    else:
        lines = data.splitlines(keepends=True)
        if form == "by rank":
            lines.sort(key=lambda line: int(line.split()[3]))
        else:
            random.Random(8).shuffle(lines)
        target.write_bytes(b"".join(lines))


def in_form(run: Path, form: str) -> Path:
    target = run.with_name(run.name + "." + form.strip(".").replace(" ", "-"))
    if not target.exists():
        subprocess.run([sys.executable, __file__, "write", str(run), form, str(target)], check=True)
    return target


def alone(path: Path) -> dict[str, list[str]]:
    """Commands that only decompress a file, where they are installed."""
    if path.suffix == ".zst":
        return {"zstd -dc": ["zstd", "-dcq", str(path)]} if shutil.which("zstd") else {}
    commands = {"zcat": ["zcat", str(path)]}
    if not subprocess.run([sys.executable, "-c", "import isal"], check=False).returncode:
        commands["isal"] = [sys.executable, "-m", "isal.igzip", "-dc", str(path)]
    return commands


def compressed(qrels: Path, run: Path, plain: Cost) -> list[str]:
    """What a compressed run takes, and decompressing it alone."""
    costs = {"plain text": plain}
    for suffix in (".gz", ".zst"):
        path = in_form(run, suffix)
        costs[suffix] = best(ours(qrels, [path]), REPEATS)
        costs |= {f"`{tool}` alone": best(command, REPEATS) for tool, command in alone(path).items()}
    rows = [
        f"| {what} | {cost.wall:.2f} | {cost.cpu:.2f} | "
        f"{cost.wall / plain.wall:.2f}x | {cost.cpu / plain.cpu:.2f}x |"
        for what, cost in costs.items()
    ]
    return [
        "| the whole process | s | processor s | time / plain | processor / plain |",
        "|---|---:|---:|---:|---:|",
        *rows,
    ]


def rows_of(task: str, costs: dict[str, Cost]) -> list[str]:
    means = means_of(costs["unjudged"].output)
    rows = []
    for tool, cost in costs.items():
        apart = ""
        if tool == "pytrec_eval":
            apart = f"{max(abs(a - b) for a, b in zip(means, means_of(cost.output), strict=True)):.0e}"
        times = (
            f"{cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak:.0f} | {cost.wall / costs['unjudged'].wall:.2f}x"
        )
        rows.append(f"| {task} | {tool} | {times} | {apart} |")
        task = ""
    return rows


def main(folder: Path, queries: int) -> None:
    qrels, run = made(folder, queries)
    plain, program = best(ours(qrels, [run]), REPEATS), shutil.which("trec_eval")
    rows = rows_of(f"{queries * 1000:,}, each query together", {"unjudged": plain})
    for order in ORDERS:
        target = in_form(run, order)
        costs = {"unjudged": best(ours(qrels, [target]), REPEATS)}
        if means_of(costs["unjudged"].output) != means_of(plain.output):
            raise SystemExit(f"{order}: the means are not those of the ordered run")
        costs["pytrec_eval"] = best(peer("pytrec_eval", qrels, [target]), 2)
        if program:
            costs["trec_eval"] = best([program, *TREC_EVAL, str(qrels), str(target)], 2)
        rows += rows_of(f"{queries * 1000:,}, {order}", costs)
    tables = [*compressed(qrels, run, plain), "", *HEAD, "|---|---|---:|---:|---:|---:|---:|", *rows]
    print("\n".join(tables))


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write_form(Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
    else:
        main(Path(sys.argv[1]), int(sys.argv[2]))
