"""Samples for judging in a folder, where nothing is overwritten, and judgments as a file."""

from __future__ import annotations

from pathlib import Path

from unjudged.base.errors import InputError
from unjudged.base.wording import shortlist
from unjudged.cli.options.arguments import Output
from unjudged.cli.shell.given_arguments import made_by
from unjudged.cli.shell.output import make_folder, show
from unjudged.cli.shell.standard_streams import warn
from unjudged.formats.tables import encode
from unjudged.formats.writing import judgments_text, queries_without_lines
from unjudged.judging.collecting.drawn_sample import DrawnSample
from unjudged.judging.collecting.sample_file import sample_text
from unjudged.rankings.judgments import Judgments

DESIGN, TASK = "design.txt", "to-judge.qrels"


def write_drawn(folder: Path, sample: DrawnSample) -> None:
    """Write the design of a sample and what to judge; if a file would be overwritten, none is written."""
    texts = {DESIGN: sample_text(sample), TASK: sample.task()}
    for name, text in texts.items():
        check_new(folder / name, text)
    make_folder(folder)
    for name, text in texts.items():
        show(text, folder / name)


def check_new(path: Path, text: str) -> None:
    """Refuse to replace a file that has other content."""
    if path.is_file() and path.read_bytes() != encode(text):
        problem = "exists and has other content: move it away or choose another name"
        raise InputError(problem, source=str(path))


def show_judgments(judgments: Judgments, form: str, output: Output, *, header: bool) -> None:
    """Write the judgments, with a header of comments if asked for, and say which queries have no line."""
    show(judgments_text(judgments, form, [made_by()] if header else None), output)
    warn_of_missing_queries(judgments, form)


def warn_of_missing_queries(judgments: Judgments, form: str, remedy: str = "") -> None:
    """Say which queries a reader of the file will not know of."""
    missing = queries_without_lines(judgments, form)
    if missing:
        have = "has" if len(missing) == 1 else "have"
        queries = f"{len(missing)} of {len(judgments.queries)} queries"
        more = f" ({remedy})" if remedy else ""
        warn(f"{queries} {have} no line in the file{more}: {shortlist(missing)}.")
