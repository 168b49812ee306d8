"""What people hold gives the same bits as the text files: lists, sets, pairs, lines of JSON."""

from __future__ import annotations

import io
import json
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas
import pytest
from hypothesis import HealthCheck, example, given
from hypothesis import strategies as st

from tests.conftest import examples
from unjudged import Evaluation, InputError, Judgments, Run, UnjudgedError, evaluate, sample
from unjudged.base.errors import UsageError
from unjudged.data import text_tables

MEASURES = ["AP", "nDCG@10", "Bpref", "infAP", "NumRet", "Judged@10"]
OF_POSITIVES = ["AP", "nDCG@10", "NumRet", "Judged@10"]
"""Measures that need no document which is judged and not relevant."""
RUN = sample.runs["lexical"]
ROWS = [(q, d, float(s)) for q, _, d, _, s, _ in (line.split() for line in RUN.read_text().splitlines())]
LINES = [line.split() for line in sample.qrels.read_text().splitlines() if not line.startswith("#")]
QRELS = [(q, d, int(g)) for q, _, d, g in LINES]
BEST_FIRST = {query: Run.read(RUN).ranking(query) for query in Run.read(RUN).queries}


def nested(rows: list[tuple[str, str, Any]]) -> dict[str, dict[str, Any]]:
    made: dict[str, dict[str, Any]] = {}
    for query, document, number in rows:
        made.setdefault(query, {})[document] = number
    return made


SCORES, GRADES = nested(ROWS), nested(QRELS)
RANKS = [(q, d, i) for q, documents in BEST_FIRST.items() for i, d in enumerate(documents, 1)]
RECORDS = [{"query_id": q, "doc_id": d, "score": s} for q, d, s in ROWS]


@pytest.fixture(scope="module")
def expected() -> Evaluation:
    return evaluate(sample.qrels, RUN, MEASURES)


def same(scores: Evaluation, expected: Evaluation) -> None:
    """The same values, bit for bit; of one run and the same queries in any order."""
    assert sorted(scores.queries) == sorted(expected.queries)
    for measure in map(str, expected.measures):
        for query in expected.queries:
            assert scores.value(measure, query=query) == expected.value(measure, query=query)


HELD_RUNS: dict[str, Any] = {
    "ranked lists": BEST_FIRST,
    "ranked tuples": {q: tuple(documents) for q, documents in BEST_FIRST.items()},
    "ranked arrays": {q: np.array(documents) for q, documents in BEST_FIRST.items()},
    "pairs": {q: list(inner.items()) for q, inner in SCORES.items()},
    "frame of ranks": pandas.DataFrame(RANKS, columns=["qid", "docno", "rank"]),
    "ranks from 0": pandas.DataFrame([(q, d, i - 1) for q, d, i in RANKS], columns=["qid", "pid", "rank"]),
}


@pytest.mark.parametrize("kind", HELD_RUNS)
def test_runs_in_memory(kind: str, expected: Evaluation) -> None:
    held = HELD_RUNS[kind]
    same(evaluate(sample.qrels, held, MEASURES), expected)
    same(evaluate(sample.qrels, [held], MEASURES), expected)
    scores = evaluate(sample.qrels, {"mine": held, "again": Run.read(held)}, MEASURES)
    assert scores.runs == ["mine", "again"]
    np.testing.assert_array_equal(scores.values[0], expected.values[0])
    np.testing.assert_array_equal(scores.values[1], expected.values[0])


def text(rows: list[tuple[Any, ...]], delimiter: str, header: str = "") -> str:
    return header + "".join(delimiter.join(map(str, row)) + "\n" for row in rows)


