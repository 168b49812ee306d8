"""Files of every kind give, bit for bit, what TREC text gives; what is wrong is said with its place."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import pyarrow
import pytest
from pyarrow import feather, parquet

from unjudged import InputError, Judgments, Run, UsageError, evaluate, sample
from unjudged.data import frames as columnar
from unjudged.data import matching, text_tables

MEASURES = ["AP", "infAP", "nDCG@10", "Bpref", "RBP(p=0.8)", "Judged@10", "NumRet"]
Writer = Callable[[pandas.DataFrame, Path], Any]


def frame(path: str | Path, number: str) -> pandas.DataFrame:
    names = ["query_id", "Q0", "doc_id", "rank", "score", "tag"]
    if number == "relevance":
        names = ["query_id", "Q0", "doc_id", "relevance"]
    rows = pandas.read_csv(path, sep=r"\s+", names=names, dtype={"query_id": str, "doc_id": str}, comment="#")
    return rows[["query_id", "doc_id", number]]


def beir(rows: pandas.DataFrame, path: Path) -> None:
    rows.set_axis(["query-id", "corpus-id", "score"], axis=1).to_csv(path, sep="\t", index=False)


def dictionary(rows: pandas.DataFrame) -> dict[str, dict[str, float]]:
    name = rows.columns[2]
    return {
        q: dict(zip(g["doc_id"], g[name].tolist(), strict=True))
        for q, g in rows.groupby("query_id", sort=False)
    }


def mteb(rows: pandas.DataFrame, path: Path) -> None:
    path.write_text(
        json.dumps({"mteb_model_meta": {"name": "m"}, "default": {"test": dictionary(rows)}}, indent=1)
    )


def arrow_stream(rows: pandas.DataFrame, path: Path) -> None:
    table = pyarrow.Table.from_pandas(rows)
    with pyarrow.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=700)


def folder(rows: pandas.DataFrame, path: Path) -> None:
    path.mkdir()
    (path / "_SUCCESS").write_text("")
    for i, at in enumerate(range(0, len(rows), 1000)):
        part = rows.iloc[at : at + 1000]
        part = part.astype({"query_id": "category"}) if i % 2 else part
        part.to_parquet(path / f"part-{i:05}.parquet", index=False)


KINDS: dict[str, Writer] = {
    "csv": lambda rows, path: rows.to_csv(path, index=False),
    "csv, quoted": lambda rows, path: rows.to_csv(path, index=False, quoting=1, encoding="utf-8-sig"),
    "tsv.gz": lambda rows, path: rows.to_csv(path, sep="\t", index=False, compression="gzip"),
    "BEIR": beir,
    "json": lambda rows, path: path.write_text(json.dumps(dictionary(rows))),
    "json.gz": lambda rows, path: path.write_bytes(gzip.compress(json.dumps(dictionary(rows)).encode())),
    "MTEB": mteb,
    "parquet": lambda rows, path: rows.to_parquet(path, row_group_size=1100),
    "parquet of categories": lambda rows, path: rows.astype({"query_id": "category"}).to_parquet(path),
    "Arrow file": lambda rows, path: feather.write_feather(rows, str(path), chunksize=900),
    "Arrow stream": arrow_stream,
    "folder": folder,
}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ["as it is", "in small blocks", "queries apart"])
def test_the_sample_collection(
    kind: str, order: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = evaluate(sample.qrels, sample.runs["expanded"], MEASURES)
    run = frame(sample.runs["expanded"], "score")
    if "apart" in order:
        run = run.sample(frac=1, random_state=2)
    if order != "as it is":
        monkeypatch.setattr(text_tables, "BLOCK", 300)
        monkeypatch.setattr(columnar, "ROWS_AT_ONCE", 300)
    KINDS[kind](run, tmp_path / "run")
    KINDS[kind](frame(sample.qrels, "relevance"), tmp_path / "qrels")
    found = evaluate(tmp_path / "qrels", str(tmp_path / "run"), MEASURES)
    assert list(found.queries) == list(expected.queries)
    assert found.values.tobytes() == expected.values.tobytes()
    assert Run.read(tmp_path / "run").documents.tolist() != []
    assert Run.read(tmp_path / "run").ranking("q01") == Run.read(sample.runs["expanded"]).ranking("q01")


def test_a_query_over_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columnar, "ROWS_AT_ONCE", 4)
    run = {"a": {"1": 1.0}, "b": {str(d): float(d * 7 % 11) for d in range(23)}, "c": {"2": 1.0, "3": 2.0}}
    qrels = {"a": {"1": 1}, "b": {"3": 1, "9": 2, "22": 1}, "c": {"2": 1}}
    rows = [(q, d, s) for q, inner in run.items() for d, s in inner.items()]
    pandas.DataFrame(rows, columns=["qid", "docno", "score"]).to_parquet(tmp_path / "run.parquet")
    found = evaluate(qrels, tmp_path / "run.parquet", MEASURES)
    assert found.runs == ["run"]
    assert found.values.tobytes() == evaluate(qrels, run, MEASURES).values.tobytes()


@pytest.mark.parametrize("block", [1, 2, 3, 1 << 16])
@pytest.mark.parametrize("kind", ["csv", "parquet", "feather"])
def test_a_repeated_document_wherever_blocks_end(
    block: int, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The query is not judged, and its rows are apart."""
    monkeypatch.setattr(columnar, "ROWS_AT_ONCE", block)
    monkeypatch.setattr(text_tables, "BLOCK", block)
    rows = pandas.DataFrame({"qid": list("xqyx"), "docno": list("abcd"), "score": [4.0, 3.0, 2.0, 1.0]})
    write = {"csv": rows.to_csv, "parquet": rows.to_parquet, "feather": rows.to_feather}[kind]
    path = tmp_path / f"run.{kind}"
    write(path)
    assert evaluate({"q": {"b": 1}}, path, ["AP"]).values.tolist() == [[[1.0]]]
    rows.loc[3, "docno"] = "a"
    write(path)
    with pytest.raises(InputError, match="document 'a' of query 'x'"):
        evaluate({"q": {"b": 1}}, path, ["AP"])


