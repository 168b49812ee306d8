"""`unjudged experiment`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from unjudged.cli.arguments import Design, File, Format, Judged, Output, check_files, read_judgments, share_of
from unjudged.cli.progress import progress, reading
from unjudged.errors import UsageError
from unjudged.evaluation import judged_rankings, name_runs
from unjudged.formats.matching import cores


def experiment(
    qrels: File,
    /,
    *runs: File,
    design: Annotated[Design, Parameter(("-d", "--design"))] = "random",
    levels: str | None = None,
    repeats: int = 10,
    measures: Annotated[list[str] | None, Parameter(("-m", "--measure", "--measures"), negative="")] = None,
    against: str = "AP",
    top: int = 10,
    seed: int = 0,
    workers: int | None = None,
    judged: Judged = None,
    format: Format | None = None,
    output: Output = None,
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
        Samples a level; their seeds are 1000 x seed, 1000 x seed + 1, ...
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
        The output format. By default the suffix of the output file decides, or else a table is printed.
        csv, json, jsonl and parquet have full precision, and also compare each measure with its own actual
        values.
    output
        Write to this file.
    means
        Write every run's mean at every level and repeat to this csv, json, jsonl or parquet file.
    figures
        Write the figures to this folder: the statistics over the levels, and estimated against actual values.
    figure_format
        The kind of the figures.
    """
    from unjudged.cli.results import Results
    from unjudged.experiments import robustness
    from unjudged.judging.pool import Pool

    check_files([qrels, *runs])
    if len(runs) < 2:
        raise UsageError("an experiment compares runs: unjudged experiment QRELS RUN RUN...")
    results = Results.of(output, format, means, figures, figure_format)
    steps = None if levels is None else _levels(levels, design)
    named = name_runs(list(runs))
    judgments = read_judgments(qrels, judged)
    with reading(len(named)) as on_read:
        pool = Pool(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))
    samples = len(steps or robustness.LEVELS[design]) * (1 if design == "depth" else repeats)
    with progress("judging less", samples) as report:
        found = robustness.experiment(
            pool,
            design=design,
            levels=steps,
            measures=measures or robustness.DEFAULT_MEASURES,
            against=against,
            repeats=repeats,
            seed=seed,
            top=top,
            workers=cores() if workers is None else workers,
            checkpoint=results.checkpoint,
            on_step=report,
        )
    results.write(found)


def _levels(text: str, design: str) -> list[float]:
    parts = [part.strip() for part in text.split(",")]
    if design in ("random", "stratified"):
        return [share_of(part) for part in parts]
    for part in parts:
        if not part.isdecimal():
            raise UsageError(f"a depth is {part!r}, expected whole numbers as 1,5,10")
    return [float(part) for part in parts]
