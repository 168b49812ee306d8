"""`unjudged plan judgments`: how many judgments each design needs."""

from __future__ import annotations

from typing import Annotated

from unjudged.base.choices import DesignName
from unjudged.base.errors import UsageError
from unjudged.cli.commands import COLLECT, command
from unjudged.cli.options.arguments import (
    File,
    Load,
    OneMeasure,
    Output,
    OutputFormat,
    Plot,
)
from unjudged.cli.options.figure_options import AS_DRAWN, FigureOptions
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentOptions
from unjudged.cli.options.option import Option
from unjudged.cli.shell.output import check_output, show_grids
from unjudged.cli.shell.progress import progress
from unjudged.judging.pooling.designs import DESIGNS
from unjudged.measures.kernel.loading import load_measures


@command(
    "plan judgments",
    COLLECT,
    1,
    "QRELS RUN RUN...",
    "Plan how many judgments each design needs, from a pilot or a similar collection.",
)
def judgments(
    qrels: File,
    /,
    *runs: File,
    tau: float | None = None,
    width: float | None = None,
    budget: float | None = None,
    measure: OneMeasure = "AP",
    load: Load = None,
    designs: Annotated[list[DesignName] | None, Option("-d", "--design", choices=DESIGNS)] = None,
    queries: int | None = None,
    cost: float | None = None,
    repeats: int = 10,
    seed: int = 0,
    inputs: JudgmentOptions = NONE_FURTHER,
    format: OutputFormat = None,
    output: Output = None,
    plot: Plot = None,
    figure: FigureOptions = AS_DRAWN,
) -> None:
    """Plan how many judgments each design needs, from a pilot or a similar collection.

    Samples of the collection show how well fewer judgments order the runs and estimate the measure. The table
    has the smallest tested level of each design that reaches the target, or with --budget the best trade of
    topics against depth. Topics are resampled, so that noise shrinks with more of them and bias stays.

    Parameters
    ----------
    qrels
        The judgments of a completely judged collection.
    runs
        Two or more of its runs.
    tau
        The target: Kendall's tau with the order by all judgments.
    width
        The target: the width of a 95 % interval of a run's mean.
    budget
        The number of judgments that can be made, instead of a target; `sample --budget` draws them. By
        default the number of topics is free, up to 4 times that of the pilot.
    measure
        The measure that will be reported. AP and nDCG are estimated by infAP, xinfAP and infNDCG where the
        design is random, all others are taken from the judged documents.
    designs
        A design to consider; may be repeated. Default: all.
    queries
        The number of topics to plan for, if not that of the pilot.
    cost
        The price of one judgment.
    repeats
        Samples per level.
    seed
        Another number gives other samples.
    plot
        Draw what each design reaches with how many judgments to this file (.svg, .png, .pdf or .html).
    """
    from unjudged.experiments.judgment_plan import plan_judgments

    load_measures(load)
    if [tau, width, budget].count(None) != 2:
        raise UsageError("give one target: --tau, --width or --budget")
    check_output(format, output)
    figure.check(plot)
    named = inputs.runs(runs, "plan judgments QRELS RUN RUN...", least=2)
    with progress("drawing samples"):
        planned = plan_judgments(
            inputs.read_judged(qrels),
            named,
            tau=tau,
            width=width,
            budget=budget,
            measure=measure,
            designs=designs,
            queries=queries,
            cost=cost,
            repeats=repeats,
            seed=seed,
        )
    show_grids(planned.grid(), format, output)
    if plot is not None:
        figure.show(planned.plot.designs(), plot)
