"""Frames of every kind give, bit for bit, what the same rows give as dicts; what is wrong is said."""

from __future__ import annotations

import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import narwhals
import numpy as np
import pandas
import polars
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import Qrels, RunDict, collections
from unjudged import InputError, Judgments, Run, UsageError, evaluate
from unjudged.base.segments import stable_order

MEASURES = ["AP", "infAP", "nDCG@3", "Bpref", "RBP(p=0.8)", "NumRet"]


def columns(data: Qrels | RunDict, number: str) -> dict[str, list[Any]]:
    rows = [(q, d, n) for q, inner in data.items() for d, n in inner.items()]
    return {name: [row[i] for row in rows] for i, name in enumerate(("query_id", "doc_id", number))}


def arrow(columns: dict[str, list[Any]], text: Any = None) -> pyarrow.Table:
    table = pyarrow.table(columns)
    for i in range(2) if text is not None else ():
        table = table.set_column(i, table.column_names[i], table.column(i).cast(text))
    return table


def in_pieces(columns: dict[str, list[Any]]) -> pyarrow.Table:
    """Chunks that end within a query, an empty one among them, each category numbered by its own chunk."""
    whole = arrow(columns)
    parts = [whole.slice(at, 2) for at in range(0, len(whole), 2)]
    parts = [
        p.set_column(0, "query_id", p["query_id"].dictionary_encode()) for p in [whole.slice(0, 0), *parts]
    ]
    return pyarrow.concat_tables(parts)


def relation(columns: dict[str, list[Any]]) -> Any:
    return duckdb.from_arrow(arrow(columns))


KINDS: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pandas.DataFrame,
    "pandas objects": lambda c: pandas.DataFrame(c).astype({"query_id": object, "doc_id": object}),
    "pandas categories": lambda c: pandas.DataFrame(c).astype({"query_id": "category", "doc_id": "category"}),
    "Polars": polars.DataFrame,
    "Polars lazy": polars.LazyFrame,
    "Polars categories": lambda c: polars.DataFrame(c).with_columns(
        polars.col("query_id", "doc_id").cast(polars.Categorical)
    ),
    "PyArrow": arrow,
    "PyArrow batch": lambda c: arrow(c).combine_chunks().to_batches()[0],
    "PyArrow reader": lambda c: arrow(c).to_reader(3),
    "PyArrow views": lambda c: arrow(c, pyarrow.string_view()),
    "PyArrow large": lambda c: arrow(c, pyarrow.large_string()),
    "PyArrow bytes": lambda c: arrow(c, pyarrow.binary()),
    "PyArrow in pieces": in_pieces,
    "DuckDB": relation,
    "narwhals": lambda c: narwhals.from_native(polars.DataFrame(c)),
}


def test_a_run_and_judgments_in_every_kind_of_frame() -> None:
    qrels = {"q1": {"d1": 1, "d2": 0, "é": -1}, "q2": {"d3": 2, "d10": 1}}
    run = {"q2": {"d3": 0.1 + 0.2, "d10": 0.3, "d9": 0.3}, "x": {"d1": 1.0}, "q1": {"é": -1.5, "d1": -1.5}}
    expected = evaluate(qrels, run, MEASURES)
    for name, made in KINDS.items():
        found = evaluate(made(columns(qrels, "relevance")), made(columns(run, "score")), MEASURES)
        assert list(found.queries) == list(expected.queries), name
        assert found.values.tobytes() == expected.values.tobytes(), name
        assert found.means.tobytes() == expected.means.tobytes(), name


@given(collections())
def test_rows_in_any_order(collection: tuple[Qrels, RunDict]) -> None:
    qrels, run = collection
    expected = evaluate(qrels, run, MEASURES)
    frame = pandas.DataFrame(columns(run, "score")).sample(frac=1, random_state=len(run))
    found = evaluate(qrels, polars.from_pandas(frame), MEASURES)
    assert found.values.tobytes() == expected.values.tobytes()


