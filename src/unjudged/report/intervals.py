"""Means with their intervals as text."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict

from unjudged.report.tables import aligned, latex_rows, markdown_rows, notes
from unjudged.report.text import plain
from unjudged.scores import Scores
from unjudged.uncertainty.estimate import Estimate

Estimates = Sequence[Sequence[Estimate]]


def as_table(scores: Scores, estimates: Estimates) -> str:
    """`0.2930 [0.2410, 0.4020]` for each run and measure, and below what was assumed."""
    methods = dict.fromkeys(f"{e.method} ({e.level:.0%})" for row in estimates for e in row)
    lines = [*notes(scores), *(f"Intervals: {method}." for method in methods)]
    return aligned(*_cells(scores, estimates)) + "".join(f"{plain(line)}\n" for line in ["", *lines])


def as_csv(scores: Scores, estimates: Estimates) -> str:
    target = io.StringIO()
    writer = csv.DictWriter(
        target, ["run", "measure", "value", "low", "high", "level", "method"], lineterminator="\n"
    )
    writer.writeheader()
    writer.writerows(_rows(scores, estimates))
    return target.getvalue()


def as_json(scores: Scores, estimates: Estimates) -> str:
    return "".join(json.dumps(row) + "\n" for row in _rows(scores, estimates))


def as_markdown(scores: Scores, estimates: Estimates) -> str:
    return markdown_rows(*_cells(scores, estimates), labels=1)


def as_latex(scores: Scores, estimates: Estimates) -> str:
    return latex_rows(*_cells(scores, estimates), labels=1)


INTERVAL_FORMATS: dict[str, Callable[[Scores, Estimates], str]] = {
    "table": as_table,
    "csv": as_csv,
    "json": as_json,
    "markdown": as_markdown,
    "latex": as_latex,
}


def _cells(scores: Scores, estimates: Estimates) -> tuple[list[str], list[list[str]]]:
    head = ["run", *map(str, scores.measures)]
    return head, [[run, *map(str, row)] for run, row in zip(scores.runs, estimates, strict=True)]


def _rows(scores: Scores, estimates: Estimates) -> Iterator[dict[str, object]]:
    for run, row in zip(scores.runs, estimates, strict=True):
        for measure, estimate in zip(scores.measures, row, strict=True):
            fields = asdict(estimate)
            del fields["of"]
            yield {"run": run, "measure": str(measure), **fields}
