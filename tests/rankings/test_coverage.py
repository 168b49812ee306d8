"""Warnings where runs and judgments have little in common: in Python, in every format, on standard error."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.cli.in_process import unjudged
from unjudged import UnjudgedWarning, calibrate, compare, evaluate, report_page
from unjudged.base.errors import ExtraQueriesWarning, MissingQueriesWarning, NothingJudgedWarning

QRELS = {"q1": {"d1": 1, "d2": 0}, "q2": {"d3": 1}}
GOOD = {"q1": {"d1": 2.0, "d9": 1.0}, "q2": {"d3": 1.0}}
ALL_UNJUDGED = (
    "No document that mine retrieved is judged, so its scores say nothing about it. "
    "Check that the run names documents as the judgments do ('d1')."
)
BAD: dict[str, tuple[dict[str, dict[str, float]], type[UnjudgedWarning], str]] = {
    "a query is missing": (
        {"q1": {"d1": 2.0}},
        MissingQueriesWarning,
        "mine returned nothing for q2 (1 of 2 queries) and scores 0 there.",
    ),
    "queries only in the run": (
        {**GOOD, "q3": {"d1": 1.0}, "q4": {"d1": 1.0}},
        ExtraQueriesWarning,
        "mine has rankings for 2 queries that the judgments do not have. They are ignored.",
    ),
    "ids of another collection": (
        {"q1": {"WT01-B01-1": 2.0}, "q2": {"WT01-B01-2": 1.0}},
        NothingJudgedWarning,
        ALL_UNJUDGED,
    ),
}


def as_text(run: dict[str, dict[str, float]]) -> str:
    rows = [(q, d, s) for q, scores in run.items() for d, s in scores.items()]
    return "".join(f"{q} Q0 {d} 1 {s} tag\n" for q, d, s in rows)


def sources(run: dict[str, dict[str, float]], folder: Path) -> dict[str, Any]:
    """The run in every kind of input."""
    pandas = pytest.importorskip("pandas")
    rows = [(q, d, s) for q, scores in run.items() for d, s in scores.items()]
    text, table, document = folder / "a.run", folder / "a.csv", folder / "a.json"
    text.write_text(as_text(run))
    table.write_text("query,document,score\n" + "".join(f"{q},{d},{s}\n" for q, d, s in rows))
    document.write_text(json.dumps(run))
    frame = pandas.DataFrame(rows, columns=["query", "document", "score"])
    return {"dict": run, "rows": rows, "frame": frame, "text": text, "csv": table, "json": document}


@pytest.mark.parametrize("case", BAD)
def test_every_input_warns(case: str, tmp_path: Path) -> None:
    run, category, message = BAD[case]
    for source in sources(run, tmp_path).values():
        with pytest.warns(UnjudgedWarning) as found:
            scores = evaluate(QRELS, {"mine": source}, "AP")
        assert [(w.category, str(w.message)) for w in found] == [(category, message)]
        assert [(type(w), str(w)) for w in scores.warnings] == [(category, message)]
        assert scores.grid().notes == [message]
        assert scores.with_interval("bounds").notes[0] == message


LACKING = {"q1": {"d1": 2.0}}
EXTRA = {**GOOD, "q3": {"d1": 1.0}}
SEVERAL: dict[str, tuple[dict[str, dict[str, dict[str, float]]], list[str]]] = {
    "two": (
        {"a": LACKING, "good": GOOD, "b": LACKING},
        ["a and b returned nothing for q2 (1 of 2 queries) and score 0 there."],
    ),
    "as many queries, but others": (
        {"a": LACKING, "b": {"q2": {"d3": 1.0}}},
        [
            "a returned nothing for q2 (1 of 2 queries) and scores 0 there.",
            "b returned nothing for q1 (1 of 2 queries) and scores 0 there.",
        ],
    ),
    "three": (
        {"a": EXTRA, "b": EXTRA, "c": EXTRA},
        ["a, b and c have rankings for 1 query that the judgments do not have. They are ignored."],
    ),
    "many": (
        {f"r{i}": EXTRA for i in range(6)},
        [
            (
                "6 runs (r0, r1, r2, ...) have rankings for 1 query that the judgments do not have. "
                "They are ignored."
            )
        ],
    ),
}


@pytest.mark.parametrize("case", SEVERAL)
def test_runs_with_the_same_queries_share_a_warning(case: str) -> None:
    """A track with 37 runs of 200 queries, 43 of them judged, had 37 notes below its table."""
    runs, expected = SEVERAL[case]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores, found = evaluate(QRELS, runs, "AP"), compare(QRELS, runs, "AP")
    assert list(map(str, scores.warnings)) == expected
    assert found.notes[: len(expected)] == expected


def test_a_long_list_of_queries_ends_in_a_number() -> None:
    qrels = {f"q{i}": {"d1": 1} for i in range(8)}
    with pytest.warns(
        MissingQueriesWarning, match="nothing for q1, q2, q3, q4, q5 and 2 more .7 of 8 queries."
    ):
        evaluate(qrels, {"mine": {"q0": {"d1": 1.0}}}, "AP")


@pytest.mark.parametrize("cores", [1, 2, 5])
def test_a_query_that_nobody_judged_counts_once(
    cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows may be apart, in one piece of a file or in several."""
    monkeypatch.setattr("unjudged.data.trec.cores", lambda: cores)
    monkeypatch.setattr("unjudged.data.streams.SMALLEST_PIECE", 100)
    lines = [f"x{i % 3} Q0 d{i} 1 1 tag\n" for i in range(60)]
    lines[30:30] = ["q1 Q0 d1 1 2 tag\n", "q1 Q0 d9 1 1 tag\n"]
    lines += ["q2 Q0 d3 1 1 tag\n"]
    (tmp_path / "a.run").write_text("".join(lines))
    with pytest.warns(ExtraQueriesWarning, match="mine has rankings for 3 queries that the judgments do not"):
        scores = evaluate(QRELS, {"mine": tmp_path / "a.run"}, "AP")
    assert scores.values.tolist() == evaluate(QRELS, {"mine": GOOD}, "AP").values.tolist()


