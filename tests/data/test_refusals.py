"""Sources that are refused: of unknown kind, changed while read, with unusable numbers or names."""

from __future__ import annotations

import gzip
import os
import pickle
import random
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from unjudged import InputError, Judgments, Run, UsageError, evaluate, sample
from unjudged.base.errors import RepeatedDocument, UnjudgedError
from unjudged.base.wording import kind_of
from unjudged.data import streams, trec

QRELS = {"q": {"a": 1, "b": 0}}
RUN = {"q": {"a": 1.0, "b": 2.0}}
ACCEPTED = (
    r"expected a file name, a frame, a dict \{query: \{document: %s\}\} or \{query: \[document, \.\.\.\]\}, "
    "or rows"
)


@pytest.mark.parametrize("source", [5, 1.5, object(), b"run.txt", len, Judgments.read(QRELS)])
def test_objects_of_unknown_kind(source: Any) -> None:
    expected = f"found {kind_of(source)}, {ACCEPTED % 'score'}"
    with pytest.raises(UsageError, match=f"run 1: {expected}"):
        evaluate(QRELS, source)
    with pytest.raises(UsageError, match=f"run 2: {expected}"):
        evaluate(QRELS, [RUN, source])
    with pytest.raises(UsageError, match=f"run 'mine': {expected}"):
        evaluate(QRELS, {"mine": source})
    if not isinstance(source, Judgments):
        with pytest.raises(UsageError, match=f"judgments: found {kind_of(source)}, {ACCEPTED % 'grade'}"):
            evaluate(source, RUN)


def test_nothing_is_given() -> None:
    with pytest.raises(UsageError, match="there are no judgments, expected a file of grades"):
        evaluate(None, RUN)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="no run given, expected at least one"):
        evaluate(QRELS, None)
    with pytest.raises(UsageError, match=f"run 2: found no value, {ACCEPTED % 'score'}"):
        evaluate(QRELS, [RUN, None])  # type: ignore[arg-type]


def test_a_run_is_not_judgments() -> None:
    with pytest.raises(UsageError, match="judgments: found a Run, expected"):
        evaluate(Run.read(RUN), RUN)  # type: ignore[arg-type]


def test_columns_of_data_without_columns() -> None:
    with pytest.raises(UsageError, match="columns can be chosen only in a frame or in a file with a header"):
        Run.read(RUN, score="similarity")


def test_errors_in_memory_name_the_run() -> None:
    good = pandas.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0]})
    bad = good.assign(score=[float("inf")])
    with pytest.raises(InputError, match=r"run 'b': row 0 \(from 0\): the score is 'inf'"):
        evaluate(QRELS, {"a": good, "b": bad})
    with pytest.raises(InputError, match=r"run 2: row 0 \(from 0\): the score is 'inf'"):
        evaluate(QRELS, [good, bad])
    with pytest.raises(InputError, match="run 'x': no query in common with the judgments"):
        evaluate(QRELS, {"x": {"other": {"a": 1.0}}})
    with pytest.raises(InputError, match="run 'x': document 'a' of query 'q' appears twice"):
        evaluate(QRELS, {"x": [("q", "a", 1.0), ("q", "a", 2.0)]})


def test_errors_carry_their_parts(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("q Q0 a 1 1 t\nq Q0 a 2 0 t\n")
    with pytest.raises(RepeatedDocument) as caught:
        evaluate(QRELS, tmp_path / "run")
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.source, error.line, error.document) == (str(tmp_path / "run"), 2, b"a")
        assert error.problem.startswith("document 'a' of query 'q' is already on line 1")
        assert str(error) == f"{error.source}:2: {error.problem}"


