"""`unjudged trec_eval`: trec_eval's command line, and its output to the byte."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from unjudged.compat import trec_options
from unjudged.compat.trec_columns import NOT_HERE, Column, columns, values
from unjudged.compat.trec_help import help_text, version_text
from unjudged.compat.trec_options import Options
from unjudged.compat.trec_output import per_query_lines, summary_lines
from unjudged.compat.trec_parameters import Stop
from unjudged.errors import InputError, LineError, RepeatedDocument, UnjudgedError
from unjudged.formats import trec
from unjudged.formats.columns import decode, encode
from unjudged.formats.layouts import QRELS, RUN, Layout
from unjudged.formats.sources import STANDARD_INPUT, errors_named, on_disk
from unjudged.rankings.judged import Floats, Integers, JudgedRankings
from unjudged.rankings.judgments import Judgments

MISSING = -1000000.0
"""What trec_eval prints where -Z gives no mean for a query and measure."""

LEAST = 0.00001
"""What a value is at least in a geometric mean."""

UNSUPPORTED = ("prefs", "qrels_prefs", "qrels_jg")


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluate as trec_eval does, and end with its exit code."""
    try:
        text = output(sys.argv[1:] if arguments is None else arguments)
        sys.stdout.buffer.write(encode(text))
        sys.stdout.buffer.flush()
    except Stop as stop:
        _say(stop)
        sys.exit(stop.code)
    except UnjudgedError as error:
        _say(Stop(2, reason=str(error)))
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _say(stop: Stop) -> None:
    """trec_eval's own words; ours, if there are any, on a line behind them."""
    lines = [*stop.messages, *([f"unjudged: {stop.reason}"] if stop.reason else [])]
    sys.stderr.write("\n".join(lines) + "\n" if lines else "")


def output(arguments: Sequence[str]) -> str:
    """What is to be printed; a `Stop` where trec_eval would end with a message."""
    options = trec_options.parse(arguments)
    if options.show_version:
        raise Stop(0, version_text(options.version))
    if options.help:
        return help_text(options)
    if len(options.files) != 2:
        raise Stop(1, trec_options.USAGE)
    chosen = columns(options.measures, options.settings)
    judgments, rankings, runid = _read(options, chosen)
    return "".join(_lines(options, chosen, judgments, rankings, runid))


def _read(options: Options, chosen: Sequence[Column]) -> tuple[Judgments, JudgedRankings, str]:
    qrels, run = options.files
    first = next((name for name in options.measures if name not in ("runid", "num_q")), "num_ret")
    if options.rel_format != "qrels":
        reason = (
            "preferences and several judges are not supported" if options.rel_format in UNSUPPORTED else ""
        )
        raise Stop(2, f"trec_eval: Illegal rel_format '{options.rel_format}'", reason=reason)
    judgments = _tried("qrels", qrels, first, lambda: Judgments.read(qrels, QRELS))
    if options.run_format != "trec_results":
        raise Stop(2, f"trec_eval: Illegal retrieval results format '{options.run_format}'")
    layout = Layout(RUN.columns, RUN.open_ended, single=options.version == 9)
    wants_tag = any(column.of == "runid" for column in chosen)

    def scan() -> tuple[JudgedRankings, bytes]:
        source = STANDARD_INPUT if run.startswith("-") else run
        with errors_named(source), on_disk(source) as file:
            with closing(trec.scan_runs([file], judgments.index, layout)) as scans:
                rankings = JudgedRankings.of(judgments, [next(scans)])
            return rankings, trec.last_tag(file) if wants_tag else b""

    rankings, tag = _tried("results", run, first, scan)
    for name in options.measures:
        if name in NOT_HERE:
            reason = "preferences and several judges are not supported"
            raise Stop(4, f"trec_eval: Can't calculate measure '{name}'", reason=reason)
    return judgments, rankings, decode(tag)


