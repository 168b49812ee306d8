"""The sections of a page about predictions and experiments hold what the commands print."""

from __future__ import annotations

import gzip
import json
from math import isnan
from pathlib import Path

import pytest

from tests.cli.in_process import refused, unjudged
from tests.report.test_page import FILES, SAMPLE, read
from unjudged import InputError, sample
from unjudged.experiments import experiment
from unjudged.grids.grid import Grid
from unjudged.predictions import audit, audit_judges
from unjudged.report.saved_experiment import SavedExperiment

pytest.importorskip("jinja2")
pytest.importorskip("altair")
pytest.importorskip("vl_convert")

from unjudged.report.page.report_page import report_page

PREDICTIONS = str(SAMPLE / "dense.run")
LESS = experiment(sample.qrels, sample.runs, levels=[0.1, 0.3], measures=["AP", "infAP"], repeats=2)


def page_with(*options: str, path: Path) -> list[dict[str, object]]:
    done = unjudged("report", *FILES, *options, "-o", str(path))
    assert done.returncode == 0, done.stderr.decode()
    extras: list[dict[str, object]] = read(path.read_text())[0]["extras"]
    return extras


def held(grid: Grid) -> list[list[object]]:
    """The rows of a grid as a page holds them: what is not a number is left out."""
    return [[None if isinstance(cell, float) and isnan(cell) else cell for cell in row] for row in grid.rows]


def test_the_audit_is_that_of_the_command(tmp_path: Path) -> None:
    (section,) = page_with("--predictions", PREDICTIONS, "--threshold", "18", path=tmp_path / "page.html")
    found = audit(sample.qrels, sample.runs["dense"], sample.runs, "RBP(p=0.8)", threshold=18)
    tables = section["tables"]
    assert isinstance(tables, list)
    assert [table["rows"] for table in tables] == [held(grid) for grid in found.grids()]
    assert [table["caption"] for table in tables] == [grid.title for grid in found.grids()]


@pytest.mark.thorough
def test_several_judges_are_those_of_the_command(tmp_path: Path) -> None:
    (tmp_path / "groups.txt").write_text("".join(f"{run} {run[0]}\n" for run in sample.runs))
    judges = ["--predictions", f"one={PREDICTIONS}", "--predictions", f"two={sample.runs['fused']}"]
    options = [*judges, "--threshold", "18", "--groups", str(tmp_path / "groups.txt")]
    (section,) = page_with(*options, path=tmp_path / "page.html")
    named = {"one": sample.runs["dense"], "two": sample.runs["fused"]}
    groups = {run: run[0] for run in sample.runs}
    found = audit_judges(sample.qrels, named, sample.runs, "RBP(p=0.8)", threshold=18, groups=groups)
    tables = section["tables"]
    assert isinstance(tables, list)
    assert [table["rows"] for table in tables] == [held(grid) for grid in found.grids()]
    assert "one, two beside people" in str(section["words"])
    assert f"--predictions one={PREDICTIONS}" in (tmp_path / "page.html").read_text()


def test_raw_scores_without_a_threshold_have_no_bias(tmp_path: Path) -> None:
    (section,) = page_with("--predictions", PREDICTIONS, path=tmp_path / "page.html")
    tables = section["tables"]
    assert isinstance(tables, list)
    assert [table["rows"] for table in tables] == [
        held(grid) for grid in audit(sample.qrels, sample.runs["dense"]).grids()
    ]


@pytest.mark.parametrize("suffix", ["csv", "json", "jsonl"])
def test_the_experiment_is_what_the_command_saved(tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"found.{suffix}"
    levels = ["--levels", "10%,30%", "--repeats", "2", "-m", "AP", "-m", "infAP", "--workers", "1"]
    assert unjudged("experiment", *FILES, *levels, "-o", str(file)).returncode == 0
    read_back = SavedExperiment.of(file)
    assert read_back.agreement == LESS.agreement
    (section,) = page_with("--experiment", str(file), path=tmp_path / "page.html")
    tables = section["tables"]
    assert isinstance(tables, list)
    assert tables[0]["rows"] == held(SavedExperiment.of(LESS).grid())
    assert len(tables[0]["rows"]) == 2 * 2 * len(LESS.statistics)


def test_hostile_names_stay_in_the_picture(tmp_path: Path) -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    rows = [{**row._asdict(), "measure": hostile} for row in LESS.agreement]
    file = tmp_path / "found.json"
    file.write_text(json.dumps({"rows": rows}))
    html = report_page(sample.qrels, sample.runs, "P@5", experiment=file).html
    assert "<img src=x" not in html
    assert html.count("</script>") == 3
    assert hostile in json.dumps(read(html)[0]["extras"], ensure_ascii=False)


ROW: dict[str, object] = LESS.agreement[0]._asdict()
CHANGED: list[dict[str, object]] = [
    {"statistic": "nope"},
    {"design": "nope"},
    {"mean": 1e400},
    {"repeats": 0},
    {"repeats": 1e400},
]
SENSELESS = [json.dumps({"rows": [{**ROW, **change}]}) for change in CHANGED]


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{}",
        "[]",
        '{"rows": [{"design": 1}]}',
        "a,b\n1,2\n",
        '{"rows": 3}',
        "[" * 5000,
        "x" * 200_000,
        "a\0b,c\n",
        *SENSELESS,
    ],
)
def test_what_is_no_experiment(tmp_path: Path, content: str) -> None:
    for suffix in ("json", "csv"):
        (tmp_path / f"file.{suffix}").write_text(content)
        with pytest.raises(InputError, match="expected what `unjudged experiment -o FILE` writes"):
            SavedExperiment.of(tmp_path / f"file.{suffix}")


def test_a_damaged_experiment_is_named(tmp_path: Path) -> None:
    for name, data in {"cut.json.gz": gzip.compress(b'{"rows": 3}')[:-9], "not.csv": b"\xff\xfe"}.items():
        (tmp_path / name).write_bytes(data)
        message = refused(
            1, "report", *FILES, "--experiment", str(tmp_path / name), "-o", str(tmp_path / "p.html")
        )
        assert name in message


def test_refusals(tmp_path: Path) -> None:
    message = refused(2, "report", *FILES, "--threshold", "1", "-o", str(tmp_path / "page.html"))
    assert "--threshold goes with --predictions" in message
    message = refused(1, "report", *FILES, "--experiment", "no.json", "-o", str(tmp_path / "page.html"))
    assert "no.json" in message
