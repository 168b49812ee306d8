"""`make bench`: the same files through unjudged and the tools people have, in one go, printed as ratios.

Each command runs in a process of its own; the best of its repeats counts. The tables go to
benchmarks/results.md, the first ones also into the README.
"""

from __future__ import annotations

import argparse
import compileall
import gzip
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ways_in import KINDS

HERE = Path(__file__).parent
README = HERE.parent / "README.md"
MARKS = ("<!-- bench: begin -->", "<!-- bench: end -->")
MEASURES = ["AP", "nDCG@10", "Bpref", "infAP"]


@dataclass
class Cost:
    """What one process took: seconds, processor seconds, peak megabytes; and what it printed."""

    wall: float
    cpu: float
    peak: float
    output: str


def run_once(command: list[str]) -> Cost:
    with tempfile.TemporaryFile() as target:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=target, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"failed: {' '.join(command[:6])} ...")
        target.seek(0)
        output = target.read().decode()
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def best(command: list[str], repeats: int) -> Cost:
    return min((run_once(command) for _ in range(repeats)), key=lambda cost: cost.wall)


def ours(qrels: Path, runs: list[Path]) -> list[str]:
    measures = [word for measure in MEASURES for word in ("-m", measure)]
    command = [sys.executable, "-m", "unjudged", "evaluate", str(qrels), *map(str, runs)]
    return [*command, *measures, "--format", "jsonl"]


def peer(tool: str, qrels: Path, runs: list[Path]) -> list[str]:
    return [sys.executable, str(HERE / "peers.py"), tool, str(qrels), *map(str, runs)]


def means_of(output: str) -> list[float]:
    """Ours: a row a line, the best first. Theirs: one object."""
    rows = [json.loads(line) for line in output.splitlines()]
    if "means" in rows[0]:
        return [means[measure] for means in rows[0]["means"] for measure in MEASURES]
    rows.sort(key=lambda row: (row["system"], MEASURES.index(row["measure"])))
    return [row["mean"] for row in rows]


def compare(task: str, qrels: Path, runs: list[Path], repeats: dict[str, int]) -> list[str]:
    """A row for each tool: its cost, and how many times ours it is."""
    commands = {
        "unjudged": ours(qrels, runs),
        "pytrec_eval": peer("pytrec_eval", qrels, runs),
        "ir_measures": peer("ir_measures", qrels, runs),
        "wc -l": ["wc", "-l", *map(str, runs)],
    }
    costs = {tool: best(command, repeats.get(tool, 1)) for tool, command in commands.items()}
    mine = means_of(costs["unjudged"].output)
    rows = []
    for tool, cost in costs.items():
        apart = ""
        if tool not in ("unjudged", "wc -l"):
            apart = f"{max(abs(a - b) for a, b in zip(mine, means_of(cost.output), strict=True)):.0e}"
        rows.append(_row(task, tool, cost, costs["unjudged"].wall, apart))
        task = ""
    return rows


def drop_ins(qrels: Path, run: Path, trec_eval: str | None) -> list[str]:
    """The drop-ins beside what they stand in for: trec_eval where there is one, pytrec_eval."""
    rows = []
    files = [str(qrels), str(run)]
    ours = [sys.executable, "-c", "from unjudged.cli.main import trec_eval; trec_eval()"]
    if trec_eval is not None:
        said = subprocess.run([trec_eval, "-v"], capture_output=True, text=True, check=False).stderr.split()
        version = said[-1] if said else "?"
        same = [*ours, "--compat", version.split(".")[0], *files]
        mine, theirs = best(same, 7), best([trec_eval, *files], 3)
        apart = "no byte" if mine.output == theirs.output else "some bytes"
        task = "trec_eval's command, default measures, 7 million lines"
        rows += [
            _row(task, "unjudged trec_eval", mine, mine.wall, ""),
            _row("", f"trec_eval {version}", theirs, mine.wall, apart),
        ]
    tools = ("unjudged.compat.pytrec_eval", "pytrec_eval")
    mine, theirs = (best(peer(tool, qrels, [run]), 4) for tool in tools)
    (a,), (b,) = (json.loads(cost.output)["means"] for cost in (mine, theirs))
    apart = f"{max(abs(a[measure] - b[measure]) for measure in a):.0e}"
    rows.append(_row("a pytrec_eval script, 7 million lines", tools[0], mine, mine.wall, ""))
    rows.append(_row("", tools[1], theirs, mine.wall, apart))
    own, other = (json.loads(cost.output)["evaluating"] for cost in (mine, theirs))
    for task, tool, seconds in (("of that, evaluating the dicts", tools[0], own), ("", tools[1], other)):
        rows.append(f"| {task} | {tool} | {seconds:.2f} | | | {seconds / own:.2f}x | |")
    return rows


def _row(task: str, tool: str, cost: Cost, ours: float, apart: str) -> str:
    cells = [
        task,
        tool,
        f"{cost.wall:.2f}",
        f"{cost.cpu:.2f}",
        f"{cost.peak:.0f}",
        f"{cost.wall / ours:.2f}x",
        apart,
    ]
    return "| " + " | ".join(cells) + " |"


def made(folder: Path, queries: int) -> tuple[Path, Path]:
    """In a process of its own: a child's peak memory is never below its parent's when it starts."""
    subprocess.run([sys.executable, str(HERE / "make_run.py"), str(folder), str(queries)], check=True)
    return folder / f"{queries}x1000.qrels", folder / f"{queries}x1000.run"


