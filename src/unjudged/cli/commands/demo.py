"""`unjudged demo` and `unjudged simulate`: collections to try commands on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

from unjudged import sample
from unjudged.base.errors import UsageError
from unjudged.cli.commands import LOOK_UP, STUDY, command
from unjudged.cli.options.arguments import Output, OutputFormat
from unjudged.cli.options.option import Option
from unjudged.cli.shell.given_arguments import made_by, reads
from unjudged.cli.shell.output import check_output, make_folder, on_terminal, show, show_grids, terminal_width
from unjudged.cli.shell.standard_streams import already_said, progress
from unjudged.comparison.systems import compare
from unjudged.evaluation.evaluation import evaluate
from unjudged.formats.writing import judgments_text, run_text
from unjudged.grids.terminal import table

_BEFORE = """\
Six systems, thirty queries. The first five systems were pooled and partly
judged. `dense` came later: what only it retrieves was never judged.

"""
_AFTER = """
`dense` looks poor, but only {judged:.0%} of its top ten was judged. Unjudged
documents count as nonrelevant here: its RBP could be {low:.2f} to {high:.2f}.

Is `{ahead}` better than `dense`? `unjudged compare` says:

  RBP(p=0.8): reranked {a:.4f}, dense {b:.4f}, difference {difference:+.4f}
  with all documents judged: between {least:+.4f} and {most:+.4f}

Unjudged documents can reverse the order: `dense` would need {reversal:.0%} of its
unjudged documents to be relevant, `{ahead}` none. Of the judged ones at the
same ranks {seen:.0%} are. Judge some of them to find out.

Score your own files:     unjudged evaluate QRELS RUN...
Compare two systems:      unjudged compare QRELS RUN RUN
Choose what to judge:     unjudged next QRELS RUN RUN
List the measures:        unjudged measures
"""


@command("demo", LOOK_UP, 1, "", "Try the package on a small collection.")
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
    """
    if files is not None:
        _check_empty(files)
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
    runs = {name: sample.runs[name] for name in ("reranked", "dense")}
    pair = compare(sample.qrels, runs).pair("reranked", "dense")
    after = _AFTER.format(
        judged=scores.value("Judged@10", run="dense"),
        low=rbp,
        high=rbp + scores.value("RBPResidual(p=0.8)", run="dense"),
        a=pair.mean_a,
        b=pair.mean_b,
        difference=pair.difference.value,
        least=pair.difference.low,
        most=pair.difference.high,
        ahead=pair.ahead,
        reversal=pair.reversal,
        seen=pair.judged_share,
    )
    shown = table(replace(scores.grid(), title=""), width=terminal_width(), bold=on_terminal(output))
    show(_BEFORE + shown + after, output)


@command("simulate", STUDY, 2, "FOLDER", "Make simulated runs and judgments.")
def simulate(
    folder: Annotated[Path, Option(writes=True, made=True)],
    /,
    *,
    systems: Annotated[int, Option("-s", "--systems")] = 10,
    queries: int = 50,
    documents: Annotated[int, Option("-n", "--documents")] = 1000,
    prevalence: float = 0.05,
    best: float = 0.02,
    worst: float = 1.0,
    depth: Annotated[int | None, Option("-k", "--depth")] = None,
    seed: int = 0,
    format: OutputFormat = None,
    output: Output = None,
) -> None:
    """Make runs of simulated systems, and complete judgments, to try designs and measures on.

    Each system draws its rankings from an urn in which a nonrelevant document is w times as likely to be
    drawn as a relevant one: w = 1 ranks at random, a small w ranks well (Park, 2016).

    Parameters
    ----------
    folder
        A new or empty folder for qrels.txt and one file per run.
    systems
        The number of systems; their w run from best to worst by equal factors.
    queries
        The number of queries.
    documents
        The number of documents in the collection; all are judged for every query.
    prevalence
        The probability that a document is relevant.
    best
        The w of the best system.
    worst
        The w of the worst system.
    depth
        The number of documents to keep per ranking. Default: all.
    seed
        Another number gives other systems.
    format
        The format of the list of systems. By default the suffix of the output file decides; without either
        there is no list.
    output
        Write the list of systems, each with its w, to this file.
    """
    from unjudged.experiments.simulation import simulate as simulated

    check_output(format, output)
    _check_empty(folder)
    made = simulated(
        systems, queries, documents, prevalence=prevalence, best=best, worst=worst, depth=depth, seed=seed
    )
    make_folder(folder)
    show(judgments_text(made.judgments, "qrels", [made_by()]), folder / "qrels.txt")
    with progress("writing runs", systems) as on_step:
        for done, (name, run) in enumerate(made.runs.items(), 1):
            show(run_text(run, name), folder / f"{name}.run")
            on_step(done)
    if format is not None or output is not None:
        show_grids(made.grid(), format, output)


def _check_empty(folder: Path) -> None:
    """Refuse a folder that has files."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists: give a new or an empty folder")
