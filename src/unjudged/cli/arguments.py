"""Arguments that commands share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from unjudged.errors import InputError, UsageError
from unjudged.formats.tables import decode
from unjudged.rankings.extension import updated
from unjudged.rankings.judgments import Judgments

File = Annotated[str, Parameter(allow_leading_hyphen=True)]
LARGEST_GROUPS = 1 << 24

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


def read_groups(file: str, runs: Iterable[str]) -> dict[str, str]:
    """The group of each run: `run group` a line."""
    try:
        with Path(file).open("rb") as source:
            data = source.read(LARGEST_GROUPS + 1)
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror}") from None
    if len(data) > LARGEST_GROUPS:
        raise InputError(f"{file}: more than {LARGEST_GROUPS >> 20} MB, expected a run and its group a line")
    found: dict[str, str] = {}
    for number, line in enumerate(decode(data).splitlines(), 1):
        words = line.split()
        if words and len(words) != 2:
            raise InputError(f"{file}:{number}: {line!r}, expected a run and its group")
        if words and words[0] in found:
            raise InputError(f"{file}:{number}: run {words[0]!r} again, expected each run once")
        if words:
            found[words[0]] = words[1]
    if not found.keys() & set(runs):
        raise InputError(f"{file}: none of the runs is in it, expected names such as {next(iter(runs))!r}")
    return found
