"""`unjudged compare --by`: the comparison and its segments, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.in_process import NOTE, printed, refused, unjudged
from unjudged import sample

QRELS = str(sample.qrels)
EXPANDED, DENSE, FUSED = (str(sample.runs[name]) for name in ("expanded", "dense", "fused"))
TWO = ("compare", QRELS, EXPANDED, DENSE, "-m", "P@10")
THREE = ("compare", QRELS, EXPANDED, DENSE, FUSED, "-m", "P@10")


@pytest.fixture
def by(tmp_path: Path) -> tuple[str, str]:
    file = tmp_path / "segments.txt"
    file.write_text("".join(f"q{k:02d} {'head' if k < 11 else 'tail'}\n" for k in range(1, 31)))
    return "--by", str(file)


@pytest.mark.parametrize("command", [TWO, THREE])
def test_json_has_what_it_has_without_segments_and_the_segments(
    command: tuple[str, ...], by: tuple[str, str]
) -> None:
    plain = json.loads(printed(*command, "--format", "json"))
    whole, segments = json.loads(printed(*command, *by, "--format", "json"))["tables"]
    assert whole == plain
    assert NOTE in [note["text"] for note in whole["notes"]]
    assert [row["segment"] for row in segments["rows"][:3]] == ["head", "tail", "all"]


@pytest.mark.parametrize("command", [TWO, THREE])
@pytest.mark.parametrize("format", ["table", "markdown", "latex", "html"])
def test_formats_for_people_have_both_tables(
    command: tuple[str, ...], format: str, by: tuple[str, str]
) -> None:
    plain, text = (printed(*command, *more, "--format", format) for more in ((), by))
    assert text.startswith(plain)
    assert "By segment" not in plain
    assert "By segment" in text
    assert max(map(len, text.splitlines())) <= 80 or format != "table"


def test_formats_of_one_table_have_the_segments_and_the_headline_of_all(by: tuple[str, str]) -> None:
    pair = json.loads(printed(*TWO, "--format", "json"))["rows"][0]
    done = unjudged(*TWO, *by, "--format", "jsonl")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["segment"] for row in rows] == ["head", "tail", "all"]
    assert rows[-1]["headline"] == pair["headline"]
    assert NOTE in done.stderr.decode()


def test_decimals_are_those_of_the_table_of_segments(by: tuple[str, str]) -> None:
    assert "all           30   0.26      0.34       -0.08" in printed(*TWO, *by, "--decimals", "2")


def test_one_column_of_a_file_names_the_segments(tmp_path: Path, by: tuple[str, str]) -> None:
    file = tmp_path / "queries.csv"
    rows = (f"q{k:02d},{'head' if k < 11 else 'tail'},{k}\n" for k in range(1, 31))
    file.write_text("query,kind,place\n" + "".join(rows))
    asked = ("--by", f"{file}:kind", "--format", "json")
    found = printed(*TWO, *asked)
    assert found == printed(*TWO, *by, "--format", "json")
    assert "is read by this command" in refused(2, *TWO, *asked, "-o", str(file))
    scores = tmp_path / "scores.csv"
    scores.write_text(printed("evaluate", QRELS, EXPANDED, DENSE, "-m", "P@10", "-q", "--format", "csv"))
    tables = (
        json.loads(text)["tables"] for text in (found, printed("compare", "--scores", str(scores), *asked))
    )
    numbers = ("segment", "queries", "mean_a", "mean_b", "difference", "p", "p_adjusted", "query_low")
    runs, table = ([[row[name] for name in numbers] for row in parts["rows"]] for _, parts in tables)
    assert runs == table
