"""`unjudged plan`: how large an experiment has to be."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Literal

from cyclopts import App, Parameter

import unjudged
from unjudged.base.errors import UsageError
from unjudged.cli.options.arguments import File, Output
from unjudged.cli.options.input_files import check_files
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentInputs
from unjudged.cli.shell.output import check_output, show, show_grids
from unjudged.cli.shell.progress import reading
from unjudged.comparison.testing.power import plan_queries
from unjudged.grids.grid import grid_of
from unjudged.measures.kernel.names import parse_measures

plan = App(name="plan", help="How large does an experiment have to be?")
plan.command(
    "unjudged.cli.commands.plan_judgments:judgments",
    name="judgments",
    help="Plan how many judgments each design needs, from a pilot or a similar collection.",
    usage="Usage: unjudged plan judgments QRELS RUN RUN... [OPTIONS]",
)


@plan.command(usage="Usage: unjudged plan queries QRELS RUN RUN... [OPTIONS]")
def queries(
    qrels: File,
    /,
    *runs: File,
    measures: Annotated[list[str] | None, Parameter(("-m", "--measure"), negative="")] = None,
    effect: Annotated[float | None, Parameter(("-e", "--effect"))] = None,
    power: float = 0.8,
    alpha: float = 0.05,
    correction: Literal["none", "holm", "bh", "bonferroni"] = "holm",
    comparisons: int | None = None,
    baseline: Annotated[str | None, Parameter(("-b", "--baseline"))] = None,
    inputs: JudgmentInputs = NONE_FURTHER,
    format: Literal["text", "table", "csv", "tsv", "json", "jsonl", "markdown", "latex", "html", "parquet"]
    | None = None,
    output: Output = None,
) -> None:
    """Plan how many queries it takes to show a difference, from pilot runs.

    With so many queries the paired t test finds a difference of the size --effect with probability --power.
    Without --effect, see which difference the queries of the pilot can show.

    Parameters
    ----------
    qrels
        The judgments of the pilot.
    runs
        Two or more runs like those to be compared.
    measures
        A measure, such as AP(rel=2)@10; may be repeated. The default is AP.
    effect
        The smallest difference of means worth finding.
    power
        The probability of finding it.
    alpha
        The significance level.
    correction
        How the p values of many comparisons are corrected. Each is planned at alpha / comparisons, which
        suffices even if no other pair differs.
    comparisons
        How many pairs will be tested. By default as many as the pilot has.
    baseline
        The name of the run that the others will be compared with, instead of all pairs.
    inputs
        Options for reading files.
    format
        The output format. By default the suffix of the output file decides, or else it is text.
    output
        Write to this file.
    """
    check_files([qrels, *runs, *inputs.further])
    in_table = check_output(None if format == "text" else format, output)
    in_text = format == "text" or (format is None and in_table == "table")
    named = inputs.runs(runs, "plan queries QRELS RUN RUN...", least=2)
    chosen = parse_measures(measures or "AP")
    for measure in chosen:
        measure.check_mean()
    with reading(len(named)) as on_read:
        judgments = inputs.read_judged(qrels)
        scores = unjudged.evaluate(judgments, named, chosen, on_read=on_read)
    if baseline is not None and baseline not in scores.runs:
        raise UsageError(f"baseline is {baseline!r}, expected one of {', '.join(scores.runs)}")
    against = None if baseline is None else list(scores.runs).index(baseline)
    plans = [
        plan_queries(
            scores.values[:, :, k],
            effect,
            power=power,
            alpha=alpha,
            correction=correction,
            comparisons=comparisons,
            baseline=against,
        )
        for k in range(len(chosen))
    ]
    if in_text:
        show("\n".join(f"{measure}: {found}\n" for measure, found in zip(chosen, plans, strict=True)), output)
        return
    rows = [[str(measure), *asdict(found).values()] for measure, found in zip(chosen, plans, strict=True)]
    show_grids(grid_of(["measure", *asdict(plans[0])], rows), format, output)
