"""Arguments that commands share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from cyclopts import Parameter

from unjudged.errors import UsageError
from unjudged.rankings.judgments import Judgments
from unjudged.rankings.pool import updated

File = Annotated[str, Parameter(allow_leading_hyphen=True)]
Judged = Annotated[list[str] | None, Parameter(("-j", "--judged"), negative="")]


def check_files(files: Sequence[str]) -> None:
    """Refuse an unknown option in the place of a file, and standard input twice."""
    for file in files:
        if file.startswith("--"):
            raise UsageError(f"no option is called {file}; --help lists them")
    if list(files).count("-") > 1:
        raise UsageError("standard input (-) can be read only once")


def read_judgments(qrels: str, judged: Sequence[str] | None) -> Judgments:
    """The judgments, with those of further files."""
    judgments = Judgments.read(qrels)
    for file in judged or ():
        judgments = updated(judgments, Judgments.read(file))
    return judgments


def probability(text: str) -> float | str:
    """A number as one, anything else as it is."""
    try:
        return float(text)
    except ValueError:
        return text