def test_nothing_is_said_of_a_good_run() -> None:
    assert evaluate(QRELS, {"mine": GOOD}, "AP").warnings == []


def test_one_kind_can_be_silenced() -> None:
    run = {"q1": {"x": 1.0}, "q3": {"x": 1.0}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingQueriesWarning)
        warnings.simplefilter("ignore", NothingJudgedWarning)
        with pytest.raises(ExtraQueriesWarning):
            evaluate(QRELS, {"mine": run}, "AP")


@pytest.mark.parametrize("case", BAD)
def test_the_warning_points_at_the_callers_line(case: str) -> None:
    run, category, _ = BAD[case]
    runs = {"mine": run, "good": GOOD, "fine": GOOD}
    for call in (
        lambda: evaluate(QRELS, runs, "AP"),
        lambda: compare(QRELS, runs, "AP"),
        lambda: report_page(QRELS, runs, "AP"),
        lambda: calibrate(QRELS, runs, {"mine": "a", "good": "b", "fine": "c"}, "AP"),
    ):
        with pytest.warns(category) as found:
            call()
        assert {w.filename for w in found} == {__file__}


FOR_PEOPLE = ("markdown", "latex", "html")
"""Formats with a place for notes, as json."""


@pytest.mark.thorough
@pytest.mark.parametrize("format", ["table", "csv", "json", "jsonl", "markdown", "latex", "html"])
@pytest.mark.parametrize("case", BAD)
def test_standard_error_in_every_format(case: str, format: str, tmp_path: Path) -> None:
    run, _, message = BAD[case]
    qrels, mine, good = tmp_path / "qrels", tmp_path / "mine", tmp_path / "good"
    qrels.write_text("q1 0 d1 1\nq1 0 d2 0\nq2 0 d3 1\n")
    mine.write_text(as_text(run))
    good.write_text(as_text(GOOD))
    for command in (["evaluate"], ["evaluate", "--interval", "bounds"], ["compare"]):
        for target in ([], ["-o", str(tmp_path / "out")]):
            words = [
                *command,
                str(qrels),
                str(mine),
                str(good),
                "-m",
                "AP",
                "--format",
                format,
                "-v",
                *target,
            ]
            done = unjudged(*words)
            assert done.returncode == 0
            assert done.stderr.decode().count(message) == (format not in ("json", *FOR_PEOPLE))


def test_one_place_shows_it_once(tmp_path: Path) -> None:
    """Standard output and standard error in one file."""
    (tmp_path / "qrels").write_text("q1 0 d1 1\nq2 0 d2 1\n")
    (tmp_path / "mine").write_text("q1 Q0 d1 1 1.0 t\n")
    command = [sys.executable, "-m", "unjudged", "evaluate", "qrels", "mine", "-m", "AP"]
    both = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=tmp_path, check=True
    )
    assert both.stdout.count("mine returned nothing for q2 (1 of 2 queries)") == 1
    apart = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
    assert "mine has no ranking" not in apart.stdout
    assert apart.stderr == "! mine returned nothing for q2 (1 of 2 queries) and scores 0 there.\n"


def test_a_level_above_all_grades_is_reported(tmp_path: Path) -> None:
    """--rel 9 with grades up to 3 gave a table of zeros and nothing else."""
    said = "No judged document has a grade of 2 or more, so nothing is relevant with rel=2."
    with pytest.warns(UnjudgedWarning, match="No judged document has a grade of 2 or more"):
        scores = evaluate(QRELS, {"mine": GOOD}, ["AP(rel=2)", "RR(rel=2)", "AP", "nDCG@10"])
    assert list(map(str, scores.warnings)) == [said]
    with pytest.warns(UnjudgedWarning, match="No judged document has a grade of 1 or more"):
        evaluate({"q1": {"d1": 0}, "q2": {"d3": 0}}, {"mine": GOOD}, "AP")
    with pytest.warns(UnjudgedWarning, match=r"No judged document has a grade of 0\.9 or more"):
        evaluate({"q1": {"d1": 0.5}, "q2": {"d3": 0.25}}, {"mine": GOOD}, "AP(rel=0.9)")
    evaluate({"q1": {"d1": 0.5}, "q2": {"d3": 0.25}}, {"mine": GOOD}, "AP(rel=0.5)")
    (tmp_path / "q").write_text("q1 0 d1 1\n")
    (tmp_path / "a.run").write_text("q1 Q0 d1 1 1 t\n")
    done = unjudged(
        "evaluate", str(tmp_path / "q"), str(tmp_path / "a.run"), "-m", "AP", "--set", "relevant=2"
    )
    assert b"! No judged document has a grade of 2 or more" in done.stderr
