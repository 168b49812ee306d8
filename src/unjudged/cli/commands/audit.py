"""`unjudged audit`."""

from __future__ import annotations

from typing import Annotated, Literal

from cyclopts import Parameter

from unjudged import audit as audit_predictions
from unjudged.cli.options.arguments import File, Format, Output, Plot
from unjudged.cli.options.input_files import check_files
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentInputs
from unjudged.cli.shell.output import check_output, show_figure, show_grids
from unjudged.cli.shell.progress import progress
from unjudged.grids.rendering import WITHOUT_NOTES
from unjudged.predictions.source import Predictions
from unjudged.report.figures.charts import check_plot


def audit(
    qrels: File,
    predictions: File,
    /,
    *runs: File,
    measure: Annotated[str, Parameter(("-m", "--measure"))] = "RBP(p=0.8)",
    rel: int = 1,
    threshold: float | None = None,
    kind: Literal["grades", "scores"] | None = None,
    confidence: float = 0.95,
    inputs: JudgmentInputs = NONE_FURTHER,
    format: Format | None = None,
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
    inputs
        Options for reading files.
    format
        The output format. By default the suffix of the output file decides, or else tables are printed.
        csv, tsv, jsonl and parquet hold everything in one table.
    output
        Write to this file.
    plot
        Draw the calibration curve, and the bias of each run, to this file (.svg, .png, .pdf or .html).
    """
    check_files([qrels, predictions, *runs, *inputs.further])
    chosen = check_output(format, output)
    check_plot(plot)
    named = inputs.runs(runs, "audit QRELS PREDICTIONS RUN...") if runs else None
    with progress("comparing"):
        found = audit_predictions(
            inputs.read(qrels),
            Predictions.of(predictions, kind=kind),
            named,
            measure,
            rel=rel,
            threshold=threshold,
            confidence=confidence,
        )
    show_grids(found.records() if chosen in WITHOUT_NOTES else found.grids(), format, output)
    if plot is not None:
        from unjudged.report.figures.audit_figures import audit_figure

        show_figure(audit_figure(found), plot)
