"""Lines in no order, and by rank: `python unordered.py FOLDER QUERIES` prints a table of ours and the peers.

The run of make_run.py with its lines in another order must give the same means to the last bit. Files are
made in a process of their own: a child's peak memory is never below its parent's when it starts.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

from bench import Cost, best, made, means_of, ours, peer

HEAD = ["| lines of a run | tool | s | processor s | peak MB | time / ours | means differ by |"]
ORDERS = ("in no order", "by rank")
TREC_EVAL = ["-m", "map", "-m", "ndcg_cut.10", "-m", "bpref", "-m", "infAP"]


def reorder(run: Path, order: str, target: Path) -> None:
    lines = run.read_bytes().splitlines(keepends=True)
    if order == "by rank":
        lines.sort(key=lambda line: int(line.split()[3]))
    else:
        random.Random(8).shuffle(lines)
    with target.open("wb") as file:
        file.writelines(lines)


def rows_of(task: str, costs: dict[str, Cost]) -> list[str]:
    means = means_of(costs["unjudged"].output)
    rows = []
    for tool, cost in costs.items():
        apart = ""
        if tool == "pytrec_eval":
            apart = f"{max(abs(a - b) for a, b in zip(means, means_of(cost.output), strict=True)):.0e}"
        figures = (
            f"{cost.wall:.2f} | {cost.cpu:.2f} | {cost.peak:.0f} | {cost.wall / costs['unjudged'].wall:.2f}x"
        )
        rows.append(f"| {task} | {tool} | {figures} | {apart} |")
        task = ""
    return rows


def main(folder: Path, queries: int) -> None:
    qrels, run = made(folder, queries)
    in_order = best(ours(qrels, [run]), 5)
    rows = rows_of(f"{queries * 1000:,}, each query together", {"unjudged": in_order})
    program = shutil.which("trec_eval")
    for order in ORDERS:
        target = run.with_suffix(f".{order.replace(' ', '-')}")
        if not target.exists():
            subprocess.run([sys.executable, __file__, "make", str(run), order, str(target)], check=True)
        costs = {"unjudged": best(ours(qrels, [target]), 5)}
        if means_of(costs["unjudged"].output) != means_of(in_order.output):
            raise SystemExit(f"{order}: the means are not those of the ordered run")
        costs["pytrec_eval"] = best(peer("pytrec_eval", qrels, [target]), 2)
        if program:
            costs["trec_eval"] = best([program, *TREC_EVAL, str(qrels), str(target)], 2)
        rows += rows_of(f"{queries * 1000:,}, {order}", costs)
    print("\n".join([*HEAD, "|---|---|---:|---:|---:|---:|---:|", *rows]))


if __name__ == "__main__":
    if sys.argv[1] == "make":
        reorder(Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
    else:
        main(Path(sys.argv[1]), int(sys.argv[2]))