def test_samples_in_files(tmp_path: Path) -> None:
    (tmp_path / "prels.csv").write_text(
        "qid,docno,label,method,iprob\nq,a,1,1,0.25\nq,b,0,0,0.5\nq,c,-1,1,NA\n"
    )
    drawn = Judgments.read(tmp_path / "prels.csv")
    assert drawn.probability is not None
    assert drawn.probability[:2].tolist() == [0.25, 1.0]
    strata = pandas.DataFrame({"qid": ["q", "q"], "docno": ["a", "b"], "label": [1, 0], "stratum": [2, 1]})
    strata.to_parquet(tmp_path / "strata.parquet")
    read = Judgments.read(tmp_path / "strata.parquet")
    assert read.stratum is not None
    assert read.stratum.tolist() == [2, 1]


HEAD = "qid,docno,score\n"
WRONG = {
    "a field too few": (HEAD + "q,a,1\nq,b\n", "run:3: 'q,b' has 2 fields, expected 3: qid, docno, score"),
    "no number": (HEAD + "q,a,1\n\nq,b,x\n", "run:4: the score is 'x', expected a finite number"),
    "not finite": (HEAD + "q,a,nan\n", "run:2: the score is 'nan', expected a finite number"),
    "with an underscore": (HEAD + "q,a,1_0\n", "run:2: the score is '1_0'"),
    "empty": (HEAD + "q,a,1\nq,,2\n", "run:3: the document is empty"),
    "twice": (HEAD + "q,a,1\nq,b,1\nq,a,2\n", "run:4: document 'a' of query 'q' is already on line 2"),
    "quote": (HEAD + 'q,"a"b,1\n', "run:2: ',' expected after '\"', expected fields as in the header"),
    "endless quote": (HEAD + 'q,"a,1\n' + "x" * 200_000, "run:[23]: field larger than field limit"),
    "endless line": (HEAD + "x" * 1_100_000, "run:2: longer than 1,048,576 bytes"),
    "no rows": (HEAD, "run: no rows, expected at least one"),
    "no score": ("qid,docno,n\nq,a,1\n", "run: no column for the score among 'qid', 'docno', 'n'"),
    "no JSON": ('{"q": {"a": 1', "run: cannot be read as JSON"),
    "deep JSON": ('{"q":' * 100_000, "run: cannot be read as JSON"),
    "JSON list": ('[{"q": 1}]', "run: holds a list, expected queries, each with its documents"),
    "JSON twice": ('{"q": {"a": 1, "a": 2}}', "run: 'a' appears twice in one dictionary"),
    "JSON number": ('{"q": {"a": 1e999}}', "run: document 'a' of query 'q': the score is 'inf'"),
    "JSON huge": ('{"q": {"a": 1' + "0" * 400 + "}}", "run: document 'a' of query 'q': the score is '1000"),
    "JSON text": ('{"q": {"a": "x"}}', "run: document 'a' of query 'q': the score is 'x'"),
    "JSON of two": ('{"en": {"test": {"q": {"a": 1}}}, "de": {}}', "run: holds more than one .* of its own"),
    "JSON flat": ('{"q": 1}', "run: query 'q' holds an int, expected a mapping of documents"),
    "JSON null": ('{"q": null}', "run: query 'q' holds no value, expected a mapping of documents"),
    "JSON of a run that is empty": ('{"run": {"q": {}}}', "run: no rows"),
    "JSON of a run of lists that are empty": ('{"run": {"q": [], "r": []}}', "run: no rows"),
    "JSON empty": ("{}", "run: no rows"),
    "damaged Parquet": ("PAR1" + "x" * 100, "run: cannot be read as a Parquet or Arrow file: "),
    "damaged Arrow": ("ARROW1" + "x" * 100, "run: cannot be read as a Parquet or Arrow file: "),
}  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-be"])
def test_text_of_power_shell(encoding: str, tmp_path: Path) -> None:
    """The message was about a score with zero bytes."""
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    for name, text in (("run", "q Q0 a 1 1.0 t\n"), ("qrels", "q 0 a 1\n"), ("csv", HEAD + "q,a,1\n")):
        (tmp_path / name).write_bytes((mark + text).encode(encoding))
    for qrels, run in (({"q": {"a": 1}}, "run"), ({"q": {"a": 1}}, "csv"), (tmp_path / "qrels", "run")):
        with pytest.raises(InputError, match=r"(run|csv|qrels): it is UTF-16 text, .* save it as UTF-8"):
            evaluate(qrels, tmp_path / run)


