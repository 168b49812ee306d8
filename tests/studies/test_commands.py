"""The commands of studies as a user meets them."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import sample
from unjudged.studies.summary import KEPT, REDRAWN

QRELS, RUNS = str(sample.qrels), [str(path) for path in sample.runs.values()]
SMALL = ["--design", "random(10%, 50%, repeats=3)", "-m", "AP", "infAP"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-d", f"depth({'9' * 400})"], "invalid depth '9999"),
        (["-d", "depth", "-m", "statAP"], "needs the probability that each"),
        (["-d", "best"], "design is 'best', expected one of random"),
        (["-d", "random(top=5)"], "design 'random' has no option 'top'"),
        (["-d", "random(5)"], "invalid share '5'"),
        (["-d", "depth(5%)"], "invalid depth '5%'"),
        (["--format", "parquet"], "--format parquet needs --output"),
    ],
)
def test_what_cannot_be_asked(arguments: list[str], message: str) -> None:
    assert message in refused(2, "experiment", QRELS, *RUNS, *arguments)


def test_experiment_tables(tmp_path: Path) -> None:
    table = printed("experiment", QRELS, *RUNS, *SMALL)
    assert "random design, 6 runs, against AP with all judgments" in table
    table = table.partition("\n")[2]
    heads = [block.splitlines()[0].split() for block in table.split("\n\n")]
    assert heads[:-1] == [
        ["measure", "against", "level", "judged", "tau", "tau_ap", "rho"],
        ["measure", "against", "level", "rms", "bias"],
    ]
    assert max(map(len, table.splitlines())) <= 80
    assert [len(block.splitlines()) for block in table.split("\n\n")] == [2 + 4, 2 + 4, 2]
    assert " ".join(table.split("\n\n")[-1].split()) == REDRAWN
    kept = printed("experiment", QRELS, *RUNS, "-d", "random(10%, redraw=False)", "-m", "AP")
    assert kept.split("\n\n")[-1].strip() == KEPT
    assert kept.split("\n\n")[0] != table.split("\n\n")[0]
    depth = printed("experiment", QRELS, *RUNS, "-d", "depth(5)", "-m", "AP")
    assert "relevant document were" not in depth
    text = unjudged("experiment", QRELS, *RUNS, *SMALL, "--format", "csv").stdout.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * 2 * 2 * 5
    output = tmp_path / "found.json"
    printed("experiment", QRELS, *RUNS, *SMALL, "-o", str(output))
    found = json.loads(output.read_text())["rows"]
    assert [str(row["mean"]) for row in found] == [row["mean"] for row in rows]
    assert [path.name for path in tmp_path.iterdir()] == ["found.json"]


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    output = tmp_path / "found.parquet"
    assert unjudged("experiment", QRELS, *RUNS, *SMALL, "-o", str(output)).returncode == 0
    assert parquet.read_table(output).num_rows == 40


@pytest.mark.parametrize("kind", ["svg", "html"])
@pytest.mark.parametrize(("levels", "shown"), [("30%", "actual AP"), ("30%, 50%", "RMS error")])
def test_figures(tmp_path: Path, kind: str, levels: str, shown: str) -> None:
    """One level gives estimated against actual values, several the statistics over them."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    file = tmp_path / f"figure.{kind}"
    asked = ["-d", f"random({levels}, repeats=2)", "-m", "AP"]
    printed("experiment", QRELS, *RUNS, *asked, "--plot", str(file))
    assert shown in file.read_text()
    assert not re.search(r"<script[^>]* src=", file.read_text())  # nothing is fetched when it is opened
