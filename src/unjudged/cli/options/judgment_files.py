"""Judgments as the file that a command writes."""

from __future__ import annotations

from unjudged.base.wording import shortlist
from unjudged.cli.options.arguments import Output
from unjudged.cli.shell.output import show
from unjudged.cli.shell.standard_error import warn
from unjudged.formats.writing import judgments_text, queries_without_lines
from unjudged.rankings.judgments import Judgments


def show_judgments(judgments: Judgments, form: str, made_by: str, output: Output) -> None:
    """Write the judgments, and say which queries have no line."""
    show(judgments_text(judgments, form, [made_by] if made_by else []), output)
    warn_of_missing_queries(judgments, form)


def warn_of_missing_queries(judgments: Judgments, form: str, remedy: str = "") -> None:
    """Say which queries a reader of the file will not know of."""
    missing = queries_without_lines(judgments, form)
    if missing:
        have = "has" if len(missing) == 1 else "have"
        queries = f"{len(missing)} of {len(judgments.queries)} queries"
        more = f" ({remedy})" if remedy else ""
        warn(f"{queries} {have} no line in the file{more}: {shortlist(missing)}.")
