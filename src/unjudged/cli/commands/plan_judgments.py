"""`unjudged plan judgments`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from unjudged.base.errors import UsageError
from unjudged.cli.options.arguments import File, Format, Output, Plot
from unjudged.cli.options.input_files import check_files
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentInputs
from unjudged.cli.shell.output import check_output, show_figure, show_grids
from unjudged.cli.shell.progress import progress
from unjudged.report.figures.charts import check_plot


def judgments(
    qrels: File,
    /,
    *runs: File,
    tau: float | None = None,
    width: float | None = None,
    designs: Annotated[list[str] | None, Parameter(("-d", "--design"), negative="")] = None,
    queries: int | None = None,
    cost: float | None = None,
    repeats: int = 10,
    seed: int = 0,
    inputs: JudgmentInputs = NONE_FURTHER,
    format: Format | None = None,
    output: Output = None,
    plot: Plot = None,
) -> None:
    """Plan how many judgments each design needs, from a pilot or a similar collection.

    Samples of the collection show how well fewer judgments order the runs and estimate AP. The table has the
    smallest tested level of each design that reaches the target.

    Parameters
    ----------
    qrels
        The judgments of a completely judged collection.
    runs
        Two or more of its runs.
    tau
        The target: Kendall's tau with the order by all judgments.
    width
        The target: the width of a 95 % interval of a run's mean AP.
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
    inputs
        Options for reading files.
    format
        The output format; by default the suffix of the output file decides.
    output
        Write to this file.
    plot
        Draw what each design reaches with how many judgments to this file (.svg, .png, .pdf or .html).
    """
    from unjudged.experiments.judgment_plan import plan_judgments

    check_files([qrels, *runs, *inputs.further])
    if (tau is None) == (width is None):
        raise UsageError("give one target: --tau or --width")
    check_output(format, output)
    check_plot(plot)
    named = inputs.runs(runs, "plan judgments QRELS RUN RUN...", least=2)
    with progress("drawing samples"):
        found = plan_judgments(
            inputs.read_judged(qrels),
            named,
            tau=tau,
            width=width,
            designs=designs,
            queries=queries,
            cost=cost,
            repeats=repeats,
            seed=seed,
        )
    show_grids(found.grid(), format, output)
    if plot is not None:
        show_figure(found.plot.designs(), plot)
