"""`unjudged pool` and `unjudged sample`: judgment designs as files."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from unjudged.cli.arguments import (
    Conflicts,
    File,
    Format,
    Judged,
    Output,
    check_files,
    read_groups,
    read_judgments,
)
from unjudged.cli.drawing_options import NO_PURPOSE, Drawing
from unjudged.cli.output import command_line, show, show_grids, warn
from unjudged.cli.progress import reading
from unjudged.errors import UsageError
from unjudged.evaluation import judged_rankings, name_runs
from unjudged.formats.writing import judgments_text, queries_without_lines
from unjudged.judging.levels import DEPTH, SHARE
from unjudged.measures.names import parse_measures
from unjudged.rankings.judgments import Judgments

Form = Literal["qrels", "strata", "prels"]


def pool(
    *runs: File,
    depth: Annotated[int, Parameter(("-k", "--depth"))] = 100,
    qrels: str | None = None,
    leave_out: str | None = None,
    groups: str | None = None,
    statistics: Annotated[bool, Parameter(negative="")] = False,
    measures: Annotated[list[str] | None, Parameter(("-m", "--measure"), negative="")] = None,
    header: bool = True,
    format: Format | None = None,
    output: Output = None,
) -> None:
    """The documents at the top of the runs: a file to judge, or judgments reduced to them.

    Without --qrels every document gets -1, sorted by name so that assessors cannot infer its rank. With
    --qrels the documents in the pool keep their grades and the others get -1.

    Parameters
    ----------
    runs
        The runs of the pool.
    depth
        How many documents of each ranking are pooled.
    qrels
        Complete judgments.
    leave_out
        A run or group: documents that only it has among its first documents are removed from the
        judgments, which otherwise stay as they are.
    groups
        A file with the group of each run, one `run group` per line.
    statistics
        Instead of the file, print the size of the pool at each depth and what each run or group contributed;
        with --qrels also each run's score with and without the documents that only its group contributed.
    measures
        The measures for --statistics; may be repeated. Default: AP.
    header
        Begin the file with a comment that says how it was made; not every tool reads comments.
    format
        The format of --statistics. By default the suffix of the output file decides, or else tables are
        printed.
    output
        Write to this file.
    """
    from unjudged.judging.contributions import without
    from unjudged.judging.pool import Pool

    _check(runs, "unjudged pool RUN...")
    if statistics and leave_out is not None:
        raise UsageError("--statistics covers every run; it does not go with --leave-out")
    if format is not None and not statistics:
        raise UsageError("--format is for --statistics; a pool is written as qrels")
    if measures and not (statistics and qrels):
        raise UsageError("--measure goes with --statistics and --qrels")
    if leave_out is not None and qrels is None:
        raise UsageError("--leave-out goes with --qrels; without judgments, omit the run's file")
    check_files([*runs, *([qrels] if qrels else [])])
    named = name_runs(list(runs))
    of_group = read_groups(groups, named) if groups else None
    with reading(len(named)) as on_read:
        if qrels is None:
            made = Pool.of_runs(named, depth, on_read=on_read)
        else:
            judgments = read_judgments(qrels, None)
            made = Pool(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))
    if statistics:
        from unjudged.report.pool_grids import pool_grids

        chosen = parse_measures(measures or "AP") if qrels else []
        show_grids(pool_grids(made, depth, of_group, chosen), format, output)
        return
    if leave_out is not None:
        result = without(made, leave_out, depth, of_group)
    else:
        result = made.judgments if qrels is None else made.depth(depth)
    options = {"depth": depth, "qrels": qrels, "leave-out": leave_out, "groups": groups}
    _write(result, "qrels", command_line("pool", runs, options) if header else "", output)


def sample(
    qrels: File,
    /,
    *runs: File,
    drawing: Drawing = NO_PURPOSE,
    design: Annotated[str, Parameter(("-d", "--design"))] = "random",
    share: str | None = None,
    depth: Annotated[str | None, Parameter(("-k", "--depth"))] = None,
    top: int | None = None,
    strata: str | None = None,
    seed: int = 0,
    redraw: bool | None = None,
    form: Annotated[Form | None, Parameter("--format")] = None,
    judged: Judged = None,
    conflicts: Conflicts = "error",
    to_judge: Path | None = None,
    header: bool = True,
    output: Output = None,
) -> None:
    """Judge fewer documents: keep a part of complete judgments, chosen by a design; the rest gets -1.

    random keeps a share of each query's judged documents, depth the first documents of every run, mixed these
    and as many drawn from the rest, stratified the depth-10 pool and a share of the rest, or a share for each
    depth (--strata). The first line of the file is the command that makes it. The same seed and documents
    give the same sample on every machine.

    Parameters
    ----------
    qrels
        Complete judgments.
    runs
        The runs of the pool, for every design except random.
    drawing
        Options for samples that are drawn before judging.
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
    judged
        Judgments made since, in a file of their own; may be repeated.
    conflicts
        Which grade counts if a file of --judged judges a document differently: the first, the last or the
        highest. By default that is an error.
    to_judge
        With --for: a folder for the design and the documents to judge.
    header
        Begin the file with a comment that says how it was made. Not every tool reads comments.
    output
        Write to this file.
    """
    from unjudged.judging.designs import find_design
    from unjudged.judging.pool import Pool

    drawing.check(share=share, depth=depth, top=top, strata=strata, redraw=redraw, format=form, output=output)
    check_files([qrels, *runs])
    if drawing.purpose is not None:
        drawing.draw(to_judge, [qrels, *runs], judged, conflicts, seed)
        return
    chosen = find_design(design)
    if chosen.runs:
        _check(runs, f"unjudged sample --design {design} QRELS RUN...")
    elif runs:
        raise UsageError(f"--design {design} does not use runs: omit them")
    levels = {"share": share, "depth": depth}
    given = {"top": top, "redraw": redraw}
    options = {name: value for name, value in given.items() if value is not None}
    if strata is not None and design != "stratified":
        raise UsageError("--strata goes with --design stratified")
    needed = None if strata is not None else chosen.level.name
    for name, text in levels.items():
        if (text is None) == (name == needed):
            problem = f"needs --{name}" if text is None else f"does not take --{name}"
            raise UsageError(f"--design {design} {problem}" + ("" if strata is None else " beside --strata"))
    chosen.check_options(options)
    if strata is not None and options:
        raise UsageError("--top does not go with --strata: name the depth in --strata")
    level = None if needed is None else chosen.level.read(str(levels[needed]))
    judgments = read_judgments(qrels, judged, conflicts)
    made = Pool(judgments)
    if chosen.runs:
        named = name_runs(list(runs))
        with reading(len(named)) as on_read:
            made = Pool(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))
    if level is None:
        result = made.stratified(_strata(str(strata)), seed=seed)
    else:
        result = chosen.draw(made, level, seed, **options)
    form = form or chosen.form  # type: ignore[assignment]
    recorded = {"design": design, **levels, "top": top, "strata": strata, "seed": seed, "format": form}
    files = [qrels, *runs, *(word for file in judged or () for word in ("--judged", file))]
    made_by = command_line("sample", files, recorded) + (" --no-redraw" if redraw is False else "")
    _write(result, str(form), made_by if header else "", output)


def _write(judgments: Judgments, form: str, made_by: str, output: Output) -> None:
    show(judgments_text(judgments, form, [made_by] if made_by else []), output)
    missing = queries_without_lines(judgments, form)
    if missing:
        some = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        warn(f"{len(missing)} of {len(judgments.queries)} queries have no line in the file: {some}")


def _check(runs: Sequence[str], usage: str) -> None:
    if not runs:
        raise UsageError(f"no run given: {usage}")


def _strata(text: str) -> dict[float, float]:
    """`10:100%,50:30%,rest:10%` as depths and shares."""
    strata: dict[float, float] = {}
    for part in text.split(","):
        depth, colon, share = part.partition(":")
        if not colon or not (depth == "rest" or depth.isdecimal()):
            raise UsageError(f"invalid stratum {part!r}: use a depth and a share, as 10:50% or rest:5%")
        end = inf if depth == "rest" else DEPTH.read(depth)
        if end in strata:
            raise UsageError(f"stratum {depth} is given twice in {text!r}")
        strata[end] = SHARE.read(share)
    return strata
