"""Files that trec_eval reads, and its messages for files that it cannot read."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

from unjudged.base.errors import InputError, RepeatedDocument
from unjudged.compat.trec_eval import Stop
from unjudged.compat.trec_eval.command_line import Options
from unjudged.compat.trec_eval.translation import NOT_HERE, ORDER
from unjudged.formats.columns import QRELS, RUN, Layout
from unjudged.formats.readers.text import trec
from unjudged.formats.streams import STANDARD_INPUT, name_file_in_errors, on_disk
from unjudged.formats.tables import decode
from unjudged.rankings.judged import JudgedRankings
from unjudged.rankings.judgments import Judgments

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
        with closing(trec.scan_runs([(source, file)], judgments.index, layout)) as scans:
            rankings = JudgedRankings.of(judgments, [next(scans)])
        return rankings, trec.last_tag(file) if "runid" in options.measures else b""


def read_means(path: str) -> dict[tuple[bytes, bytes], tuple[float, float]]:
    """-Z's means and standard deviations."""
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