def test_json_of_a_run_of_lists(tmp_path: Path) -> None:
    """A run in a dictionary of its own: its queries were read as documents if they had lists."""
    (tmp_path / "run").write_text('{"mine": {"q": ["b", "a"], "r": []}}')
    assert Run.read(tmp_path / "run").ranking("q") == ["b", "a"]


@pytest.mark.parametrize("empty", [{}, []])
def test_a_named_run_that_is_empty(empty: Any) -> None:
    """The query was read as a document of a query with the run's name."""
    for runs in ({"mine": {"q": empty}}, {"mine": {"q": empty, "r": empty}, "other": {"q": {"a": 1.0}}}):
        with pytest.raises(InputError, match="run 'mine': no rows, expected at least one"):
            evaluate({"q": {"a": 1}}, runs)


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_with_a_file(case: str, tmp_path: Path) -> None:
    text, message = WRONG[case]
    (tmp_path / "run").write_text(text)
    with pytest.raises(InputError, match=message):
        evaluate({"q": {"a": 1}}, tmp_path / "run")
    with pytest.raises(InputError, match=message):
        Run.read(tmp_path / "run")


@pytest.mark.parametrize("block", [2, 100])
def test_what_is_wrong_with_rows_of_parquet(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(columnar, "ROWS_AT_ONCE", block)
    rows = {"qid": ["q", "q", "r", "r"], "docno": ["a", "b", "a", "b"], "score": [1.0, 2.0, 3.0, 4.0]}
    wrong: dict[str, dict[str, Any]] = {
        r"run: row 3 \(from 0\): the score is missing": {"score": [1.0, 2.0, 3.0, None]},
        r"run: row 3 \(from 0\): the score is 'nan'": {"score": pyarrow.array([1.0, 2.0, 3.0, float("nan")])},
        r"run: row 2 \(from 0\): the query is null": {"qid": ["q", "q", None, "r"]},
        "run: document 'a' of query 'r' appears twice": {"docno": ["a", "b", "a", "a"]},
        r"run: row 0 \(from 0\): the document is a float \('1.0'\)": {"docno": [1.0, 2.0, 3.0, 4.0]},
        r"run: row 0 \(from 0\): the score is '\[1.0\]'": {"score": [[1.0]] * 4},
    }
    for message, change in wrong.items():
        parquet.write_table(pyarrow.table({**rows, **change}), tmp_path / "run")
        with pytest.raises(InputError, match=message):
            evaluate({"q": {"a": 1}}, tmp_path / "run")


def test_wrong_rows_whose_queries_are_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(columnar, "ROWS_AT_ONCE", 3)
    rows: dict[str, list[Any]] = {
        "qid": list("qrqrqrqr"),
        "docno": list("abcdefgh"),
        "score": [1.0] * 7 + [None],
    }
    parquet.write_table(pyarrow.table(rows), tmp_path / "run")
    with pytest.raises(InputError, match=r"run: row 7 \(from 0\): the score is missing"):
        evaluate({"q": {"a": 1}}, tmp_path / "run")
    rows |= {"docno": list("abcdefah"), "score": [1.0] * 8}
    parquet.write_table(pyarrow.table(rows), tmp_path / "run")
    with pytest.raises(InputError, match="run: document 'a' of query 'q' appears twice"):
        evaluate({"q": {"a": 1}}, tmp_path / "run")


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather", "jsonl"])
def test_rows_in_no_order_that_do_not_fit_are_refused(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = pandas.DataFrame(
        [(f"q{i % 90}", f"d{i}", i * 7 % 11) for i in range(9000)], columns=["qid", "docno", "score"]
    )
    path = tmp_path / f"run.{kind}"
    write = {"csv": rows.to_csv, "parquet": rows.to_parquet, "feather": rows.to_feather}.get(kind)
    if write is None:
        rows.to_json(path, orient="records", lines=True)
    else:
        write(path)
    qrels = {f"q{q}": {f"d{q + 90 * k}": k % 3 for k in range(20)} for q in range(0, 90, 7)}
    assert (
        evaluate(qrels, path, MEASURES).values.tobytes() == evaluate(qrels, rows, MEASURES).values.tobytes()
    )
    monkeypatch.setattr(matching, "limit", lambda _: 2000)
    with pytest.raises(InputError, match=f"run.{kind}: takes more than .* bytes in memory; set UNJUDGED_MAX"):
        evaluate(qrels, path, MEASURES)


def test_parts_of_a_folder_that_do_not_fit(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"qid": ["q"], "docno": ["a"], "score": [1.0]}), tmp_path / "1.parquet")
    parquet.write_table(pyarrow.table({"qid": ["q"], "docno": ["b"]}), tmp_path / "2.parquet")
    with pytest.raises(InputError, match=r"2.parquet has no column 'score', which 1.parquet has"):
        Run.read(tmp_path)


