"""`unjudged plan queries`: how many queries a difference needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Annotated, Literal

import unjudged
from unjudged.base.choices import CorrectionName, Format
from unjudged.base.errors import AssumptionWarning, UsageError, announce
from unjudged.cli.commands import COLLECT, command, command_group
from unjudged.cli.options.arguments import (
    Baseline,
    File,
    Load,
    Measures,
    Output,
)
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentOptions
from unjudged.cli.options.option import Option
from unjudged.cli.options.table_options import NO_TABLES, TableOptions
from unjudged.cli.shell.output import check_output, show, show_grids
from unjudged.cli.shell.progress import reading
from unjudged.comparison.systems import comparable
from unjudged.comparison.testing.corrections import CORRECTIONS
from unjudged.comparison.testing.power import FlatPilotError, QueryPlan, plan_queries
from unjudged.evaluation.evaluation import fitting_measures
from unjudged.grids.grid import grid_of
from unjudged.grids.rendering import FORMATS
from unjudged.measures.kernel.loading import load_measures
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.runs import RunSource

command_group("plan", COLLECT, 1, "Plan how large an experiment has to be.")


def _of_p_values() -> list[str]:
    """Return the corrections that look at nothing but p values."""
    return [name for name, one in CORRECTIONS.items() if not one.joint]


@command(
    "plan queries",
    COLLECT,
    2,
    "QRELS RUN RUN...",
    "Plan how many queries it takes to show a difference, from pilot runs.",
)
def queries(
    qrels: File,
    /,
    *runs: File,
    measures: Measures = None,
    load: Load = None,
    effect: Annotated[float | None, Option("-e", "--effect")] = None,
    power: float = 0.8,
    alpha: float = 0.05,
    correction: Annotated[CorrectionName, Option(choices=_of_p_values)] = "holm",
    comparisons: int | None = None,
    baseline: Baseline = None,
    inputs: JudgmentOptions = NONE_FURTHER,
    tables: TableOptions = NO_TABLES,
    format: Annotated[Literal["text"] | Format | None, Option(choices=("text", *FORMATS))] = None,
    output: Output = None,
) -> None:
    """Plan how many queries it takes to show a difference, from pilot runs.

    With this many queries the paired t test finds a difference of the size --effect with probability --power.
    Without --effect, see which difference the queries of the pilot can show.

    Parameters
    ----------
    qrels
        The judgments of the pilot.
    runs
        Two or more runs like those to be compared.
    measures
        A measure, such as AP(rel=2)@10; may be repeated. The default is AP, or from samples with strata or
        probabilities xinfAP or statAP.
    effect
        The smallest difference of means worth finding; of mean logarithms for GMAP.
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
    format
        The output format. By default the suffix of the output file decides, or else it is text.
    """
    load_measures(load)
    in_table = check_output(None if format == "text" else format, output)
    in_text = format == "text" or (format is None and in_table == "table")
    if tables.check(inputs):
        scores = tables.read([qrels, *runs], inputs, measures)
    else:
        scores = _pilot(
            qrels, inputs.runs(runs, "plan queries QRELS RUN RUN...", 2, or_scores=True), inputs, measures
        )
    chosen = scores.measures
    if baseline is not None and baseline not in scores.runs:
        raise UsageError(f"baseline is {baseline!r}, expected one of {', '.join(scores.runs)}")
    against = None if baseline is None else list(scores.runs).index(baseline)
    plans: dict[str, QueryPlan] = {}
    for k, measure in enumerate(chosen):
        try:
            plans[str(measure)] = plan_queries(
                measure.averaged(scores.values[:, :, k]),
                effect,
                power=power,
                alpha=alpha,
                correction=correction,
                comparisons=comparisons,
                baseline=against,
            )
        except FlatPilotError as error:
            if not plans and measure is chosen[-1]:
                raise
            announce([AssumptionWarning(f"{measure} is left out: {error}.")])
    if in_text:
        show("\n".join(f"{measure}: {planned}\n" for measure, planned in plans.items()), output)
        return
    rows = [[measure, *asdict(planned).values()] for measure, planned in plans.items()]
    show_grids(grid_of(["measure", *(field.name for field in fields(QueryPlan))], rows), format, output)


def _pilot(
    qrels: str, runs: Mapping[str, RunSource], inputs: JudgmentOptions, measures: Sequence[str] | None
) -> unjudged.Scores:
    """Score the runs of the pilot by measures that a test over queries takes."""
    with reading(len(runs)) as on_read:
        judgments = inputs.read_judged(qrels)
        chosen, refused = comparable(
            parse_measures(measures or fitting_measures(judgments, ["AP"])[0]), judgments
        )
        announce(map(AssumptionWarning, refused))
        return unjudged.evaluate(judgments, dict(runs), chosen, on_read=on_read)
