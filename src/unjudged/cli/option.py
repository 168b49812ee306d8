"""Declarations on parameters of commands: how each is spelt, and which files it names.

A parameter is annotated with an `Option` where its name and type do not say everything. The parser reads
these declarations (`shell/parser.py`), and so does the check that no command writes over a file that it reads
(`shell/given_arguments.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from unjudged.base.errors import UsageError


class Option:
    """How the command line gives a parameter.

    Without `names` the option is called like the parameter. `reads` and `writes` say that it names a file or
    a folder; a folder is `made` if it need not exist. `choices` are the words that it takes, a registry for
    example, or a function that returns them. An option for `measures` takes several words, as in
    `-m AP nDCG@10`, but no file. `help` is for commands whose docstring lacks the parameter. `more` goes to
    the parser as it is.
    """

    def __init__(
        self,
        *names: str,
        reads: bool = False,
        writes: bool = False,
        made: bool = False,
        choices: Iterable[str] | Callable[[], Iterable[str]] = (),
        measures: bool = False,
        help: str = "",
        **more: Any,
    ) -> None:
        self.names, self.reads, self.writes, self.made = names, reads, writes, made
        self.choices, self.measures, self.help, self.more = choices, measures, help, more


class OptionGroup:
    """A base for dataclasses whose fields are options of a command; help shows them under their title."""

    title = ""

    def __init_subclass__(cls, title: str = "") -> None:
        cls.title = title or cls.title


def option_of(hint: Any) -> Option | None:
    """Return the declaration in an annotation."""
    return next((part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Option)), None)


def spelt(name: str) -> str:
    """Return the option of a parameter: `--per-query` of `per_query`."""
    return f"--{name.replace('_', '-')}"


def refuse(problem: str, options: Mapping[str, object]) -> None:
    """Raise UsageError for the first of these options that was given; `{}` in the problem is its name."""
    for name, value in options.items():
        if value not in (None, False):
            raise UsageError(problem.format(spelt(name)))
