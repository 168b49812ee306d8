"""`unjudged audit`."""

from __future__ import annotations

from typing import Literal

from unjudged.cli.commands import SCORE, command
from unjudged.cli.options.arguments import File, Load, OneMeasure, Output, OutputFormat, Plot
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentOptions
from unjudged.cli.shell.output import check_output, show_figure, show_grids
from unjudged.cli.shell.progress import progress
from unjudged.grids.rendering import WITHOUT_NOTES
from unjudged.measures.kernel.loading import load_measures
from unjudged.predictions import audit as audit_predictions
from unjudged.predictions.predictions import Predictions
from unjudged.report.figures.charts import check_plot


@command("audit", SCORE, 6, "QRELS PREDICTIONS [RUN...]", "Compare predicted relevance with human judgments.")
def audit(
    qrels: File,
    predictions: File,
    /,
    *runs: File,
    measure: OneMeasure = "RBP(p=0.8)",
    load: Load = None,
    rel: int = 1,
    threshold: float | None = None,
    kind: Literal["grades", "scores"] | None = None,
    confidence: float = 0.95,
    inputs: JudgmentOptions = NONE_FURTHER,
    format: OutputFormat = None,
    output: Output = None,
    plot: Plot = None,
) -> None:
    """Compare the predictions of a model with human judgments.

    Prints AUC, Cohen's kappa, the confusion matrix, over-rating by grade, the calibration curve, and for each
    run how much higher it scores by the predictions than by people. If people judged a sample with recorded
    probabilities or strata, everything is weighted accordingly.

    Parameters
    ----------
    qrels
        The human judgments.
    predictions
        Predicted grades (as qrels), or probabilities or scores (as a run).
    runs
        Runs whose bias under the predictions is reported.
    measure
        The measure for the bias of the runs.
    rel
        The lowest relevant grade.
    threshold
        The lowest score that counts as relevant. Default: 0.5 if the scores are probabilities.
    kind
        Read the predictions as grades or as scores, whatever the file looks like.
    confidence
        The confidence level of the intervals.
    format
        The output format. By default the suffix of the output file decides, or else tables are printed.
        csv, tsv, jsonl and parquet hold everything in one table.
    plot
        Draw the calibration curve, and the bias of each run, to this file (.svg, .png, .pdf or .html).
    """
    load_measures(load)
    chosen = check_output(format, output)
    check_plot(plot)
    named = inputs.runs(runs, "audit QRELS PREDICTIONS RUN...") if runs else None
    with progress("comparing"):
        audited = audit_predictions(
            inputs.read(qrels),
            Predictions.of(predictions, kind=kind),
            named,
            measure,
            rel=rel,
            threshold=threshold,
            confidence=confidence,
        )
    show_grids(audited.records() if chosen in WITHOUT_NOTES else audited.grids(), format, output)
    if plot is not None:
        from unjudged.report.figures.judging_figures import audit_figure

        show_figure(audit_figure(audited), plot)
