"""The gate: outcomes, exit codes, bounds by query against enumeration, and tests against their formulas."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.cli.in_process import printed, refused, unjudged
from unjudged import Collection, InputError, Scores, UsageError, evaluate, gate, sample
from unjudged.results.gate_result import would_tell

QRELS, RUNS = str(sample.qrels), {name: str(run) for name, run in sample.runs.items()}


def test_the_sequential_gate_is_the_gate_at_a_smaller_level() -> None:
    """It passes where one look at that level does, and never below 30 queries."""
    for queries, passes in ((29, False), (60, False), (200, True)):
        gains = 0.02 + 0.06 * stats.norm.ppf((np.arange(queries) + 0.5) / queries)
        own = np.stack([np.full(queries, 0.5), 0.5 + gains])
        scores = Scores.read(own, "nDCG@10", runs=["old", "new"])
        one, every = (gate(scores, "old", "new", test=test) for test in ("t", "sequential"))
        (once,), (always,) = one.checks, every.checks
        assert (once["outcome"], every.passed) == ("pass", passes)
        assert always["limit_low"] < once["limit_low"]
        assert always["p_not_worse"] > once["p_not_worse"]
        assert (always["limit_low"] > 0) is passes
        assert passes is ("at every look" in every.sentence())
        assert passes or always["queries_needed"] >= 30
    with pytest.raises(UsageError, match="expected 't' or 'sequential'"):
        gate(scores, "old", "new", test="wilcoxon")  # type: ignore[arg-type]


def test_outcomes() -> None:
    better = gate(QRELS, RUNS["lexical"], RUNS["reranked"], margin=0.01)
    assert (better.outcome, better.code()) == ("pass", 0)
    worse = gate(QRELS, RUNS["reranked"], RUNS["lexical"], margin=0.01)
    assert (worse.outcome, worse.code()) == ("fail", 1)
    unclear = gate(QRELS, RUNS["fused"], RUNS["dense"], margin=0.01)
    assert (unclear.outcome, unclear.code()) == ("undecided", 2)
    words: list[Any] = ["pass", "fail"]
    for code, word in enumerate(words):
        assert gate(QRELS, RUNS["fused"], RUNS["dense"], margin=0.01, undecided=word).code() == code
    with pytest.raises(UsageError, match="undecided is 'perhaps', expected 'pass' or 'fail'"):
        gate(QRELS, RUNS["fused"], RUNS["dense"], undecided="perhaps")  # type: ignore[arg-type]
    assert unclear.checks[0]["open_to"] == "judging"
    as_they_are = gate(QRELS, RUNS["fused"], RUNS["dense"], margin=0.01, judging="as-judged")
    assert as_they_are.outcome == "fail"
    assert "as judged" in as_they_are.sentence()


def test_more_queries_are_not_promised_where_judgments_leave_both_sides_open() -> None:
    """With dense at its worst it is worse by more than the margin, and at its best it is far better."""
    result = gate(QRELS, RUNS["lexical"], RUNS["dense"], margin=0.01)
    assert result.checks[0]["open_to"] == "both"
    needed = result.checks[0]["queries_needed"]
    said = would_tell(result.checks[0])
    assert said == f"judge the unjudged documents that matter, and use about {needed:,} queries"
    known = gate(QRELS, RUNS["lexical"], RUNS["expanded"], margin=0.01, judging="worst")
    assert known.checks[0]["open_to"] == "queries"
    plain = gate(QRELS, RUNS["lexical"], RUNS["expanded"], margin=0.01, judging="as-judged")
    needed, fewer = (one.checks[0]["queries_needed"] for one in (known, plain))
    assert needed is not None
    assert fewer is not None
    assert needed > fewer  # at its worst it is less ahead


def test_a_run_against_itself_passes() -> None:
    for margin in (0.0, 0.01):
        same = gate(
            Collection(QRELS, {"old": RUNS["fused"], "new": RUNS["fused"]}), "old", "new", margin=margin
        )
        assert same.outcome == "pass"
        assert "the two score the same on each of 30 queries" in same.sentence()


def test_several_measures_must_all_pass_and_failures_are_corrected() -> None:
    result = gate(QRELS, RUNS["lexical"], RUNS["fused"], ["AP", "P@10"], margin=0.01)
    assert [check["outcome"] for check in result.checks] == ["undecided", "pass"]
    assert result.outcome == "undecided"
    rng = np.random.default_rng(3)
    values = rng.normal(0, 1, (2, 40, 5))
    values[1, :, 0] -= 0.52
    alone = gate(Scores.read(values[:, :, :1], runs=["a", "b"]), "a", "b", margin=0)
    five = gate(Scores.read(values, runs=["a", "b"]), "a", "b", margin=0)
    assert five.checks[0]["p_worse"] == alone.checks[0]["p_worse"]
    assert five.checks[0]["p_worse_adjusted"] == pytest.approx(5 * alone.checks[0]["p_worse"])


def test_no_segment_may_fail() -> None:
    rng = np.random.default_rng(1)
    values = rng.normal(0.5, 0.05, (2, 100))
    values[1, :90] += 0.1
    values[1, 90:] -= 0.2
    by = {f"q{j + 1}": "head" if j < 90 else "tail" for j in range(100)}
    scores = Scores.read(values, runs=["old", "new"])
    assert gate(scores, "old", "new", margin=0.01).outcome == "pass"
    result = gate(scores, "old", "new", margin=0.01, segments=by)
    assert {check["segment"]: check["outcome"] for check in result.checks} == {
        "all": "pass",
        "head": "pass",
        "tail": "fail",
    }
    assert result.outcome == "fail"
    assert "score in tail: difference -0." in result.sentence()
    values[1, 90:] = values[0, 90:] + rng.normal(0, 0.2, 10)
    result = gate(scores.read(values, runs=["old", "new"]), "old", "new", margin=0.01, segments=by)
    assert result.grid().title.endswith("worse than old by more than 0.01; in tail that cannot be told.")


def test_a_segment_cannot_take_the_name_of_the_row_of_all_queries() -> None:
    by = {f"q{k:02d}": "all" if k < 3 else "tail" for k in range(1, 31)}
    with pytest.raises(UsageError, match="a segment is called 'all'"):
        gate(QRELS, RUNS["lexical"], RUNS["fused"], margin=0.01, segments=by)


def test_scores_of_a_table_are_taken_as_they_are() -> None:
    scores = evaluate(QRELS, RUNS, "nDCG@10")
    result = gate(scores, "lexical", "reranked", margin=0.01)
    assert result.sentence().endswith("(30 queries, scores as they are).")
    plain = gate(QRELS, RUNS["lexical"], RUNS["reranked"], "nDCG@10", margin=0.01, judging="as-judged")
    assert result.checks[0]["limit_low"] == plain.checks[0]["limit_low"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ([QRELS, RUNS["lexical"], RUNS["reranked"], "--margin", "0.01"], 0),
        ([QRELS, RUNS["reranked"], RUNS["lexical"], "--margin", "0.01"], 1),
        ([QRELS, RUNS["fused"], RUNS["dense"], "--margin", "0.01"], 2),
        ([QRELS, RUNS["fused"], RUNS["dense"], "--margin", "0.01", "--undecided", "pass"], 0),
        ([QRELS, RUNS["fused"], RUNS["dense"], "--margin", "0.01", "--undecided", "fail"], 1),
        ([QRELS, RUNS["fused"], RUNS["dense"]], 2),
        ([QRELS, RUNS["fused"], "--margin", "0.01"], 3),
        ([QRELS, RUNS["fused"], RUNS["dense"], "--margin", "-1"], 3),
        ([QRELS, RUNS["fused"], RUNS["dense"], "--margin", "0.01", "-m", "Judged@10"], 3),
    ],
)
def test_exit_codes(words: list[str], code: int) -> None:
    done = unjudged("gate", *words)
    assert done.returncode == code, done.stderr


def test_formats_and_tables(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    by_query = evaluate(QRELS, RUNS, ["AP", "nDCG@10"]).as_view("queries").to_frame("pandas")
    by_query[["system", "query", "measure", "value"]].to_csv(table, index=False)
    options = [str(table), "lexical", "reranked", "--margin", "0.01"]
    rows = json.loads(printed("gate", *options, "--format", "json"))["rows"]
    assert [row["measure"] for row in rows] == ["AP", "nDCG@10"]
    assert {row["outcome"] for row in rows} == {"pass"}
    assert "| measure | queries | lexical | reranked |" in printed("gate", *options, "--format", "markdown")
    assert "expected an old one and a new one" in refused(3, "gate", str(table), "--margin", "0.01")
    nobody = refused(3, "gate", str(table), "lexical", "nobody", "--margin", "0.01")
    assert "no system is called 'nobody'; there are" in nobody


@pytest.mark.parametrize("margin", ["0.1", [0.1], -0.1, float("inf"), float("nan"), object()])
def test_margins_are_numbers(margin: Any) -> None:
    with pytest.raises(UsageError, match=r"margin is .*, expected a number of at least 0, such as 0.01"):
        gate(QRELS, RUNS["fused"], RUNS["dense"], margin=margin)


@pytest.mark.parametrize("alpha", ["0.1", 0, 1, [0.1]])
def test_levels_are_numbers(alpha: Any) -> None:
    with pytest.raises(UsageError, match=r"alpha is .*, expected a number between 0 and 1"):
        gate(QRELS, RUNS["fused"], RUNS["dense"], margin=0.1, alpha=alpha)
    with pytest.raises(UsageError, match=r"judging is .*, expected 'seen', 'worst' or 'as-judged'"):
        gate(QRELS, RUNS["fused"], RUNS["dense"], margin=0.1, judging=alpha)


def test_what_only_the_correction_leaves_open_says_so() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(0, 1, (2, 40, 5))
    values[1, :, 0] -= 0.35
    check = gate(Scores.read(values, runs=["a", "b"]), "a", "b", margin=0).checks[0]
    assert check["p_worse"] <= 0.05 < check["p_worse_adjusted"]
    assert (check["outcome"], check["open_to"]) == ("undecided", "correction")
    assert would_tell(check).startswith(f"alone it fails (p = {check['p_worse']:.4f})")
    assert "judge" not in would_tell(check)


def test_only_open_checks_say_what_would_tell() -> None:
    options = {"margin": 0.01, "judging": "as-judged"}
    for old, new in (("lexical", "reranked"), ("reranked", "lexical")):
        (check,) = gate(QRELS, RUNS[old], RUNS[new], **options).checks  # type: ignore[arg-type]
        assert check["outcome"] == ("pass" if new == "reranked" else "fail")
        assert (check["open_to"], check["queries_needed"]) == (None, None)


def test_one_query_and_equal_differences_do_not_show_how_far_others_differ() -> None:
    one = gate(
        Scores.read(np.array([[0.5], [0.1]]), "nDCG@10", runs=["a", "b"]), "a", "b", margin=0.01
    ).checks[0]
    assert (one["outcome"], one["queries_needed"]) == ("undecided", None)
    assert would_tell(one) == "one query does not show how far others differ: use more"
    values = np.tile([[0.5], [0.45]], 30)
    unknown = gate(Scores.read(values, runs=["a", "b"]), "a", "b", margin=0.02).checks[0]
    assert (unknown["outcome"], unknown["queries_needed"]) == ("undecided", None)
    assert "unless the range of the measure is known" in would_tell(unknown)
    known = gate(Scores.read(values, "nDCG@10", runs=["a", "b"]), "a", "b", margin=0.02).checks[0]
    assert known["outcome"] == "undecided"
    assert known["queries_needed"] is not None
    enough = np.tile([[0.5], [0.45]], known["queries_needed"])
    assert gate(Scores.read(enough, "nDCG@10", runs=["a", "b"]), "a", "b", margin=0.02).outcome == "fail"
    short = enough[:, :-1]
    assert gate(Scores.read(short, "nDCG@10", runs=["a", "b"]), "a", "b", margin=0.02).outcome == "undecided"


def test_the_verdict_names_the_checks_that_fail_and_those_that_do_not() -> None:
    """The headline said that the new system is worse where one segment alone fails."""
    rng = np.random.default_rng(1)
    values = rng.normal(0.5, 0.05, (2, 100, 2))
    values[1] += 0.1
    values[1, 90:, 0] -= 0.3
    by = {f"q{j + 1}": "head" if j < 90 else "tail" for j in range(100)}
    one = gate(Scores.read(values[:, :, :1], runs=["old", "new"]), "old", "new", margin=0.01, segments=by)
    said = "in tail, new is worse than old by more than 0.01; in head and over all queries it is not."
    assert one.grid().title == f"FAIL  {said}"
    assert one.sentence().startswith(one.grid().title)
    two = (
        gate(Scores.read(values, ["AP", "x"], runs=["old", "new"]), "old", "new", margin=0.01, segments=by)
        .grid()
        .title
    )
    start = "FAIL  by AP in tail, new is worse than old by more than 0.01; "
    assert (
        two
        == f"{start}by AP in head and over all queries, by x in head, tail and over all queries it is not."
    )
    several = gate(QRELS, RUNS["lexical"], RUNS["fused"], ["AP", "P@10"], margin=0.01)
    asked = "whether fused is worse than lexical by more than 0.01 cannot be told"
    assert several.grid().title == f"UNDECIDED  by AP, {asked}; by P@10 it is not."


@pytest.mark.parametrize("format", ["table", "markdown"])
def test_what_an_open_result_counts_as_is_said(format: str) -> None:
    words = ["gate", QRELS, RUNS["fused"], RUNS["dense"], "--margin", "0.01", "--format", format]
    for choice, said in (("pass", "The build passes"), ("fail", "The build fails")):
        shown = unjudged(*words, "--undecided", choice).stdout.decode()
        assert f"{said}, as asked for." in " ".join(shown.split())
    assert b"The build" not in unjudged(*words).stdout


def test_identical_systems_have_no_limits_that_contradict_their_pass() -> None:
    """The lower limit was below minus the margin, or minus infinity, beside `pass`."""
    values = np.tile(np.linspace(0.1, 0.9, 40), (2, 1))
    for name in ("nDCG@10", "unknown"):
        result = gate(Scores.read(values, name, runs=["old", "new"]), "old", "new", margin=0.01)
        (check,) = result.checks
        assert check["outcome"] == "pass"
        assert np.isnan([check["limit_low"], check["limit_high"]]).all()
        assert {"at worst", "at best"}.isdisjoint(result.grid().as_columns())
        assert "the two score the same on each of 40 queries" in result.sentence()


def test_one_system_is_not_asked_against_itself() -> None:
    """A name given twice by mistake passed for ever."""
    collection = Collection(QRELS, RUNS)
    for source in (collection, evaluate(collection, None, "AP")):
        with pytest.raises(UsageError, match="old and new are both 'fused': name two systems"):
            gate(source, "fused", "fused", "AP", margin=0.01)
        with pytest.raises(
            UsageError, match=r"no (run|system) is called 'fusde'; there are boolean, lexical"
        ):
            gate(source, "fused", "fusde", "AP", margin=0.01)


def test_one_segment_is_all_queries_once_more() -> None:
    by = {f"q{k:02d}": "head" for k in range(1, 31)}
    with pytest.raises(UsageError, match="all queries are in one segment, 'head': give two or more"):
        gate(QRELS, RUNS["lexical"], RUNS["fused"], margin=0.01, segments=by)


def test_each_measure_may_have_its_own_margin() -> None:
    old, new = RUNS["lexical"], RUNS["fused"]
    both = gate(QRELS, old, new, margin={"P@10": 0.02, "AP": 0.3})
    assert [check["measure"] for check in both.checks] == ["P@10", "AP"]
    assert both.settings["margin"] == {"P@10": 0.02, "AP": 0.3}
    for check in both.checks:
        (alone,) = gate(QRELS, old, new, check["measure"], margin=check["margin"]).checks
        assert (check["p_worse"], check["p_not_worse"]) == (alone["p_worse"], alone["p_not_worse"])
    assert "by more than the margin (P@10 0.02, AP 0.3)" in both.grid().title
    assert both.records().as_columns()["margin"] == [0.02, 0.3]
    turned = gate(QRELS, old, new, ["AP", "P@10"], margin={"P@10": 0.02, "AP": 0.3})
    assert [check["margin"] for check in turned.checks] == [0.3, 0.02]
    with pytest.raises(UsageError, match="AP has no margin, expected one"):
        gate(QRELS, old, new, ["AP", "P@10"], margin={"P@10": 0.02})
    with pytest.raises(UsageError, match="P@10 has 2 margins, expected one"):
        gate(QRELS, old, new, margin={"P@10": 0.02, "P_10": 0.03})
    with pytest.raises(UsageError, match=r"no measure is called 'nDCG@10'; there are AP"):
        gate(QRELS, old, new, "AP", margin={"nDCG@10": 0.02})


def test_a_margin_as_large_as_the_range_is_refused() -> None:
    """Such a check cannot fail: 2, meant as 2%, passed every run."""
    margins: tuple[Any, ...] = (1, 2.0, {"AP": 1.5})
    for margin in margins:
        with pytest.raises(UsageError, match=r"but the values of AP are from 0 to 1: no loss is larger"):
            gate(QRELS, RUNS["reranked"], RUNS["lexical"], "AP", margin=margin)
    values = np.random.default_rng(0).random((2, 20)) * 100
    assert gate(Scores.read(values, "AP", runs=["a", "b"]), "a", "b", margin=50).outcome == "pass"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--margin", "AP=0.3,nDCG(dcg='exp-log2')@10=0.2"], {"AP": 0.3, "nDCG(dcg='exp-log2')@10": 0.2}),
        (["--margin", "AP=0.3", "--margin", "RBP(p=0.8)=0.1"], {"AP": 0.3, "RBP(p=0.8)": 0.1}),
        (["--margin", "0.25", "-m", "AP"], {"AP": 0.25}),
        (["--margin", "P@10=0.2", "--set", "relevant=2"], {"P(rel=2)@10": 0.2}),
    ],
)
def test_margins_on_the_command_line(words: list[str], expected: dict[str, float]) -> None:
    done = unjudged("gate", QRELS, RUNS["lexical"], RUNS["fused"], "--format", "json", *words)
    rows = json.loads(done.stdout)["rows"]
    assert {row["measure"]: row["margin"] for row in rows} == expected


@pytest.mark.parametrize(
    ("word", "problem"),
    [
        ("x", "--margin has 'x', expected a number such as 0.01, or MEASURE=NUMBER for each measure"),
        ("0.1,0.2", "--margin has '0.1', expected"),
        ("RBP(p=0.8)", "--margin has 'RBP(p=0.8)', expected"),
        ("=0.1", "--margin has '=0.1', expected"),
        ("AP=0.1,AP=0.2", "--margin names a measure twice"),
    ],
)
def test_wrong_margins(word: str, problem: str) -> None:
    assert problem in refused(3, "gate", QRELS, RUNS["lexical"], RUNS["fused"], f"--margin={word}")


def test_options_are_not_ignored_with_scores(tmp_path: Path) -> None:
    """`depth` was, and on the command line --judgments, where a table has bounds."""
    with pytest.raises(UsageError, match="depth needs judgments and runs"):
        gate(evaluate(QRELS, RUNS, "AP"), "fused", "dense", margin=0.01, depth=5)
    lines = ["system,query,measure,value,low,high"]
    for k in range(30):
        lines += [f"old,q{k},P@10,0.5,0.5,0.5", f"new,q{k},P@10,{0.6 + k % 2 / 10},0.1,0.9"]
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(lines))
    words = ["gate", str(table), "old", "new", "--margin", "0.01"]
    for more, code in (([], 2), (["--judging", "as-judged"], 0)):
        assert unjudged(*words, *more).returncode == code


def test_segments_of_one_query_do_not_count_in_the_correction() -> None:
    """One query cannot be tested, so it takes nothing from the checks that can be."""
    rng = np.random.default_rng(3)
    old = rng.random(38)
    new = old + np.where(np.arange(38) < 8, rng.normal(-0.2, 0.05, 38), rng.normal(0.1, 0.05, 38))
    scores = Scores.read(np.stack([old, new]), "quality", runs=["old", "new"])
    head = dict.fromkeys(scores.queries[:8], "head")
    together = head | dict.fromkeys(scores.queries[8:], "rest")
    alone = head | {query: query for query in scores.queries[8:]}
    found = [gate(scores, "old", "new", margin=0.02, segments=by) for by in (together, alone)]
    first, second = (one.checks[0] for one in found)
    assert first["p_worse"] == second["p_worse"]
    assert [one.outcome for one in found] == ["fail", "fail"]
    assert second["p_worse_adjusted"] == pytest.approx(2 * second["p_worse"])  # of head and of all queries
    single = found[1].checks[1]
    assert single["queries"] == 1
    assert np.isnan(single["p_worse_adjusted"])
    assert single["outcome"] == "undecided"
    assert np.isnan(single["p_worse_adjusted"])


def test_a_margin_of_a_measure_that_is_not_asked_for() -> None:
    scores = Scores.read(np.random.default_rng(1).random((2, 9, 2)), ["one", "two"], runs=["a", "b"])
    with pytest.raises(UsageError, match=r"no measure is called 'two'.*; there are one"):
        gate(scores, "a", "b", "one", margin={"one": 0.1, "two": 0.1})
    with pytest.raises(UsageError, match="two has no margin, expected one"):
        gate(scores, "a", "b", ["one", "two"], margin={"one": 0.1})


def test_patterns_name_tables(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
        rows = "".join(f"q{k},{0.5 + k % 3 / 9}\n" for k in range(9))
        (tmp_path / name / f"{name}.csv").write_text("query,quality\n" + rows)
    files = [f"{tmp_path}/old/*.csv", f"{tmp_path}/new/*.csv"]
    shown = printed("gate", *files, "--margin", "0.1", "--set", "scores.higher=quality")
    assert shown.startswith("PASS  new is not worse than old")


def test_broken_input_is_not_decided_upon(tmp_path: Path) -> None:
    """Runs that lack queries, or name documents differently, and measures that may be better either way."""
    lines = sample.runs["fused"].read_text().splitlines(keepends=True)
    few = tmp_path / "few.run"
    few.write_text("".join(line for line in lines if line < "q22"))
    foreign = tmp_path / "foreign.run"
    foreign.write_text("".join(line if line < "q02" else line.replace(" d", " x") for line in lines))
    for run, problem in ((few, "no ranking for 9 of 30 queries"), (foreign, "no judged document in the")):
        with pytest.raises(InputError, match=problem):
            gate(QRELS, RUNS["lexical"], str(run), margin=0.01)
    table = tmp_path / "scores.csv"
    table.write_text(
        "system,query,p50\n" + "".join(f"{s},q{k},{k + len(s)}\n" for s in ("a", "bb") for k in (1, 2, 5))
    )
    words = ["gate", str(table), "a", "bb", "--margin", "3"]
    for more in ([], ["--set", "scores.lower=p50"], ["--set", "scores.higher=p50"]):
        assert (unjudged(*words, *more).returncode == 3) == (not more)