@pytest.mark.parametrize("value", ["1e-300", "1e-51", "5e-324"])
def test_probabilities_too_small_to_divide_by(value: str, tmp_path: Path) -> None:
    expected = "the probability is '.*', expected a number from 1e-50 to 1, or NA"
    (tmp_path / "prels").write_text(f"q a 1 1 1e-50\nq b 1 1 {value}\n")
    with pytest.raises(InputError, match=f"prels:2: {expected}"):
        Judgments.read(tmp_path / "prels")
    (tmp_path / "prels.csv").write_text(f"qid,docno,label,iprob\nq,a,1,0.5\nq,b,1,{value}\n")
    with pytest.raises(InputError, match=f"prels.csv:3: {expected}"):
        Judgments.read(tmp_path / "prels.csv")
    frame = pandas.DataFrame({"qid": ["q"], "docno": ["a"], "label": [1], "iprob": [float(value)]})
    with pytest.raises(InputError, match=expected):
        Judgments.read(frame)


def test_the_smallest_probabilities_give_finite_values(tmp_path: Path) -> None:
    lines = [
        f"q d{i} {i % 2} 1 {p}\n" for i, p in enumerate(["1e-50", "1e-50", "0.5", "1e-50", "1", "1e-50"])
    ]
    (tmp_path / "prels").write_text("".join(lines))
    run = {"q": {f"d{i}": float(i * 5 % 7) for i in range(9)}}
    measures = ["statAP", "statAPVariance", "statRprec", "statP@5"]
    assert np.isfinite(evaluate(tmp_path / "prels", run, measures).values).all()


def test_a_small_probability_does_not_hide_what_ranks_above(tmp_path: Path) -> None:
    """The precision at b is (1 + 1) / 2, and statAP is (1 + 1e50) / (1 + 1e50)."""
    (tmp_path / "prels").write_text("q a 1 1 1\nq b 1 1 1e-50\n")
    scores = evaluate(tmp_path / "prels", {"q": {"a": 2.0, "b": 1.0}}, ["statAP"])
    assert scores.values.tolist() == [[[1.0]]]


class Lying(dict[str, Any]):
    """Says that it holds more than it does."""

    def __len__(self) -> int:
        return 7


class Growing(Mapping[str, Any]):
    """Says that it holds less than it does."""

    def __getitem__(self, key: str) -> float:
        return 1.0

    def __iter__(self) -> Iterator[str]:
        return iter("abc")

    def __len__(self) -> int:
        return 2


WRONG: dict[str, list[Any]] = {
    "a Growing changed while it was read": [{"q": Growing()}],
    "query 'r' holds an int": [{"q": {"a": 1}, "r": 5}],
    "document 'a' of query 'q': the score is": [
        *({"q": {"a": score}} for score in (float("nan"), float("inf"), "x", [1])),
        {"q": {"a": [1, 2]}},
        {"q": {"a": np.zeros(2)}},
        {"q": {"a": 10**400}},
        {"q": {"a": 10**9000}},
        {"q": {"a": 1j}},
        {"q": {"a": {}}},
        {"q": {"b": 1, "a": [2, 3]}},
    ],
    r"row 0 \(from 0\): the score is": [[("q", "a", (1,))]],
    r"document '\\ud800' cannot be written as UTF-8": [{"q": {"a": 1, "\ud800": 2}}, [("q", "\ud800", 1)]],
    r"query '\\udfff' cannot be written as UTF-8": [{"\udfff": {"a": 1}}, [("\udfff", "a", 1)]],
    r"row 0 \(from 0\) is an int": [[7]],
    r"row 1 \(from 0\) is a str": [[("q", "a", 1), "qa1"]],
    r"row 1 \(from 0\) is a dict": [[("q", "a", 1), {"q": 1}]],
    r"row 1 \(from 0\) has 2 fields": [[("q", "a", 1), ("q", "b")]],
    r"the query is a ndarray \(.*\), expected text": [[(np.zeros(2), "a", 1), (np.zeros(2), "b", 1)]],
}


def test_a_dict_is_what_it_holds_whatever_it_says() -> None:
    for data in ({"q": Lying(a=1)}, Lying(q={"a": 1})):
        assert Run.read(data).ranking("q") == ["a"]