def test_names_of_columns() -> None:
    qrels = {"1": {"7": 1, "8": 0}}
    run = {"1": {"7": 0.5, "9": 0.75}}
    expected = evaluate(qrels, run).values
    terrier = pandas.DataFrame(
        {"qid": [1, 1], "query": ["a text", "a text"], "docid": [0, 1], "docno": [7, 9]}
    )
    terrier["score"] = [0.5, 0.75]
    beir = polars.DataFrame({"query-id": ["1", "1"], "corpus-id": ["7", "8"], "score": [1, 0]})
    assert (evaluate(beir, terrier).values == expected).all()
    own = pandas.DataFrame(
        {"topic id": ["1", "1"], "url": ["7", "9"], "cosine": [0.5, 0.75], "score": [0, 0]}
    )
    given = Run.read(own, query="topic id", document="url", score="cosine")
    assert (evaluate(qrels, given).values == expected).all()
    stars = Judgments.read(
        pandas.DataFrame({"q": [1, 1], "d": [7, 8], "stars": [1, 0]}), query="q", document="d", grade="stars"
    )
    assert (evaluate(stars, run).values == expected).all()


def test_numbers_of_every_type() -> None:
    kinds = [pyarrow.int8(), pyarrow.uint64(), pyarrow.float32(), pyarrow.decimal128(22, 1), pyarrow.string()]
    for kind in kinds:
        scores = pyarrow.array([3, 1, 2]).cast(kind)
        run = Run.read(pyarrow.table({"qid": [1, 1, 1], "docno": ["a", "b", "c"], "score": scores}))
        assert run.scores.tolist() == [3.0, 2.0, 1.0]
    exact = pyarrow.table({"qid": [1], "docno": ["a"], "score": [Decimal("0.1")]})
    assert Run.read(exact).scores.tolist() == [0.1]


def test_samples_in_frames() -> None:
    frame = {"query_id": ["q"] * 3, "doc_id": ["a", "b", "c"], "relevance": [1, 0, -1]}
    strata = Judgments.read(polars.DataFrame({**frame, "stratum": [1, 1, 2]}))
    assert strata.stratum is not None
    assert strata.stratum.tolist() == [1, 1, 2]
    drawn = Judgments.read(pandas.DataFrame({**frame, "method": [1, 0, 1], "iprob": [0.25, 0.5, np.nan]}))
    assert drawn.probability is not None
    assert drawn.probability.tolist()[:2] == [0.25, 1.0]
    assert np.isnan(drawn.probability[2])
    without = Judgments.read(pandas.DataFrame({**frame, "method": [1, 0, 1]}))
    assert without.probability is None


Q, D, N = "qid", "docno", "score"
WRONG: list[tuple[dict[str, Any], str]] = [
    ({Q: ["q", None], D: ["a", "b"], N: [1.0, 2.0]}, r"row 1 \(from 0\): the query is null"),
    ({Q: ["q", "q"], D: ["a", None], N: [1.0, 2.0]}, "row 1 .*: the document is null"),
    ({Q: ["q", "q"], D: ["a", "b"], N: [1.0, None]}, "row 1 .*: the score is missing"),
    ({Q: ["q", "q"], D: ["a", "b"], N: [np.nan, 1.0]}, "row 0 .*: the score is 'nan', expected a finite"),
    ({Q: ["q", "q"], D: ["a", "b"], N: [1.0, np.inf]}, "row 1 .*: the score is 'inf'"),
    ({Q: ["q"] * 5, D: list("abcde"), N: ["1", "2", "x", "4", "y"]}, "row 2 .*: the score is 'x'"),
    ({Q: ["q", "q"], D: ["a", "a"], N: [1.0, 2.0]}, "document 'a' of query 'q' appears twice"),
    ({Q: [1.5, 2.0], D: ["a", "a"], N: [1.0, 2.0]}, "the query is a float .*, expected text"),
    ({Q: ["q"], D: ["a"], N: [[1.0]]}, r"the score is \'\[1.0\]\', expected a finite number"),
    ({Q: ["q"], D: ["a"]}, "no column for the score among 'qid', 'docno'; expected score, sim, or"),
    ({Q: [], D: [], N: []}, "run 1: no rows"),
]


