"""`unjudged audit`."""

from __future__ import annotations

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
from unjudged.cli.options.paper_options import FigureOptions
from unjudged.cli.options.prediction_options import StatedOptions
from unjudged.cli.shell.output import check_output, show_grids
from unjudged.cli.shell.standard_streams import progress
from unjudged.grids.rendering import WITHOUT_NOTES
from unjudged.predictions import audit as audit_predictions
from unjudged.predictions.judges import Judges
from unjudged.predictions.judges_audit import audit_judges
from unjudged.predictions.predictions import Predictions
from unjudged.rankings.judgments import Judgments
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
    figure: FigureOptions = FigureOptions(),
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
    figure.check(plot)
    options = {"rel": rel, "threshold": threshold, "confidence": confidence}
    if predictions:
        if plot is not None:
            raise UsageError("--plot draws one judge: give its file without --predictions")
        named = inputs.runs(files, USAGE) if files else None
        judgments, named = _stated(stated, inputs.read(qrels), named)
        judges = Judges.of(named_files(predictions), kind=kind)
        with progress("comparing"):
            found = audit_judges(judgments, judges, named, measure, groups=groups, **options)  # type: ignore[arg-type]
        show_grids(found.records() if chosen in WITHOUT_NOTES else found.grids(), format, output)
        return
    if not files:
        raise UsageError(f"no predictions given: unjudged {USAGE}")
    if groups is not None:
        raise UsageError("--groups goes with --predictions NAME=FILE")
    own = inputs.runs(files[1:], USAGE) if files[1:] else None
    judgments, own = _stated(stated, inputs.read(qrels), own)
    with progress("comparing"):
        read = Predictions.of(files[0], kind=kind)
        audited = audit_predictions(judgments, read, own, measure, **options)  # type: ignore[arg-type]
    show_grids(audited.records() if chosen in WITHOUT_NOTES else audited.grids(), format, output)
    if plot is not None:
        from unjudged.report.figures.judging_figures import audit_figure

        figure.show(audit_figure(audited), plot)


def _stated(
    stated: StatedOptions, judgments: Judgments, runs: dict[str, RunSource] | None
) -> tuple[Judgments, dict[str, RunSource] | None]:
    """Return judgments and runs; what was drawn from is known by the runs alone."""
    stated.check()
    if stated.sampled is None:
        return judgments, runs
    if runs is None:
        raise UsageError("--sampled is about what runs retrieve: give the runs too")
    sample, read = stated.applied(judgments, runs)
    return sample, dict(read)
