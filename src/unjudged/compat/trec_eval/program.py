"""`unjudged trec_eval`: byte-identical output to trec_eval, except for known trec_eval bugs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

import numpy as np

from unjudged.base.errors import UnjudgedError
from unjudged.compat.trec_eval import Stop
from unjudged.compat.trec_eval.command_line import USAGE, Options, parse
from unjudged.compat.trec_eval.printing import help_text, per_query_lines, summary_lines, version_text
from unjudged.compat.trec_eval.reading import read_means, read_rankings
from unjudged.compat.trec_eval.translation import Column, columns, values
from unjudged.formats.tables import encode
from unjudged.grids.escapes import plain
from unjudged.measures.kernel.averages import GEOMETRIC
from unjudged.rankings.judged import Floats, Integers, JudgedRankings

MISSING = -1000000.0
"""Printed by trec_eval if the file of -Z has no mean for a query and measure."""

LEAST = 0.00001
"""The smallest value that counts in a geometric mean."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Evaluate as trec_eval does, and exit with its code."""
    try:
        text = output(sys.argv[1:] if arguments is None else arguments)
        _print(text)
    except Stop as stop:
        _print_messages(stop)
        sys.exit(stop.code)
    except UnjudgedError as error:
        _print_messages(Stop(2, reason=str(error)))
        sys.exit(2)
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            _print_messages(Stop(1, reason=f"standard output: cannot be written: {error.strerror}"))
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def _print(text: str) -> None:
    if sys.stdout is None:
        raise Stop(1, reason="standard output is closed")
    sys.stdout.buffer.write(encode(text))
    sys.stdout.buffer.flush()


def _print_messages(stop: Stop) -> None:
    """Print the messages of trec_eval, then our explanation on a line of its own."""
    messages = [*stop.messages, *([f"unjudged: {stop.reason}"] if stop.reason else [])]
    sys.stderr.write("".join(f"{plain(line)}\n" for message in messages for line in message.split("\n")))


def output(arguments: Sequence[str]) -> str:
    """Return the text to print; raises `Stop` where trec_eval would exit with a message."""
    options = parse(arguments)
    if options.show_version:
        raise Stop(0, version_text(options.version))
    if options.help:
        return help_text(options)
    if len(options.files) != 2:
        raise Stop(1, USAGE)
    chosen = columns(options.measures, options.settings)
    rankings, runid = read_rankings(options)
    return "".join(_lines(options, chosen, rankings, runid))


def _lines(options: Options, chosen: Sequence[Column], rankings: JudgedRankings, runid: str) -> Iterator[str]:
    names = rankings.judgments.queries.tolist()
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
    """Set a query that the run lacks to 0, even where an empty ranking would score more."""
    for k, column in enumerate(chosen):
        if column.of in ("utility", "rbp_resid"):
            table[absent, k] = 0.0
        table[absent, k] = np.nan_to_num(table[absent, k])


def _standardised(table: Floats, chosen: Sequence[Column], names: Sequence[bytes], path: str) -> Floats:
    """Each value as its distance, in standard deviations, from the mean that the file gives."""
    known = read_means(path)
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
    """Return the value for all queries, added up in the order in which trec_eval adds.

    trec_eval 9 leaves `absent` queries out of the sum but counts them in the divisor.
    """
    number = len(topics) + len(absent)
    averages = []
    for k, column in enumerate(chosen):
        total = float(np.cumsum(table[topics, k])[-1])
        if column.summary == "sum":
            averages.append(total)
        elif column.summary == GEOMETRIC:
            averages.append(float(np.exp((total + len(absent) * np.log(LEAST)) / number)))
        else:
            averages.append(total / number)
    return averages