@pytest.mark.parametrize(("data", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_is_wrong_with_a_run(data: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        evaluate({"q": {"a": 1}}, pyarrow.table(data))


def test_what_is_wrong_with_judgments() -> None:
    frame = {"qid": ["q", "q"], "docno": ["a", "b"]}
    with pytest.raises(
        InputError, match=r"row 0 .*: the probability is '2.0', expected a number from 1e-50 to 1"
    ):
        Judgments.read(pandas.DataFrame({**frame, "label": [1, 1], "iprob": [2.0, 0.5]}))
    with pytest.raises(InputError, match=r"row 1 .*: the grade is missing"):
        Judgments.read(pandas.DataFrame({**frame, "label": [1, None]}))


def test_columns_that_cannot_be() -> None:
    frame = pandas.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0]})
    with pytest.raises(
        InputError, match="no column has the name 'url', expected one of 'qid', 'docno', 'score'"
    ):
        Run.read(frame, document="url")
    with pytest.raises(UsageError, match="unknown column 'grade', expected one of query, document, score"):
        Run.read(frame, grade="score")
    twice = pandas.concat([frame, frame[["qid"]]], axis=1)
    with pytest.raises(InputError, match=r"the frame cannot be read: .*qid"):
        Run.read(twice)
    doubled = pyarrow.Table.from_arrays([["q"], ["a"], [1.0], ["q"]], names=["qid", "docno", "score", "qid"])
    with pytest.raises(InputError, match="two columns have the name 'qid'"):
        Run.read(doubled.to_reader())
    mixed = pandas.DataFrame({"qid": ["q", 1], "docno": ["a", "b"], "score": [1.0, 2.0]})
    assert Run.read(mixed).queries.tolist() == [b"q", b"1"]
    with pytest.raises(UsageError, match="a Series has no columns"):
        Run.read(pandas.Series([1.0]))
    spark = type("DataFrame", (), {"__module__": "pyspark.sql"})()
    with pytest.raises(UsageError, match=r"use unjudged\.engines\.spark\.evaluate"):
        Run.read(spark)
    with pytest.raises(UsageError, match="a Schema has no columns"):
        Run.read(pyarrow.schema([]))


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    qrels, run = {"1": {"7": 1, "8": 0}}, {"1": {"7": 0.5, "9": 0.75}}
    frames = pandas.DataFrame(columns(qrels, "relevance")), polars.DataFrame(columns(run, "score"))
    numbers = pandas.DataFrame({"qid": [1, 1], "docno": [7, 9], "score": [0.5, 0.75]})
    stream = arrow(columns(run, "score")).to_reader()
    for module in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, module, None)
    assert (evaluate(*frames).values == evaluate(qrels, run).values).all()
    assert (evaluate(frames[0], numbers).values == evaluate(qrels, run).values).all()
    with pytest.raises(
        UsageError,
        match=r'needs pyarrow: pip install "unjudged\[files\]", or in a checkout pip install -e ".\[files\]"',
    ):
        Run.read(stream)
    strata = Judgments.read(frames[0].assign(stratum=[2, 1])).stratum
    assert strata is not None
    assert strata.tolist() == [2, 1]


def test_results_come_out_in_the_kind_that_went_in() -> None:
    qrels, run = {"q1": {"d1": 1}, "q2": {"d3": 2}}, {"q1": {"d2": 2.0, "d1": 1.0}}
    kinds = {"pandas": pandas.DataFrame, "Polars lazy": polars.DataFrame, "DuckDB": duckdb.DuckDBPyRelation}
    for name, kind in {**kinds, "PyArrow reader": pyarrow.Table, "narwhals": polars.DataFrame}.items():
        found = evaluate(qrels, {"mine": KINDS[name](columns(run, "score"))}, ["AP", "P@1"])
        frame = found.as_view("queries").to_frame()
        assert isinstance(frame, kind)
        rows = pyarrow.table(frame).to_pylist()
        table = {("q1", "AP"): 0.5, ("q1", "P@1"): 0.0, ("q2", "AP"): 0.0, ("q2", "P@1"): 0.0}
        assert {(row["query"], row["measure"]): row["value"] for row in rows} == table
    scores = evaluate(qrels, run, "AP")
    assert pyarrow.table(scores).equals(scores.to_frame("pyarrow"))
    assert isinstance(scores.to_frame("pandas"), pandas.DataFrame)
    assert isinstance(scores.to_frame(), pandas.DataFrame)
    with pytest.raises(UsageError, match="no kind of frame 'excel'"):
        scores.to_frame("excel")


