"""`unjudged pool`."""

from __future__ import annotations

from unjudged.base.errors import UsageError
from unjudged.cli.commands import COLLECT, command
from unjudged.cli.options.arguments import File, Groups, Header, InputFile, Output, PoolDepth, read_groups
from unjudged.cli.options.input_options import InputOptions, read_judgments
from unjudged.cli.options.judging_folder import show_judgments
from unjudged.cli.shell.standard_streams import reading
from unjudged.rankings.judgments import Judgments


@command("pool", COLLECT, 2, "RUN...", "Make a pool from runs.")
def pool(
    *runs: File,
    depth: PoolDepth = 100,
    qrels: InputFile = None,
    since: InputFile = None,
    leave_out: str | None = None,
    groups: Groups = None,
    inputs: InputOptions = InputOptions(),
    header: Header = True,
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
    """
    from unjudged.judging.pooling.left_out_groups import without
    from unjudged.judging.pooling.pool import Pool
    from unjudged.rankings.extension import new_documents

    named = inputs.runs(runs, "pool RUN...")
    if leave_out is not None and qrels is None:
        raise UsageError("--leave-out goes with --qrels; without judgments, omit the run's file")
    if since is not None and qrels is not None:
        raise UsageError("--since lists what is new to judge; it does not go with --qrels")
    if groups is not None and leave_out is None:
        raise UsageError("--groups goes with --leave-out")
    of_group = read_groups(groups, named) if groups else None
    with reading(len(named)) as on_read:
        if qrels is None:
            made = Pool.of_runs(named, depth, on_read=on_read)
        else:
            judgments = read_judgments(inputs.judgments(qrels), None)
            made = Pool.of(judgments, named, on_read=on_read)
    if leave_out is not None:
        result = without(made, leave_out, depth, of_group)
    else:
        result = made.judgments if qrels is None else made.depth(depth)
    if since is not None:
        result = new_documents(result, Judgments.read(since))
    show_judgments(result, "qrels", output, header=header)
