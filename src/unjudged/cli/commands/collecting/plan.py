"""`unjudged plan`: how many queries, judgments or labels an experiment needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Annotated, Literal

import unjudged
from unjudged.base.choices import CorrectionName, DesignName, Format
from unjudged.base.errors import AssumptionWarning, UsageError, announce
from unjudged.cli.commands import COLLECT, command, command_group
from unjudged.cli.options.arguments import (
    Baseline,
    File,
    Kind,
    Load,
    Measures,
    NamedFiles,
    OneMeasure,
    Output,
    OutputFormat,
    Plot,
    named_files,
)
from unjudged.cli.options.input_options import JudgmentOptions
from unjudged.cli.options.option import Option
from unjudged.cli.options.prediction_options import StatedOptions
from unjudged.cli.options.table_options import TableOptions
from unjudged.cli.shell.output import check_figure, check_output, show, show_figure, show_grids
from unjudged.cli.shell.standard_streams import progress, reading
from unjudged.comparison.systems import comparable
from unjudged.comparison.testing.corrections import CORRECTIONS
from unjudged.comparison.testing.pairs import place_of_baseline
from unjudged.comparison.testing.power import FlatPilotError, QueryPlan, plan_queries
from unjudged.evaluation.collection import Collection
from unjudged.evaluation.evaluation import fitting_measures
from unjudged.grids.grid import grid_of
from unjudged.grids.rendering import FORMATS
from unjudged.judging.pooling.designs import DESIGNS
from unjudged.measures.kernel.names import parse_measures
from unjudged.rankings.runs import RunSource

LABELS = "plan labels QRELS RUN... --predictions FILE --width 0.02"

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
    _load: Load = None,
    effect: Annotated[float | None, Option("-e", "--effect")] = None,
    power: float = 0.8,
    alpha: float = 0.05,
    correction: Annotated[CorrectionName, Option(choices=_of_p_values)] = "holm",
    comparisons: int | None = None,
    baseline: Baseline = None,
    inputs: JudgmentOptions = JudgmentOptions(),
    tables: TableOptions = TableOptions(),
    format: Annotated[Literal["text"] | Format | None, Option(choices=("text", *FORMATS))] = None,
    output: Output = None,
) -> None:
    """Plan how many queries it takes to show a difference, from pilot runs.

    With this many queries the paired t test finds a difference of the size --effect with probability --power.
    Without --effect, see which difference the queries of the pilot can show. With --scores the pilot is
    tables of scores by query that any tool computed: `unjudged plan queries --scores TABLE...`.

    Parameters
    ----------
    qrels
        The judgments of the pilot; with --scores a table of scores.
    runs
        Two or more runs like those to be compared; with --scores further tables.
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
    in_table = check_output(None if format == "text" else format, output)
    in_text = format == "text" or (format is None and in_table == "table")
    if tables.check(inputs):
        scores = tables.read([qrels, *runs], inputs, measures)
    else:
        scores = _pilot(
            qrels, inputs.runs(runs, "plan queries QRELS RUN RUN...", 2, or_scores=True), inputs, measures
        )
    chosen = scores.measures
    against = place_of_baseline(baseline, scores.runs)
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
        judgments = inputs.read_judged(qrels, or_scores=True)
        asked = parse_measures(measures or fitting_measures(judgments, ["AP"])[0])
        chosen, refused = comparable(asked, judgments)
        announce(map(AssumptionWarning, refused))
        return unjudged.evaluate(judgments, dict(runs), chosen, on_read=on_read)


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
    _load: Load = None,
    designs: Annotated[list[DesignName] | None, Option("-d", "--design", choices=DESIGNS)] = None,
    queries: int | None = None,
    cost: float | None = None,
    repeats: int = 10,
    seed: int = 0,
    inputs: JudgmentOptions = JudgmentOptions(),
    format: OutputFormat = None,
    output: Output = None,
    plot: Plot = None,
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

    if [tau, width, budget].count(None) != 2:
        raise UsageError("give one target: --tau, --width or --budget")
    check_output(format, output)
    check_figure(plot)
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
        show_figure(planned.plot.designs(), plot)


@command(
    "plan labels",
    COLLECT,
    3,
    "QRELS RUN...",
    "Plan how many human labels an interval needs, beside the predictions of judges.",
)
def labels(
    qrels: File,
    /,
    *runs: File,
    predictions: NamedFiles = None,
    width: float | None = None,
    measure: OneMeasure = "RBP(p=0.8)",
    kind: Kind = None,
    outside: Literal["error", "nonrelevant"] = "error",
    confidence: float = 0.95,
    _load: Load = None,
    inputs: JudgmentOptions = JudgmentOptions(),
    stated: StatedOptions = StatedOptions(),
    format: OutputFormat = None,
    output: Output = None,
) -> None:
    """Plan how many human labels an interval needs, beside the predictions of judges.

    From a pilot of human labels, drawn at random: the number for the mean of a run and for the difference of
    two, by design, and beside it the number that people alone need. Intervals for these queries allow for
    another sample of documents, those for other queries for other queries as well.

    Parameters
    ----------
    qrels
        The human labels of the pilot: a design with --judged answers, or judgments that record how they were
        sampled.
    runs
        The runs to be evaluated. With two of them, the difference is theirs.
    predictions
        Predicted relevance of all documents, FILE or NAME=FILE; may be repeated for several judges.
    width
        How wide the intervals may be, on average over the runs, or over all pairs of them. Where documents
        are drawn, about nine studies of ten then have intervals at most a tenth wider.
    measure
        The measure to estimate, a sum such as P@10, RBP(p=0.8) or DCG@10.
    outside
        What to do with retrieved documents that people could not have judged: error, or count them as
        nonrelevant (as in TREC).
    confidence
        The confidence level of the intervals.
    """
    from unjudged.predictions.label_plan import plan_labels
    from unjudged.predictions.predictions import Judges

    if not predictions:
        raise UsageError(f"no predictions given: unjudged {LABELS}")
    if width is None:
        raise UsageError("no width given: say how wide an interval may be, as in --width 0.02")
    check_output(format, output)
    stated.check()
    judgments, named = stated.applied(inputs.read_judged(qrels), inputs.runs(runs, LABELS))
    judges = Judges.of(named_files(predictions), kind=kind)
    with progress("planning"):
        collection = Collection.of(judgments, named)
        plan = plan_labels(collection, None, judges, width, measure, outside=outside, confidence=confidence)
    show_grids(plan.grid(), format, output)