def test_results_without_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(UsageError, match=r'needs duckdb: pip install "unjudged\[files\]"'):
        evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, "AP").to_frame("duckdb")


def test_more_queries_than_sixteen_bits_count() -> None:
    code = np.random.default_rng(1).integers(0, 1 << 20, 5000)
    assert (stable_order(code) == np.argsort(code, kind="stable")).all()


def test_a_table_that_threads_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("unjudged.data.matching.SMALLEST_PART", 2)
    monkeypatch.setattr("unjudged.data.frames.BLOCK", 3)
    monkeypatch.setattr("unjudged.data.matching.cores", lambda: 4)
    qrels = {f"{q}": {f"{d}": (q + d) % 3 - 1 for d in range(5)} for q in range(4)}
    for run in (
        {f"{q}": {f"{d}": float(q * d % 5) for d in range(7)} for q in range(4)},
        {"2": {"1": 0.5, "7": 0.5}},
    ):
        frame = pandas.DataFrame(columns(run, "score")).astype({"query_id": int, "doc_id": int})
        assert evaluate(qrels, frame).values.tobytes() == evaluate(qrels, run).values.tobytes()
    with pytest.raises(InputError, match="document '3' of query '1' appears twice"):
        evaluate(qrels, [("0", "1", 1.0), ("0", "2", 1.0), ("1", "3", 1.0), ("1", "4", 1.0), ("1", "3", 2.0)])


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Frames are cut after every few rows, and three threads convert and match the parts."""
    monkeypatch.setattr("unjudged.data.frames.BLOCK", 2)
    monkeypatch.setattr("unjudged.data.matching.cores", lambda: 3)


@pytest.mark.usefixtures("small_parts")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(collections(), st.sampled_from(sorted(KINDS)))
def test_every_kind_of_frame_in_parts(collection: tuple[Qrels, RunDict], kind: str) -> None:
    qrels, run = collection
    expected = evaluate(qrels, run, MEASURES)
    found = evaluate(qrels, KINDS[kind](columns(run, "score")), MEASURES)
    assert found.values.tobytes() == expected.values.tobytes()


@pytest.mark.usefixtures("small_parts")
@pytest.mark.parametrize("kind", ["pandas", "pandas objects", "PyArrow", "PyArrow in pieces", "Polars"])
@pytest.mark.parametrize(
    ("row", "changed", "problem"),
    [
        (7, {"doc_id": None}, r"row 7 \(from 0\): the document is null"),
        (7, {"query_id": None}, r"row 7 \(from 0\): the query is null"),
        (7, {"score": float("inf")}, r"row 7 \(from 0\): the score is 'inf'"),
        (7, {"doc_id": "6"}, "document '6' of query '2' appears twice"),
    ],
)
def test_what_is_wrong_in_a_part(kind: str, row: int, changed: dict[str, Any], problem: str) -> None:
    rows: dict[str, list[Any]] = {
        "query_id": [str(i // 3) for i in range(9)],
        "doc_id": [str(i) for i in range(9)],
        "score": [1.0] * 9,
    }
    for name, value in changed.items():
        rows[name][row] = value
    with pytest.raises(InputError, match=problem):
        evaluate({"1": {"3": 1}}, KINDS[kind](rows), ["AP"])
    if "score" not in changed:  # of several wrong rows, those of the first part are named
        rows["score"][0] = float("inf")
        with pytest.raises(InputError, match=r"row 0 \(from 0\): the score is 'inf'"):
            evaluate({"1": {"3": 1}}, KINDS[kind](rows), ["AP"])
