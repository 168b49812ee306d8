"""`unjudged compare`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from cyclopts import Parameter

from unjudged import compare as compare_systems
from unjudged.cli.arguments import (
    Conflicts,
    File,
    Format,
    Judged,
    Measures,
    Output,
    check_files,
    read_judgments,
)
from unjudged.cli.output import check_output, show, show_grids
from unjudged.cli.prediction_options import NO_PREDICTIONS, Predicted
from unjudged.cli.progress import reading
from unjudged.errors import UsageError
from unjudged.grids.escapes import plain
from unjudged.uncertainty.calibration import Calibration


def compare(
    qrels: File,
    /,
    *runs: File,
    measures: Measures = None,
    baseline: Annotated[str | None, Parameter(("-b", "--baseline"))] = None,
    test: Literal["t", "randomization", "wilcoxon", "bootstrap"] = "t",
    correction: Literal["holm", "bh", "bonferroni", "tukey", "maxt", "none"] = "holm",
    alpha: float = 0.05,
    pairs: Annotated[bool, Parameter(negative="")] = False,
    calibration: str | None = None,
    confidence: float = 0.95,
    predicted: Predicted = NO_PREDICTIONS,
    judged: Judged = None,
    conflicts: Conflicts = "error",
    seed: int = 0,
    format: Format | None = None,
    output: Output = None,
) -> None:
    """Compare runs: which is better, over other queries and whatever the unjudged documents turn out to be?

    A document that is unjudged in several runs counts as one document, so much of what is unknown cancels out.
    Two runs are compared in sentences. More runs give a table of systems; --pairs, csv and json give a row per pair.

    Parameters
    ----------
    qrels
        The judgments.
    runs
        Two or more runs.
    measures
        A measure; may be repeated. The default is RBP(p=0.8). What the unjudged documents leave open is exact for
        RBP and P; for other measures it is enclosed, and a search tries to find judgments that reverse the order.
    baseline
        The name of the run that the others are compared with, instead of all pairs.
    test
        The test over queries.
    correction
        The correction for many comparisons.
    alpha
        The significance level.
    pairs
        Show a row per pair instead of the table of systems.
    calibration
        A file that `unjudged calibrate` wrote: adds a calibrated interval to the comparison of two runs.
    confidence
        The confidence level of the calibrated interval.
    predicted
        Options for predicted relevance.
    judged
        A file of further judgments; may be repeated.
    conflicts
        Which grade counts if a file of --judged judges a document differently: the first, the last or the
        highest. By default that is an error.
    seed
        The seed of tests and corrections that resample.
    format
        The output format. By default the suffix of the output file decides, or else it is text.
    output
        Write to this file.
    """
    if len(runs) < 2:
        raise UsageError("two or more runs are needed: unjudged compare QRELS RUN RUN...")
    check_files([qrels, *runs, *(judged or ())])
    chosen = check_output(format, output)
    predicted.check()
    learnt = None if calibration is None else Calibration.load(calibration)
    with reading(len(runs)) as on_read:
        judgments = read_judgments(qrels, judged, conflicts)
        found = compare_systems(
            judgments,
            list(runs),
            measures or "RBP(p=0.8)",
            baseline=baseline,
            test=test,
            correction=correction,
            alpha=alpha,
            calibration=learnt,
            confidence=confidence,
            seed=seed,
            on_read=on_read,
        )
    notes = predicted.differences(judgments, runs, found, confidence)
    if chosen == "table" and len(found.runs) == 2 and not pairs:
        lines = [*str(found).splitlines(), *notes, *found.notes]
        show("".join(f"{plain(line)}\n" for line in lines), output)
    else:
        grid = found.pairs_grid() if pairs else found.systems_grid()
        show_grids(replace(grid, notes=[*grid.notes, *notes]), format, output)
