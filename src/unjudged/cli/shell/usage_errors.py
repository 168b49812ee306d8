"""What is wrong with a command line, in the words of this package instead of the parser's."""

from __future__ import annotations

from cyclopts import CoercionError, CycloptsError, MissingArgumentError, RepeatArgumentError
from cyclopts.exceptions import UnusedCliTokensError

EXPECTED = {int: "a whole number", float: "a number"}


def problem_of(error: CycloptsError) -> str:
    """The problem in one sentence; what the parser says where it needs no other words."""
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        if error.keyword is not None:
            return f"{error.keyword} needs a value"
        return f"{error.argument.names[-1]} is missing: {_usage(error)}"
    if isinstance(error, UnusedCliTokensError):
        unused = error.unused_tokens or []
        unexpected = "unexpected argument" if len(unused) == 1 else "unexpected arguments"
        return f"{unexpected} {' '.join(unused)}: {_usage(error)}"
    if isinstance(error, RepeatArgumentError):
        return f"{error.token.keyword} is given twice"
    if isinstance(error, CoercionError) and error.token is not None and error.target_type in EXPECTED:
        return f"{error.token.keyword} is {error.token.value!r}, expected {EXPECTED[error.target_type]}"
    return str(error)


def _usage(error: CycloptsError) -> str:
    """How the command is called."""
    usage = None if error.app is None else error.app.usage
    called = usage or f"unjudged {' '.join(error.command_chain or ())} --help"
    return called.removeprefix("Usage: ").removesuffix(" [OPTIONS]")