def gunzipped(folder: Path, target: Path) -> list[Path]:
    target.mkdir(exist_ok=True)
    for packed in sorted(folder.glob("*.gz")):
        plain = target / packed.name.removesuffix(".gz")
        if not plain.exists():
            plain.write_bytes(gzip.decompress(packed.read_bytes()))
    return sorted(target.iterdir())


def laboratory(qrels: Path, runs: list[Path]) -> list[str]:
    """170 samples of the judgments, every run: ours with six measures, pytrec_eval with three of them."""
    costs = {}
    for tool, repeats in {"unjudged": 3, "pytrec_eval": 1}.items():
        command = [sys.executable, str(HERE / "experiment.py"), tool, str(qrels), *map(str, runs)]
        costs[tool] = min(
            ((*json.loads(cost.output), cost) for cost in (run_once(command) for _ in range(repeats))),
            key=lambda found: found[0],
        )
    (ours, mine, cost), (theirs, other, their) = costs["unjudged"], costs["pytrec_eval"]
    pairs = [(a, b) for rows in zip(mine, other, strict=True) for a, b in zip(*rows, strict=True)]
    apart = f"{max(abs(a - b) for a, b in pairs):.0e}"
    return [
        "| experiment | tool | s after reading | peak MB of a process | time / ours | means differ by |",
        "|---|---|---:|---:|---:|---:|",
        f"| TREC-8: 170 samples x 129 runs | unjudged, 6 measures | {ours:.1f} | {cost.peak:.0f} | 1.0x | |",
        f"| | pytrec_eval, 3 of them | {theirs:.1f} | {their.peak:.0f} | {theirs / ours:.0f}x | {apart} |",
    ]


def ways_in(qrels: Path, run: Path) -> list[str]:
    """Frames and files of other kinds beside text, each in a process of its own."""
    script = [sys.executable, str(HERE / "ways_in.py"), str(qrels), str(run)]
    took = {kind: float(run_once([*script, kind]).output) for kind in KINDS}
    head = ["| the same 7 million rows as | s | time / text |", "|---|---:|---:|"]
    return head + [f"| {kind} | {s:.2f} | {s / took['text']:.2f}x |" for kind, s in took.items()]


def printed(script: str, *arguments: Path | str) -> list[str]:
    """The table that another script of this folder prints."""
    return run_once([sys.executable, str(HERE / script), *map(str, arguments)]).output.splitlines()


def report(data: Path, large: Path, trec_eval: str | None) -> str:
    head = ["| task | tool | s | processor s | peak MB | time / ours | means differ by |"]
    table = [*head, "|---|---|---:|---:|---:|---:|---:|"]
    qrels, run = made(large, 6980)
    table += compare(
        "6,980 queries x 1,000: 7 million lines", qrels, [run], {"unjudged": 7, "pytrec_eval": 3, "wc -l": 5}
    )
    small_qrels, small_run = made(large, 50)
    table += compare(
        "50 queries x 1,000",
        small_qrels,
        [small_run],
        {"unjudged": 9, "pytrec_eval": 5, "ir_measures": 5, "wc -l": 5},
    )
    lab: list[str] = []
    if (data / "trec8").is_dir():
        runs = gunzipped(data / "trec8" / "runs", large / "trec8")
        plain = large / "qrels.trec8"
        plain.write_bytes(gzip.decompress((data / "trec8" / "qrels.trec8.gz").read_bytes()))
        table += compare(
            "TREC-8: 129 runs, 6.3 million lines", plain, runs, {"unjudged": 5, "pytrec_eval": 2}
        )
        lab = laboratory(plain, runs)
        lab += ["", *printed("after_reading.py", data / "trec8")]
    table += drop_ins(qrels, run, trec_eval)
    table += ["", *lab] if lab else []
    table += ["", *printed("small_calls.py")]
    table += ["", *printed("other_forms.py", large, "50"), "", *printed("other_forms.py", large, "6980")]
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}"
    asked = f"Measures: {', '.join(MEASURES)}. Best of several runs each on one machine ({machine})."
    return "\n".join([*table, "", *ways_in(qrels, run), "", asked])


SHOWN = (
    "6,980 queries x 1,000: 7 million lines",
    "50 queries x 1,000",
    "TREC-8: 129 runs, 6.3 million lines",
    "trec_eval's command, default measures, 7 million lines",
)


def shortened(text: str) -> str:
    """For the README: what we take for some tasks, and the first other tool beside it."""
    tables = text.split("\n\n")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in tables[0].splitlines()]
    lines = ["| seconds | unjudged | another tool | |", "|---|---:|---:|---:|"]
    for task in SHOWN:
        place = next(i for i, row in enumerate(rows) if row[0] == task)
        ours, other = rows[place], rows[place + 1]
        lines.append(f"| {task} | {ours[2]} | {other[2]} ({other[1]}) | {other[5]} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=HERE / "data")
    parser.add_argument("--large", type=Path, default=HERE / "data")
    parser.add_argument(
        "--trec-eval", default=shutil.which("trec_eval"), help="the program, where there is one"
    )
    options = parser.parse_args()
    # As an installation would have done: else every process compiles our modules anew, and no peer's.
    compileall.compile_dir(HERE.parent / "src", quiet=1)
    text = report(options.data, options.large, options.trec_eval)
    print(text)
    results = HERE / "results.md"
    results.write_text(text + "\n")
    before, _, rest = README.read_text().partition(MARKS[0])
    _, _, after = rest.partition(MARKS[1])
    README.write_text(f"{before}{MARKS[0]}\n{shortened(text)}\n{MARKS[1]}{after}")


if __name__ == "__main__":
    main()