def _tried(what: str, path: str, measure: str, read: Callable[[], Any]) -> Any:
    """What `read` gives, or trec_eval's words for what is wrong with the file."""
    try:
        return read()
    except InputError as error:
        cause, reason = error.__context__, str(error)
    if isinstance(cause, RepeatedDocument):
        where = "form_res_qrels" if what == "results" else "form_res_rels"
        twice = f"trec_eval.{where}: duplicate docs {decode(cause.document)}"
        cannot = f"trec_eval: Can't calculate measure '{measure}'"
        both = (twice + cannot,) if what == "results" else (twice, cannot)
        raise Stop(4, *both, reason=reason)
    quit_there = f"trec_eval: Quit in file '{path}'"
    if isinstance(cause, LineError):
        raise Stop(2, f"trec_eval.get_{what}: Malformed line {cause.line}", quit_there, reason=reason)
    raise Stop(2, f"trec_eval.get_{what}: Cannot read {what} file '{path}'", quit_there, reason=reason)


def _lines(
    options: Options, chosen: Sequence[Column], judgments: Judgments, rankings: JudgedRankings, runid: str
) -> Iterator[str]:
    names = judgments.queries.tolist()
    in_order = np.array(sorted(range(len(names)), key=names.__getitem__), np.int64)
    if options.only is not None:
        in_order = in_order[[names[q] == encode(options.only) for q in in_order]]
    retrieved = rankings.retrieved > 0
    topics = in_order[retrieved[in_order]]
    absent = in_order[~retrieved[in_order]] if options.complete else in_order[:0]
    if options.version >= 10:
        topics = in_order if options.complete and len(topics) else topics
    if not len(topics):
        raise Stop(7, "trec_eval: No queries with both results and relevance info")
    if options.deepest is not None:
        rankings = rankings.cut(options.deepest)
    if options.judged_only:
        rankings = rankings.condensed()
    table = values(chosen, rankings)
    relevant = float(rankings.known(options.level).sum()) if options.complete else None
    _reset(table, chosen, absent)
    if options.means is not None:
        table = _standardised(table, chosen, names, options.means)
    prefix = "Z" if options.means is not None else ""
    if options.per_query:
        yield from per_query_lines(prefix, chosen, rankings, topics, table)
    if options.summary:
        numbers = _averaged(table, chosen, topics, absent if options.version < 10 else absent[:0])
        if relevant is not None:
            numbers = [relevant if c.of == "num_rel" else n for c, n in zip(chosen, numbers, strict=True)]
        yield from summary_lines(prefix, chosen, runid, len(set(topics) | set(absent)), numbers)


def _reset(table: Floats, chosen: Sequence[Column], absent: Integers) -> None:
    """A query that the run misses is worth nothing, whatever an empty ranking would be."""
    for k, column in enumerate(chosen):
        if column.of in ("utility", "rbp_resid"):
            table[absent, k] = 0.0
        table[absent, k] = np.nan_to_num(table[absent, k])


def _standardised(table: Floats, chosen: Sequence[Column], names: Sequence[bytes], path: str) -> Floats:
    """Each value as so many standard deviations from the mean that the file has for it."""
    try:
        known = trec.read_means(path)
    except InputError as error:
        cause = error.__context__
        problem = f"trec_eval.get_zscores: Cannot read zscores file '{path}'"
        if isinstance(cause, LineError):
            problem = f"trec_eval.get_zscores: Malformed line {cause.line}"
        raise Stop(255, problem, reason=str(error)) from None
    scores = np.full(table.shape, MISSING)
    for k, column in enumerate(chosen):
        for q, name in enumerate(names):
            mean, deviation = known.get((name, encode(column.name)), (None, 0.0))
            if mean is not None and deviation:
                scores[q, k] = (table[q, k] - mean) / deviation
            elif mean == table[q, k]:
                scores[q, k] = 0.0
    return scores


def _averaged(table: Floats, chosen: Sequence[Column], topics: Integers, absent: Integers) -> list[float]:
    """The figure for all queries: added one after another, as trec_eval adds them.

    trec_eval 9 leaves `absent` queries out of its sums and divides by their number too.
    """
    number = len(topics) + len(absent)
    found = []
    for k, column in enumerate(chosen):
        total = float(np.cumsum(table[topics, k])[-1])
        if column.summary == "sum":
            found.append(total)
        elif column.summary == "geometric mean":
            found.append(float(np.exp((total + len(absent) * np.log(LEAST)) / number)))
        else:
            found.append(total / number)
    return found
