"""`unjudged pool` and `unjudged reusability`: what runs have at their tops, and how new runs fare with it."""

from __future__ import annotations

from unjudged.base.errors import UsageError
from unjudged.cli.commands import COLLECT, command
from unjudged.cli.options.arguments import (
    File,
    Groups,
    Header,
    InputFile,
    Load,
    Measures,
    OneMeasure,
    Output,
    OutputFormat,
    PoolDepth,
    read_groups,
)
from unjudged.cli.options.input_options import (
    InputOptions,
    JudgmentOptions,
    read_judgments,
    suggest_estimates,
)
from unjudged.cli.options.judging_folder import show_judgments
from unjudged.cli.shell.output import check_output, show_grids
from unjudged.cli.shell.standard_streams import reading
from unjudged.measures.kernel.names import parse_measure, parse_measures
from unjudged.rankings.judgments import Judgments


@command("pool", COLLECT, 2, "RUN...", "Make a pool from runs, or show what each run brought to it.")
def pool(
    *runs: File,
    depth: PoolDepth = 100,
    qrels: InputFile = None,
    since: InputFile = None,
    leave_out: str | None = None,
    groups: Groups = None,
    statistics: bool = False,
    measures: Measures = None,
    _load: Load = None,
    inputs: InputOptions = InputOptions(),
    header: Header = True,
    format: OutputFormat = None,
    output: Output = None,
) -> None:
    """List the documents at the top of the runs: a file to judge, or judgments reduced to them.

    Without --qrels every document gets -1, sorted by name so that assessors cannot infer its rank. With
    --qrels the documents in the pool keep their grades and the others get -1.

    Parameters
    ----------
    runs
        The runs of the pool.
    depth
        The depth of the pool: how many documents of each ranking are pooled. (In `evaluate` and `compare` it
        is the depth of the rankings that are scored.)
    qrels
        Complete judgments.
    since
        An earlier pool or judgments: list only the documents that it lacks.
    leave_out
        A run or group: documents that only it has among its first documents are removed from the
        judgments, which otherwise stay as they are.
    groups
        A file of lines `run group`, or a pattern such as '(.*?)-' whose first bracket is the group in a run's
        name. A run without a group is a group of its own.
    statistics
        Instead of the file, print the size of the pool at each depth and what each run or group contributed;
        with --qrels also each run's score with and without the documents that only its group contributed.
    measures
        The measures for --statistics; may be repeated. Default: AP.
    format
        The format of --statistics. By default the suffix of the output file decides, or else tables are
        printed.
    """
    from unjudged.judging.pooling.contributions import without
    from unjudged.judging.pooling.pool import Pool
    from unjudged.rankings.extension import new_documents

    named = inputs.runs(runs, "pool RUN...")
    if statistics and leave_out is not None:
        raise UsageError("--statistics covers every run; it does not go with --leave-out")
    _check_format(statistics, format, output, judged=qrels is not None)
    if measures and not (statistics and qrels):
        raise UsageError("--measure goes with --statistics and --qrels")
    if leave_out is not None and qrels is None:
        raise UsageError("--leave-out goes with --qrels; without judgments, omit the run's file")
    if since is not None and (qrels is not None or statistics):
        raise UsageError("--since lists what is new to judge; it does not go with --qrels or --statistics")
    of_group = read_groups(groups, named) if groups else None
    with reading(len(named)) as on_read:
        if qrels is None:
            made = Pool.of_runs(named, depth, on_read=on_read)
        else:
            judgments = read_judgments(inputs.judgments(qrels), None)
            made = Pool.of(judgments, named, on_read=on_read)
    if statistics:
        from unjudged.judging.pooling.contributions import pool_grids

        chosen = parse_measures(measures or "AP") if qrels else []
        show_grids(pool_grids(made, depth, of_group, chosen), format, output)
        return
    if leave_out is not None:
        result = without(made, leave_out, depth, of_group)
    else:
        result = made.judgments if qrels is None else made.depth(depth)
    if since is not None:
        result = new_documents(result, Judgments.read(since))
    show_judgments(result, "qrels", output, header=header)


def _check_format(statistics: bool, format: OutputFormat, output: Output, *, judged: bool) -> None:
    if statistics:
        check_output(format, output, tables=3 if judged else 2)
    elif format is not None:
        raise UsageError("--format is for --statistics; a pool is written as qrels")


@command("reusability", COLLECT, 7, "QRELS RUN RUN...", "Tell how well the judgments serve new systems.")
def reusability(
    qrels: File,
    /,
    *runs: File,
    measure: OneMeasure = "AP",
    _load: Load = None,
    depth: PoolDepth = 100,
    groups: Groups = None,
    inputs: JudgmentOptions = JudgmentOptions(),
    format: OutputFormat = None,
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
    groups
        A file of lines `run group`, or a pattern such as '(.*?)-' whose first bracket is the group in a run's
        name. A run without a group is a group of its own.
    """
    from unjudged.judging.pooling.contributions import reusability as left_out
    from unjudged.judging.pooling.contributions import topic_statistics
    from unjudged.judging.pooling.pool import Pool

    check_output(format, output, tables=2)
    chosen, named = parse_measure(measure), inputs.runs(runs, "reusability QRELS RUN RUN...", least=2)
    of_group = read_groups(groups, named) if groups else None
    judgments = inputs.read_judged(qrels)
    suggest_estimates(judgments, [chosen])
    with reading(len(named)) as on_read:
        pool = Pool.of(judgments, named, on_read=on_read)
    by_group = left_out(pool, chosen, depth=depth, groups=of_group)
    show_grids([topic_statistics(pool, chosen), by_group.grid()], format, output)
