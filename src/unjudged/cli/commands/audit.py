"""`unjudged audit`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from unjudged.base.errors import UsageError
from unjudged.cli.commands import SCORE, command
from unjudged.cli.options.arguments import (
    File,
    Groups,
    Kind,
    Load,
    NamedFiles,
    OneMeasure,
    Output,
    OutputFormat,
    Plot,
    named_files,
)
from unjudged.cli.options.input_options import JudgmentOptions
from unjudged.cli.options.prediction_options import StatedOptions
from unjudged.cli.shell.output import check_figure, check_output, show_figure, show_grids
from unjudged.cli.shell.standard_streams import progress
from unjudged.grids.rendering import WITHOUT_NOTES
from unjudged.predictions import audit as audit_predictions
from unjudged.predictions.audit_grids import Audit
from unjudged.predictions.judges_audit import audit_judges
from unjudged.predictions.judges_audit_grids import JudgesAudit
from unjudged.predictions.predictions import Judges, Predictions
from unjudged.rankings.runs import RunSource

USAGE = "audit QRELS PREDICTIONS RUN..."


@command("audit", SCORE, 6, "QRELS PREDICTIONS [RUN...]", "Compare predicted relevance with human judgments.")
def audit(
    qrels: File,
    /,
    *files: File,
    predictions: NamedFiles = None,
    groups: Groups = None,
    measure: OneMeasure = "RBP(p=0.8)",
    _load: Load = None,
    rel: int = 1,
    threshold: float | None = None,
    kind: Kind = None,
    confidence: float = 0.95,
    inputs: JudgmentOptions = JudgmentOptions(),
    stated: StatedOptions = StatedOptions(),
    format: OutputFormat = None,
    output: Output = None,
    plot: Plot = None,
) -> None:
    """Compare the predictions of a model with human judgments.

    Prints AUC, Cohen's kappa, the confusion matrix, over-rating by grade, the calibration curve, and for each
    run how much higher it scores by the predictions than by people. If people judged a sample with recorded
    probabilities or strata, everything is weighted accordingly.

    For several judges repeat --predictions NAME=FILE; all files after the judgments are runs then. Prints how
    far each judge agrees with people, the bias of each run by each judge, which groups of runs a judge
    favours, and how far it orders the runs as people do.

    Parameters
    ----------
    qrels
        The human judgments.
    files
        Predicted grades (as qrels), or probabilities or scores (as a run), unless --predictions gives them;
        then runs whose bias under the predictions is reported.
    predictions
        Predictions of a judge, NAME=FILE; may be repeated.
    groups
        With --predictions: the family of each run, as a file of lines `run group`, or a pattern such as
        '(.*?)-' whose first bracket is the family in a run's name. A judge is of the group that is listed
        with its name, or that is called like it.
    measure
        The measure for the bias of the runs.
    rel
        The lowest relevant grade.
    threshold
        The lowest score that counts as relevant. Default: 0.5 if the scores are probabilities.
    confidence
        The confidence level of the intervals.
    format
        The output format. By default the suffix of the output file decides, or else tables are printed.
        csv, tsv, jsonl and parquet hold everything in one table.
    plot
        Draw the calibration curve, and the bias of each run, to this file (.svg, .png, .pdf or .html).
    """
    chosen = check_output(format, output)
    check_figure(plot)
    if predictions and plot is not None:
        raise UsageError("--plot draws one judge: give its file without --predictions")
    if not predictions and not files:
        raise UsageError(f"no predictions given: unjudged {USAGE}")
    if not predictions and groups is not None:
        raise UsageError("--groups goes with --predictions NAME=FILE")
    own = files if predictions else files[1:]
    runs: Mapping[str, RunSource] | None = inputs.runs(own, USAGE) if own else None
    judgments = inputs.read(qrels)
    stated.check()
    if runs is not None:
        judgments, runs = stated.applied(judgments, runs)
    elif stated.sampled is not None:
        raise UsageError("--sampled is about what runs retrieve: give the runs too")
    options: dict[str, Any] = {"rel": rel, "threshold": threshold, "confidence": confidence}
    found: Audit | JudgesAudit
    with progress("comparing"):
        if predictions:
            judges = Judges.of(named_files(predictions), kind=kind)
            found = audit_judges(judgments, judges, runs, measure, groups=groups, **options)
        else:
            predicted = Predictions.of(files[0], kind=kind)
            found = audit_predictions(judgments, predicted, runs, measure, **options)
    show_grids(found.records() if chosen in WITHOUT_NOTES else found.grids(), format, output)
    if plot is not None and isinstance(found, Audit):
        from unjudged.report.figures.judging_figures import audit_figure

        show_figure(audit_figure(found), plot)