@pytest.mark.parametrize("message", WRONG)
def test_data_in_memory(message: str) -> None:
    for data in WRONG[message]:
        with pytest.raises(InputError, match=message):
            Run.read(data)


def test_queries_of_the_same_bytes_are_one_query() -> None:
    judgments = Judgments.read({"€": {"a": 1}, "\udce2\udc82\udcac": {"b": 0}})
    assert list(judgments.queries) == ["€"]
    assert judgments.grade.tolist() == [1, 0]
    with pytest.raises(InputError, match="document 'a' of query '€' appears twice"):
        Judgments.read({"€": {"a": 1}, "\udce2\udc82\udcac": {"a": 0}})


@pytest.mark.parametrize("name", ["a\0b", "a\0*", "\ud800", "x" * 5000])
def test_names_that_no_file_can_have(name: str) -> None:
    for read in (Run.read, Judgments.read, lambda path: evaluate(QRELS, path)):
        with pytest.raises(InputError):
            read(name)


def test_a_frame_with_a_lone_surrogate() -> None:
    frame = pandas.DataFrame({"qid": ["q"], "docno": pandas.Series(["\ud800"], dtype=object), "score": [1.0]})
    with pytest.raises(InputError, match=r"run: document .* cannot be written as UTF-8"):
        Run.read(frame)


@pytest.mark.parametrize("half", [np.float16(0.5), np.float32(0.5), np.longdouble(0.5)])
def test_a_frame_with_numbers_of_several_types(half: Any) -> None:
    """Arrow would make whole numbers of some of these."""
    scores = pandas.Series([half, 1, np.int8(2)], dtype=object)
    frame = pandas.DataFrame({"qid": ["q"] * 3, "docno": list("abc"), "score": scores})
    run = Run.read(frame)
    assert (run.ranking("q"), run.scores.tolist()) == (["c", "b", "a"], [2, 1, 0.5])


@pytest.mark.parametrize("value", [np.datetime64("2020"), [np.datetime64("2020"), np.float32(1)], object()])
def test_a_frame_with_objects_that_crash_arrow(value: Any) -> None:
    mixed = pandas.Series([value, np.float32(1)], dtype=object)
    for column in (mixed, mixed if isinstance(value, list) else mixed.astype("category")):
        for name in ("qid", "docno", "score"):
            frame = pandas.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "score": [1.0, 2.0]})
            frame[name] = column
            with pytest.raises(InputError, match=r"the (query|document|score).* is .*, expected"):
                Run.read(frame)


def test_a_lazy_frame_that_cannot_be_collected(tmp_path: Path) -> None:
    import polars

    polars.DataFrame({"qid": ["q"], "docno": ["a"], "score": [1.0]}).write_parquet(tmp_path / "run")
    lazy = polars.scan_parquet(tmp_path / "run").with_columns(score=polars.col("docno").cast(polars.Float64))
    with pytest.raises(InputError, match="run 'mine': the frame cannot be read: "):
        evaluate(QRELS, {"mine": lazy})


def test_pieces_are_cut_only_where_a_query_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SMALLEST_PIECE", 1)
    rows = [f"7 Q0 d{i} 1 {-i} t\n" for i in range(40)]
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n" + "".join(f"# {i}\n\n{row}" for i, row in enumerate(rows)))
    assert streams.pieces(tmp_path / "run", 4) == [(0, None)]
    (tmp_path / "run").write_text("1 Q0 a 1 1 t\n" + rows[0] + "".join(f"# {r}" for r in rows) + rows[0])
    for cores in (1, 2, 5):
        monkeypatch.setattr(trec, "cores", lambda cores=cores: cores)
        with pytest.raises(InputError, match="run:43: document 'd0' of query '7' is already on line 2"):
            evaluate({"1": {"a": 1}}, tmp_path / "run")


