"""`unjudged experiment`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from unjudged.cli.arguments import File, Judged, check_files, read_judgments, share_of
from unjudged.cli.output import make_folder, show
from unjudged.cli.progress import progress, reading
from unjudged.errors import InputError, UsageError
from unjudged.evaluation import judged_rankings, name_runs
from unjudged.formats.trec import cores

if TYPE_CHECKING:
    from unjudged.experiments.robustness import Robustness

SUFFIXES = {".csv": "csv", ".json": "json", ".jsonl": "json", ".parquet": "parquet", ".md": "markdown"}


def experiment(
    qrels: File,
    /,
    *runs: File,
    design: Annotated[
        Literal["random", "depth", "mixed", "stratified"], Parameter(("-d", "--design"))
    ] = "random",
    levels: str | None = None,
    repeats: int = 10,
    measures: Annotated[list[str] | None, Parameter(("-m", "--measure", "--measures"), negative="")] = None,
    against: str = "AP",
    top: int = 10,
    seed: int = 0,
    workers: int | None = None,
    judged: Judged = None,
    format: Literal["table", "csv", "json", "markdown", "latex", "parquet"] | None = None,
    output: Annotated[Path | None, Parameter(("-o", "--output"))] = None,
    means: Path | None = None,
    figures: Path | None = None,
    figure_format: Literal["svg", "png", "pdf", "html"] = "svg",
) -> None:
    """How few judgments would have been enough? Judge less, by a design, and see what measures still say.

    For each level and repeat every run's mean by each measure is compared with its actual value: Kendall's
    tau, tau_AP, linear correlation, root mean squared error and bias, their means and standard deviations
    over the repeats. With -o an interrupted experiment goes on where it stopped when it is given again.

    Parameters
    ----------
    qrels
        Judgments as complete as there are.
    runs
        The runs, two or more.
    design
        What is judged: a random share; a pool of some depth; mixed, the pool and as many documents drawn
        from the rest; stratified, the depth-10 pool and a share of the rest.
    levels
        As 5%,10%,30% (random, stratified) or 4,8,30 (depth, mixed); those of Yilmaz and Aslam (2008)
        if not given.
    repeats
        Samples a level; their seeds are seed, seed + 1, ...
    measures
        A measure, as infAP; may be repeated. AP, infAP, indAP, subAP, Bpref and Bpref10 if not given.
    against
        The measure whose actual values are what is to be estimated.
    top
        The depth of the pool that a stratified design judges whole.
    seed
        Another number, other samples.
    workers
        How many processes; one for each core if not given. The result does not depend on it.
    judged
        Judgments made since, in a file of their own; may be repeated.
    format
        How to print; by the name of the output file if not given. csv, json and parquet have every digit,
        and each measure against its own actual values too.
    output
        Write to this file.
    means
        Write every run's mean at every level and repeat to this csv, json or parquet file.
    figures
        Write the figures to this folder: the statistics over the levels, and estimated against actual values.
    figure_format
        The kind of the figures.
    """
    from unjudged.designs.pool import Pool
    from unjudged.experiments import robustness
    from unjudged.report.experiments import DATA, PAGES, run_means

    check_files([qrels, *runs])
    if len(runs) < 2:
        raise UsageError("an experiment compares runs: unjudged experiment QRELS RUN RUN...")
    form = format or SUFFIXES.get(output.suffix if output else "", "table")
    if form == "parquet" and output is None:
        raise UsageError("--format parquet goes with --output FILE")
    if means is not None and SUFFIXES.get(means.suffix) not in DATA:
        raise UsageError(f"--means is {means}, expected a name that ends in .csv, .json or .parquet")
    for file in (output, means):
        if file is not None and not file.parent.is_dir():
            raise InputError(f"{file}: cannot be written: there is no folder {file.parent}")
    if figures is not None:
        from unjudged.report.plots import altair_module

        altair_module()
        make_folder(figures)
    steps = None if levels is None else _levels(levels, design)
    named = name_runs(list(runs))
    judgments = read_judgments(qrels, judged)
    with reading(len(named)) as on_read:
        pool = Pool(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))
    samples = len(steps or robustness.LEVELS[design]) * (1 if design == "depth" else repeats)
    with progress("judging less", samples) as told:
        found = robustness.experiment(
            pool,
            design=design,
            levels=steps,
            measures=measures or robustness.DEFAULT_MEASURES,
            against=against,
            repeats=repeats,
            seed=seed,
            top=top,
            workers=workers or cores(),
            checkpoint=None if output is None else output.with_name(output.name + ".partial"),
            on_step=told,
        )
    if means is not None:
        show(DATA[SUFFIXES[means.suffix]](list(run_means(found))), means)
    show(DATA[form](found.agreement) if form in DATA else PAGES[form](found), output)
    if figures is not None:
        _draw(found, figures, figure_format)


def _levels(text: str, design: str) -> list[float]:
    parts = [part.strip() for part in text.split(",")]
    if design in ("random", "stratified"):
        return [share_of(part) for part in parts]
    for part in parts:
        if not part.isdecimal():
            raise UsageError(f"a depth is {part!r}, expected whole numbers as 1,5,10")
    return [float(part) for part in parts]


def _draw(found: Robustness, folder: Path, kind: str) -> None:
    from unjudged.report.plots import picture
    from unjudged.report.robustness_plots import curves, scatter

    show(picture(curves(found), kind), folder / f"curves.{kind}")
    show(picture(scatter(found), kind), folder / f"scatter.{kind}")
