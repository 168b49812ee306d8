"""`unjudged simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from unjudged.base.errors import UsageError
from unjudged.cli.commands import STUDY, command
from unjudged.cli.options.arguments import Output, OutputFormat
from unjudged.cli.options.option import Option
from unjudged.cli.shell.output import check_output, command_line, make_folder, show, show_grids
from unjudged.cli.shell.progress import progress
from unjudged.formats.writing import judgments_text, run_text


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
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} already exists: give a new or an empty folder")
    made = simulated(
        systems,
        queries,
        documents,
        prevalence=prevalence,
        best=best,
        worst=worst,
        depth=depth,
        seed=seed,
    )
    make_folder(folder)
    options = {"systems": systems, "queries": queries, "documents": documents, "prevalence": prevalence}
    more = {"best": best, "worst": worst, "depth": depth, "seed": seed}
    made_by = command_line("simulate", [str(folder)], {**options, **more})
    show(judgments_text(made.judgments, "qrels", [made_by]), folder / "qrels.txt")
    with progress("writing runs", systems) as on_step:
        for done, (name, run) in enumerate(made.runs.items(), 1):
            show(run_text(run, name), folder / f"{name}.run")
            on_step(done)
    if format is not None or output is not None:
        show_grids(made.grid(), format, output)
