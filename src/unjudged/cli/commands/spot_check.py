"""`unjudged spot-check`."""

from __future__ import annotations

from typing import Annotated

from unjudged import spot_check as estimate
from unjudged import spot_check_design
from unjudged.base.errors import InputError, UsageError
from unjudged.base.wording import counted
from unjudged.cli.commands import SCORE, command
from unjudged.cli.options.arguments import File, InputFile, OneMeasure, Output, OutputFormat
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentOptions
from unjudged.cli.options.option import Option
from unjudged.cli.shell.output import check_output, show, show_grids
from unjudged.cli.shell.progress import progress
from unjudged.formats.streams import name_file_in_errors
from unjudged.judging.collecting.merging import merge
from unjudged.uncertainty.calibration import Calibration

PREVALENCE = 0.05


@command("spot-check", SCORE, 5, "QRELS RUN", "Check a run that was not pooled by a few random judgments.")
def spot_check(
    qrels: File,
    run: File,
    /,
    *,
    checked: Annotated[str | None, Option("-c", "--checked", reads=True)] = None,
    calibration: InputFile = None,
    prevalence: float | None = None,
    measure: OneMeasure = "RBP(p=0.8)",
    budget: Annotated[float, Option("-b", "--budget")] = 30,
    seed: int = 0,
    confidence: float = 0.95,
    inputs: JudgmentOptions = NONE_FURTHER,
    format: OutputFormat = None,
    output: Output = None,
) -> None:
    """Check a run that was not pooled: people judge a few of its own unjudged documents.

    First list the documents to judge, a random sample that prefers high ranks. Fill in the grades, and give
    the same command again with --checked FILE: it prints the run's score with an interval that does not
    assume that the run is like the pooled ones. Judgments made before the sample was drawn go to --judged,
    both times; those of the sample only to --checked.

    Parameters
    ----------
    qrels
        The judgments of the pool.
    run
        The run to check.
    checked
        The documents that this command listed, with their grades.
    calibration
        A file that `unjudged calibrate` wrote: how often unjudged documents are relevant, by rank. The
        interval holds without it too.
    prevalence
        The probability that an unjudged document is relevant, instead of --calibration. Default: 0.05.
    measure
        A sum over documents, such as P@10, RBP(p=0.8) or DCG@10.
    budget
        About how many documents to judge.
    seed
        Another number gives another sample.
    confidence
        The confidence level of the interval.
    format
        The format of the result. By default the suffix of the output file decides, or else a table is
        printed.
    """
    if calibration is not None and prevalence is not None:
        raise UsageError("--calibration has the prevalence by rank: omit --prevalence")
    if checked is None and format is not None:
        raise UsageError("--format is for the result; the documents to judge are listed as qrels")
    if checked is not None:
        check_output(format, output)
    named = inputs.runs([run], "spot-check QRELS RUN")
    if len(named) > 1:
        raise UsageError(f"{run} has {len(named)} runs, and one at a time can be checked")
    (name, source), *_ = named.items()
    by_band = (
        Calibration.load(calibration) if calibration else (PREVALENCE if prevalence is None else prevalence,)
    )
    with progress("checking"):
        judgments = inputs.read(qrels)
        design = spot_check_design(judgments, source, by_band, measure, budget=budget, seed=seed)
        if checked is None:
            if not design.to_judge():
                raise UsageError("no document was drawn: choose a larger budget or another seed")
            show(design.task(), output)
            return
        with name_file_in_errors(checked):
            answers = merge(design.judgments, {"the check": checked})
        if undrawn := len(answers.undrawn):
            were = "was" if undrawn == 1 else "were"
            problem = f"{counted(undrawn, 'judged document')} {were} not drawn by this command"
            remedy = "give the same judgments, measure, budget, seed and calibration as when they were listed"
            raise InputError(f"{problem}: {remedy}", source=checked)
        found = estimate(answers.judgments, source, by_band, measure, name=name, confidence=confidence)
    show_grids(found.grid(), format, output)
