"""`unjudged pool` and `unjudged sample`: judgment designs as files."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Annotated, Literal

from cyclopts import Parameter

from unjudged.cli.arguments import (
    Design,
    File,
    Format,
    Judged,
    Output,
    check_files,
    read_groups,
    read_judgments,
    share_of,
)
from unjudged.cli.output import command_line, show, show_grids, warn
from unjudged.cli.progress import reading
from unjudged.errors import UsageError
from unjudged.evaluation import judged_rankings, name_runs
from unjudged.formats.writing import judgments_text, queries_without_lines
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
    """The documents that runs have at the top: a file to judge, or judgments cut down to them.

    Without --qrels every document is new and gets -1, in the order of their names so that nothing tells an
    assessor its rank. With --qrels the documents in the pool keep their grades and the others get -1.

    Parameters
    ----------
    runs
        The runs of the pool.
    depth
        How many documents of each ranking are pooled.
    qrels
        Complete judgments.
    leave_out
        A run or group: what only it has among its first documents is left out of the judgments, which
        stay as they are otherwise.
    groups
        A file with the group of each run, `run group` a line.
    statistics
        Print the size of the pool at each depth and what each run or group brought, in place of the file;
        with --qrels also each run's score with and without what its own group brought alone.
    measures
        What is scored for --statistics; may be repeated. AP if not given.
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
        raise UsageError("--statistics tells of every run; it does not go with --leave-out")
    if format is not None and not statistics:
        raise UsageError("--format is for --statistics; a pool is written as qrels")
    if measures and not (statistics and qrels):
        raise UsageError("--measure goes with --statistics and --qrels")
    if leave_out is not None and qrels is None:
        raise UsageError("--leave-out goes with --qrels; without them, leave the run's file out")
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
    design: Annotated[Design, Parameter(("-d", "--design"))] = "random",
    share: str | None = None,
    depth: Annotated[int | None, Parameter(("-k", "--depth"))] = None,
    strata: str | None = None,
    seed: int = 0,
    redraw: bool = True,
    form: Annotated[Form | None, Parameter("--format")] = None,
    judged: Judged = None,
    header: bool = True,
    output: Output = None,
) -> None:
    """Judge fewer documents: a part of complete judgments, chosen by a design; the rest gets -1.

    random takes a share of each query's judged documents, depth the first documents of every run, mixed these
    and as many drawn from the rest, stratified a share of its own for each depth. The first line of the file
    says how it was made; the same seed and documents give the same sample on every machine.

    Parameters
    ----------
    qrels
        Complete judgments.
    runs
        The runs of the pool, for every design but random.
    design
        How documents are chosen.
    share
        Of each query's documents, as 10% or 0.1 (random).
    depth
        Documents of each ranking (depth, mixed).
    strata
        The share of each depth, as 10:100%,50:30%,rest:10% (stratified).
    seed
        Another number, another sample.
    redraw
        Draw a random sample again where it has no relevant document though the query has one. How likely a
        document was to be drawn is then not known, so --format prels asks for --no-redraw.
    form
        qrels; strata, with the stratum in the fourth of five columns, for xinfAP (what mixed and stratified
        give if nothing is said); prels, with inclusion probabilities, for statAP.
    judged
        Judgments made since, in a file of their own; may be repeated.
    header
        Begin the file with a comment that says how it was made; not every tool reads comments.
    output
        Write to this file.
    """
    from unjudged.judging.pool import Pool

    check_files([qrels, *runs])
    if design != "random":
        _check(runs, f"unjudged sample --design {design} QRELS RUN...")
    elif runs:
        raise UsageError("--design random looks at no runs: unjudged sample QRELS --share 10%")
    judgments = read_judgments(qrels, judged)
    made = Pool(judgments)
    if design != "random":
        named = name_runs(list(runs))
        with reading(len(named)) as on_read:
            made = Pool(judgments, judged_rankings(judgments, named, on_read=on_read), list(named))
    given = {"share": share, "depth": depth, "strata": strata}
    needed = {"random": "share", "depth": "depth", "mixed": "depth", "stratified": "strata"}[design]
    for name, value in given.items():
        if (value is None) == (name == needed):
            word = "needs" if name == needed else "does not take"
            raise UsageError(f"--design {design} {word} --{name}")
    if design == "random":
        result = made.random(share_of(str(share)), seed=seed, redraw=redraw)
    elif design == "stratified":
        result = made.stratified(_strata(str(strata)), seed=seed)
    else:
        result = made.depth(int(depth or 0)) if design == "depth" else made.mixed(int(depth or 0), seed=seed)
    form = form or ("qrels" if result.stratum is None else "strata")
    options = {"design": design, **given, "seed": seed, "format": form}
    files = [qrels, *runs, *(word for file in judged or () for word in ("--judged", file))]
    made_by = command_line("sample", files, options) + ("" if redraw else " --no-redraw")
    _write(result, form, made_by if header else "", output)


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
            raise UsageError(f"a stratum is {part!r}, expected a depth and a share as 10:50% or rest:5%")
        end = inf if depth == "rest" else float(depth)
        if end in strata:
            raise UsageError(f"stratum {depth} is given twice in {text!r}")
        strata[end] = share_of(share)
    return strata
