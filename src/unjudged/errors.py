"""One family of errors: every message says where, which value, and what was expected."""

from __future__ import annotations


class UnjudgedError(Exception):
    """What the user gave cannot be used; the message says why and what would."""


class InputError(UnjudgedError):
    """A file (or the data in its place) is not what it should be."""


class UsageError(UnjudgedError, ValueError):
    """A name, an option or an argument is not one there is."""


class LineError(UnjudgedError):
    """A line of text that cannot be read; who knows the file's name turns it into an InputError."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line
        self.problem = problem


class RepeatedDocument(LineError):
    """A line that names a document its query has already."""

    def __init__(self, line: int, problem: str, document: bytes) -> None:
        super().__init__(line, problem)
        self.document = document


class DuplicateError(UnjudgedError):
    """Two rows of a table name the same document for the same query."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"rows {first} and {second} name the same document")
        self.first = first
        self.second = second


def quoted(text: bytes | str, longest: int = 60) -> str:
    """A value from a file as it may be shown: escaped, one line, never long."""
    if isinstance(text, bytes):
        text = text[: longest + 1].decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= longest else text[:longest] + "...")
