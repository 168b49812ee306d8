"""`unjudged reusability`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from unjudged.cli.options.arguments import File, Format, Groups, Output, one_measure, read_groups
from unjudged.cli.options.input_files import check_files, suggest_estimates
from unjudged.cli.options.input_options import NONE_FURTHER, JudgmentInputs
from unjudged.cli.shell.output import check_output, show_grids
from unjudged.cli.shell.progress import reading
from unjudged.evaluation.evaluation import judged_rankings


def reusability(
    qrels: File,
    /,
    *runs: File,
    measure: Annotated[str, Parameter(("-m", "--measure"))] = "AP",
    depth: Annotated[int, Parameter(("-k", "--depth"))] = 100,
    groups: Groups = None,
    inputs: JudgmentInputs = NONE_FURTHER,
    format: Format | None = None,
    output: Output = None,
) -> None:
    """Describe a collection topic by topic, and say whether it is fair to runs that were not pooled.

    Each group is left out in turn: documents that only its runs contributed leave the judgments, and the
    means of its runs are compared with those under all judgments.

    Parameters
    ----------
    qrels
        The judgments.
    runs
        The runs of the pool.
    measure
        A measure.
    depth
        The depth of the pool.
    groups
        A file of lines `run group`, or a pattern such as '(.*?)-' whose first bracket is the group in a run's
        name. A run without a group is a group of its own.
    inputs
        Options for reading files.
    format
        The output format; by default the suffix of the output file decides.
    output
        Write to this file.
    """
    from unjudged.judging.pooling.pool import Pool
    from unjudged.judging.pooling.reusability import reusability as left_out
    from unjudged.judging.pooling.reusability import topic_statistics

    check_files([qrels, *runs, *inputs.further])
    check_output(format, output, tables=2)
    chosen, named = one_measure(measure), inputs.runs(runs, "reusability QRELS RUN RUN...", least=2)
    of_group = read_groups(groups, named) if groups else None
    judgments = inputs.read_judged(qrels)
    suggest_estimates(judgments, [chosen])
    with reading(len(named)) as on_read:
        pool = Pool(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))
    found = left_out(pool, chosen, depth=depth, groups=of_group)
    show_grids([topic_statistics(pool, chosen), found.grid()], format, output)
