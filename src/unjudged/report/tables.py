"""Scores as text: for a terminal, a paper, a spreadsheet, a program."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence

from unjudged.report.text import latex, markdown, plain
from unjudged.scores import Scores


def as_table(scores: Scores, per_query: bool = False, *, width: int | None = None) -> str:
    """Aligned columns; bold for the best run of each measure where `width` says it is a terminal."""
    head, rows = _cells(scores, per_query)
    best = frozenset() if per_query or width is None else _best(scores)
    below = [plain(note) for note in notes(scores)]
    return "\n".join([aligned(head, list(rows), best=best, width=width), *below, *[""] * bool(below)])


def aligned(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    labels: int = 0,
    best: frozenset[tuple[int, int]] = frozenset(),
    width: int | None = None,
) -> str:
    """A table of text; the columns of numbers to the right. `best` are cells among the numbers to stress."""
    from rich import box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table
    from rich.text import Text

    labels = labels or sum(name in ("run", "query") for name in head)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(head):
        table.add_column(Text(plain(name)), justify="left" if i < labels else "right", no_wrap=True)
    for i, row in enumerate(rows):
        styles = ["bold" if (i, k - labels) in best else "" for k in range(len(row))]
        table.add_row(*(Text(plain(c), style=s) for c, s in zip(row, styles, strict=True)))
    target = io.StringIO()
    console = Console(file=target, width=10**6)
    needed = Measurement.get(console, console.options, table).maximum
    console = Console(file=target, force_terminal=width is not None, width=max(needed, width or 0))
    console.print(table)
    lines = [line.rstrip() for line in target.getvalue().split("\n")]
    return "\n".join(lines).lstrip("\n")


def as_csv(scores: Scores, per_query: bool = False) -> str:
    """run, query, measure, value at full precision; query `all` is the mean."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(["run", "query", "measure", "value"])
    writer.writerows(scores.rows(per_query=per_query, mean=True))
    return target.getvalue()


def as_json(scores: Scores, per_query: bool = False) -> str:
    """One object a line, value at full precision; query `all` is the mean."""
    rows = scores.rows(per_query=per_query, mean=True)
    return "".join(json.dumps(row._asdict()) + "\n" for row in rows)


def as_markdown(scores: Scores, per_query: bool = False) -> str:
    head, rows = _cells(scores, per_query)
    return markdown_rows(head, list(rows), labels=len(head) - len(scores.measures))


def markdown_rows(head: Sequence[str], rows: Sequence[Sequence[str]], labels: int) -> str:
    rule = ["---"] * labels + ["---:"] * (len(head) - labels)
    lines = [[markdown(c) for c in head], rule, *([markdown(c) for c in row] for row in rows)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def as_latex(scores: Scores, per_query: bool = False) -> str:
    """A `tabular` for the booktabs package."""
    head, rows = _cells(scores, per_query)
    return latex_rows(head, list(rows), labels=len(head) - len(scores.measures))


def latex_rows(head: Sequence[str], rows: Sequence[Sequence[str]], labels: int) -> str:
    columns = "l" * labels + "r" * (len(head) - labels)
    body = [" & ".join(map(latex, line)) + r" \\" for line in rows]
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", " & ".join(map(latex, head)) + r" \\"]
    return "\n".join([*lines, r"\midrule", *body, r"\bottomrule", r"\end{tabular}", ""])


FORMATS: dict[str, Callable[[Scores, bool], str]] = {
    "table": as_table,
    "csv": as_csv,
    "json": as_json,
    "markdown": as_markdown,
    "latex": as_latex,
}


def notes(scores: Scores) -> Iterator[str]:
    """What a reader of the means must know: which queries a run has no ranking for."""
    for run, queries in scores.missing.items():
        some = ", ".join(queries[:5]) + (", ..." if len(queries) > 5 else "")
        many = "query" if len(queries) == 1 else "queries"
        lacks = f"{run} has no ranking for {len(queries)} {many} of {len(scores.queries)}"
        yield f"{lacks}: {some}. Each counts as empty."


def _cells(scores: Scores, per_query: bool) -> tuple[list[str], Iterator[list[str]]]:
    names = [str(measure) for measure in scores.measures]
    head = ["run", "query", *names] if per_query else ["run", *names]

    def number(value: float, k: int) -> str:
        return f"{value:.0f}" if scores.measures[k].traits.summary == "sum" else f"{value:.4f}"

    def rows() -> Iterator[list[str]]:
        for i, run in enumerate(scores.runs):
            for j, query in enumerate(scores.queries if per_query else []):
                yield [run, query, *(number(v, k) for k, v in enumerate(scores.values[i, j]))]
            label = [run, "all"] if per_query else [run]
            yield [*label, *(number(v, k) for k, v in enumerate(scores.means[i]))]

    return head, rows()


def _best(scores: Scores) -> frozenset[tuple[int, int]]:
    """The cells of the highest mean of each measure, where there is something to compare."""
    if len(scores.runs) < 2:
        return frozenset()
    means = scores.means
    highest = (means == means.max(axis=0)) & [measure.traits.quality for measure in scores.measures]
    return frozenset(zip(*highest.nonzero(), strict=True))
