"""Parameters of every command as they are declared, and the ways to spell them."""

from __future__ import annotations

from functools import cache

from unjudged.cli.commands import COMMANDS
from unjudged.cli.option import Parameter, parameters

REFUSED = dict.fromkeys(COMMANDS, (2, 1)) | {"gate": (3, 3)}
"""Exit codes of a wrong command line and of a bad file."""

NEEDED = {"documents": "10", "grades": "0,1"}
"""Values of options without which a command line is refused for another reason."""


@cache
def declared(command: str) -> tuple[Parameter, ...]:
    """Every parameter, those of groups of options too."""
    return tuple(parameters(COMMANDS[command].function))


def words_of(one: Parameter, value: str) -> list[str]:
    return [value] if one.positional else [one.names[-1], value]


def spelt(written: Parameter, value: str, command: str) -> list[list[str]]:
    """The ways to give an option."""
    ways = [way for name in written.names for way in ([name, value], [f"{name}={value}"])]
    for short in [name for name in written.names if len(name) == 2]:
        ways.append([f"{short}{value}"])
        flags = [flag for one in declared(command) for flag in one.names if one.flag and len(flag) == 2]
        ways += [
            way for flag in flags for way in ([f"{flag}{short[1]}", value], [f"{flag}{short[1]}{value}"])
        ]
    return ways


def oddly_spelt(written: Parameter, value: str, other: str, command: str) -> list[list[str]]:
    """Further spellings, which the parser may take or refuse: cut short, in capitals, twice and others."""
    ways = spelt(written, value, command)
    twice = [[*one, *two] for one in ways for two in spelt(written, other, command)]
    ways = [*twice, *([*two, *one] for one in ways for two in spelt(written, other, command))]
    for name in written.names:
        short = [name[:end] for end in range(3, len(name))]
        ways += [way for cut in short for way in ([cut, value], [f"{cut}={value}"])]
        ways += [[name.upper(), value], [f"{name}:{value}"], [name, "--", value], [f"{name}={name}={value}"]]
        ways += [[name, name, value], [f"-{name}", value], [name.replace("-", "_"), value], [name, "", value]]
    return ways


def line_of(command: str, files: dict[str, str]) -> list[str]:
    """A command line that gives each file to the parameter of this name, and whatever else is needed."""
    words = command.split()
    for one in sorted(declared(command), key=lambda one: not one.positional):
        if one.name in files:
            words += words_of(one, files[one.name])
        elif one.option.made and one.positional:
            words.append("new_folder")
        elif one.needed and not one.option.writes and not one.positional:
            words += words_of(one, NEEDED.get(one.name, "1"))
    return words
