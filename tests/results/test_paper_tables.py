"""Tables for a paper: marks, order, names, and what is refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from tests.cli.in_process import printed
from unjudged import Scores, compare, evaluate, sample
from unjudged.base.errors import UsageError
from unjudged.results.comparison import Comparison

FILES = [str(sample.qrels), *map(str, sample.runs.values())]


@pytest.fixture(scope="module")
def few() -> Comparison:
    return compare(sample.qrels, sample.runs, ["AP", "nDCG@10"])


@pytest.fixture(scope="module")
def against() -> Comparison:
    return compare(sample.qrels, sample.runs, ["AP", "nDCG@10"], baseline="fused")


def rows(text: str) -> list[list[str]]:
    """Cells of the lines between the rules."""
    body = text.split("\\midrule\n")[1].split("\\bottomrule")[0]
    return [line.removesuffix(r" \\").split(" & ") for line in body.splitlines()]


def systems_of(found: Comparison, measure: str) -> dict[str, Any]:
    """Rows of the systems by one measure, best first."""
    return {row["system"]: row for row in found.systems if row["measure"] == measure}


def test_letters_are_those_of_systems_that_are_beaten(few: Comparison) -> None:
    first = list(systems_of(few, "AP"))
    letters = {name: "abcdef"[k] for k, name in enumerate(first)}
    for cells in rows(few.to_latex()):
        for k, measure in enumerate(few.measures):
            row = systems_of(few, measure)[cells[1]]
            mean, _, marks = cells[2 + k].partition(r"\textsuperscript{")
            begin, _, last = marks.removesuffix("}").partition("--")
            shown = set(map(chr, range(ord(begin[-1]), ord(last[0]) + 1))) if last else set()
            assert shown | set(begin) | set(last) == {letters[name] for name in row["better_than"]}
            assert f"{row['mean']:.4f}" in mean


def test_daggers_mark_better_and_worse(against: Comparison) -> None:
    for cells in rows(against.to_latex()):
        for k, measure in enumerate(against.measures):
            better = None if cells[0] == "fused" else against.pair(cells[0], "fused", measure)["better"]
            assert ("\\textdagger{}" in cells[1 + k]) == (better is not None and better == cells[0])
            assert ("\\textdaggerdbl{}" in cells[1 + k]) == (better == "fused")
    assert r"\textdaggerdbl{} worse" in against.to_latex()


def test_the_caption_explains_marks_and_comments_the_data(few: Comparison) -> None:
    comments, caption, _ = re.split(
        r"\\begin\{table\}|\\begin\{tabular\}", few.to_latex(3, caption="Ours", label="tab:ours")
    )
    assert r"\caption{Ours Means over 30 queries." in caption
    assert r"5 \%." in caption
    assert r"\label{tab:ours}" in caption
    assert "q17" in comments
    loose = sum(row["headline"] == "needs judging" for row in few.pairs)
    assert f"{loose} more differences may change with judging" in caption


def test_order_and_names(few: Comparison) -> None:
    shown = rows(few.to_latex(names={"dense": "50 % & more"}))
    order = list(systems_of(few, "AP"))
    assert [row[1] for row in shown] == [r"50 \% \& more" if run == "dense" else run for run in order]
    assert [row[0] for row in shown] == list("abcdef")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"names": {"nobody": "x"}}, "nobody"),
        ({"label": "a{b"}, "label is"),
        ({"decimals": -1}, "decimals is -1"),
    ],
)
def test_refused(few: Comparison, options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        few.to_latex(**options)  # type: ignore[arg-type]


def test_more_systems_than_letters_have_numbers() -> None:
    values = np.clip(
        np.linspace(0.9, 0.1, 60)[:, None, None] + np.random.default_rng(5).normal(0, 0.08, (60, 50, 1)), 0, 1
    )
    text = compare(Scores.read(values, "AP", runs=[f"s{k}" for k in range(60)])).to_latex()
    assert [row[0] for row in rows(text)] == [str(k) for k in range(1, 61)]
    assert re.search(r"textsuperscript\{\d+--60\}", text)


def test_command_line() -> None:
    words = [*FILES, "-m", "AP", "-m", "nDCG@10", "--format", "latex", "--decimals", "3"]
    given = (sample.qrels, sample.runs, ["AP", "nDCG@10"])
    assert printed("evaluate", *words) == evaluate(*given).to_latex(3)
    assert printed("compare", *words) == compare(*given).to_latex(3)
