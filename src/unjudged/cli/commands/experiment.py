"""`unjudged experiment` and `unjudged simulate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from unjudged.base.choices import DesignName
from unjudged.base.errors import UsageError
from unjudged.base.threads import cores
from unjudged.cli.commands import STUDY, command
from unjudged.cli.options.arguments import File, Load, Output, OutputFormat, Plot
from unjudged.cli.options.figure_options import AS_DRAWN, FigureOptions
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentOptions
from unjudged.cli.options.option import Option
from unjudged.cli.shell.command_given import made_by
from unjudged.cli.shell.output import check_output, make_folder, show, show_grids
from unjudged.cli.shell.progress import progress, reading
from unjudged.formats.writing import judgments_text, run_text
from unjudged.judging.pooling.designs import DESIGNS
from unjudged.measures.kernel.loading import load_measures


@command("experiment", STUDY, 1, "QRELS RUN RUN...", "Find out how few judgments would have been enough.")
def experiment(
    qrels: File,
    /,
    *runs: File,
    design: Annotated[DesignName, Option("-d", "--design", choices=DESIGNS)] = "random",
    levels: str | None = None,
    repeats: int = 10,
    measures: Annotated[list[str] | None, Option("-m", "--measure", "--measures", measures=True)] = None,
    load: Load = None,
    against: str = "AP",
    statistics: Annotated[list[str] | None, Option("--statistic")] = None,
    top: int | None = None,
    redraw: Annotated[bool | None, Option(negative_bool="no-")] = None,
    seed: int = 0,
    workers: int | None = None,
    inputs: JudgmentOptions = NONE_FURTHER,
    format: OutputFormat = None,
    output: Output = None,
    plot: Plot = None,
    figure: FigureOptions = AS_DRAWN,
    means: Annotated[Path | None, Option(writes=True)] = None,
    figures: Annotated[Path | None, Option(writes=True, made=True)] = None,
    figure_format: Literal["svg", "png", "pdf", "html"] = "svg",
) -> None:
    """How few judgments would have been enough? Judge less, by a design, and compare with the actual values.

    For each level and repeat, every run's mean by each measure is compared with its actual value: Kendall's
    tau, tau_AP, linear correlation, root mean squared error and bias, with their means and standard
    deviations over the repeats. With -o, the same command continues an interrupted experiment.

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
        tau, tau_ap, rho, rms, bias, tau_ap_a or tau_ap_b; may be repeated. Default: the first five.
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
        Draw the statistics over the levels to this file (.svg, .png, .pdf or .html).
    means
        Write every run's mean at every level and repeat to this csv, tsv, json, jsonl or parquet file.
    figures
        Write figures to this folder: the statistics over the levels, and estimated against actual values.
    figure_format
        The format of the figures.
    """
    load_measures(load)
    from unjudged.cli.options.experiment_output import Results
    from unjudged.experiments import robustness
    from unjudged.experiments.summary import DEFAULT_STATISTICS, known_statistics
    from unjudged.judging.pooling.designs import DESIGNS
    from unjudged.judging.pooling.pool import Pool

    named = inputs.runs(runs, "experiment QRELS RUN RUN...", least=2)
    chosen = DESIGNS.find(design)
    options: dict[str, Any] = {
        name: value for name, value in (("top", top), ("redraw", redraw)) if value is not None
    }
    chosen.check_options(options)
    steps = None if levels is None else [chosen.level.read(part.strip()) for part in levels.split(",")]
    names = known_statistics(statistics or DEFAULT_STATISTICS)
    results = Results.of(output, format, means, figures, figure_format, plot=plot, size=figure)
    judgments = inputs.read_judged(qrels)
    with reading(len(named)) as on_read:
        pool = Pool.of(judgments, named, on_read=on_read)
    samples = len(steps or chosen.levels) * (repeats if chosen.random else 1)
    with results.kept_if_interrupted(), progress("judging less", samples) as on_step:
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
            checkpoint=results.checkpoint,
            on_step=on_step,
            **options,
        )
    results.write(results_by_level)


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
    options: dict[str, Any] = {"systems": systems, "queries": queries, "documents": documents}
    options |= {"prevalence": prevalence, "best": best, "worst": worst, "depth": depth, "seed": seed}
    made = simulated(**options)
    make_folder(folder)
    show(judgments_text(made.judgments, "qrels", [made_by()]), folder / "qrels.txt")
    with progress("writing runs", systems) as on_step:
        for done, (name, run) in enumerate(made.runs.items(), 1):
            show(run_text(run, name), folder / f"{name}.run")
            on_step(done)
    if format is not None or output is not None:
        show_grids(made.grid(), format, output)
