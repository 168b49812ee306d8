"""`unjudged trec_eval`: byte-identical output to trec_eval, except for known trec_eval bugs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from getopt import GetoptError, gnu_getopt
from typing import TypeVar

import numpy as np

from unjudged.base.errors import InputError, RepeatedDocument, UnjudgedError
from unjudged.base.segments import Floats, Integers
from unjudged.base.wording import plain
from unjudged.compat.trec_eval_measures import (
    NOT_HERE,
    ORDER,
    Column,
    Settings,
    Stop,
    columns,
    names_of,
    values,
    whole,
)
from unjudged.data import trec
from unjudged.data.columns import QRELS, RUN, Layout
from unjudged.data.streams import STANDARD_INPUT, name_file_in_errors, on_disk
from unjudged.data.tables import decode, encode
from unjudged.measures.kernel.measure import GEOMETRIC
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

MISSING = -1000000.0
"""Printed by trec_eval if the file of -Z has no mean for a query and measure."""

LEAST = 0.00001
"""The smallest value that counts in a geometric mean."""


FLAGS: dict[str, tuple[str, str, Callable[[str], object] | None]] = {
    "h": ("help", "help", None),
    "v": ("version", "show_version", None),
    "q": ("query_eval_wanted", "per_query", None),
    "m": ("measure", "", str),
    "c": ("complete_rel_info_wanted", "complete", None),
    "l": ("level_for_rel", "level", whole),
    "n": ("nosummary", "no_summary", None),
    "D": ("Debug_level", "only", lambda text: text.partition(".")[2] or None),
    "J": ("Judged_docs_only", "judged_only", None),
    "N": ("Number_docs_in_coll", "documents", whole),
    "M": ("Max_retrieved_per_topic", "deepest", lambda text: max(whole(text), 0)),
    "R": ("Rel_info_format", "rel_format", str),
    "T": ("Results_format", "run_format", str),
    "o": ("Output_old_results_format", "", None),
    "Z": ("Zscore", "means", str),
}
"""For each letter: the option's long name, the attribute that it sets, and what reads its value, if any."""
LONG = {f"{name}=" if read else name: letter for letter, (name, _, read) in FLAGS.items()}
USAGE = """Usage: trec_eval [-h] [-q] {-m measure}* trec_rel_file trec_top_file
   -h: list all options and explain the measures given by -m
   -q: also print the values of every query
   -m: a measure, or official (the default), set or all_trec"""


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
    if sys.stderr is not None:
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


@dataclass
class Options:
    """Options of the command line. `measures` maps each measure to the text of its parameters, or None."""

    measures: dict[str, str | None] = field(default_factory=dict)
    per_query: bool = False
    no_summary: bool = False
    complete: bool = False
    judged_only: bool = False
    level: int = 1
    documents: int = 0
    deepest: int | None = None
    only: str | None = None
    means: str | None = None
    rel_format: str = "qrels"
    run_format: str = "trec_results"
    help: bool = False
    show_version: bool = False
    version: int = 10
    files: list[str] = field(default_factory=list)

    @property
    def settings(self) -> Settings:
        return Settings(self.level, self.version, self.documents)


def parse(arguments: Sequence[str]) -> Options:
    """Return the options of a command line; raises `Stop` with messages of trec_eval if they are wrong."""
    options = Options()
    rest = _without_compat(list(arguments), options)
    short = "".join(f"{letter}:" if read else letter for letter, (_, _, read) in FLAGS.items())
    try:
        given, options.files = gnu_getopt(rest, short, list(LONG))
    except GetoptError as error:
        raise Stop(1, _wrong_option(error), USAGE) from None
    parameters: dict[str, str] = {}
    names: list[str] = []
    for flag, value in given:
        letter = flag[1:] if not flag.startswith("--") else LONG.get(flag[2:]) or LONG[f"{flag[2:]}="]
        _, attribute, read = FLAGS[letter]
        if letter == "m":
            names += _measures(value, options.version, parameters)
        elif attribute:
            setattr(options, attribute, True if read is None else read(value))
        if options.show_version:
            return options
        if options.level < 0:
            raise Stop(1, reason=f"invalid -l {options.level}: use 0 or more, for judged documents")
    names = names or names_of("official", options.version)
    options.measures = {name: parameters.get(name) for name in names}
    return options


def _without_compat(arguments: list[str], options: Options) -> list[str]:
    """Return the arguments that trec_eval knows, without our --compat."""
    rest = []
    while arguments:
        word = arguments.pop(0)
        if word != "--compat" and not word.startswith("--compat="):
            rest.append(word)
            continue
        value = word.partition("=")[2] if "=" in word else (arguments.pop(0) if arguments else "")
        if value not in ("9", "10"):
            raise Stop(1, USAGE, reason=f"invalid --compat {value!r}: use 9 or 10")
        options.version = int(value)
    return rest