def test_a_second_byte_order_mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is a part of the query's name, on any number of cores."""
    monkeypatch.setattr(streams, "SMALLEST_PIECE", 1)
    run = sample.runs["fused"].read_bytes()
    half = run.index(b"\nq20 ") + 1
    (tmp_path / "run").write_bytes(b"\xef\xbb\xbf" + run[:half] + b"\xef\xbb\xbf" + run[half:])
    values = []
    for cores in (1, 2, 3, 7, 40):
        monkeypatch.setattr(trec, "cores", lambda cores=cores: cores)
        values.append(evaluate(sample.qrels, tmp_path / "run", ["AP", "NumRet"]).values.tobytes())
    assert len(set(values)) == 1


@pytest.mark.parametrize("grade", [-0.5, 3e9, float("inf")])
def test_a_grade_may_be_a_fraction_but_not_any(grade: float, tmp_path: Path) -> None:
    """Readers that accept fractions of grades do not ask for whole numbers alone."""
    (tmp_path / "qrels.csv").write_text(f"query_id,doc_id,relevance\nq,d,{grade}\n")
    sources: list[Any] = [{"q": {"d": grade}}, [("q", "d", grade)], tmp_path / "qrels.csv"]
    for source in sources:
        with pytest.raises(
            InputError, match=r"expected a whole number from -2147483648 .*, or a fraction above 0"
        ):
            evaluate(source, {"q": {"d": 1.0}})


RUN_COLUMNS = "6 columns (query iteration document rank score tag)"
QRELS_COLUMNS = "4 columns (query iteration document grade)"
WHOLE = "a whole number from -2147483648 to 2147483647"

BAD_RUNS = {
    b"1 Q0 a 1 2 t\n1 Q0 b 2 1\n": f":2: expected {RUN_COLUMNS}, found 5",
    b"1 Q0 a 1 two t\n": ":1: the score is 'two', expected a finite number",
    b"1 Q0 a 1 nan t\n": ":1: the score is 'nan', expected a finite number",
    b"1 Q0 a 1 -inf t\n": ":1: the score is '-inf', expected a finite number",
    b"1 Q0 a 1 1e999 t\n": ":1: the score is '1e999', expected a finite number",
    b"1 Q0 a 1 1,5 t\n": ":1: the score is '1,5', expected a finite number",
    b"1 Q0 a 1 \xff\x1b[0m t\n": r":1: the score is '\\xff\x1b[0m', expected a finite number",
    b"# a\n\n1 Q0 a 1 2 t\n1 Q0 b 2 2 t\n1 Q0 a 3 1 t\n": (
        ":5: document 'a' of query '1' is already on line 3; each document may appear only once per query"
    ),
    b"1 Q0 a 1 2 t\n2 Q0 a 1 2 t\n1 Q0 a 3 1 t\n": (
        ":3: document 'a' of query '1' is already on line 1; each document may appear only once per query"
    ),
    b"1 0 a 1\n": (
        f":1: expected {RUN_COLUMNS}, found 4; is it a file of judgments? Judgments come before runs"
    ),
    b"": f": no data, expected lines of {RUN_COLUMNS}",
    b"# only a comment\n\n": f": no data, expected lines of {RUN_COLUMNS}",
    b"7 Q0 a 1 2 t\n": ": no query in common with the judgments, which have queries such as '1'",
    b"x" * 3_000_000: ":1: longer than 1,048,576 bytes, expected lines of text; is it a binary file?",
}
BAD_QRELS = {
    b"1 0 a 1\n1 0 b\n": f":2: expected {QRELS_COLUMNS}, found 3",
    b"1 0 a b 1 1\n": f":1: expected {QRELS_COLUMNS}, found 6; is it a run? Judgments come before runs",
    b"1 0 a 3000000000\n": f":1: the grade is '3000000000', expected {WHOLE}",
    b"1 0 a 1\n2 0 a 1\n1 0 a 0\n": (
        ":3: document 'a' of query '1' is already on line 1; each document may appear only once per query"
    ),
    b"": f": no data, expected lines of {QRELS_COLUMNS}",
}


