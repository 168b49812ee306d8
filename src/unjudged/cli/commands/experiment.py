"""`unjudged experiment`."""

from __future__ import annotations

from typing import Annotated

from unjudged.base.threads import cores
from unjudged.cli.arguments import File, Load, Measures, Output, OutputFormat, Plot
from unjudged.cli.input_options import JudgmentOptions
from unjudged.cli.option import Option
from unjudged.cli.output import check_figure, check_output, show_figure, show_result
from unjudged.cli.standard_streams import progress, reading
from unjudged.judging.pooling import Pool
from unjudged.studies.experimenting import experiment as experiment_with


def experiment(
    qrels: File,
    /,
    *runs: File,
    design: Annotated[str, Option("-d", "--design")] = "random",
    measures: Measures = None,
    _load: Load = None,
    against: str | None = None,
    seed: int = 0,
    inputs: JudgmentOptions = JudgmentOptions(),
    format: OutputFormat = None,
    output: Output = None,
    plot: Plot = None,
) -> None:
    """How few judgments would have been enough? Judge less, and compare with the actual values.

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
        What is judged: "random(5%, 30%)" of the judged documents, the pool of "depth(5, 10)",
        "mixed(5)": that pool and as many documents drawn from the rest, "stratified(10%, top=10)": the pool
        to depth 10 and a share of the rest. Also repeats=10 and redraw=False.
    measures
        A measure, such as infAP; may be repeated. Default: AP, infAP, indAP, subAP, Bpref and Bpref10.
    against
        The measure whose actual values are to be estimated. Default: of each measure its own target.
    seed
        Another number gives other samples.
    format
        The output format. By default the suffix of the output file decides, or else a table is printed.
        csv, tsv, json, jsonl and parquet have full precision, and also compare each measure with its own
        actual values.
    plot
        Draw the statistics over the levels, or with one level estimated against actual values, to this file
        (.svg, .png, .pdf or .html).

    Examples
    --------
    unjudged experiment qrels.txt *.run -d "random(10%, 30%)"
    unjudged experiment qrels.txt *.run -d "depth(5, 10)" -m AP infAP
    unjudged experiment qrels.txt *.run -d "random(30%)" --plot a.svg
    """
    named = inputs.runs(runs, least=2)
    check_output(format, output)
    check_figure(plot)
    judgments = inputs.read_judged(qrels)
    with reading(len(named)) as on_read:
        pool = Pool.of(judgments, named, on_read=on_read)
    with progress("judging less", 0) as on_step:
        found = experiment_with(
            pool, None, design, measures, against=against, seed=seed, workers=cores(), on_step=on_step
        )
    show_result(found, format, output)
    if plot is not None:
        from unjudged.report.experiment_figures import curves, scatter

        show_figure(curves(found) if len(found.source.levels) > 1 else scatter(found), plot)
