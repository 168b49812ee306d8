"""`unjudged audit`."""

from __future__ import annotations

from collections.abc import Mapping

from unjudged.base.errors import UsageError
from unjudged.cli.arguments import (
    File,
    Kind,
    Load,
    Measures,
    Output,
    OutputFormat,
)
from unjudged.cli.given_arguments import usage
from unjudged.cli.input_options import JudgmentOptions
from unjudged.cli.output import check_output, show_result
from unjudged.cli.prediction_options import StatedOptions
from unjudged.cli.standard_streams import progress
from unjudged.predictions.predictions import Predictions
from unjudged.rankings.runs import RunSource
from unjudged.studies.auditing import audit as audit_judge


def audit(
    qrels: File,
    /,
    *files: File,
    measures: Measures = None,
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
    """Compare a model, or a second person, with people's judgments: on documents, and on runs.

    Prints kappa, alpha and other coefficients, the confusion of grades and over-rating; with runs how far the
    order of systems agrees, and how much higher each run scores by the judge than by people.

    Parameters
    ----------
    qrels
        The human judgments.
    files
        Predicted grades (as qrels), or probabilities or scores (as a run); then runs whose bias under the
        predictions is reported.
    measures
        The measures of the runs. Default: nDCG@10, or P@10 if people judged a recorded sample.
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
        found = audit_judge(
            judgments, predicted, runs, measures, rel=rel, threshold=threshold, confidence=confidence
        )
    show_result(found, format, output)
