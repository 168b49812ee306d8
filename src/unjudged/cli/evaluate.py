"""`unjudged evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

import unjudged
from unjudged.cli.output import is_terminal, show
from unjudged.errors import UsageError
from unjudged.evaluation import DEFAULT_MEASURES
from unjudged.measures.names import parse_measures
from unjudged.report.tables import FORMATS, as_table

File = Annotated[str, Parameter(allow_leading_hyphen=True)]
PROGRESS_FROM = 10


def evaluate(
    qrels: File,
    /,
    *runs: File,
    measures: Annotated[list[str] | None, Parameter(("-m", "--measure"), negative="")] = None,
    per_query: Annotated[bool, Parameter(("-q", "--per-query"), negative="")] = False,
    format: Literal["table", "csv", "json", "markdown", "latex"] = "table",
    output: Annotated[Path | None, Parameter(("-o", "--output"))] = None,
    level: Annotated[int | None, Parameter(("-l", "--level"))] = None,
    depth: Annotated[int | None, Parameter(("-k", "--depth"))] = None,
) -> None:
    """Score runs against relevance judgments.

    Without -m it prints what a first look needs: AP, its estimate infAP that respects the judgments
    that are missing, nDCG@10, RBP with the residual the unjudged documents leave open, and how much of
    the top ten is judged at all.

    Parameters
    ----------
    qrels
        The judgments: query iteration document grade, where -1 is pooled and not judged.
    runs
        The runs: query iteration document rank score tag. Plain, gz, xz or zst; - is standard input.
    measures
        A measure, as AP(rel=2)@10 or as trec_eval's map_cut_10; may be repeated.
    per_query
        Every query's values too, not only the means.
    format
        How to print; csv and json have full precision.
    output
        Write to this file.
    level
        The lowest grade that counts as relevant, for every measure that does not say its own.
    depth
        Look only at the first documents of each ranking.
    """
    for file in (qrels, *runs):
        if file.startswith("--"):
            raise UsageError(f"no option is called {file}; `unjudged evaluate --help` lists them")
    if not runs:
        raise UsageError("no run given: unjudged evaluate QRELS RUN...")
    if [qrels, *runs].count("-") > 1:
        raise UsageError("standard input (-) can be read only once")
    chosen = parse_measures(measures or DEFAULT_MEASURES)
    if level is not None:
        chosen = [m(rel=level) if "rel" in m.parameters and "rel" not in m.given else m for m in chosen]
    with progress(len(runs)) as on_read:
        scores = unjudged.evaluate(qrels, list(runs), chosen, depth=depth, on_read=on_read)
    if format == "table":
        text = as_table(scores, per_query, width=None if output else is_terminal())
    else:
        text = FORMATS[format](scores, per_query)
    show(text, output)


@contextmanager
def progress(runs: int) -> Iterator[Callable[[str], None] | None]:
    """A bar on a terminal where there are many runs, silence elsewhere."""
    import sys

    if runs < PROGRESS_FROM or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading runs", total=runs)
        yield lambda _: bar.advance(task)