@pytest.mark.parametrize("data", BAD_RUNS)
def test_bad_run(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.run"
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        evaluate({"1": {"a": 1}}, path)
    assert str(error.value) == f"{path}{BAD_RUNS[data]}"


@pytest.mark.parametrize("data", BAD_QRELS)
def test_bad_qrels(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.qrels"
    path.write_bytes(data)
    with pytest.raises(InputError) as error:
        Judgments.read(path)
    assert str(error.value) == f"{path}{BAD_QRELS[data]}"


BAD_MEMORY = [
    ({"q": {"d": "x"}}, "document 'd' of query 'q': the grade is 'x', expected " + WHOLE),
    ({"q": {"d": None}}, "document 'd' of query 'q': the grade is missing, expected " + WHOLE),
    ({"q": {7.5: 1}}, "the document is a float ('7.5'), expected text or a whole number"),
    ({7.5: {"d": 1}}, "the query is a float ('7.5'), expected text or a whole number"),
    ({"q": {True: 1}}, "the document is a bool ('True'), expected text or a whole number"),
    ({"q": "d"}, "query 'q' holds a str, expected a mapping of documents to a grade each"),
    ({}, "no rows, expected at least one"),
    ([("q", "d")], "row 0 (from 0) has 2 fields, expected (query, document, grade)"),
    ([("q", "d", 1), ("p", "d", 1), ("q", "d", 0)], "document 'd' of query 'q' appears twice"),
    ({"q": {"\ud800": 1}}, r"document '\ud800' cannot be written as UTF-8"),
]


@pytest.mark.parametrize(("data", "problem"), BAD_MEMORY)
def test_bad_data_in_memory(data: object, problem: str) -> None:
    with pytest.raises(InputError) as error:
        Judgments.read(data)  # type: ignore[arg-type]
    assert str(error.value).startswith(f"judgments: {problem}")


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere: no such file"):
        Judgments.read(tmp_path / "nowhere")
    with pytest.raises(InputError, match=r"a folder without files that end in \.parquet.*give their names"):
        Judgments.read(tmp_path)


def test_a_folder_of_text_files_does_not_need_pyarrow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It said that Parquet needs pyarrow, where there was no Parquet."""
    (tmp_path / "a.run").write_text("1 Q0 a 1 2 t\n")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError, match="a folder without files that end in"):
        evaluate({"1": {"a": 1}}, tmp_path)


@pytest.mark.parametrize("kept", [5, 17, 200, 4000])
def test_compressed_file_cut_short(kept: int, tmp_path: Path) -> None:
    lines = "".join(f"1 Q0 d{i * i} 1 {-i} t\n" for i in range(2000))
    path = tmp_path / "cut.gz"
    path.write_bytes(gzip.compress(lines.encode())[:kept])
    with pytest.raises(InputError, match="cut short"):
        evaluate({"1": {"d0": 1}}, path)


def test_compressed_file_damaged(tmp_path: Path) -> None:
    import lzma

    data = bytearray(lzma.compress(os.urandom(5000)))
    data[2000] ^= 255
    path = tmp_path / "damaged.xz"
    path.write_bytes(bytes(data))
    with pytest.raises(InputError, match="damaged"):
        evaluate({"1": {"d0": 1}}, path)


@pytest.mark.thorough
def test_five_million_random_bytes(tmp_path: Path) -> None:
    path = tmp_path / "noise"
    rng = random.Random(5)
    for alphabet in (bytes(range(256)), b" \n\t\r#0123456789.e-aq"):
        path.write_bytes(bytes(rng.choices(alphabet, k=5_000_000)))
        for read in (Judgments.read, Run.read, lambda p: evaluate({"1": {"a": 1}}, p)):
            with pytest.raises(UnjudgedError):
                read(path)


def test_a_line_of_100_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "endless"
    with path.open("wb") as file:
        for _ in range(100):
            file.write(b"x" * 1_000_000)
    with pytest.raises(InputError, match="endless:1: longer than"):
        evaluate({"1": {"a": 1}}, path)
