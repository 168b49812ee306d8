"""What `test_spark` runs in a process of its own for each engine, named by UNJUDGED_SPARK."""

from __future__ import annotations

import base64
import gzip
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pytest
from pyarrow import parquet

from tests.engines.test_bucket import judgment_rows, run_rows
from tests.pairs import all_pairs
from unjudged import (
    InputError,
    Scores,
    UsageError,
    compare,
    evaluate,
    gate,
    measure,
    report_page,
    sample,
)
from unjudged.base.segments import Floats
from unjudged.engines import spark
from unjudged.rankings.judged import JudgedRankings

ENGINE = os.environ.get("UNJUDGED_SPARK", "classic")
MEASURES = [
    "AP",
    "infAP",
    "nDCG@10",
    "Bpref",
    "RBP(p=0.8)",
    "RBPResidual(p=0.8)",
    "Judged@10",
    "NumRet",
    "statAP",
]


@pytest.fixture(scope="session")
def session() -> Iterator[Any]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    server = None
    if ENGINE == "sail":
        from pysail.spark import SparkConnectServer

        server = SparkConnectServer(ip="127.0.0.1", port=0)
        server.start()
        _, port = server.listening_address
        session = SparkSession.builder.remote(f"sc://localhost:{port}").getOrCreate()
    else:
        builder = SparkSession.builder.config("spark.sql.shuffle.partitions", 4).config(
            "spark.ui.enabled", False
        )
        builder = builder.master("local[2]") if ENGINE == "classic" else builder.remote("local[2]")
        session = builder.getOrCreate()
    yield session
    session.stop()
    if server is not None:
        server.stop()


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample as files, one for each part of a run, empty parts among them."""
    folder = tmp_path_factory.mktemp("sample")
    parquet.write_table(judgment_rows().drop_columns("place"), folder / "qrels.parquet")
    rows = run_rows()
    for number, name in enumerate(sample.runs):
        (folder / name).mkdir()
        own = rows.filter(pyarrow.compute.equal(rows["run"], number)).drop_columns("run")
        for part in range(3):
            share = own.slice(0, 0) if part == 1 else own.slice(part // 2, None if part else 1)
            parquet.write_table(share, folder / name / f"part-{part}.parquet")
    return folder


def frame(session: Any, folder: Path, columns: dict[str, Any], name: str = "frame.parquet") -> Any:
    parquet.write_table(pyarrow.table(columns), folder / name)
    return session.read.parquet(str(folder / name))


def collected(values: Any) -> dict[tuple[str, ...], float]:
    return {tuple(row)[:-1]: row[-1] for row in values.collect()}


@pytest.mark.parametrize("buckets", [None, 7])
def test_the_same_numbers_to_the_last_bit(session: Any, folder: Path, buckets: int | None) -> None:
    chosen = ["expanded", "dense"]
    expected = evaluate(folder / "qrels.parquet", {name: sample.runs[name] for name in chosen}, MEASURES)
    runs = {name: session.read.parquet(str(folder / name)) for name in chosen}
    qrels = session.read.parquet(str(folder / "qrels.parquet"))
    values = spark.evaluate(qrels, runs, MEASURES, buckets=buckets)
    found = collected(values)
    assert found == {(row.run, row.query, row.measure): row.value for row in expected}
    summary = collected(spark.means(values))
    rows = expected.rows["systems"]
    assert summary == {(row["system"], row["measure"]): row["mean"] for row in rows}


def test_one_run_with_columns_of_other_names(session: Any, tmp_path: Path) -> None:
    run = frame(session, tmp_path, {"topic": [7, 7, 8], "url": [1, 2, 3], "cosine": [0.5, 0.75, 1.0]}, "run")
    qrels = frame(
        session, tmp_path, {"query-id": ["7", "9"], "corpus-id": ["1", "3"], "score": [1, 1]}, "qrels"
    )
    found = spark.evaluate(qrels, run, "AP", run_columns={"document": "url", "score": "cosine"}, buckets=2)
    assert collected(found) == {("run", "7", "AP"): 0.5, ("run", "9", "AP"): 0.0}
    with pytest.raises(
        InputError, match="run 'run': no column for the document among 'topic', 'url', 'cosine'"
    ):
        spark.evaluate(qrels, run, "AP")
    with pytest.raises(InputError, match="run 'run': the query column has type double, expected text"):
        spark.evaluate(qrels, run, "AP", run_columns={"query": "cosine", "document": "url", "score": "url"})
    with pytest.raises(UsageError, match="buckets is 0"):
        spark.evaluate(qrels, qrels, "AP", buckets=0)
    with pytest.raises(UsageError, match="no run given"):
        spark.evaluate(qrels, {}, "AP")


def test_fractional_grades(session: Any, tmp_path: Path) -> None:
    """Every bucket has the scale of all, so that gains and `rel` mean the same in each."""
    judged = {"query": ["1", "1", "2", "2"], "document": ["a", "b", "a", "c"], "grade": [0.5, 1.0, 0.25, 0.0]}
    ranked = {"query": ["1", "1", "2", "2"], "document": ["b", "x", "c", "a"], "score": [2.0, 1.0, 2.0, 1.0]}
    qrels, run = (
        frame(session, tmp_path, rows, name) for rows, name in ((judged, "halves"), (ranked, "run"))
    )
    measures = ["nDCG@10", "AP(rel=0.5)"]
    expected = evaluate(pyarrow.table(judged), {"run": pyarrow.table(ranked)}, measures)
    values = {(row.run, row.query, row.measure): row.value for row in expected}
    assert collected(spark.evaluate(qrels, {"run": run}, measures, buckets=2)) == values


def refused(values: Any, message: str) -> None:
    with pytest.raises(Exception) as failure:  # noqa: PT011 an error of the engine's own
        values.collect()
    if ENGINE == "sail" and message.endswith(("is null", "is missing")):  # which Sail says before we can
        message = "Found unmasked nulls for non-nullable"
    assert message in str(failure.value)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "null score": ({"score": [1.0, 2.0, None]}, "a row of run 'run': the score is missing"),
    "not a number": ({"score": [1.0, 2.0, np.nan]}, "a row of run 'run': the score is 'nan'"),
    "null query": ({"query": ["q", "r", None]}, "a row of run 'run': the query is null"),
    "null document": ({"document": ["a", "b", None]}, "a row of run 'run': the document is null"),
    "no number": ({"score": ["1.0", "2.0", "high"]}, "a row of run 'run': the score is 'high'"),
    "twice": ({"document": ["b", "a", "a"]}, "document 'a' of query 'q' appears twice"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_rows_fail_the_job(case: str, session: Any, tmp_path: Path) -> None:
    change, message = WRONG[case]
    rows = {"query": ["q"] * 3, "document": ["a", "b", "c"], "score": [1.0, 2.0, 3.0], **change}
    qrels = frame(session, tmp_path, {"query": ["q"], "document": ["a"], "grade": [1]}, "qrels")
    run = frame(session, tmp_path, {name: pyarrow.array(column) for name, column in rows.items()}, "run")
    values = spark.evaluate(qrels, run, "AP", buckets=3)  # lazy: nothing is wrong yet
    refused(values, message)


def test_wrong_judgments_fail_the_job(session: Any, tmp_path: Path) -> None:
    run = frame(session, tmp_path, {"query": ["q"], "document": ["a"], "score": [1.0]}, "run")
    wrong: dict[str, dict[str, Any]] = {
        "document 'a' of query 'q' appears twice": {"document": ["a", "a"], "grade": [1, 1]},
        "a row of the judgments: the grade is missing": {"document": ["a", "b"], "grade": [1, None]},
    }
    for message, rows in wrong.items():
        qrels = frame(session, tmp_path, {"query": ["q", "q"], **rows}, f"qrels {len(message)}")
        refused(spark.evaluate(qrels, run, "AP", buckets=1), message)


def test_one_query_with_a_million_documents_and_many_without_any(session: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    size = 1_000_000
    documents = [f"d{i}" for i in range(size)]
    queries = ["huge"] * size + [f"q{i}" for i in range(300)]
    run: dict[str, Any] = {
        "query": queries,
        "document": [*documents, *documents[:300]],
        "score": rng.integers(0, 999, size + 300) / 8,
    }
    judged = rng.choice(size, 500, replace=False)
    qrels: dict[str, Any] = {
        "query": ["huge"] * 500 + [f"q{i}" for i in range(0, 600, 3)],
        "document": [f"d{i}" for i in judged] + [f"d{i}" for i in range(0, 600, 3)],
        "grade": [*rng.integers(-1, 3, 500), *([1] * 200)],
    }
    expected = evaluate(pyarrow.table(qrels), pyarrow.table(run), ["AP", "infAP", "nDCG@10"])
    frames = [
        frame(session, tmp_path, columns, name) for name, columns in {"run": run, "qrels": qrels}.items()
    ]
    found = collected(
        spark.evaluate(frames[1], {"run 1": frames[0].repartition(16)}, ["AP", "infAP", "nDCG@10"])
    )
    assert found == {(row.run, row.query, row.measure): row.value for row in expected}


def test_a_run_without_rows(session: Any, tmp_path: Path) -> None:
    qrels = frame(session, tmp_path, {"query": ["q"], "document": ["a"], "grade": [1]}, "qrels")
    empty = frame(session, tmp_path, {"query": ["q"], "document": ["a"], "score": [1.0]}, "run").filter(
        "score > 2"
    )
    assert collected(spark.evaluate(qrels, empty, "AP")) == {("run", "q", "AP"): 0.0}


def test_a_measure_of_your_own(session: Any, tmp_path: Path) -> None:
    @measure(summary="sum", range=(0, float("inf")))
    def Relevant(r: JudgedRankings, *, rel: int = 1) -> Floats:
        """How many relevant documents there are."""
        return r.where(r.labels >= rel).counts.astype(float)

    qrels = frame(session, tmp_path, {"query": ["q", "r"], "document": ["a", "a"], "grade": [1, 2]}, "qrels")
    run = frame(session, tmp_path, {"query": ["q", "r"], "document": ["a", "a"], "score": [1.0, 2.0]}, "run")
    values = spark.evaluate(qrels, run, Relevant(rel=1), buckets=2)
    assert collected(values) == {("run", "q", "Relevant(rel=1)"): 1.0, ("run", "r", "Relevant(rel=1)"): 1.0}
    assert collected(spark.means(values, Relevant(rel=1))) == {("run", "Relevant(rel=1)"): 2.0}
    assert collected(spark.means(values)) == {("run", "Relevant(rel=1)"): 1.0}


def test_a_verdict_from_a_table_with_bounds(session: Any, folder: Path) -> None:
    chosen = ["reranked", "fused"]
    runs = {name: session.read.parquet(str(folder / name)) for name in chosen}
    qrels = session.read.parquet(str(folder / "qrels.parquet")).select("query", "document", "grade")
    frame = spark.evaluate(qrels, runs, ["P@10", "nDCG@10"], bounds=True, buckets=5)
    assert frame.columns == ["run", "query", "measure", "value", "low", "high"]
    assert all(row.low <= row.value <= row.high for row in frame.collect())
    own = evaluate(
        pyarrow.table(qrels.toPandas()), {name: sample.runs[name] for name in chosen}, ["P@10", "nDCG@10"]
    )
    table = Scores.read(frame)
    order = [list(table.queries).index(query) for query in own.queries]
    places = [list(table.runs).index(run) for run in own.runs]
    names = [[str(measure) for measure in one.measures] for one in (table, own)]
    columns = [names[0].index(name) for name in names[1]]
    assert table.values[places][:, order][:, :, columns].tolist() == own.values.tolist()
    found, alone = compare(table, measures="nDCG@10"), all_pairs(own.values[:, :, 1])
    assert [row["p"] for row in found.pairs] == pytest.approx(alone.p, abs=1e-15)
    by_precision = compare(table, measures="P@10").pair("reranked", "fused")
    theirs = compare(own.rankings.judgments, {name: sample.runs[name] for name in chosen}, "P@10")
    assert by_precision["low"] <= theirs.pair("reranked", "fused")["low"]
    answer = gate(table, "fused", "reranked", "P@10", margin=0.05)
    assert (answer.outcome, answer.checks[0]["judging"]) == ("pass", "seen")
    packed = report_page(table).html.partition('id="data">')[2].partition("</script>")[0]
    assert b"reranked" in gzip.decompress(base64.b64decode(packed))
