"""Judgments and runs that were given in each other's place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from tests.cli.in_process import printed, refused
from unjudged import Judgments, Run, evaluate, sample
from unjudged.base.errors import InputError

pytestmark = pytest.mark.thorough

Rows = list[tuple[str, str, float]]
REMEDY = "udgments come before runs"
QRELS, RUN = Path(sample.qrels), Path(sample.runs["lexical"])
FORMATS = ("json", "jsonl", "tsv", "csv", "parquet")


def graded() -> Rows:
    return [(q, d, int(g)) for q, _, d, g in map(str.split, QRELS.read_text().splitlines())]


def scored(shift: float = 0.0, whole: bool = False) -> Rows:
    lines = [line.split() for line in RUN.read_text().splitlines()]
    return [(q, d, 1000 - int(rank) if whole else float(s) - shift) for q, _, d, rank, s, _ in lines]


def nested(rows: Rows) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for query, document, value in rows:
        found.setdefault(query, {})[document] = value
    return found


def written(path: Path, rows: Rows, column: str) -> str:
    """Write a file in the format of its suffix; return its name."""
    frame = pandas.DataFrame(rows, columns=["query", "doc", column])
    if path.suffix == ".json":
        path.write_text(json.dumps(nested(rows)))
    elif path.suffix == ".jsonl":
        path.write_text(frame.to_json(orient="records", lines=True))
    elif path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if path.suffix == ".tsv" else ",")
    return str(path)


def in_every_format(folder: Path) -> Iterator[tuple[str, str]]:
    """Scores of several kinds and grades, by columns that tell them apart or not."""
    runs = {"r": scored(), "whole": scored(whole=True), "negative": scored(100)}
    for run, judgments, column in product(FORMATS, FORMATS, ("score", "relevance")):
        qrels = written(folder / f"q-{column}.{judgments}", graded(), column)
        for name, rows in runs.items():
            yield written(folder / f"{name}.{run}", rows, "score"), qrels


def test_wrong_order_in_every_format(tmp_path: Path) -> None:
    """Scores were read as gains, and nDCG@10 was .4614, without a word."""
    for run, qrels in in_every_format(tmp_path):
        with pytest.raises(InputError, match=REMEDY):
            evaluate(run, qrels, "nDCG")
    assert REMEDY in refused(1, "evaluate", str(RUN), str(QRELS))


@pytest.mark.parametrize(
    "command", ["evaluate", "compare", "gate --margin=0.01", "next", "experiment", "report -o page.html"]
)
def test_wrong_order_of_every_command(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`next` listed documents to judge, `experiment` had results, and `report` made a page."""
    monkeypatch.chdir(tmp_path)
    files = [
        written(tmp_path / name, scored(whole=name == "r.json"), "score") for name in ("r.json", "o.json")
    ]
    files.insert(1, written(tmp_path / "q.tsv", graded(), "score"))
    name, *options = command.split()
    said = refused(3 if name == "gate" else 1, name, *files, *options)
    assert REMEDY in said, said


def test_wrong_order_in_memory() -> None:
    with pytest.raises(InputError, match=r"run 'mine': its scores are grades: .* come before runs"):
        evaluate(nested(scored()), {"mine": nested(graded())}, "nDCG@10")


def test_ranks_show_a_run() -> None:
    rows = pandas.DataFrame({"qid": ["q1"], "docno": ["d1"], "rank": [1], "score": [3]})
    with pytest.raises(InputError, match="have ranks and scores, but no grade; is it a run"):
        Judgments.read(rows)
    assert Judgments.read(rows.assign(label=2)).grade.tolist() == [2]
    assert Run.read(rows).scores.tolist() == [3]


def test_gains_that_all_differ_are_judgments() -> None:
    """Continuous gains are allowed, with any run that ranks its documents."""
    rng = np.random.default_rng(0)
    gains = {f"q{i}": {f"d{j}": float(rng.uniform()) for j in range(20)} for i in range(5)}
    ranked = [[20 - j, 1 / (1 + j), j / 3 // 1 + 8 * (j % 3)] for j in range(20)]
    for scores in zip(*ranked, strict=True):
        run = {query: dict(zip(documents, scores, strict=True)) for query, documents in gains.items()}
        assert 0 < evaluate(gains, {"a": run}, "nDCG@10").value("nDCG@10", run="a") <= 1


def test_a_column_named_doc(tmp_path: Path) -> None:
    """A file headed query,doc,score was said to need six columns."""
    run = written(tmp_path / "r.csv", scored(), "score")
    qrels = written(tmp_path / "q.csv", graded(), "score")
    assert " 0.2272 " in printed("evaluate", qrels, run, "-m", "AP")
