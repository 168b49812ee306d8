"""Tables for a paper: marks, order, names, and that LaTeX sets them without an overfull box."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.cli.in_process import printed
from unjudged import Scores, compare, evaluate, sample
from unjudged.base.errors import UsageError
from unjudged.results.comparison import Comparison

MEASURES = ["AP", "nDCG@10", "RBP(p=0.8)", "P@10"]
FILES = [str(sample.qrels), *map(str, sample.runs.values())]


def systems(count: int, measures: list[str] = MEASURES, queries: int = 50) -> Scores:
    """Systems a tenth of a standard deviation apart, with long and awkward names."""
    rng = np.random.default_rng(5)
    base = rng.uniform(0.2, 0.7, (1, queries, len(measures)))
    better = np.linspace(0.2, 0, count)[:, None, None]
    values = np.clip(base + better + rng.normal(0, 0.08, (count, queries, len(measures))), 0, 1)
    names = [f"system_{k:02}-{'WMW' * (k % 3)}" for k in range(count)]
    return Scores.of(values, measures, runs=names, queries=[f"q{j}" for j in range(queries)])


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
            said = re.sub(r"\\smash\{\\textsuperscript\{(.*)\}\}", r"\1", cells[3 + 2 * k])
            begin, _, last = said.partition("--")
            shown = set(map(chr, range(ord(begin[-1]), ord(last[0]) + 1))) if last else set()
            assert shown | set(begin) | set(last) == {letters[name] for name in row["better_than"]}
            assert f"{row['mean']:.4f}" in cells[2 + 2 * k]


def test_daggers_mark_better_and_worse(against: Comparison) -> None:
    for cells in rows(against.to_latex()):
        for k, measure in enumerate(against.measures):
            better = None if cells[0] == "fused" else against.pair(cells[0], "fused", measure)["better"]
            marks = cells[2 + 2 * k]
            assert ("\\textdagger{}" in marks) == (better is not None and better == cells[0])
            assert ("\\textdaggerdbl{}" in marks) == (better == "fused")
    assert "‡ worse" in against.to_markdown()


def test_notes_stand_below_and_not_in_the_caption(few: Comparison) -> None:
    text = few.to_latex(caption="Ours", label="tab:ours")
    caption, below = text.split(r"\begin{tabular}")
    assert r"\caption{Ours}" in caption
    assert r"\label{tab:ours}" in caption
    assert "alpha = 0.05" in below
    assert "q17" in below
    loose = sum(row["headline"] == "needs judging" for row in few.pairs)
    assert loose > 1
    assert f"{loose} more differences hold for other queries, but unjudged documents could" in below


def test_order_and_names(few: Comparison) -> None:
    shown = rows(few.to_latex(names={"dense": "50 % & more"}))
    order = list(systems_of(few, "AP"))
    assert [row[1] for row in shown] == [r"50 \% \& more" if run == "dense" else run for run in order]
    assert [row[0] for row in shown] == list("abcdef")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"names": {"nobody": "x"}}, "no run is called 'nobody'"),
        ({"label": "a{b"}, "label is"),
        ({"decimals": -1}, "decimals is -1"),
    ],
)
def test_refused(few: Comparison, options: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        few.to_latex(**options)  # type: ignore[arg-type]


def test_scores() -> None:
    scores = evaluate(sample.qrels, sample.runs, ["AP", "num_rel_ret"])
    text = scores.to_latex(2, caption="Ours", label="tab:ours", names={"reranked": "R_1"})
    assert [row[0] for row in rows(text)] == [
        "R\\_1" if scores.runs[i] == "reranked" else scores.runs[i]
        for i in scores.measures[0].best_first(scores.means[:, 0])
    ]
    for row in rows(scores.to_latex()):
        i = list(scores.runs).index(row[0])
        for cell, mean, best, decimals in zip(
            row[1::2], scores.means[i], scores.means.max(0), (4, 0), strict=True
        ):
            assert cell == (rf"\textbf{{{mean:.{decimals}f}}}" if mean == best else f"{mean:.{decimals}f}")
    assert r"\caption{Ours}" in text
    assert r"\label{tab:ours}" in text
    assert "| reranked | **0.4374** |" in scores.to_markdown()
    assert "q17" in scores.to_markdown()


def test_more_systems_than_letters_have_numbers() -> None:
    text = compare(systems(60, ["AP"])).to_latex()
    assert [row[0] for row in rows(text)] == [str(k) for k in range(1, 61)]
    assert re.search(r"textsuperscript\{\d+--60\}", text)


@pytest.mark.parametrize("format", ["latex", "markdown"])
def test_command_line(format: str) -> None:
    words = [*FILES, "-m", "AP", "-m", "nDCG@10", "--format", format, "--decimals", "3"]
    given = (sample.qrels, sample.runs, ["AP", "nDCG@10"])
    for command, found in (("evaluate", evaluate(*given)), ("compare", compare(*given))):
        written = found.to_latex(3) if format == "latex" else found.to_markdown(3)
        assert printed(command, *words) == written
    assert "dense" not in printed("compare", *words, "--pairs").split("fused")[0]


def test_a_table_that_no_page_holds_says_so() -> None:
    assert compare(systems(90, ["AP"])).to_latex().startswith("% This table may be higher than a page")


COMPILER = shutil.which("pdflatex") or shutil.which("tectonic") or ""
WITH_PDFLATEX = COMPILER.endswith("pdflatex")
PLAIN = r"\documentclass[10pt,twocolumn]{article}\textwidth=506pt\columnsep=24pt\textheight=680pt"


def style() -> str:
    """ACM's style where it and its fonts are installed, as Tectonic has them, else one of the same width."""
    needed = ("acmart.cls", "libertine.sty", "zi4.sty", "newtxmath.sty", "binhex.tex")
    found = [
        subprocess.run(["kpsewhich", f], capture_output=True, check=False).stdout
        for f in needed
        if WITH_PDFLATEX
    ]
    return r"\documentclass[sigconf,nonacm]{acmart}" if all(found) else PLAIN


