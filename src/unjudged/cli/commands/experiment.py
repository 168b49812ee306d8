"""`unjudged experiment`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from unjudged.base.choices import DesignName
from unjudged.base.errors import UsageError
from unjudged.base.threads import cores
from unjudged.cli.arguments import File, Load, Measures, Output, OutputFormat, Plot
from unjudged.cli.input_options import JudgmentOptions
from unjudged.cli.option import Option
from unjudged.cli.output import (
    FULL_PRECISION,
    check_figure,
    check_output,
    show_figure,
    show_grids,
)
from unjudged.cli.standard_streams import progress, reading
from unjudged.experiments import robustness
from unjudged.experiments.summary import DEFAULT_STATISTICS, Robustness, known_statistics, run_means_grid
from unjudged.grids.rendering import WITHOUT_NOTES, arrow_modules, format_of
from unjudged.judging.designs import DESIGNS
from unjudged.judging.pooling import Pool


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
    statistics: Annotated[list[str] | None, Option("--statistic")] = None,
    top: int | None = None,
    redraw: Annotated[bool | None, Option("--redraw", "--no-redraw")] = None,
    seed: int = 0,
    workers: int | None = None,
    inputs: JudgmentOptions = JudgmentOptions(),
    format: OutputFormat = None,
    output: Output = None,
    plot: Plot = None,
    means: Annotated[Path | None, Option(writes=True)] = None,
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
    statistics
        tau, tau_ap, rho, rms or bias; may be repeated. Default: all.
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
    means
        Write every run's mean at every level and repeat to this csv, tsv, json, jsonl or parquet file.

    Examples
    --------
    unjudged experiment qrels.txt *.run --levels 10%,30%
    unjudged experiment qrels.txt *.run -d depth --levels 5,10 -m AP infAP
    unjudged experiment qrels.txt *.run --levels 30% --repeats 3 --means means.csv
    """
    named = inputs.runs(runs, least=2)
    chosen = DESIGNS.find(design)
    options: dict[str, Any] = {
        name: value for name, value in (("top", top), ("redraw", redraw)) if value is not None
    }
    chosen.check_options(options)
    steps = None if levels is None else [chosen.level.read(part.strip()) for part in levels.split(",")]
    names = known_statistics(statistics or DEFAULT_STATISTICS)
    results = Results(output, format, means, plot)
    judgments = inputs.read_judged(qrels)
    with reading(len(named)) as on_read:
        pool = Pool.of(judgments, named, on_read=on_read)
    samples = len(steps or chosen.levels) * (repeats if chosen.random else 1)
    with progress("judging less", samples) as on_step:
        results_by_level = robustness.experiment(
            pool,
            design=design,
            levels=steps,
            measures=measures or robustness.DEFAULT_MEASURES,
            against=against,
            statistics=names,
            repeats=repeats,
            seed=seed,
            workers=cores() if workers is None else workers,
            on_step=on_step,
            **options,
        )
    results.write(results_by_level)


@dataclass(frozen=True)
class Results:
    """Files that an experiment writes; one that cannot be written is refused before the work starts."""

    output: Path | None
    format: str | None
    means: Path | None
    plot: Path | None

    def __post_init__(self) -> None:
        """Check that everything can be written."""
        check_output(self.format, self.output)
        check_figure(self.plot)
        if self.means is not None and format_of(self.means) not in FULL_PRECISION:
            suffixes = ".csv, .tsv, .json, .jsonl or .parquet"
            raise UsageError(f"--means {self.means}: use a name that ends in {suffixes}")
        if format_of(self.means) == "parquet":
            arrow_modules()

    def write(self, experiment: Robustness) -> None:
        """Write everything."""
        from unjudged.report.experiment_figures import curves, scatter

        if self.means is not None:
            show_grids(run_means_grid(experiment), None, self.means)
        grid = replace(experiment.grid(), title="")
        if check_output(self.format, self.output) in WITHOUT_NOTES:
            grid = replace(grid, notes=())
        show_grids(grid, self.format, self.output)
        if self.plot is not None:
            drawn = curves(experiment) if len(experiment.levels) > 1 else scatter(experiment)
            show_figure(drawn, self.plot)
