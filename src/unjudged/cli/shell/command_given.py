"""The command line that was given, for files and pages that say how they were made."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter, signature
from typing import Any, get_type_hints

import unjudged
from unjudged.cli.commands import COMMANDS
from unjudged.cli.options.option import Option, OptionGroup, option_of

_GIVEN: list[tuple[Callable[..., object], Mapping[str, Any]]] = []


def remember(function: Callable[..., object], arguments: Mapping[str, Any]) -> None:
    """Remember the command that was given, and its arguments."""
    _GIVEN[:] = [(function, arguments)]


def command_given(*more: str) -> str:
    """Return the command as a shell takes it, without options for the files that it writes.

    So the same command writes the same bytes, wherever it writes them.
    """
    [(function, arguments)] = _GIVEN
    where = f"{function.__module__}:{function.__name__}"
    parameters = signature(function).parameters
    named = {name for name, one in parameters.items() if one.kind is Parameter.KEYWORD_ONLY}
    files = [arguments[name] for name in parameters if name in arguments.keys() - named]
    words = [
        *next(name for name, command in COMMANDS.items() if command.where == where).split(),
        *(os.fspath(file) for given in files for file in _listed(given) if file is not None),
        *_options(
            function,
            {name: arguments[name] for name in arguments if name in named},
            {name: parameters[name].default for name in named},
        ),
    ]
    return shlex.join(["unjudged", *words, *more])


def made_by() -> str:
    """Return the version and the command, if one was given, for the comment in a file's first line."""
    version = f"unjudged {unjudged.__version__}"
    return f"{version}: {command_given()}" if _GIVEN else version


def _options(declared: Any, given: Mapping[str, Any], defaults: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of options that differ from their defaults."""
    hints = get_type_hints(declared, include_extras=True)
    for name, value in given.items():
        option = option_of(hints.get(name)) or Option()
        spelt = option.names[-1] if option.names else f"--{name.replace('_', '-')}"
        if isinstance(value, OptionGroup):
            yield from _options(type(value), vars(value), vars(type(value)))
        elif option.writes or value is None or value == defaults.get(name):
            continue
        elif isinstance(value, bool):
            yield spelt if value else f"--no-{spelt.removeprefix('--')}"
        else:
            for one in _listed(value):
                yield from (spelt, str(one))


def _listed(value: Any) -> list[Any] | tuple[Any, ...]:
    return value if isinstance(value, list | tuple) else [value]