def compiled(tables: str, folder: Path) -> str:
    """Log of a document in two columns with these tables: in ACM's style where it is installed."""
    head = rf"{style()}\usepackage{{booktabs}}\begin{{document}}\title{{T}}\maketitle"
    text = rf"{head} {tables} {'Text. ' * 1000}\end{{document}}"
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    quiet = ["-interaction=nonstopmode", "-halt-on-error"] if WITH_PDFLATEX else ["--keep-logs"]
    done = subprocess.run([COMPILER, *quiet, "paper.tex"], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    return (folder / "paper.log").read_text("utf-8", "replace")


@pytest.mark.thorough
@pytest.mark.skipif(not COMPILER, reason="neither pdflatex nor tectonic is installed")
def test_no_box_is_overfull(tmp_path: Path) -> None:
    """Twenty and fifty systems, with letters, with daggers and without marks."""
    tables = []
    for count, measures in (
        (20, MEASURES),
        (20, [*MEASURES, "RR", "R@1000", "ERR@20", "nDCG@1000"]),
        (50, ["AP", "P@10"]),
    ):
        scores = systems(count, measures)
        everyone, base = compare(scores), compare(scores, baseline=scores.runs[3])
        tables += [everyone.to_latex(), base.to_latex(), scores.to_latex()]
    tables.append(evaluate(sample.qrels, sample.runs, ["AP", "P@10"]).to_latex())
    tables.append(compare(sample.qrels, sample.runs).to_latex())
    tall = [table for table in tables if "higher than a page" in table]
    tables = [table for table in tables if table not in tall]
    log = compiled("\\clearpage\n".join(tables), tmp_path)
    assert "Overfull" not in log, [line for line in log.splitlines() if "Overfull" in line]
    assert "Missing character" not in log
