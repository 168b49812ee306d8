"""Every command reads each run once: it is opened to see what it is, and again to be read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from unjudged import sample

QRELS = str(sample.qrels)
RUNS = [str(run) for run in sample.runs.values()]
PAIR = [str(sample.runs[name]) for name in ("reranked", "fused")]

pytestmark = pytest.mark.thorough

COUNTED = """
import json, os, sys
opened = {}
def count(event, arguments):
    if event == "open" and isinstance(arguments[0], (str, bytes, os.PathLike)):
        path = os.path.realpath(os.fsdecode(arguments[0]))
        opened[path] = opened.get(path, 0) + 1
sys.addaudithook(count)
import scipy.optimize, scipy.stats  # most commands need them, and children share them
from unjudged.cli.main import main
import unjudged.cli.command_line

for name, words in json.loads(sys.argv[1]).items():
    child = os.fork()  # what a command remembers of a file is of no use to the next one
    if child:
        assert os.waitpid(child, 0)[1] == 0, name
        continue
    opened.clear()
    try:
        main(words)
    except SystemExit as end:
        assert not end.code, end.code
    with open(f"{name}.json", "w") as file:
        json.dump(opened, file)
    os._exit(0)
"""


PAGE = ["-o", "page.html"]
PREDICTED = [f"model={PAIR[1]}"]
COMMANDS = {
    "evaluate": ["evaluate", QRELS, *RUNS],
    "evaluate one": ["evaluate", QRELS, RUNS[0]],
    "evaluate with an option": ["evaluate", QRELS, *PAIR, "-m", "AP", "--interval", "bounds"],
    "evaluate across queries": ["evaluate", QRELS, *PAIR, "-m", "Hole@10"],
    "evaluate with predictions": ["evaluate", "drawn.qrels", RUNS[0], *PREDICTED],
    "compare two": ["compare", QRELS, *PAIR],
    "compare all": ["compare", QRELS, *RUNS, "-m", "AP", "P@10"],
    "compare per query": ["compare", QRELS, *PAIR, "--view", "queries"],
    "draw": ["next", QRELS, *PAIR, "--design", "pool(5)"],
    "next": ["next", QRELS, *PAIR, "-n", "5"],
    "experiment": ["experiment", QRELS, *PAIR, "--design", "uniform(50%, repeats=2)"],
    "report": ["report", QRELS, *PAIR, *PAGE],
    "report of one": ["report", QRELS, RUNS[0], *PAGE],
}


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, int]]:
    """How often each command opens each file, in processes that share what is imported."""
    folder = tmp_path_factory.mktemp("commands")
    lines = enumerate(sample.qrels.read_text().splitlines())
    (folder / "drawn.qrels").write_text(
        "\n".join(line if k % 3 else f"{line.rpartition(' ')[0]} -1" for k, line in lines)
    )
    command = [sys.executable, "-W", "ignore", "-c", COUNTED, json.dumps(COMMANDS)]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0, done.stderr
    return {name: json.loads((folder / f"{name}.json").read_text()) for name in COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_every_run_is_read_once(name: str, opened: dict[str, dict[str, int]]) -> None:
    """A page also has the hash of each file, which is one more opening."""
    runs = {path: opened[name].get(str(Path(path).resolve()), 0) for path in COMMANDS[name] if path in RUNS}
    assert runs
    assert set(runs.values()) == {3 if name.startswith("report") else 2}, runs
