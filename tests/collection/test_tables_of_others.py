"""Tables as other tools and people write them: nothing becomes a query, a system or a measure in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

from tests.cli.in_process import refused, unjudged
from tests.intervals import intervals
from unjudged import InputError, Scores, UsageError, compare
from unjudged.collection.query_segments import segments_of


def of(text: str, folder: Path, name: str = "scores.csv", **options: Any) -> Scores:
    file = folder / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    return Scores.read(file, **options)


def measures(scores: Scores) -> list[str]:
    return list(map(str, scores.measures))


@pytest.mark.parametrize(
    "nested",
    [
        {"a": {"q1": 0.1, "q2": 0.3, "all": 0.9}, "b": {"q1": 0.5, "q2": 0.35, "all": 0.1}},
        {"q1": {"map": 0.1, "ndcg": 0.2}, "q2": {"map": 0.3, "ndcg": 0.2}, "all": {"map": 0.9, "ndcg": 0.2}},
        {"map": {"q1": 0.1, "q2": 0.3, "all": 0.9}, "ndcg@10": {"q1": 0.1, "q2": 0.3, "all": 0.9}},
        {"a": {"q1": {"map": 0.1}, "q2": {"map": 0.3}, "all": {"map": 0.9}}},
    ],
)
def test_the_query_all_of_nested_dicts_is_no_query(nested: Any, tmp_path: Path) -> None:
    """It counted as one."""
    for scores in (Scores.read(nested), of(json.dumps(nested), tmp_path, "nested.json")):
        assert list(scores.queries) == ["q1", "q2"]
        assert scores.values[0, :, 0].tolist() == [0.1, 0.3]


def test_columns_without_a_name(tmp_path: Path) -> None:
    """The index of a frame was a system without a name, and won."""
    wide = of(",query,a,b\n0,q1,0.1,0.2\n1,q2,0.3,0.5\n", tmp_path)
    assert list(wide.runs) == ["a", "b"]
    long = of(",query,system,faithfulness\n0,q1,a,0.1\n1,q1,b,0.3\n", tmp_path)
    assert (list(long.runs), measures(long)) == (["a", "b"], ["faithfulness"])
    frame = pandas.read_csv(tmp_path / "scores.csv")
    assert measures(Scores.read(frame)) == ["faithfulness"]
    with pytest.raises(InputError, match="one column has no name: if it has the queries, call it query"):
        of(",a,b\nq1,0.1,0.2\n", tmp_path)


def test_a_column_with_some_numbers_is_not_of_texts(tmp_path: Path) -> None:
    """It was ignored if half of its cells or more were no numbers, and a lone column became a measure."""
    with pytest.raises(InputError, match=r"scores.csv:2: .* 'b' on query 'q1' is 'ERROR'.*remove it.*-m"):
        of("query,a,b\nq1,0.1,ERROR\nq2,0.2,ERROR\nq3,0.1,0.5\n", tmp_path)
    text = "query,system,nDCG@10,verdict\nq1,a,0.1,7\nq1,b,0.3,good\n"
    with pytest.raises(InputError, match="is 'good'"):
        of(text, tmp_path)
    assert measures(of(text, tmp_path, measures="nDCG@10")) == ["nDCG@10"]
    with pytest.raises(InputError, match=r"system 'a' on query 'q1' \(AP\) is 'ERROR'"):
        of("query,system,nDCG@10,AP\nq1,a,0.1,ERROR\n", tmp_path)
    scores = of("query,lang,a,b\nq1,de,1,2\nq2,en,2,3\n", tmp_path)
    assert "Columns without numbers are ignored: lang." in scores.notes
    texts = of("question,answer,faithfulness\nWhy?,because,0.5\nHow?,so,1\n", tmp_path)
    assert measures(texts) == ["faithfulness"]
    assert texts.notes == ["Columns without numbers are ignored: answer."]


@pytest.mark.parametrize("text", ["-", "n/a", "#N/A", "NAN", "none", "NULL"])
def test_spellings_of_missing_values(text: str, tmp_path: Path) -> None:
    table = f"query,a,b\nq1,0.1,{text}\nq2,0.3,0.1\nq3,0.3,{text}\n"
    with pytest.raises(InputError, match="2 values are missing: system 'b' on query 'q1'"):
        of(table, tmp_path)
    assert list(of(table, tmp_path, missing="drop").queries) == ["q2"]
    assert list(of(f"system,query,value\n{text}x,q1,1\n", tmp_path).runs) == [f"{text}x"]
    assert list(of(table.replace(",", ";"), tmp_path, missing="drop").queries) == ["q2"]


def test_missing_values_of_nullable_columns() -> None:
    frame = pandas.DataFrame({"query": ["q1", None], "a": [None, 0.5], "b": [0.2, 0.1]}).convert_dtypes()
    with pytest.raises(InputError, match="the query is empty"):
        Scores.read(frame)
    with pytest.raises(InputError, match="1 value is missing: system 'a' on query 'q1'"):
        Scores.read(frame.assign(query=["q1", "q2"]))


@pytest.mark.parametrize("name", ["amean", "mean", "Average", "avg", "ALL", "macro avg"])
def test_rows_of_means(name: str, tmp_path: Path) -> None:
    """They counted as queries."""
    rng = np.random.default_rng(1)
    values = rng.random((20, 2)).round(5)
    rows = "".join(f"bm25,{k},{a:.5f},{b:.5f}\n" for k, (a, b) in enumerate(values))
    header, means = "runid,topic,ndcg@20,err@20\n", values.mean(axis=0)
    own = of(f"{header}{rows}bm25,{name},{means[0]:.5f},{means[1]:.5f}\n", tmp_path)
    assert (list(own.runs), len(own.queries)) == (["bm25"], 20)
    assert own.notes == [f"The row {name!r} is taken for means or sums of the others and left out."]


def test_names_of_measures_are_not_taken_for_systems(tmp_path: Path) -> None:
    text = "query,mrr,hit_rate\nq1,0.5,1\nq2,1,1\n"
    problem = (
        "mrr is known as a measure, hit_rate is not; say what they are: --set scores.wide=measures or sys"
    )
    with pytest.raises(UsageError, match=problem):
        of(text, tmp_path)
    assert measures(of(text, tmp_path, wide="measures")) == ["RR", "hit_rate"]
    assert list(of(text, tmp_path, wide="systems").runs) == ["mrr", "hit_rate"]
    assert measures(of(text, tmp_path, measures=["mrr", "hit_rate"])) == ["RR", "hit_rate"]
    mixed: Any = {"ndcg@10": {"q1": 0.1}, "hit_rate": {"q1": 0.3}}
    assert measures(Scores.read(mixed)) == ["nDCG@10", "hit_rate"]
    turned = {"q1": {"ndcg@10": 0.1, "hit_rate": 1}}
    assert measures(Scores.read(turned)) == ["nDCG@10", "hit_rate"]
    assert measures(Scores.read({"q1": {"hit_rate": 1}}, wide="measures")) == ["hit_rate"]
    assert (
        Scores.read({"a": {"q1": 1}, "b": {"q1": 2}})
        .notes[0]
        .startswith("Outer names are taken for systems: a")
    )
    systems = of("query,a,b\nq1,1,2\n", tmp_path)
    assert systems.notes[0].startswith(
        "Columns are taken for systems: a, b; --set scores.wide=measures takes"
    )
    assert of("query,a,b\nq1,0.1,0.2\n", tmp_path, measures="AP").notes == []


def test_an_index_of_numbers_with_a_name() -> None:
    """A frame whose index is called query, with the queries 0, 1, 2, had no column for the query."""
    frame = pandas.DataFrame({"query": [0, 1, 2], "a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.1]})
    frame = frame.set_index("query")
    frame.index = pandas.RangeIndex(3, name="query")
    assert list(Scores.read(frame).queries) == ["0", "1", "2"]
    assert list(Scores.read(frame.assign(question="why?")).queries) == ["0", "1", "2"]
    two = pandas.concat({"x": frame, "y": frame}, axis=1)
    with pytest.raises(InputError, match="the columns have 2 levels of names, expected one"):
        Scores.read(two)


def test_tables_that_name_the_same_system(tmp_path: Path) -> None:
    """Those of two folders had `a second value`."""
    files = []
    for folder, gain in (("main", 0.0), ("pr", 0.1)):
        of(
            f"query,ndcg@10\nq1,{0.5 + gain}\nq2,{0.1 + gain}\nq3,{0.3 + gain}\n",
            tmp_path,
            f"{folder}/scores.csv",
        )
        files.append(tmp_path / folder / "scores.csv")
    assert list(Scores.read(files).runs) == list(map(str, files))
    said = "".join(unjudged("compare", *map(str, files)).stdout.decode().split())  # long names are wrapped
    assert f"{files[1]}isaheadof{files[0]}" in said
    assert "0.3000->0.4000" in said
    assert unjudged("gate", *map(str, files), "--margin", "0.01").returncode in (0, 1, 2)
    models = []
    for name in ("old", "new"):
        models.append(tmp_path / f"{name}.csv")
        models[-1].write_text("query,model,faithfulness\nq1,gpt,0.5\nq2,gpt,0.1\n")
    with pytest.raises(InputError, match=r"new.csv:2: system 'gpt' on query 'q1' .* has a second value"):
        Scores.read(models)
    lines = [tmp_path / "one.txt", tmp_path / "two.txt"]
    for k, file in enumerate(lines):
        file.write_text(f"runid all mine\nmap q1 0.{k}\nmap q2 0.5\nmap all 0.3\n")
    assert list(Scores.read(lines).runs) == ["one", "two"]
    with pytest.raises(UsageError, match="is given twice"):
        Scores.read([files[0], files[0]])


def test_parts_of_one_system_stay_together(tmp_path: Path) -> None:
    parts = []
    for repeat in (1, 2):
        parts.append(tmp_path / f"{repeat}.csv")
        parts[-1].write_text(f"query,system,repeat,value\nq1,a,{repeat},0.{repeat}\n")
    assert list(Scores.read(parts).runs) == ["a"]
    parts[1].write_text("query,system,repeat,value\nq1,a,1,0.2\nq1,b,1,0.2\n")
    with pytest.raises(
        InputError, match=r"2.csv:2: system 'a' on query 'q1' \(repeat 1\) has a second value"
    ):
        Scores.read(parts)


def test_headers_of_any_case(tmp_path: Path) -> None:
    scores = of("Query ID,Model,Metric,Score\nq1,a,ndcg@10,0.5\nq1,b,ndcg@10,0.7\n", tmp_path)
    assert (list(scores.runs), measures(scores)) == (["a", "b"], ["nDCG@10"])
    assert list(of("user_input,faithfulness\nWhy?,0.5\n", tmp_path).queries) == ["Why?"]
    table = "user_input,response,faithfulness,relevancy\nWhy?,so,0.5,1\n"
    ragas = of(table, tmp_path, wide="measures")
    assert measures(ragas) == ["faithfulness", "relevancy"]


REFUSED = [
    ("query,a,b\nq1,0.5,x\nq2,1,0.5\nq3,0,1\n", ":2: the value of system 'b' on query 'q1' is 'x'"),
    ("query,a\nq1,0.5\nq1,0.7\n", ":3: system 'a' on query 'q1' has a second value"),
    ("query,a,a\nq1,1,2\n", ":1: two columns have the name 'a'"),
    ("query,a\nq1,1,2\n", ":2: .* has 3 fields, expected 2"),
    ("topics,a\nq1,1\n", "no column for the query among 'topics', 'a'"),
    ("query,a\n,1\n", ":2: the query is empty"),
    ("query,a\nq1,inf\nq2,1\nq3,1\n", ":2: the value of .* is 'inf'"),
    ("query,answer\nq1,yes\n", "no column of numbers"),
    ("query,a\n", "no rows"),
    ("", "the file is empty"),
    ("query,a\nall,1\n", "no values of queries"),
    ('{"old": {"q1": {"AP": 0.5}, "q2": 3}}', "'q2' has an int; expected {system: {query: value}}"),
    ('{"old": {"q1": 0.5, "q2": {"AP": 3}}}', "'q2' has a dict; expected {system: {query: value}}"),
    ("{}", "an empty dict; expected {system: {query: value}}"),
    ("query,a,b\nq1,1e200,1\n", "scores:2: the value of system 'a' on query 'q1' .* at most 1e"),
    ("query,a,b\n\udcff,1,2\n\udcff,1,3\n", r"query '.udcff' has a second value"),
    (f"query,measure,a\nq1,{'x' * 5000},y\nq2,P,1\nq3,P,1\n", r"\(x{30}…x{29}\) is 'y', expected a"),
    ("query,a,b\nq1,23.8%,54.4%\n", ":2: .* is '23.8%', .*: write it without the percent sign"),
    ('query,a,b\nq1,"0,238","0,5"\n', ":2: .* is '0,238', .*: write a decimal point, not a comma"),
    ("topics,a\nq1,1\n", "or its name, as in --set scores.columns.query=NAME"),
    ("\n\nquery,a\nq1,1\nq2,x\n", ":5: "),
    ("\n \n", "the file is empty"),
    (f"query,{'x' * 200_000}\nq1,1\n", ":1: the first line is 'query,xx"),
    ("q1 Q0 d1 1 0.5 bm25\nq1 Q0 d2 2 0.4 bm25\n", "no column for the query among 'q1', 'Q0', 'd1'"),
    ("runid all mine\nmap all 0.5\n", "no values of queries, .*trec_eval prints them with -q"),
]
"""Tables, and what is said of them, which names the line where there is one."""


@pytest.mark.parametrize(("text", "problem"), REFUSED)
def test_what_is_refused(text: str, problem: str, tmp_path: Path) -> None:
    """Some errors were AttributeErrors, or could not be printed."""
    file = tmp_path / "scores"
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=problem) as refused:
        Scores.read(file, wide="systems")
    str(refused.value).encode()


def test_utf_16_is_named_as_such(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    file.write_bytes("query,a,b\nq1,1,2\n".encode("utf-16"))
    for command in ("compare", "evaluate"):
        assert "it is UTF-16 text" in refused(1, command, str(file))


def test_lists_and_columns() -> None:
    lists = Scores.read([[0.1, 0.2], [0.3, 0.4]], "AP", runs=["a", "b"], queries=["x", "y"])
    assert (list(lists.runs), list(lists.queries)) == (["a", "b"], ["x", "y"])
    arrays = Scores.read([np.array([0.1, 0.2]), np.array([0.3, 0.4])], "AP")
    assert np.array_equal(arrays.values, lists.values)
    with pytest.raises(InputError, match="column 'a' is an int, expected a list of values"):
        Scores.read({"a": 1})
    with pytest.raises(UsageError, match="no array of numbers"):
        Scores.read([[0.1, 0.2], [0.3]])
    columns: dict[str, Any] = {"query": ["x", "y"], "a": np.array([1, 2]), "b": [1, 3]}
    assert list(Scores.read(columns).runs) == ["a", "b"]


def test_an_interval_says_one_thing_of_the_judgments() -> None:
    """Nothing is known of judgments behind a table."""
    (estimate,) = intervals(Scores.read({"query": ["x", "y"], "AP": [0.1, 0.2]}), "queries")[0]
    assert estimate.method.endswith("judgments: unknown")


def test_long_texts_are_read_in_a_moment(tmp_path: Path) -> None:
    """A cell of many spaces or digits must not take time that grows with its square."""
    many = 100_000
    columns = {"query": ["q1", "q2"], "a": [0.5, 1], "b": [" " * many + "x", "1" * many + "x"]}
    assert measures(Scores.read(columns)) == ["a"]
    of(f"query;a;b\nq1;0.5;{'1' * many}x\n", tmp_path)


def test_a_row_of_means_needs_no_segment(tmp_path: Path) -> None:
    rows = [("q1", "x", 0.2), ("q2", "y", 0.4), ("q3", "y", 0.6), ("mean", "", 0.4)]
    file = tmp_path / "scores.csv"
    file.write_text("query,kind,quality\n" + "".join(f"{q},{kind},{value}\n" for q, kind, value in rows))
    scores = Scores.read(file, by="kind")
    assert list(scores.queries) == ["q1", "q2", "q3"]
    assert scores.segments == {"q1": "x", "q2": "y", "q3": "y"}
    assert list(segments_of(f"{file}:kind", scores.queries)) == ["x", "y"]


def test_queries_of_a_table_have_no_bounds_to_explain() -> None:
    scores = Scores.read([[0.1, 0.2, 0.4], [0.2, 0.2, 0.3]], "P@10", runs=["a", "b"])
    grid = compare(scores).by_query().grid()
    assert not {"could be", "document", "its effect"} & {column.name for column in grid.columns}
    assert not any("unjudged" in note for note in grid.notes)


def test_a_query_that_is_compared_needs_a_segment() -> None:
    with pytest.raises(InputError, match=r"query 'q2' has no segment, found nan: give it one"):
        segments_of({"q1": "a", "q2": float("nan"), "q3": "b"}, ["q1", "q2", "q3"])
    found = segments_of({"q1": "a", "other": float("nan"), "q3": "b"}, ["q1", "q3"])
    assert list(found) == ["a", "b"]
