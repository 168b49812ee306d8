"""`unjudged demo`: a small collection to try commands on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from unjudged import sample
from unjudged.base.errors import UsageError
from unjudged.cli.arguments import Output, OutputFormat
from unjudged.cli.files import reads
from unjudged.cli.option import Option
from unjudged.cli.output import (
    check_output,
    make_folder,
    on_terminal,
    show,
    show_grids,
    terminal_width,
    wrapped,
)
from unjudged.cli.standard_streams import already_said
from unjudged.evaluation.evaluation import evaluate
from unjudged.questions.compare import compare
from unjudged.results.rendering import table

_BEFORE = """\
Six systems, thirty queries. The first five systems were pooled and partly
judged. `dense` came later: what only it retrieves was never judged.

"""
_AFTER = """
`dense` looks poor, but only {judged:.0%} of its top ten was judged. Unjudged
documents count as nonrelevant here: its RBP could be {low:.2f} to {high:.2f}.

Is `{ahead}` better than `dense`? `unjudged compare` says:

{said}

Score your own files:     unjudged evaluate QRELS RUN...
Compare two systems:      unjudged compare QRELS RUN RUN
Choose what to judge:     unjudged next QRELS RUN RUN
List the measures:        unjudged measures
"""


def demo(
    *,
    files: Annotated[Path | None, Option(writes=True, made=True)] = None,
    format: OutputFormat = None,
    output: Output = None,
) -> None:
    """Score six systems of a small sample collection and compare two of them.

    Parameters
    ----------
    files
        Copy the judgments and runs of the sample collection to this new or empty folder instead, to try
        the other commands on.
    format
        Write only the scores, in this format. By default the suffix of the output file decides, or else the
        demonstration is printed as text.

    Examples
    --------
    unjudged demo
    unjudged demo --files practice
    unjudged demo -o scores.csv
    """
    if files is not None:
        if files.exists() and (not files.is_dir() or any(files.iterdir())):
            raise UsageError(f"{files} already exists: give a new or an empty folder")
        make_folder(files)
        for path in (sample.qrels, *sample.runs.values()):
            show(path.read_bytes(), files / path.name)
        return
    chosen = check_output(format, output)
    reads([sample.qrels, *sample.runs.values()])
    scores = evaluate(sample.qrels, sample.runs)
    if format is not None or chosen != "table":
        show_grids(replace(scores.grid(), title=""), format, output)
        return
    already_said(scores.grid().notes)
    rbp = scores.value("RBP(p=0.8)", run="dense")
    runs = {name: sample.runs[name] for name in ("dense", "reranked")}
    found = compare(sample.qrels, runs)
    after = _AFTER.format(
        judged=scores.value("Judged@10", run="dense"),
        low=rbp,
        high=rbp + scores.value("RBPResidual(p=0.8)", run="dense"),
        ahead=found.ahead,
        said=wrapped(found.sentences(), "  ").rstrip(),
    )
    shown = table(replace(scores.grid(), title=""), width=terminal_width(), bold=on_terminal(output))
    show(_BEFORE + shown + after, output)
