"""`unjudged reusability`."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from unjudged.cli.options.arguments import (
    File,
    Format,
    Judged,
    Output,
    check_files,
    one_measure,
    read_groups,
    read_judgments,
)
from unjudged.cli.output import show_grids
from unjudged.cli.progress import reading
from unjudged.errors import UsageError
from unjudged.evaluation import judged_rankings, name_runs


def reusability(
    qrels: File,
    /,
    *runs: File,
    measure: Annotated[str, Parameter(("-m", "--measure"))] = "AP",
    depth: Annotated[int, Parameter(("-k", "--depth"))] = 100,
    groups: str | None = None,
    judged: Judged = None,
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
        A file with the group of each run, one `run group` per line; by default every run is on its own.
    judged
        Judgments made since, in a file of their own; may be repeated.
    format
        The output format; by default the suffix of the output file decides.
    output
        Write to this file.
    """
    from unjudged.judging.pool import Pool
    from unjudged.judging.reusability import reusability as left_out
    from unjudged.judging.reusability import topic_statistics

    if len(runs) < 2:
        raise UsageError("give two runs or more: unjudged reusability QRELS RUN RUN...")
    check_files([qrels, *runs, *(judged or ())])
    chosen, named = one_measure(measure), name_runs(list(runs))
    of_group = read_groups(groups, named) if groups else None
    judgments = read_judgments(qrels, judged)
    with reading(len(named)) as on_read:
        pool = Pool(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))
    found = left_out(pool, chosen, depth=depth, groups=of_group)
    show_grids([topic_statistics(pool, chosen), found.grid()], format, output)