def _measures(text: str, version: int, parameters: dict[str, str]) -> list[str]:
    """Measures that one -m asks for; if a measure is given parameters twice, the first ones count."""
    name, dot, written = text.partition(".")
    illegal = f"trec_eval: illegal measure '{name}'"
    if dot and not written:
        raise Stop(1, f"trec_eval: improper measure in parameter '{name}'", illegal)
    if dot:
        parameters.setdefault(name, written)
    names = names_of(name, version)
    if not names:
        raise Stop(1, illegal)
    return names


def _wrong_option(error: GetoptError) -> str:
    """Return the message of the C library about an option."""
    if not error.msg.startswith("option --"):
        what = "option requires an argument" if "requires argument" in error.msg else "invalid option"
        return f"trec_eval: {what} -- '{error.opt}'"
    if "not recognized" in error.msg:
        return f"trec_eval: unrecognized option '--{error.opt}'"
    if "unique prefix" in error.msg:
        options = (f"'--{name.rstrip('=')}'" for name in LONG if name.startswith(error.opt))
        return f"trec_eval: option '--{error.opt}' is ambiguous; possibilities: {' '.join(options)}"
    what = "requires an argument" if "requires argument" in error.msg else "doesn't allow an argument"
    return f"trec_eval: option '--{error.opt}' {what}"


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
    if not options.no_summary:
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
    known = _means_of_zscores(path)
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


UNSUPPORTED = ("prefs", "qrels_prefs", "qrels_jg")
NO_PREFERENCES = "preferences and several judges are not supported"

Result = TypeVar("Result")


def read_rankings(options: Options) -> tuple[JudgedRankings, str]:
    """Return the run's rankings, matched against the judgments; and its runid, if it is to be printed."""
    qrels, run = options.files
    first = next((name for name in ORDER if name in options.measures and name not in ("runid", "num_q")), "")
    if options.rel_format != "qrels":
        reason = NO_PREFERENCES if options.rel_format in UNSUPPORTED else ""
        raise Stop(2, f"trec_eval: Illegal rel_format '{options.rel_format}'", reason=reason)
    judgments = _read("qrels", qrels, first, lambda: _judgments(qrels))
    if options.run_format != "trec_results":
        raise Stop(2, f"trec_eval: Illegal retrieval results format '{options.run_format}'")
    rankings, tag = _read("results", run, first, lambda: _scanned(options, judgments, run))
    refused = next((name for name in options.measures if name in NOT_HERE), None)
    if refused is not None:
        raise Stop(4, f"trec_eval: Can't calculate measure '{refused}'", reason=NO_PREFERENCES)
    return rankings, decode(tag)


def _judgments(path: str) -> Judgments:
    with name_file_in_errors(path), on_disk(path) as file:
        return Judgments.from_table(*trec.read_judgments(file, QRELS))


def _scanned(options: Options, judgments: Judgments, run: str) -> tuple[JudgedRankings, bytes]:
    source = STANDARD_INPUT if run.startswith("-") else run
    layout = Layout(RUN.columns, RUN.open_ended, single=options.version == 9)
    with name_file_in_errors(source), on_disk(source) as file:
        matched = trec.scan_run(file, judgments.index, layout)
        rankings = JudgedRankings.from_matches(judgments, [matched])
        return rankings, trec.last_tag(file) if "runid" in options.measures else b""


def _means_of_zscores(path: str) -> dict[tuple[bytes, bytes], tuple[float, float]]:
    """Return the means and standard deviations that trec_eval's option -Z names, or stop with its message."""
    try:
        return trec.read_means(path)
    except InputError as error:
        problem, reason = _problem("zscores", path, error), str(error)
    raise Stop(255, problem, reason=reason)


def _read(what: str, path: str, measure: str, read: Callable[[], Result]) -> Result:
    """Return the result of `read`, or trec_eval's message for what is wrong with the file."""
    try:
        return read()
    except RepeatedDocument as error:
        where = "form_res_qrels" if what == "results" else "form_res_rels"
        twice = f"trec_eval.{where}: duplicate docs {decode(error.document)}"
        cannot = f"trec_eval: Can't calculate measure '{measure}'"
        both = (twice + cannot,) if what == "results" else (twice, cannot)
        raise Stop(4, *both, reason=str(error)) from None
    except InputError as error:
        quit_there = f"trec_eval: Quit in file '{path}'"
        raise Stop(2, _problem(what, path, error), quit_there, reason=str(error)) from None


def _problem(what: str, path: str, error: InputError) -> str:
    if error.line is not None:
        return f"trec_eval.get_{what}: Malformed line {error.line}"
    return f"trec_eval.get_{what}: Cannot read {what} file '{path}'"


