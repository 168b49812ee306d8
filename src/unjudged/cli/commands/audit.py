"""`unjudged audit`."""

from __future__ import annotations

from collections.abc import Mapping

from unjudged.base.errors import UsageError
from unjudged.cli.arguments import (
    File,
    Kind,
    Load,
    OneMeasure,
    Output,
    OutputFormat,
)
from unjudged.cli.given_arguments import usage
from unjudged.cli.input_options import JudgmentOptions
from unjudged.cli.output import check_output, show_result
from unjudged.cli.prediction_options import StatedOptions
from unjudged.cli.standard_streams import progress
from unjudged.predictions import audit as audit_predictions
from unjudged.predictions.predictions import Predictions
from unjudged.rankings.runs import RunSource


def audit(
    qrels: File,
    /,
    *files: File,
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
) -> None:
    """Compare the predictions of a model with human judgments.

    Prints Cohen's kappa, the confusion matrix, over-rating by grade, and for each run how much higher it
    scores by the predictions than by people. If people judged a sample with recorded probabilities or strata,
    everything is weighted accordingly.

    Parameters
    ----------
    qrels
        The human judgments.
    files
        Predicted grades (as qrels), or probabilities or scores (as a run); then runs whose bias under the
        predictions is reported.
    measure
        The measure for the bias of the runs.
    rel
        The lowest relevant grade.
    threshold
        The lowest score that counts as relevant. Default: 0.5 if the scores are probabilities.
    confidence
        The confidence level of the intervals.

    Examples
    --------
    unjudged audit qrels.txt model.qrels
    unjudged audit qrels.txt model.qrels *.run -m P@10
    unjudged audit qrels.txt model.qrels --rel 2 -o audit.json
    """
    check_output(format, output)
    if not files:
        raise UsageError(f"no predictions given: {usage()}")
    runs: Mapping[str, RunSource] | None = inputs.runs(files[1:]) if files[1:] else None
    judgments = inputs.read(qrels)
    stated.check()
    if runs is not None:
        judgments, runs = stated.applied(judgments, runs)
    elif stated.sampled is not None:
        raise UsageError("--sampled is about what runs retrieve: give the runs too")
    with progress("comparing"):
        predicted = Predictions.of(files[0], kind=kind)
        found = audit_predictions(
            judgments, predicted, runs, measure, rel=rel, threshold=threshold, confidence=confidence
        )
    show_result(found, format, output)