def test_without_pyarrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parquet.write_table(pyarrow.table({"qid": ["q"], "docno": ["a"], "score": [1.0]}), tmp_path / "run")
    for module in [name for name in sys.modules if name.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError, match="a Parquet or Arrow file needs pyarrow: pip install"):
        Run.read(tmp_path / "run")


def test_no_blocks() -> None:
    index = Judgments.read({"q": {"a": 1}}).index
    with pytest.raises(InputError, match="no rows"):
        matching.match_rows(matching.InPieces(list), index)


def test_runs_by_a_pattern(tmp_path: Path) -> None:
    for name, path in sample.runs.items():
        frame(path, "score").to_parquet(tmp_path / f"{name}.parquet")
    found = evaluate(sample.qrels, str(tmp_path / "*.parquet"), MEASURES)
    assert found.runs == sorted(sample.runs)
    expected = evaluate(sample.qrels, {name: sample.runs[name] for name in sorted(sample.runs)}, MEASURES)
    assert found.values.tobytes() == expected.values.tobytes()
    both = [str(tmp_path / "[de]*.parquet"), str(sample.runs["fused"])]
    assert evaluate(sample.qrels, both, "AP").runs == [
        "dense", "expanded", "fused"
    ]  # fmt: skip
    with pytest.raises(InputError, match=r"nothing\*: no file matches"):
        evaluate(sample.qrels, str(tmp_path / "nothing*"))
    odd = tmp_path / "run[1].csv"
    frame(sample.runs["fused"], "score").to_csv(odd, index=False)
    assert evaluate(sample.qrels, str(odd), "AP").runs == ["run[1]"]


def test_the_command_line_takes_them_all(tmp_path: Path) -> None:
    beir(frame(sample.qrels, "relevance"), tmp_path / "test.tsv")
    frame(sample.runs["fused"], "score").to_parquet(tmp_path / "fused.parquet")
    mteb(frame(sample.runs["dense"], "score"), tmp_path / "dense.json")
    command = [sys.executable, "-m", "unjudged", "evaluate"]
    asked = ["-m", "AP", "--format", "csv"]
    files = [str(tmp_path / "test.tsv"), str(tmp_path / "*.json"), "-"]
    with (tmp_path / "fused.parquet").open("rb") as standard_input:
        found = subprocess.run(
            [*command, *files, *asked], stdin=standard_input, capture_output=True, check=True
        )
    plain = [str(sample.qrels), str(sample.runs["dense"]), str(sample.runs["fused"])]
    expected = subprocess.run([*command, *plain, *asked], capture_output=True, check=True)
    assert found.stdout.replace(b"standard input", b"fused") == expected.stdout