HELP = """trec_eval [-h] [-q] [-m measure[.params]] [-c] [-n] [-l <num>] [-J] [-N <num>] [-M <num>]
   [-D <num>[.qid]] [-R rel_format] [-T results_format] [-Z file] [--compat 9|10]
   rel_info_file results_file

Score the rankings of results_file ('-' for standard input) with the judgments of rel_info_file.
The output is the same as trec_eval's, byte by byte, except for known trec_eval bugs.

 -h --help                         print this text and explain the measures given by -m
 -v --version                      print the version on standard error
 -q --query_eval_wanted            print the values of every query before the summary
 -m --measure name[.params]        a measure, or official (the default), set or all_trec;
                                   may be repeated
 -c --complete_rel_info_wanted     average over all queries of rel_info_file; a query
                                   that results_file lacks counts as 0
 -n --nosummary                    do not print the summary
 -l --level_for_rel num            the lowest relevant grade (default: 1)
 -J --Judged_docs_only             ignore documents that are not judged
 -N --Number_docs_in_coll num      the number of documents in the collection, for utility
 -M --Max_retrieved_per_topic num  use only the first documents of each ranking
 -D --Debug_level num[.qid]        evaluate only this query; the level is ignored
 -R --Rel_info_format format       qrels
 -T --Results_format format        trec_results
 -Z --Zscore file                  print distances from a mean in standard deviations; lines:
                                   qid measure mean standard_deviation
 -o                                ignored
    --compat 9|10                  the version to follow where they differ (default: 10)

rel_info_file has lines of: qid iteration docno grade
   A negative grade means pooled but not judged.
results_file has lines of: qid iteration docno rank score runid
   Documents are ordered by score; documents with equal scores by docno, descending.
"""

_OTHERS = {
    "runid": "The last column of the last line of results_file.",
    "num_q": "The number of queries evaluated.",
    "relstring": "The grades of the first documents as a string; - is not pooled, . pooled but not judged.",
}


def per_query_lines(
    prefix: str, chosen: Sequence[Column], rankings: JudgedRankings, topics: Integers, table: Floats
) -> Iterator[str]:
    """Yield the values of every query; a geometric mean has none."""
    names = list(rankings.judgments.queries)
    for topic in topics.tolist():
        for column, value in zip(chosen, table[topic].tolist(), strict=True):
            if column.of in ("runid", "num_q") or column.summary == GEOMETRIC:
                continue
            if column.of == "relstring":
                yield f"{column.name:<22}\t{names[topic]}\t'{relstring(rankings, topic, column.depth)}'\n"
            else:
                yield f"{prefix}{column.name:<22}\t{names[topic]}\t{_number(column, value, prefix)}\n"


def summary_lines(
    prefix: str, chosen: Sequence[Column], runid: str, queries: int, numbers: Sequence[float]
) -> Iterator[str]:
    for column, number in zip(chosen, numbers, strict=True):
        if column.of == "runid":
            yield f"{column.name:<22}\tall\t{runid}\n"
        elif column.of == "num_q":
            yield f"{prefix}{column.name:<22}\tall\t{_number(column, float(queries), prefix)}\n"
        elif column.of != "relstring":
            yield f"{prefix}{column.name:<22}\tall\t{_number(column, number, prefix)}\n"


def relstring(rankings: JudgedRankings, ranking: int, depth: int) -> str:
    """One character per document: its grade, `-` if it is not pooled, `.` if pooled but not judged."""
    own = slice(rankings.offsets[ranking], rankings.offsets[ranking + 1])
    text = ["-"] * min(depth, int(rankings.retrieved[ranking]))
    for rank, label in zip(rankings.rank[own].tolist(), rankings.labels[own].tolist(), strict=True):
        if rank > len(text):
            break
        text[rank - 1] = "." if label < 0 else ">" if label > 9 else str(label)
    return "".join(text)


def _number(column: Column, value: float, prefix: str) -> str:
    """Number as C's printf writes it: counts as integers, others with four decimals, 0/0 as -nan."""
    if (column.summary == "sum" or column.of == "num_q") and not prefix:
        return str(int(value))
    return "  -nan" if np.isnan(value) else f"{value:6.4f}"


def version_text(version: int) -> str:
    """Return the version of trec_eval that is followed, and ours."""
    from unjudged import __version__

    return f"trec_eval version {'10.0' if version >= 10 else '9.0.8'} (unjudged {__version__})"


def help_text(options: Options) -> str:
    """Return the options, then a page for each measure that -m names."""
    pages = {}
    for column in columns(dict.fromkeys(options.measures), options.settings):
        if column.measure is None:
            pages[column.of] = f"{column.of}\n{_OTHERS[column.of]}\n"
        else:
            pages[column.of] = f"{column.of}, here {column.measure.name}\n{column.measure.help}\n"
    return "\n".join([HELP, *pages.values()])
