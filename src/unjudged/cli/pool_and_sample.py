"""`unjudged pool` and `unjudged sample`: judgment designs as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from unjudged.cli.options.arguments import (
    Conflicts,
    File,
    Format,
    Judged,
    Output,
    Plot,
    check_files,
    read_groups,
    read_judgments,
)
from unjudged.cli.options.drawing_options import NO_PURPOSE, Drawing
from unjudged.cli.options.judging_folder import draw_into
from unjudged.cli.output import command_line, show, show_figure, show_grids
from unjudged.cli.progress import reading
from unjudged.cli.standard_error import warn
from unjudged.errors import UsageError
from unjudged.evaluation import judged_rankings, name_runs
from unjudged.formats.writing import judgments_text, queries_without_lines
from unjudged.measures.names import parse_measures
from unjudged.rankings.judgments import Judgments
from unjudged.report.figures.charts import check_plot

if TYPE_CHECKING:
    from unjudged.judging.pool import Pool

Form = Literal["qrels", "strata", "prels"]


def pool(
    *runs: File,
    depth: Annotated[int, Parameter(("-k", "--depth"))] = 100,
    qrels: str | None = None,
    since: str | None = None,
    leave_out: str | None = None,
    groups: str | None = None,
    statistics: Annotated[bool, Parameter(negative="")] = False,
    measures: Annotated[list[str] | None, Parameter(("-m", "--measure"), negative="")] = None,
    header: bool = True,
    format: Format | None = None,
    output: Output = None,
    plot: Plot = None,
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
    since
        An earlier pool or judgments: list only the documents that it lacks.
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
    plot
        Draw the size of the pool at each depth, and what each run or group contributed, to this file (.svg,
        .png, .pdf or .html).
    """
    from unjudged.judging.contributions import without
    from unjudged.judging.pool import Pool, new_documents

    _check(runs, "unjudged pool RUN...")
    if statistics and leave_out is not None:
        raise UsageError("--statistics covers every run; it does not go with --leave-out")
    if format is not None and not statistics:
        raise UsageError("--format is for --statistics; a pool is written as qrels")
    if measures and not (statistics and qrels):
        raise UsageError("--measure goes with --statistics and --qrels")
    if leave_out is not None and qrels is None:
        raise UsageError("--leave-out goes with --qrels; without judgments, omit the run's file")
    if since is not None and (qrels is not None or statistics):
        raise UsageError("--since lists what is new to judge; it does not go with --qrels or --statistics")
    check_files([*runs, *filter(None, (qrels, since))])
    check_plot(plot)
    named = name_runs(list(runs))
    of_group = read_groups(groups, named) if groups else None
    with reading(len(named)) as on_read:
        if qrels is None:
            made = Pool.of_runs(named, depth, on_read=on_read)
        else:
            judgments = read_judgments(qrels, None)
            made = Pool(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))
    _draw(made, depth, of_group, plot, judged=qrels is not None)
    if statistics:
        from unjudged.report.pool_grids import pool_grids

        chosen = parse_measures(measures or "AP") if qrels else []
        show_grids(pool_grids(made, depth, of_group, chosen), format, output)
        return
    if leave_out is not None:
        result = without(made, leave_out, depth, of_group)
    else:
        result = made.judgments if qrels is None else made.depth(depth)
    if since is not None:
        result = new_documents(result, Judgments.read(since))
    options = {"depth": depth, "qrels": qrels, "since": since, "leave-out": leave_out, "groups": groups}
    _write(result, "qrels", command_line("pool", runs, options) if header else "", output)


def _draw(
    made: Pool, depth: int, groups: Mapping[str, str] | None, plot: Path | None, *, judged: bool
) -> None:
    if plot is not None:
        from unjudged.report.figures.pool_figure import pool_figure

        show_figure(pool_figure(made, depth, groups, judged=judged), plot)


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
    assessors: int | None = None,
    twice: str | None = None,
    since: Path | None = None,
    header: bool = True,
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
        Which grade counts if a file of --judged differs: first, last or highest. Default: an error.
    to_judge
        A folder: write the design and one file per topic of what to judge, in random order.
    assessors
        With --to-judge: write one file for each of so many assessors, who judge whole topics.
    twice
        With --to-judge: the share of each topic's documents that a second assessor judges too, as 10%.
    since
        With --to-judge: the design file of an earlier sample. Only documents outside its pool are drawn.
    header
        Begin the file with a comment that says how it was made. Not every tool reads comments.
    output
        Write to this file.
    """
    from unjudged.cli.options.sampling_options import SamplingOptions
    from unjudged.judging.designs import find_design
    from unjudged.judging.pool import Pool

    files = [qrels, *runs]
    others = {"share": share, "depth": depth, "top": top, "strata": strata, "redraw": redraw, "format": form}
    drawing.check(**others, design=None if design == "random" else design, since=since, output=output)
    check_files(files)
    if drawing.purpose is not None:
        drawing.draw(
            to_judge, files, judged, conflicts=conflicts, seed=seed, assessors=assessors, twice=twice
        )
        return
    if find_design(design).runs:
        _check(runs, f"unjudged sample --design {design} QRELS RUN...")
    elif runs:
        raise UsageError(f"--design {design} does not use runs: omit them")
    levels = {"share": share, "depth": depth}
    chosen = SamplingOptions.of(design, levels, strata, {"top": top, "redraw": redraw})
    handing_out = {"assessors": assessors, "twice": twice, "since": since}
    if to_judge is None and any(value is not None for value in handing_out.values()):
        raise UsageError("--assessors, --twice and --since go with --to-judge FOLDER")
    if to_judge is not None and (form or output):
        raise UsageError("--to-judge writes into its folder: omit --format and --output")
    judgments = read_judgments(qrels, judged, conflicts)
    made = Pool(judgments)
    if chosen.design.runs:
        named = name_runs(list(runs))
        with reading(len(named)) as on_read:
            made = Pool(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))
    recorded = {"design": design, **levels, "top": top, "strata": strata, "seed": seed}
    files += [word for file in judged or () for word in ("--judged", file)]
    if to_judge is not None:
        made_by = command_line("sample", files, {**recorded, **handing_out})
        draw_into(
            to_judge, made, chosen, seed=seed, made_by=made_by, assessors=assessors, twice=twice, since=since
        )
        return
    if not (judgments.grade >= 0).any():
        raise UsageError(f"{qrels}: nothing is judged yet; to draw documents for judging: --to-judge FOLDER")
    form = form or chosen.design.form  # type: ignore[assignment]
    made_by = command_line("sample", files, {**recorded, "format": form})
    made_by += " --no-redraw" if redraw is False else ""
    _write(chosen.judged(made, seed), str(form), made_by if header else "", output)


def _write(judgments: Judgments, form: str, made_by: str, output: Output) -> None:
    show(judgments_text(judgments, form, [made_by] if made_by else []), output)
    missing = queries_without_lines(judgments, form)
    if missing:
        some = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")
        warn(f"{len(missing)} of {len(judgments.queries)} queries have no line in the file: {some}")


def _check(runs: Sequence[str], usage: str) -> None:
    if not runs:
        raise UsageError(f"no run given: {usage}")