def lines(records: list[Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


HELD_FILES: dict[str, str] = {
    "semicolons": text(ROWS, ";", "query_id;doc_id;score\n"),
    "ranks with a header": text(RANKS, "\t", "qid\tpid\trank\n"),
    "json lines": lines(RECORDS),
    "json lines, other order": lines(RECORDS[::2] + RECORDS[1::2]),
    "json of ranked lists": json.dumps(BEST_FIRST, indent=1),
}


@pytest.mark.parametrize("kind", HELD_FILES)
def test_runs_in_files(kind: str, expected: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text(HELD_FILES[kind])
    same(evaluate(sample.qrels, path, MEASURES), expected)
    same(evaluate(sample.qrels, Run.read(path), MEASURES), expected)


def test_three_columns_are_no_judgments(tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text("q1 d1 1\n")
    with pytest.raises(InputError, match="expected 4 columns"):
        Judgments.read(path)


RELEVANT = {q: {d for d, g in inner.items() if g >= 1} for q, inner in GRADES.items()}
BINARY = {q: {d: 1 for d, g in inner.items() if g >= 1} for q, inner in GRADES.items()}


@pytest.mark.parametrize("make", [set, frozenset, sorted, tuple, lambda ids: dict.fromkeys(ids, 1).keys()])
def test_relevant_ids(make: Callable[[Any], Any]) -> None:
    held = {query: make(documents) for query, documents in RELEVANT.items()}
    found, wanted = evaluate(held, RUN, OF_POSITIVES), evaluate(BINARY, RUN, OF_POSITIVES)
    same(found, wanted)


HELD_QRELS: dict[str, str] = {
    "semicolons": text(QRELS, ";", "query-id;corpus-id;score\n"),
    "json lines": lines([{"query_id": q, "doc_id": d, "relevance": g} for q, d, g in QRELS]),
}


@pytest.mark.parametrize("kind", HELD_QRELS)
def test_judgments_in_files(kind: str, expected: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "qrels"
    path.write_text(HELD_QRELS[kind])
    same(evaluate(path, RUN, MEASURES), expected)


def test_relevant_ids_in_json(tmp_path: Path) -> None:
    path = tmp_path / "qrels.json"
    path.write_text(json.dumps({q: sorted(documents) for q, documents in RELEVANT.items()}))
    same(evaluate(path, RUN, OF_POSITIVES), evaluate(BINARY, RUN, OF_POSITIVES))


@pytest.mark.parametrize("whole", [int, np.int64, np.int32, np.uint8])
def test_whole_numbers_as_ids(whole: Callable[[int], Any]) -> None:
    qrels = {"1": {"10": 1, "11": 0, "12": 2}, "2": {"10": 1}}
    run = {"1": {"12": 0.5, "11": 0.7, "9": 0.1}, "2": {"10": 1.0, "9": 2.0}}
    wanted = evaluate(qrels, run, ["AP", "nDCG"])

    def numbered(data: dict[str, dict[str, Any]]) -> dict[Any, dict[Any, Any]]:
        return {whole(int(q)): {whole(int(d)): n for d, n in inner.items()} for q, inner in data.items()}

    for held in (
        numbered(run),
        [(q, d, n) for q, inner in numbered(run).items() for d, n in inner.items()],
        {int(q): [int(d) for d in Run.read(run).ranking(q)] for q in run},
        {int(q): np.array([int(d) for d in Run.read(run).ranking(q)]) for q in run},
        {"1": numbered(run)[whole(1)], "2": numbered(run)[whole(2)]},
    ):
        found = evaluate(numbered(qrels), {"mine": held}, ["AP", "nDCG"])
        assert found.queries == wanted.queries
        np.testing.assert_array_equal(found.values, wanted.values)


def test_the_same_id_as_number_and_text() -> None:
    with pytest.raises(InputError, match="query '1' appears twice"):
        Run.read({1: {"d": 0.5}, "1": {"d": 0.5}})
    with pytest.raises(InputError, match="document '7' of query '1' appears twice"):
        Run.read({1: {7: 0.5, "7": 0.5}})


@pytest.mark.parametrize(
    ("held", "problem"),
    [
        ({"q": {"d1", "d2"}}, "holds a set, which has no order: expected a list"),
        ({"q": ["d1", "d1"]}, "document 'd1' of query 'q' appears twice"),
        ({"q": ["d1", None]}, "the document is null, expected a value"),
        ({"q": ["d1", ["x"]]}, "the document is a list .*, expected text or a whole number"),
        ({"q": [{"docno": "d1", "score": 1}]}, "the document is a dict .*, expected text or a whole number"),
    ],
)
def test_what_cannot_be_read(held: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as refused:
        evaluate({"q": {"d": 1}}, [held])
    assert "run" in str(refused.value)


def test_rows_are_no_objects() -> None:
    with pytest.raises(InputError, match=r"row 0 \(from 0\) is a dict, expected \(query, document, score\)"):
        Run.read(RECORDS)


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ({"query_id": "q", "doc_id": "e"}, "run.jsonl:3: the score is missing, expected a finite number"),
        ({"query_id": 1.5, "doc_id": "d", "score": 1}, "run.jsonl:3: the query is a float"),
        (
            {"query_id": "q", "doc_id": None, "score": 1},
            "run.jsonl:3: the document is null, expected a value",
        ),
        (["q", "d", 1], "run.jsonl:3: holds a list, expected an object with fields"),
    ],
)
def test_objects_unlike_the_first(record: Any, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(lines([*RECORDS[:2], record]))
    with pytest.raises(InputError, match=problem):
        evaluate(sample.qrels, path)


def test_json_that_names_no_documents(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(lines([{"query_id": "q", "doc_id": "d", "score": 1}]))
    assert Run.read(path).ranking("q") == ["d"]
    path.write_text(lines([{"q": {"d": 0.5}}]))
    assert Run.read(path).ranking("q") == ["d"]
    path.write_text(json.dumps(RECORDS))
    with pytest.raises(InputError, match=r"holds a list, expected queries, .* or JSON lines"):
        evaluate(sample.qrels, path)
    with pytest.raises(UsageError, match="JSON has no column names such as query_id"):
        Run.read(path, query="query_id")
    path.write_text(lines([{"query_id": q, "docids": d} for q, d in BEST_FIRST.items()]))
    with pytest.raises(InputError, match="no column for the document among 'query_id', 'docids'"):
        evaluate(sample.qrels, path)


def test_errors_of_json_lines_name_the_line(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(lines(RECORDS[:2]) + "{'query_id': 1}\n")
    with pytest.raises(InputError, match=r"run.jsonl:3: cannot be read as JSON"):
        evaluate(sample.qrels, path)
    path.write_text(lines(RECORDS[:2]) + '{"query_id": "q", "query_id": "r"}\n')
    with pytest.raises(InputError, match=r"run.jsonl:3: 'query_id' appears twice"):
        evaluate(sample.qrels, path)


def test_columns_of_a_file_with_names_of_its_own(expected: Evaluation, tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text(text(ROWS, ",", "topic_name,url,cosine\n"))
    run = Run.read(path, query="topic_name", document="url", score="cosine")
    same(evaluate(sample.qrels, run, MEASURES), expected)
    with pytest.raises(UsageError, match="has no column names such as topic, url"):
        Run.read(RUN, query="topic", document="url")
    lines_path = tmp_path / "run.jsonl"
    lines_path.write_text(lines([{"t": q, "u": d, "c": s} for q, d, s in ROWS]))
    run = Run.read(lines_path, query="t", document="u", score="c")
    same(evaluate(sample.qrels, run, MEASURES), expected)


def test_a_given_rank_counts_instead_of_the_score() -> None:
    frame = pandas.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [2.0, 1.0], "place": [2, 1]})
    assert Run.read(frame).ranking("q") == ["a", "b"]
    assert Run.read(frame, rank="place").ranking("q") == ["b", "a"]


SEVERAL = [(name, q, d, s) for name in ("a", "b") for q, d, s in ROWS]


def in_several_formats(folder: Path) -> dict[str, Any]:
    frame = pandas.DataFrame(SEVERAL, columns=["run", "query_id", "doc_id", "score"])
    frame.to_parquet(folder / "both.parquet")
    (folder / "both.csv").write_text(text(SEVERAL, ",", "run,query_id,doc_id,score\n"))
    (folder / "both.jsonl").write_text(lines(frame.to_dict("records")))
    import polars

    return {
        "pandas": frame,
        "polars": polars.DataFrame(frame.to_dict("list")),
        "lazy": polars.LazyFrame(frame.to_dict("list")),
        "system": frame.rename(columns={"run": "system"}),
        **{name: folder / f"both.{name}" for name in ("parquet", "csv", "jsonl")},
    }


def test_a_column_names_the_runs(expected: Evaluation, tmp_path: Path) -> None:
    for held in in_several_formats(tmp_path).values():
        scores = evaluate(sample.qrels, held, MEASURES)
        assert scores.runs == ["a", "b"]
        np.testing.assert_array_equal(scores.values[0], expected.values[0])
        np.testing.assert_array_equal(scores.values[1], expected.values[0])
        assert evaluate(sample.qrels, [held, RUN], ["AP"]).runs == ["a", "b", "lexical"]


def test_a_row_without_a_run(tmp_path: Path) -> None:
    frame = pandas.DataFrame(SEVERAL, columns=["run", "query_id", "doc_id", "score"])
    frame.loc[3, "run"] = None
    with pytest.raises(InputError, match=r"row 3 \(from 0\): the run is null, expected a value in every row"):
        evaluate(sample.qrels, frame)
    path = tmp_path / "run.jsonl"
    path.write_text('{"run": "a", "qid": "q", "pid": "d", "rank": 1}\n{"qid": "q", "pid": "e", "rank": 2}\n')
    with pytest.raises(InputError, match=r"run.jsonl:2: the run is null, expected a value"):
        evaluate(sample.qrels, path)


NAMES = st.sampled_from(["a", "b", "c", "ü", "\ud800", "\udc80", "", "x" * 40])
VALUES = st.one_of(NAMES, st.integers(-3, 3), st.floats(), st.booleans(), st.none(), st.lists(st.integers()))
JSON_LINES = st.one_of(
    st.fixed_dictionaries({"qid": NAMES, "docno": NAMES, "score": st.floats(-9, 9)}).map(json.dumps),
    st.fixed_dictionaries({"qid": st.integers(1, 3), "docno": st.integers(), "score": VALUES}).map(
        json.dumps
    ),
    st.dictionaries(st.sampled_from(["qid", "docno", "score", "rank"]), VALUES).map(json.dumps),
    st.sampled_from(["", "[]", "{}", '[["qid", "a"], ["docno", "b"], ["score", 1]]', "{", '"}', "1", "],["]),
)
GOOD = '{"qid": "a", "docno": "b", "score": 1}'


@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(JSON_LINES, max_size=8), st.sampled_from([2, 1 << 14]))
@example(['{"qid": "a", "docno": "b", "score": 1}, {"qid": "a", "docno": "c", "score": 1}'], 9)
@example(['{"qid": "a", "docno": "b", "score": 1, "x": [{}', "{}]}", "1,2,3"], 9)
@example(['{"qid": "a", "qid": "a", "docno": "b", "score": 1}'], 9)
@example(['{"docno": "c", "score": 2, "qid": "a"}'], 9)
@example(['{"qid": "a", "docno": "c", "score": 1e999}'], 9)
@example(['{"qid": "a", "docno": "c", "score": ' + "9" * 5000 + "}"], 9)
@example(['{"qid": 1, "docno": "c", "score": true}'], 9)
def test_at_once_or_one_by_one(tmp_path: Path, lines: list[str], block: int) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join([GOOD, GOOD.replace('"b"', '"d"'), *lines]), encoding="utf-8", errors="replace")

    def outcome() -> Any:
        try:
            return evaluate({"a": {"b": 1, "c": 1}, "1": {"2": 1}}, path, "AP").values.tolist()
        except UnjudgedError as error:
            return type(error), str(error)

    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        patch.setattr(text_tables, "BLOCK", block)
        at_once = outcome()
        patch.setattr(text_tables, "_columns_at_once", lambda *_: None)
        assert at_once == outcome()


@given(text=st.text("ab\r\n\u2028\x0b", max_size=40), characters=st.integers(1, 9))
def test_lines_are_those_of_python_wherever_pieces_end(text: str, characters: int) -> None:
    with tempfile.NamedTemporaryFile("w", newline="", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        with patch.object(text_tables, "CHARACTERS", characters):
            found = [*text_tables.lines_of(file.name)]
    assert found == [*io.StringIO(text, newline="")]
