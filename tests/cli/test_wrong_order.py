"""Judgments and runs that were given in each other's place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from tests.cli.in_process import printed, refused
from unjudged import Judgments, Run, evaluate, sample
from unjudged.base.errors import InputError

pytestmark = pytest.mark.thorough

Numbers = dict[str, dict[str, Any]]
REMEDY = "udgments come before runs"
QRELS, RUN = Path(sample.qrels), Path(sample.runs["lexical"])


def _grades() -> Numbers:
    judgments = Judgments.of(QRELS)
    found: Numbers = {}
    rows = zip(judgments.query, judgments.documents, judgments.grade.tolist(), strict=True)
    for q, document, grade in rows:
        found.setdefault(judgments.queries[int(q)], {})[document] = grade
    return found


def _scores(shift: float = 0.0, whole: bool = False) -> Numbers:
    run = Run.of(RUN)
    scores = {query: run.ranking(query) for query in run.queries}
    values = iter(run.scores.tolist())
    made = {query: {document: next(values) - shift for document in scores[query]} for query in scores}
    if whole:
        return {query: {d: 1000 - i for i, d in enumerate(ranking)} for query, ranking in made.items()}
    return made


def _written(folder: Path, name: str, numbers: Numbers, column: str) -> str:
    """Write a file in the format of its suffix; return its name."""
    path = folder / name
    rows = [(q, d, value) for q, documents in numbers.items() for d, value in documents.items()]
    suffix = path.suffix
    if suffix == ".json":
        path.write_text(json.dumps(numbers))
    elif suffix == ".jsonl":
        path.write_text("".join(json.dumps({"qid": q, "docno": d, column: v}) + "\n" for q, d, v in rows))
    elif suffix == ".parquet":
        pandas = pytest.importorskip("pandas")
        pandas.DataFrame(rows, columns=["query_id", "doc_id", column]).to_parquet(path)
    else:
        between = "\t" if suffix == ".tsv" else ","
        lines = [("query", "doc", column), *((q, d, repr(v)) for q, d, v in rows)]
        path.write_text("".join(between.join(line) + "\n" for line in lines))
    return str(path)


FORMATS = ("json", "jsonl", "tsv", "csv", "parquet")


@pytest.mark.parametrize("judgments", FORMATS)
@pytest.mark.parametrize("run", FORMATS)
def test_wrong_order_in_every_format(tmp_path: Path, run: str, judgments: str) -> None:
    """Scores were read as gains, and nDCG@10 was .4614, without a word."""
    for name, scores in {"r": _scores(), "whole": _scores(whole=True), "negative": _scores(100)}.items():
        for column in ("score", "relevance"):
            qrels = _written(tmp_path, f"q-{column}.{judgments}", _grades(), column)
            file = _written(tmp_path, f"{name}.{run}", scores, "score")
            said = refused(1, "evaluate", file, qrels, "-m", "nDCG")
            assert REMEDY in said, said


def test_wrong_order_of_text_and_of_several(tmp_path: Path) -> None:
    run, qrels = _written(tmp_path, "r.json", _scores(), "score"), str(QRELS)
    assert REMEDY in refused(1, "evaluate", str(RUN), qrels)
    assert REMEDY in refused(1, "evaluate", run, qrels)
    grades = _written(tmp_path, "q.tsv", _grades(), "score")
    for command in ("evaluate", "compare"):
        assert REMEDY in refused(1, command, run, str(RUN), grades, "-m", "nDCG@10")


def test_wrong_order_of_a_report(tmp_path: Path) -> None:
    """A page of one run was made, with scores as grades."""
    page = str(tmp_path / "page.html")
    for suffix in FORMATS:
        run = _written(tmp_path, f"r.{suffix}", _scores(whole=True), "score")
        grades = _written(tmp_path, f"q.{suffix}", _grades(), "score")
        assert REMEDY in refused(1, "report", run, grades, "-o", page), suffix


COMMANDS = (
    "gate --margin=0.01",
    "next",
    "experiment",
    "compare",
)


@pytest.mark.parametrize("command", COMMANDS)
def test_wrong_order_of_every_command(command: str, tmp_path: Path) -> None:
    """`next` listed documents to judge, and `experiment` had results."""
    run = _written(tmp_path, "r.json", _scores(whole=True), "score")
    other = _written(tmp_path, "o.json", _scores(), "score")
    grades = _written(tmp_path, "q.tsv", _grades(), "score")
    words = [word for word in command.split() if not word.startswith("-")]
    options = [word for word in command.split() if word not in words]
    files = [run, grades, other]
    if words == ["compare"]:
        files = [f"{name}={run}:{grades},{other}" for name in "ab"]
    said = refused(3 if words == ["gate"] else 1, *words, *files, *options)
    assert REMEDY in said, said


def test_wrong_order_in_memory() -> None:
    with pytest.raises(InputError, match=r"run 'mine': its scores are grades: .* come before runs"):
        evaluate(_scores(), {"mine": _grades()}, "nDCG@10")


def test_ranks_show_a_run() -> None:
    rows = pandas.DataFrame({"qid": ["q1"], "docno": ["d1"], "rank": [1], "score": [3]})
    with pytest.raises(InputError, match="have ranks and scores, but no grade; is it a run"):
        Judgments.of(rows)
    assert Judgments.of(rows.assign(label=2)).grade.tolist() == [2]


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
    run = _written(tmp_path, "r.csv", _scores(), "score")
    qrels = _written(tmp_path, "q.csv", _grades(), "score")
    assert " 0.2272 " in printed("evaluate", qrels, run, "-m", "AP")
