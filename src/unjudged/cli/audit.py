"""`unjudged audit`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from unjudged.cli.arguments import File, check_files
from unjudged.cli.output import show
from unjudged.predictions.auditing import audit as audit_predictions
from unjudged.predictions.source import Predictions
from unjudged.rankings.judgments import Judgments
from unjudged.report.text import plain


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
    format: Literal["table", "json"] = "table",
    output: Annotated[Path | None, Parameter(("-o", "--output"))] = None,
) -> None:
    """Compare the predictions of a model with human judgments.

    Prints AUC, Cohen's kappa, the confusion matrix, over-rating by grade, the calibration curve, and for each
    run how much higher it scores by the predictions than by people. Where people judged a sample with
    recorded probabilities or strata, everything is weighted accordingly.

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
        The lowest score that counts as relevant; 0.5 for probabilities.
    kind
        Read the predictions as grades or as scores, whatever the file looks like.
    confidence
        The confidence level of the intervals.
    format
        How to print the result.
    output
        Write to this file.
    """
    check_files([qrels, predictions, *runs])
    found = audit_predictions(
        Judgments.read(qrels),
        Predictions.of(predictions, kind=kind),
        list(runs) or None,
        measure,
        rel=rel,
        threshold=threshold,
        confidence=confidence,
    )
    if format == "json":
        show(json.dumps(found.to_dict(), allow_nan=False) + "\n", output)
    else:
        show("".join(f"{plain(line)}\n" for line in str(found).split("\n")), output)
