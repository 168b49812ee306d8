"""`unjudged experiment`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from unjudged.base.choices import DesignName
from unjudged.base.threads import cores
from unjudged.cli.arguments import File, Load, Measures, Output, OutputFormat, Plot
from unjudged.cli.input_options import JudgmentOptions
from unjudged.cli.option import Option
from unjudged.cli.output import (
    check_figure,
    check_output,
    show_figure,
    show_grids,
)
from unjudged.cli.standard_streams import progress, reading
from unjudged.experiments import robustness
from unjudged.judging.designs import DESIGNS
from unjudged.judging.pooling import Pool
from unjudged.results.rendering import WITHOUT_NOTES


def experiment(
    qrels: File,
    /,
    *runs: File,
    design: Annotated[DesignName, Option("-d", "--design", choices=DESIGNS)] = "random",
    levels: str | None = None,
    repeats: int = 10,
    measures: Measures = None,
    _load: Load = None,
    against: str = "AP",
    top: int | None = None,
    redraw: Annotated[bool | None, Option("--redraw", "--no-redraw")] = None,
    seed: int = 0,
    workers: int | None = None,
    inputs: JudgmentOptions = JudgmentOptions(),
    format: OutputFormat = None,
    output: Output = None,
    plot: Plot = None,
) -> None:
    """How few judgments would have been enough? Judge less, by a design, and compare with the actual values.

    For each level and repeat, every run's mean by each measure is compared with its actual value: Kendall's
    tau, tau_AP, linear correlation, root mean squared error and bias, with their means and standard
    deviations over the repeats.

    Parameters
    ----------
    qrels
        Judgments, as complete as possible.
    runs
        The runs, two or more.
    design
        What is judged. random: a share of the judged documents. depth: the pool of a smaller depth. mixed:
        that pool and as many documents drawn from the rest. stratified: the depth-10 pool and a share of the
        rest.
    levels
        Such as 5%,10%,30% (random, stratified) or 4,8,30 (depth, mixed). Default: the levels of Yilmaz and
        Aslam (2008).
    repeats
        Samples per level; their seeds are 1000 x seed, 1000 x seed + 1, ...
    measures
        A measure, such as infAP; may be repeated. Default: AP, infAP, indAP, subAP, Bpref and Bpref10.
    against
        The measure whose actual values are to be estimated.
    top
        The depth of the pool that the stratified design judges completely. Default: 10.
    redraw
        Draw a random sample again if it has no relevant document although the query has one. Real judging
        cannot: there such a query counts as 0. Default: yes, as Yilmaz and Aslam (2008) did.
    seed
        Another number gives other samples.
    workers
        The number of processes. Default: one per core. The result does not depend on it.
    format
        The output format. By default the suffix of the output file decides, or else a table is printed.
        csv, tsv, json, jsonl and parquet have full precision, and also compare each measure with its own
        actual values.
    plot
        Draw the statistics over the levels, or with one level estimated against actual values, to this file
        (.svg, .png, .pdf or .html).

    Examples
    --------
    unjudged experiment qrels.txt *.run --levels 10%,30%
    unjudged experiment qrels.txt *.run -d depth --levels 5,10 -m AP infAP
    unjudged experiment qrels.txt *.run --levels 30% --repeats 3 --plot figure.svg
    """
    named = inputs.runs(runs, least=2)
    chosen = DESIGNS.find(design)
    options: dict[str, Any] = {
        name: value for name, value in (("top", top), ("redraw", redraw)) if value is not None
    }
    chosen.check_options(options)
    steps = None if levels is None else [chosen.level.read(part.strip()) for part in levels.split(",")]
    form = check_output(format, output)
    check_figure(plot)
    judgments = inputs.read_judged(qrels)
    with reading(len(named)) as on_read:
        pool = Pool.of(judgments, named, on_read=on_read)
    samples = len(steps or chosen.levels) * (repeats if chosen.random else 1)
    with progress("judging less", samples) as on_step:
        found = robustness.experiment(
            pool,
            design=design,
            levels=steps,
            measures=measures or robustness.DEFAULT_MEASURES,
            against=against,
            repeats=repeats,
            seed=seed,
            workers=cores() if workers is None else workers,
            on_step=on_step,
            **options,
        )
    grid = replace(found.grid(), title="")
    show_grids(replace(grid, notes=()) if form in WITHOUT_NOTES else grid, format, output)
    if plot is not None:
        from unjudged.report.experiment_figures import curves, scatter

        show_figure(curves(found) if len(found.levels) > 1 else scatter(found), plot)
