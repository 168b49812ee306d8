"""One family of errors and one of warnings. Messages say where the problem is, which value and what to do."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from types import MappingProxyType

from unjudged.base.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from unjudged.base.notes import Note

EXTRAS = MappingProxyType(
    {
        "vl-convert-python": "report",
        "duckdb": "files",
        "pyarrow": "files",
        "ir-datasets": "datasets",
        "pyspark": "cluster",
        "ir-measures": "all",
        "pandas": "all",
        "polars": "all",
    }
)
"""The extra of this package that installs each optional package."""


class UnjudgedError(Exception):
    """Something the user gave cannot be used; the message says why and what to do.

    Names from files may be in it, so it is made plain: any terminal or log can take it.
    """

    def __str__(self) -> str:
        return _plain_lines(super().__str__())


class InputError(UnjudgedError):
    """A file, or data in memory, cannot be used.

    `problem` says what is wrong, `source` names the file or run (empty if it has no name yet), and
    `line` is the number of the line in the file, if it is known.

    >>> str(InputError("the score is 'x'", source="bm25.run", line=3))
    "bm25.run:3: the score is 'x'"
    """

    def __init__(self, problem: str, *, source: str = "", line: int | None = None) -> None:
        super().__init__(problem)
        self.problem, self.source, self.line = problem, source, line

    def __str__(self) -> str:
        if self.line is None:
            place = self.source
        else:
            place = f"{self.source}:{self.line}" if self.source else f"line {self.line}"
        return _plain_lines(f"{place}: {self.problem}" if place else self.problem)


class RepeatedDocument(InputError):
    """A query names the same document twice."""

    def __init__(
        self, problem: str, document: bytes = b"", *, source: str = "", line: int | None = None
    ) -> None:
        super().__init__(problem, source=source, line=line)
        self.document = document


class UsageError(UnjudgedError, ValueError):
    """A name, an option or an argument is not valid."""


class DuplicateError(UnjudgedError):
    """Two rows of a table name the same document for the same query; `matching` says which document."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"rows {first} and {second} name the same document")
        self.first = first
        self.second = second


class UnjudgedWarning(UserWarning):
    """Results mean less than they seem to; the message says why. The command line prints it as a line."""

    @property
    def note(self) -> Note:
        """The message as a note."""
        from unjudged.base.notes import Note

        message = self.args[0]
        return message if isinstance(message, Note) else Note(str(message))


class MissingQueriesWarning(UnjudgedWarning):
    """A run has no ranking for some queries of the judgments; they count as empty rankings."""


class ExtraQueriesWarning(UnjudgedWarning):
    """A run has rankings for queries that the judgments do not have; they are ignored."""


class NothingJudgedWarning(UnjudgedWarning):
    """No document that a run retrieved is judged, as happens with ids of another collection."""


class AssumptionWarning(UnjudgedWarning):
    """An input did not say how to read it; the message says what was assumed, and how to say it."""


def _plain_lines(text: str) -> str:
    return text if text.isprintable() else "\n".join(map(plain, text.split("\n")))


def announce(issued: Iterable[UnjudgedWarning]) -> None:
    """Issue warnings for the line outside this package that asked for the results."""
    level, frame = 2, sys._getframe(1)  # noqa: SLF001
    inside = ("unjudged.", "functools")  # a cached property is called from there
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(inside):
        level, frame = level + 1, frame.f_back
    for warning in issued:
        warnings.warn(warning, stacklevel=level)


def missing_package(package: str, purpose: str) -> UsageError:
    """Return an error that says how to install an optional package."""
    extra = EXTRAS[package]
    how = f'pip install "unjudged[{extra}]", or in a checkout pip install -e ".[{extra}]"'
    return UsageError(f"{purpose} needs {package}: {how}")


def reason_of(error: BaseException) -> str:
    """Return the reason that another library or the system gives, on one line."""
    text = " ".join(str(getattr(error, "strerror", None) or error).split())
    return text[:200] or type(error).__name__


def quoted(text: bytes | str, longest: int = 60) -> str:
    """Return a value from an input as a message may show it: escaped, on one line, never long."""
    if isinstance(text, bytes):
        text = text[: longest + 1].decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= longest else text[:longest] + "...")
