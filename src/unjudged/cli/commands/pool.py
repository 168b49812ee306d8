"""`unjudged pool` and `unjudged sample`: what to judge, or judgments as if only that had been judged."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from unjudged.base.choices import DesignName, Form
from unjudged.base.errors import UsageError
from unjudged.cli.arguments import File, Groups, Header, InputFile, Load, Output, PoolDepth, read_groups
from unjudged.cli.input_options import InputOptions, JudgmentOptions, read_judgments
from unjudged.cli.option import Option
from unjudged.cli.sampling_options import DrawingOptions, SamplingOptions, show_judgments
from unjudged.cli.standard_streams import reading
from unjudged.formats.writing import FORMS
from unjudged.judging.designs import DESIGNS
from unjudged.judging.pooling import Pool
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.runs import RunSource


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

    Examples
    --------
    unjudged pool *.run --depth 20 -o pool.qrels
    unjudged pool *.run --depth 5 --qrels qrels.txt -o shallow.qrels
    unjudged pool new.run --depth 20 --since pool.qrels -o more.qrels
    """
    from unjudged.judging.groups_left_out import without
    from unjudged.rankings.extension import new_documents

    named = inputs.runs(runs)
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


def sample(
    qrels: File,
    /,
    *runs: File,
    drawing: DrawingOptions = DrawingOptions(),
    _load: Load = None,
    design: Annotated[DesignName, Option("-d", "--design", choices=DESIGNS)] = "random",
    share: str | None = None,
    depth: Annotated[str | None, Option("-k", "--depth")] = None,
    top: int | None = None,
    strata: str | None = None,
    seed: int = 0,
    redraw: Annotated[bool | None, Option("--redraw", "--no-redraw")] = None,
    form: Annotated[Form | None, Option("-f", "--format", choices=FORMS)] = None,
    inputs: JudgmentOptions = JudgmentOptions(),
    to_judge: Annotated[Path | None, Option(writes=True, made=True)] = None,
    since: Annotated[Path | None, Option(reads=True)] = None,
    header: Header = True,
    output: Output = None,
) -> None:
    """Judge fewer documents: a part of complete judgments, or documents drawn for judging (--to-judge).

    random keeps a share of each query's judged documents, depth the first documents of every run, mixed these
    and as many drawn from the rest, stratified the depth-10 pool and a share of the rest, or a share for each
    depth (--strata). What is not chosen gets -1. The first line of the file is the command that makes it. The
    same seed and documents give the same sample on every machine.

    With --to-judge, documents are drawn from a pool before anyone has judged it; `unjudged merge` later joins
    the design and the answers.

    Parameters
    ----------
    qrels
        Complete judgments, or a pool to draw from.
    runs
        The runs of the pool, for every design except random.
    design
        How documents are chosen: random, depth, mixed or stratified.
    share
        The judged share, as 10% or 0.1 (random, stratified).
    depth
        The number of documents per ranking (depth, mixed).
    top
        The depth of the pool that the stratified design judges completely. Default: 10.
    strata
        The share for each depth, as 10:100%,50:30%,rest:10% (stratified).
    seed
        Another number gives another sample.
    redraw
        Draw a random sample again if it has no relevant document although the query has one. The inclusion
        probabilities are then unknown, so --format prels needs --no-redraw. Default: yes.
    form
        qrels; strata, with the stratum in the fourth of five columns, for xinfAP (the default for mixed and
        stratified); prels, with inclusion probabilities, for statAP.
    to_judge
        A folder: write the design, and what to judge, in random order within each topic.
    since
        With --to-judge: the design file of an earlier sample. Only documents outside its pool are drawn.

    Examples
    --------
    unjudged sample qrels.txt --share 10% -o sample.qrels
    unjudged sample qrels.txt *.run -d stratified --share 20% -o strata.qrels
    unjudged sample pool.qrels *.run -d depth --depth 2 --to-judge tasks
    """
    others = {"share": share, "depth": depth, "top": top, "strata": strata, "redraw": redraw, "format": form}
    drawing.check(**others, design=None if design == "random" else design, since=since, output=output)
    if drawing.purpose is not None:
        drawing.draw(to_judge, [qrels, *runs], inputs=inputs, seed=seed)
        return
    named: dict[str, RunSource] = {}
    if DESIGNS.find(design).runs:
        named = inputs.runs(runs)
    elif runs:
        raise UsageError(f"--design {design} does not use runs: omit them")
    levels, further = {"share": share, "depth": depth}, {"top": top, "redraw": redraw}
    chosen = SamplingOptions.of(design, levels, strata, further, drawing.budget)
    if to_judge is None and since is not None:
        raise UsageError("--since goes with --to-judge FOLDER")
    if to_judge is not None and (form or output):
        raise UsageError("--to-judge writes into its folder: omit --format and --output")
    judgments = inputs.read(qrels)
    made = Pool(judgments)
    if named:
        with reading(len(named)) as on_read:
            made = Pool.of(judgments, named, on_read=on_read)
    if to_judge is not None:
        chosen.draw_into(to_judge, made, seed=seed, since=since)
        return
    chosen = chosen.within_budget(made, seed)
    if not (judgments.grade >= 0).any():
        raise UsageError(f"{qrels}: nothing is judged yet; to draw documents for judging: --to-judge FOLDER")
    show_judgments(chosen.judged(made, seed), form or chosen.design.form, output, header=header)
