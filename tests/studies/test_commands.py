"""The commands of studies as a user meets them."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.cli.in_process import refused, unjudged
from unjudged import compare, sample
from unjudged.studies.experimenting import KEPT, REDRAWN

QRELS, RUNS = str(sample.qrels), [str(path) for path in sample.runs.values()]
SMALL = ["--design", "uniform(10%, 50%, repeats=3)", "-m", "AP", "infAP"]


def shown(*words: str) -> str:
    done = unjudged(*words)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.thorough
def test_experiment_tables(tmp_path: Path) -> None:
    table = shown("experiment", QRELS, *RUNS, *SMALL)
    title, head, rest = table.partition("measure  against")
    assert "Not enough at any level. At best infAP at 50 %" in title
    table = head + rest
    heads = [block.splitlines()[0].split() for block in table.split("\n\n")]
    assert heads == [
        ["measure", "against", "level", "judged", "tau", "tau_ap", "rho"],
        ["measure", "against", "level", "rms", "bias"],
    ]
    assert max(map(len, table.splitlines())) <= 80
    kept = shown("experiment", QRELS, *RUNS, "-d", "uniform(10%, 50%, repeats=3, redraw=False)", "-m", "AP")
    assert "".join(kept.partition("measure  against")[1:]).split("\n\n")[0] != table.split("\n\n")[0]
    once = {"uniform(10%, repeats=1)": REDRAWN, "uniform(10%, repeats=1, redraw=False)": KEPT, "pool(5)": ""}
    for design, said in once.items():
        done = unjudged("experiment", QRELS, *RUNS, "-d", design, "-m", "AP", "-v")
        assert "".join(re.findall("(Samples.*)", done.stderr.decode())) == said
    text = unjudged("experiment", QRELS, *RUNS, *SMALL, "--format", "csv").stdout.decode()
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 2 * 2 * 2 * 5
    output = tmp_path / "found.json"
    shown("experiment", QRELS, *RUNS, *SMALL, "-o", str(output))
    found = json.loads(output.read_text())["rows"]
    assert [str(row["mean"]) for row in found] == [row["mean"] for row in rows]
    assert [path.name for path in tmp_path.iterdir()] == ["found.json"]


@pytest.mark.thorough
@pytest.mark.parametrize(("levels", "axis"), [("30%", "actual AP"), ("30%, 50%", "RMS error")])
def test_figures(tmp_path: Path, levels: str, axis: str) -> None:
    """One level gives estimated against actual values, several the statistics over them."""
    pytest.importorskip("altair")
    pytest.importorskip("vl_convert")
    file = tmp_path / "figure.svg"
    asked = ["-d", f"uniform({levels}, repeats=2)", "-m", "AP"]
    shown("experiment", QRELS, *RUNS, *asked, "--plot", str(file))
    assert axis in file.read_text()


def test_an_audit_of_files_and_of_a_description(tmp_path: Path) -> None:
    second, third = tmp_path / "second.qrels", tmp_path / "third.run"
    second.write_text(sample.qrels.read_text().replace(" 2\n", " 1\n"))
    labels = lines(sample.qrels)
    third.write_text("".join(f"{q} Q0 {d} 1 0.{g.count('1')}5 t\n" for q, _, d, g in labels))
    table = shown("audit", QRELS, str(second), *RUNS, "--seed", "1", "-m", "AP")
    assert "quadratic kappa" in table
    assert "Order of 6 systems" in table
    both = json.loads(shown("audit", QRELS, f"bob={second}", f"llm={third}", "-f", "json"))["tables"]
    assert {row["judge"] for row in both[0]["rows"]} == {"bob", "llm"}
    described = tmp_path / "collection.toml"
    by = f'[[judgments]]\nfile = "{second}"\nby = "model"\nname = "llama"\n'
    described.write_text(f'[[judgments]]\nfile = "{QRELS}"\n{by}[runs]\nfused = "{RUNS[3]}"\n')
    text = shown("audit", str(described), "-f", "csv")
    assert text.startswith("table,")
    assert ",llama," in text
    cut = shown("audit", QRELS, str(third), "--set", "predictions.threshold=0.1")
    assert cut != shown("audit", QRELS, str(third))
    assert "no judge given" in refused(2, "audit", QRELS)
    assert "is read by this command" in refused(
        2, "audit", QRELS, str(second), "-f", "csv", "-o", str(second)
    )


def lines(file: Path) -> list[list[str]]:
    return [line.split() for line in file.read_text().splitlines()]


def test_the_demo_ends_with_the_payoff(tmp_path: Path) -> None:
    text = shown("demo")
    judged = compare(sample.answers, sample.runs).systems
    assert [row["system"] for row in judged].index("dense") == 1
    mean = next(row["mean"] for row in judged if row["system"] == "dense")
    assert f"as in answers.qrels, `dense` has {mean:.4f}: the second best of six." in text
    folder = tmp_path / "practice"
    done = unjudged("demo", "--files", str(folder))
    assert f"Wrote {folder}" in done.stderr.decode()
    names = {"qrels.txt", "answers.qrels", "collection.toml", *(Path(run).name for run in RUNS)}
    assert {path.name for path in folder.iterdir()} == names
    assert (folder / "qrels.txt").read_bytes() == sample.qrels.read_bytes()
    assert "give a new or an empty folder" in refused(2, "demo", "--files", str(folder))
