"""Parameters of every command as they are declared, and the ways to spell them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, get_type_hints

from unjudged.cli.commands import COMMANDS
from unjudged.cli.option import Option, OptionGroup, option_of

CALLED = [name for name, one in COMMANDS.items() if one.where]
REFUSED = dict.fromkeys(CALLED, (2, 1)) | {"gate": (3, 3)}
"""Exit codes of a wrong command line and of a bad file."""

NEEDED = {"documents": "10", "grades": "0,1"}
"""Values of options without which a command line is refused for another reason."""


class Declared:
    """A parameter of a command with its declaration."""

    def __init__(self, name: str, hint: Any, kind: Any = inspect.Parameter.KEYWORD_ONLY, default: Any = None):
        self.name, self.hint, self.positional = name, hint, kind is not inspect.Parameter.KEYWORD_ONLY
        self.option = option_of(hint) or Option()
        self.needed = default is inspect.Parameter.empty
        self.spellings = self.option.names or (f"--{name.replace('_', '-')}",)

    def words(self, value: str) -> list[str]:
        return [value] if self.positional else [self.spellings[-1], value]


@cache
def declared(command: str) -> tuple[Declared, ...]:
    """Every parameter, those of groups of options too."""
    return tuple(_declared(command))


def _declared(command: str) -> Iterator[Declared]:
    function: Callable[..., Any] = COMMANDS[command].function
    hints = get_type_hints(function, include_extras=True)
    for name, parameter in inspect.signature(function).parameters.items():
        plain = getattr(hints[name], "__origin__", hints[name])
        if isinstance(plain, type) and issubclass(plain, OptionGroup):
            for field, hint in get_type_hints(plain, include_extras=True).items():
                yield Declared(field, hint)
        else:
            yield Declared(name, hints[name], parameter.kind, parameter.default)


def spelt(written: Declared, value: str, command: str) -> list[list[str]]:
    """The ways to give an option."""
    ways = [way for name in written.spellings for way in ([name, value], [f"{name}={value}"])]
    for short in [name for name in written.spellings if len(name) == 2]:
        ways.append([f"{short}{value}"])
        flags = [
            flag
            for one in declared(command)
            for flag in one.spellings
            if "bool" in str(one.hint) and len(flag) == 2
        ]
        ways += [
            way for flag in flags for way in ([f"{flag}{short[1]}", value], [f"{flag}{short[1]}{value}"])
        ]
    return ways


def oddly_spelt(written: Declared, value: str, other: str, command: str) -> list[list[str]]:
    """Further spellings, which the parser may take or refuse: cut short, in capitals, twice and others."""
    ways = spelt(written, value, command)
    twice = [[*one, *two] for one in ways for two in spelt(written, other, command)]
    ways = [*twice, *([*two, *one] for one in ways for two in spelt(written, other, command))]
    for name in written.spellings:
        short = [name[:end] for end in range(3, len(name))]
        ways += [way for cut in short for way in ([cut, value], [f"{cut}={value}"])]
        ways += [[name.upper(), value], [f"{name}:{value}"], [name, "--", value], [f"{name}={name}={value}"]]
        ways += [[name, name, value], [f"-{name}", value], [name.replace("-", "_"), value], [name, "", value]]
    return ways


def line_of(command: str, files: dict[str, str]) -> list[str]:
    """A command line that gives each file to the parameter of this name, and whatever else is needed."""
    words = command.split()
    for one in declared(command):
        if one.name in files:
            words += one.words(files[one.name])
        elif one.option.made and one.positional:
            words.append("new_folder")
        elif one.needed and not one.option.writes and not one.positional:
            words += one.words(NEEDED.get(one.name, "1"))
    return words
