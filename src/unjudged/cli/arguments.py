"""Arguments that commands share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from unjudged.errors import InputError, UsageError
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


def share_of(text: str) -> float:
    """`10%` and `0.1` are the same; `10` is refused, as it could be either."""
    number, percent, rest = text.partition("%")
    try:
        share = float(number) / (100 if percent else 1)
    except ValueError:
        share = -1.0
    if rest or not 0 <= share <= 1:
        raise UsageError(f"a share is {text!r}, expected one as 10% or 0.1")
    return share


def one_per_line(file: str, names: Iterable[str]) -> dict[str, str]:
    """The second word of each line by the first, which is the name of a run."""
    try:
        lines = Path(file).read_text("utf-8", "surrogateescape").splitlines()
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    found: dict[str, str] = {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if words and len(words) < 2:
            raise InputError(f"{file}:{number}: {line!r}, expected a run and its group")
        if words:
            found[words[0]] = words[1]
    if not found.keys() & set(names):
        raise InputError(f"{file}: none of the runs is in it, expected names such as {next(iter(names))!r}")
    return found
