"""`unjudged plan labels`: how many human labels an interval needs."""

from __future__ import annotations

from typing import Literal

from unjudged.base.errors import UsageError
from unjudged.cli.commands import COLLECT, command
from unjudged.cli.options.arguments import (
    File,
    Load,
    NamedFiles,
    OneMeasure,
    Output,
    OutputFormat,
    named_files,
)
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentOptions
from unjudged.cli.options.stated_options import NOT_STATED, StatedOptions
from unjudged.cli.shell.output import check_output, show_grids
from unjudged.cli.shell.progress import progress
from unjudged.evaluation.collection import Collection
from unjudged.measures.kernel.loading import load_measures

LABELS = "plan labels QRELS RUN... --predictions FILE --width 0.02"


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
    kind: Literal["grades", "scores"] | None = None,
    outside: Literal["error", "nonrelevant"] = "error",
    confidence: float = 0.95,
    load: Load = None,
    inputs: JudgmentOptions = NONE_FURTHER,
    stated: StatedOptions = NOT_STATED,
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
    kind
        Read the predictions as grades or as scores, whatever the file looks like.
    outside
        What to do with retrieved documents that people could not have judged: error, or count them as
        nonrelevant (as in TREC).
    confidence
        The confidence level of the intervals.
    """
    from unjudged.predictions.label_plan import plan_labels
    from unjudged.predictions.predictions import Judges

    load_measures(load)
    if not predictions:
        raise UsageError(
            "no predictions given: unjudged plan labels QRELS RUN... --predictions FILE --width 0.02"
        )
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
