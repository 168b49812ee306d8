"""Tables of scores that other tools made: every form gives the same `Scores`, and nothing is lost."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.in_process import everything, printed, unjudged
from tests.conftest import Qrels, RunDict
from tests.evidence.small_collections import several_runs
from tests.inference.test_every_measure import EVERY
from tests.intervals import intervals
from tests.report.test_page import read, said
from unjudged import (
    Collection,
    Comparison,
    InputError,
    Scores,
    UsageError,
    compare,
    evaluate,
    gate,
    report_page,
    sample,
)
from unjudged.cli.main import trec_eval
from unjudged.collection.scores import Score
from unjudged.evidence.value_bounds import bounds
from unjudged.measures.kernel.names import parse_measure

MEASURES = ["AP", "nDCG@10"]
RUNS = dict(sorted(sample.runs.items()))
SCORES = evaluate(sample.qrels, RUNS, MEASURES)


def same(found: Scores, values: Any = SCORES.values) -> None:
    assert list(found.runs) == list(SCORES.runs)
    assert list(found.queries) == list(SCORES.queries)
    assert list(map(str, found.measures)) == MEASURES
    assert np.array_equal(found.values, values)


def long() -> pandas.DataFrame:
    frame = SCORES.as_view("queries").to_frame("pandas").drop(columns=["low", "high"])
    return frame.rename(columns={"system": "run"})[["run", "query", "measure", "value"]]


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet", "csv.gz"])
def test_files(suffix: str, tmp_path: Path) -> None:
    path, frame = tmp_path / f"scores.{suffix}", long()
    if suffix == "jsonl":
        frame.to_json(path, orient="records", lines=True, double_precision=15)
    elif suffix == "json":
        path.write_text(json.dumps([row._asdict() for row in SCORES]))
    elif suffix == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_csv(path, index=False, sep="\t" if suffix == "tsv" else ",")
    found = Scores.read(path)
    if suffix == "jsonl":  # pandas writes at most 15 decimals
        np.testing.assert_allclose(found.values, SCORES.values, atol=1e-14)
    else:
        same(found)


def test_what_this_package_writes(tmp_path: Path) -> None:
    files = [str(sample.qrels), *map(str, RUNS.values())]
    for suffix in ("csv", "tsv", "json", "jsonl", "parquet"):
        output = tmp_path / f"own.{suffix}"
        printed("evaluate", *files, "-m", *MEASURES, "--view", "queries", "-o", str(output))
        same(Scores.read(output))


def test_frames_dicts_and_arrays() -> None:
    frame = long()
    same(Scores.read(frame))
    same(Scores.read(polars.from_pandas(frame)))
    same(Scores.read(SCORES.as_view("queries").to_frame("pyarrow")))
    same(Scores.read({name: frame[name].tolist() for name in frame}))
    nested: dict[str, Any] = {}
    for run, query, measure, value in SCORES:
        nested.setdefault(run, {}).setdefault(query, {})[measure] = value
    same(Scores.read(nested))
    same(Scores.read(SCORES.values, MEASURES, runs=SCORES.runs, queries=SCORES.queries))
    assert Scores.read(SCORES.cube) is SCORES.cube
    for source in (frame, SCORES.values):
        with pytest.raises(UsageError, match="missing is 'mean', expected range, zero or drop"):
            Scores.read(source, missing="mean")  # type: ignore[arg-type]


def test_wide_tables(tmp_path: Path) -> None:
    frame = long()
    by_measure = frame.pivot(index=["run", "query"], columns="measure", values="value").reset_index()
    same(Scores.read(by_measure, MEASURES))
    by_run = frame.pivot(index=["query", "measure"], columns="run", values="value").reset_index()
    same(Scores.read(by_run[["query", "measure", *SCORES.runs]], MEASURES))
    one = frame[frame.measure == "AP"].pivot(index="query", columns="run", values="value")[list(SCORES.runs)]
    found = Scores.read(one, "AP")
    assert np.array_equal(found.values, SCORES.values[:, :, :1])
    files = {}
    for run, part in by_measure.groupby("run"):
        files[run] = tmp_path / f"{run}.csv"
        part.drop(columns="run").to_csv(files[run], index=False)
    same(Scores.read([files[run] for run in SCORES.runs], MEASURES))
    same(Scores.read({run: files[run] for run in SCORES.runs}, MEASURES))


def test_unknown_measures_are_systems_unless_said_otherwise() -> None:
    table = {"query": ["a", "b"], "faithfulness": [0.5, 1.0], "relevancy": [0.2, 0.4]}
    assert list(Scores.read(table).runs) == ["faithfulness", "relevancy"]
    measures = Scores.read(table, wide="measures")
    assert list(map(str, measures.measures)) == ["faithfulness", "relevancy"]
    assert measures.value("relevancy") == pytest.approx(0.3)


def test_output_of_trec_eval_and_ir_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for run, path in RUNS.items():
        capsys.readouterr()
        trec_eval(["-q", "-m", "map", "-m", "ndcg_cut.10", str(sample.qrels), str(path)])
        text = capsys.readouterr().out
        files.append(tmp_path / f"{run}.txt")
        files[-1].write_text(text)
    same(Scores.read(files, missing="zero"), SCORES.values.round(4))
    turned = []
    for file in files:
        rows = [line.split() for line in file.read_text().splitlines()]
        turned.append(file.with_suffix(".tsv"))
        turned[-1].write_text("".join(f"{query}\t{name}\t{value}\n" for name, query, value in rows))
    same(Scores.read(turned, missing="zero"), SCORES.values.round(4))


def test_missing_values_are_named() -> None:
    frame = long()
    cut = frame[~((frame["query"] == "q04") & (frame.run == "dense") & (frame.measure == "AP"))]
    assert Scores.read(cut).notes[0].startswith("1 value is missing: system 'dense' on query 'q04' (AP).")
    zero = Scores.read(cut, missing="zero")
    assert zero.value("AP", run="dense", query="q04") == 0
    assert "count as 0" in zero.notes[0]
    dropped = Scores.read(cut, missing="drop")
    assert list(dropped.queries) == [query for query in SCORES.queries if query != "q04"]
    assert "1 query left out for all systems: q04" in dropped.notes[0]
    empty = frame.assign(value=[None, *frame.value[1:]])
    assert "1 value is missing" in Scores.read(empty).notes[0]
    lacking = frame[~((frame.run == "dense") & (frame.measure == "AP"))]
    with pytest.raises(InputError, match="system 'dense' has no value of AP: choose other measures"):
        Scores.read(lacking)
    assert Scores.read(lacking, "nDCG@10").values.shape == (6, 30, 1)
    others = Scores.read(lacking, "AP")
    assert list(others.runs) == [run for run in SCORES.runs if run != "dense"]
    assert others.notes == ["Systems without these measures are left out: dense."]


def test_ranges() -> None:
    values = np.array([[10.0, 60.0, 70.0], [20.0, 40.0, 90.0]])
    unknown = Scores.read(values, "nDCG@10")
    assert "cannot be of nDCG@10 (0 to 1)" in unknown.notes[0]
    known = Scores.read(values, "nDCG@10", range=(0, 100))
    assert intervals(known, "queries")[0][0].low == pytest.approx(
        100 * intervals(Scores.read(values / 100, "nDCG@10"), "queries")[0][0].low
    )
    with pytest.raises(InputError, match="value 90, which is outside the range"):
        Scores.read(values, "nDCG@10", range=(0, 50))
    with pytest.raises(UsageError, match="'bounds' intervals need judgments"):
        intervals(known, "bounds")


def test_repeats() -> None:
    rng = np.random.default_rng(1)
    each = rng.random((2, 5, 3))
    rows = [
        {"system": "ab"[i], "query": f"q{j}", "repeat": r, "faithfulness": each[i, j, r]}
        for i, j, r in np.ndindex(each.shape)
    ]
    scores = Scores.read(pandas.DataFrame(rows))
    np.testing.assert_array_equal(scores.values[:, :, 0], each.mean(axis=2))
    assert scores.notes == ["Values are means over repeats; tests and intervals are over queries."]
    with pytest.raises(InputError, match=r"system 'b' on query 'q4' .*, repeat 2. has a second value"):
        Scores.read(pandas.DataFrame([*rows, rows[-1]]))
    with pytest.raises(InputError, match="a column `repeat` numbers repeats"):
        Scores.read(pandas.DataFrame(rows).drop(columns="repeat"))
    with pytest.raises(InputError, match=r"1 value is missing: .*repeat 2"):
        Scores.read(pandas.DataFrame(rows[:-1]))


def test_columns_by_name(tmp_path: Path) -> None:
    file = tmp_path / "ragas.csv"
    file.write_text("user_input,answer,faithfulness\nWhy?,so,0.5\nHow?,42,1\n")
    found = Scores.read(file, "faithfulness", columns={"query": "user_input"})
    assert list(found.queries) == ["Why?", "How?"]
    assert list(map(str, found.measures)) == ["faithfulness"]
    with pytest.raises(InputError, match="no column has the name 'x'"):
        Scores.read(file, columns={"query": "x"})
    with pytest.raises(UsageError, match="unknown column 'document'"):
        Scores.read(file, columns={"document": "answer"})


@given(st.data())
def test_any_array_survives_every_form(data: st.DataObject) -> None:
    shape = tuple(data.draw(st.integers(1, 4)) for _ in range(3))
    numbers = st.floats(-1e6, 1e6)
    values = np.array(
        data.draw(st.lists(numbers, min_size=int(np.prod(shape)), max_size=int(np.prod(shape))))
    )
    values = values.reshape(shape)
    names = [f"m{k}" for k in range(shape[2])]
    array = Scores.read(values, names)
    assert np.array_equal(array.values, values)
    rows = [Score(f"s{i}", f"q{j}", f"m{k}", float(values[i, j, k])) for i, j, k in np.ndindex(shape)]
    table = Scores.read(pandas.DataFrame(data.draw(st.permutations(rows))))
    order = [
        [int(name[1:]) for name in axis] for axis in (table.runs, table.queries, map(str, table.measures))
    ]
    assert np.array_equal(table.values, values[np.ix_(*order)])


@given(
    several_runs(runs=3, highest=2, queries=6),
    st.sampled_from([name for name in EVERY if not parse_measure(name).traits.estimates]),
    st.sampled_from(["t", "randomization", "wilcoxon", "bootstrap"]),
    st.sampled_from(["holm", "tukey", "none"]),
)
def test_tests_over_queries_are_the_same_to_the_last_bit(
    drawn: tuple[Qrels, dict[str, RunDict]], measure: str, test: Any, correction: Any
) -> None:
    qrels, runs = drawn
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        options: dict[str, Any] = {"test": test, "correction": correction, "draws": 200}
        from_runs = compare(qrels, runs, measure, **options)
        scores = evaluate(qrels, runs, measure)
        with TemporaryDirectory() as folder:
            file = Path(folder) / "scores.csv"
            by_query = scores.as_view("queries").to_frame("pandas")
            by_query[["system", "query", "measure", "value"]].to_csv(file, index=False)
            table = compare(Scores.read(file), **options)
    same_rows(from_runs, table)
    for row in table.pairs:  # without bounds, which need judgments
        assert row["more_judging"] == "unknown"
        assert row["headline"] == "few queries"


ABOUT_QUERIES = ["mean_a", "mean_b", "difference", "p", "p_adjusted", "query_low", "query_high", "ahead"]
ABOUT_QUERIES += ["effect", "effect_low", "effect_high", "wins", "ties", "losses", "other_queries"]


def same_rows(from_runs: Comparison, table: Comparison) -> None:
    """What is known of other queries is the same to the last bit."""
    for one in from_runs.pairs:
        other = table.pair(one["a"], one["b"], one["measure"])
        for name in ABOUT_QUERIES:
            np.testing.assert_array_equal(other[name], one[name], name)
    systems = {(row["measure"], row["system"]): row for row in table.systems}
    for one in from_runs.systems:
        other = systems[one["measure"], one["system"]]
        for name in ("mean", "query_low", "query_high"):
            np.testing.assert_array_equal(other.get(name), one.get(name), name)


def test_comparisons_of_a_table() -> None:
    two = compare(Scores.read(long()[long().run.isin(["reranked", "dense"])], ["AP"]))
    unknown = "scores of a table do not say which documents were judged"
    assert f"more judging   unknown: {unknown}" in str(two)
    assert (two.headline, two.better) == ("better", "reranked")
    assert len(two.by_query().rows["queries"]) == 30
    six = compare(Scores.read(long()), measures="AP")
    assert f"What more judging could change is unknown: {unknown}." in six.grid().notes
    assert "low" not in six.records("pairs").as_columns()
    assert r"\begin{table}" in six.to_latex()
    with pytest.raises(UsageError, match="depth needs judgments and runs"):
        compare(Scores.read(long()), depth=5)
    with pytest.raises(UsageError, match="the baseline 'x' is not among"):
        compare(Scores.read(long()), baseline="x")
    with pytest.raises(UsageError, match="one run cannot be compared"):
        compare(Scores.read({"query": ["a"], "b": [1]}))
    measured = compare(Scores.read(np.random.default_rng(0).random((2, 9, 2)), ["faithfulness", "x"]))
    assert measured.pair(measure="faithfulness")["measure"] == "faithfulness"
    assert any(note.startswith("faithfulness, x: the higher value counts as") for note in measured.notes)
    assert not [note for note in six.notes if "counts as better" in note]
    costs = Scores.read(np.random.default_rng(0).random((2, 9, 2)), ["latency_ms", "estimate"])
    (said,) = [note for note in compare(costs).notes if "should be low" in note]
    assert said.startswith("latency_ms looks like what should be low, and the higher value counts as better")
    costs = Scores.read(costs, lower="latency_ms")
    assert not [note for note in compare(costs).notes if "should be low" in note]


def test_commands_on_tables(tmp_path: Path) -> None:
    file, figure = tmp_path / "scores.csv", tmp_path / "figure.svg"
    long().assign(kind=["head" if query < "q11" else "tail" for query in long()["query"]]).to_csv(
        file, index=False
    )

    assert "What more judging could change is unknown" in everything("compare", str(file), "-m", "AP")
    assert "15 pairs" in printed("compare", str(file), "-m", "AP", "--view", "pairs")
    assert "reranked" in printed("evaluate", str(file), "--interval", "queries", "--plot", str(figure))
    assert figure.read_text().startswith("<svg")
    by = printed("evaluate", str(file), "--set", "segments=kind", "--view", "segments", "--format", "csv")
    assert "AP,boolean,head,10," in by
    words = ["compare", str(file), "-m", "AP", "--set", "segments=kind", "--view", "segments"]
    assert len(json.loads(printed(*words, "--format", "json"))["rows"]) == 15 * 3


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["compare", "{}", "-k", "5"], "depth needs judgments and runs"),
        (["evaluate", "{}", "--interval", "bounds"], "'bounds' intervals need judgments"),
        (["evaluate", "{}", "-m", "P@5"], "no measure is called 'P@5'; there are AP, nDCG@10"),
        (["evaluate", "{}", "--set", "scores.range=1"], "expected two numbers, such as [0, 100]"),
        (["compare", "{}", "--set", "segments=x"], "no column has the name 'x'"),
        (["compare", "{}", "--set", "segments=run"], "is in two segments"),
    ],
)
def test_mistakes_on_the_command_line(words: list[str], problem: str, tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    long().to_csv(file, index=False)
    done = unjudged(*(word.format(file) for word in words))
    assert done.returncode in (1, 2)
    assert problem in done.stderr.decode()


def test_a_page_of_scores_alone(tmp_path: Path) -> None:
    file, page = tmp_path / "scores.csv", tmp_path / "page.html"
    kinds = ["head" if query < "q11" else "tail" for query in long()["query"]]
    long().assign(kind=kinds).to_csv(file, index=False)
    printed("report", str(file), "--set", "segments=kind", "-o", str(page))
    text = said(page.read_text())
    assert "Differences by segment" in text
    assert '"holes"' not in text
    assert f"unjudged report {file} --set segments=kind" in text
    assert "scores of a table do not say which documents were judged" in text
    alone = Scores.read({"query": ["a"], "kind": ["x"], "b": [1]}, by="kind")
    bare = Scores.read({"query": ["a"], "b": [1]})
    assert read(report_page(bare).html)["measures"][0]["mean"] == [1.0]
    with pytest.raises(UsageError, match="give two or more runs"):
        report_page(alone)
    with pytest.raises(UsageError, match="give two or more runs"):
        report_page(Collection(sample.qrels, sample.runs["fused"], segments={"q01": "x"}), None, "P@10")


def test_the_same_query_under_two_keys() -> None:
    """The second value was ignored."""
    with pytest.raises(InputError, match="system 's' on query '1' has a second value"):
        Scores.read({"s": {1: 0.5, "1": 0.7}})


BOUNDED = ["P@10", "RBP(p=0.8)"]


def bounded_rows(*more: str) -> list[dict[str, Any]]:
    """The table of a cluster: every value with the bounds of its ranking alone."""
    scores = evaluate(sample.qrels, RUNS, [*BOUNDED, *more])
    limits = {
        (run, str(measure)): bounds(measure, evaluate(sample.qrels, {run: RUNS[run]}, measure).rankings)
        for run in RUNS
        for measure in scores.cube.measures
    }
    place = {query: k for k, query in enumerate(scores.queries)}
    ends = [(limits[row.run, row.measure], place[row.query]) for row in scores]
    return [
        {**row._asdict(), "low": float(own.low[k]), "high": float(own.high[k])}
        for row, (own, k) in zip(scores, ends, strict=True)
    ]


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
def test_bounds_of_a_table_give_verdicts() -> None:
    """Those of means are as from the runs; those of differences contain them."""
    table = Scores.read(pandas.DataFrame(bounded_rows()))
    own, found = compare(sample.qrels, RUNS, BOUNDED), compare(table)
    for one in own.pairs:
        other = found.pair(one["a"], one["b"], one["measure"])
        assert other["p"] == one["p"]
        assert other["low"] <= one["low"] + 1e-12
        assert other["high"] >= one["high"] - 1e-12
        if other["more_judging"] == "cannot change it":
            assert one["more_judging"] == "cannot change it"
        assert other["better"] in (None, one["better"])
    ranges = {(row["measure"], row["system"]): row for row in own.systems}
    for row in found.systems:
        ends = ranges[row["measure"], row["system"]]
        assert (row["low"], row["high"]) == pytest.approx((ends["low"], ends["high"]), abs=1e-12)
    kinds = {row["more_judging"] for row in found.pairs}
    assert {"cannot change it", "could flip it"} <= kinds
    assert found.notes == []
    page = read(report_page(table).html)["measures"]
    assert all(None not in one["low"] for one in page)
    lows = [row["low"] for row in found.pairs if row["measure"] == BOUNDED[0]]
    assert page[0]["pairs"]["low"] == pytest.approx(lows, abs=1e-7)


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
def test_a_gate_takes_bounds_of_a_table() -> None:
    """It is never surer than with the runs themselves."""
    table = Scores.read(pandas.DataFrame(bounded_rows()))
    sure = {"pass": 1, "undecided": 0, "fail": 1}
    for old, new in (("boolean", "reranked"), ("reranked", "boolean"), ("reranked", "fused")):
        for margin in (0.01, 0.05, 0.2, 0.3):
            mine = gate(table, old, new, "P@10", margin=margin)
            theirs = gate(sample.qrels, RUNS[old], RUNS[new], "P@10", margin=margin)
            assert mine.checks[0]["judging"] == "seen"
            assert mine.outcome == theirs.outcome or sure[mine.outcome] < sure[theirs.outcome]
    waiting = gate(table, "dense", "boolean", "P@10", margin=0.3)
    assert waiting.outcome == "undecided"
    assert "Judge the unjudged documents that matter" in waiting.sentence()
    assert gate(table, "dense", "boolean", "P@10", margin=0.3, judging="as-judged").outcome != "undecided"


@pytest.mark.filterwarnings("ignore::unjudged.UnjudgedWarning")
def test_bounds_that_do_not_hold() -> None:
    """Of AP those of one system do not know what the others found."""
    rows = bounded_rows("AP")
    found = compare(Scores.read(pandas.DataFrame(rows)))
    missing = {row["measure"]: row["missing"] for row in found.pairs}
    assert [bool(missing[name]) for name in (*BOUNDED, "AP")] == [False, False, True]
    said = "AP: what more judging could change is unknown: bounds of a table do not know what other systems"
    assert any(note.startswith(said) for note in found.grid().notes)
    with pytest.raises(InputError, match=r"row 7 .*: low and high of system .* expected bounds of the value"):
        Scores.read(pandas.DataFrame([*rows[:7], {**rows[7], "low": rows[7]["high"] + 0.1}, *rows[8:]]))
    some = Scores.read(pandas.DataFrame([*rows[:7], {**rows[7], "low": None}, *rows[8:]]))
    assert some.ends is not None
    assert int(np.isnan(some.ends[0]).sum()) == 1
    assert len({row["measure"] for row in compare(some).pairs if row["missing"]}) == 2


def test_names_that_never_meet_take_no_more_memory_than_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of n rows is an array of n x n values if each has a system and a query of its own."""
    each = {
        "query": [f"q{i}" for i in range(400)],
        "system": [f"s{i}" for i in range(400)],
        "AP": [0.5] * 400,
    }
    monkeypatch.setenv("UNJUDGED_MAX_MEMORY", "2M")
    assert Scores.read({**each, "system": ["s"] * 400}).values.shape == (1, 400, 1)
    with pytest.raises(InputError, match="takes more than 2,097,152 bytes in memory; set UNJUDGED_MAX_MEM"):
        Scores.read(each, missing="zero")
