"""The command line: words to a call. argv is read here and nowhere else."""

from __future__ import annotations

from argparse import SUPPRESS, Action, ArgumentError, ArgumentParser, HelpFormatter, Namespace
from collections.abc import Callable, Sequence
from functools import partial
from inspect import signature
from itertools import pairwise
from typing import Any

from unjudged.base.errors import UsageError
from unjudged.base.wording import meant
from unjudged.cli.commands import COMMANDS, CONVERTED, Command
from unjudged.cli.given_arguments import Given, forget, take_arguments
from unjudged.cli.help_pages import full, overview, short
from unjudged.cli.option import Parameter, parameters
from unjudged.cli.standard_streams import complete_output

HELP = ("-h", "--help", "help")


def call_of(words: Sequence[str]) -> Callable[[], object]:
    """Return the call that the words ask for, once its files are known to be safe to write."""
    asked = words[0] if words and words[0] in HELP else None
    if not words or words == [asked]:
        return _printing(overview)
    name, *rest = words if asked is None else [words[1], asked, *words[2:]]
    if name not in COMMANDS:
        hint = meant(name, [*COMMANDS, "trec_eval", "--help", "--version"])
        what = "option" if name.startswith("-") else "command"
        raise UsageError(f"unknown {what} {name}{hint} (`unjudged -h` lists the commands)")
    before, after = _divided(rest)
    if name in CONVERTED:
        from unjudged.cli.command_line import help_of
        from unjudged.cli.output import terminal_width

        short_page = "-h" in before and not asked
        return _printing(partial(help_of, name, full=not short_page, width=terminal_width()))
    if "-h" in before:
        return _printing(partial(short, COMMANDS[name]))
    if "--help" in before or asked:
        return _printing(partial(full, COMMANDS[name]))
    return _call(COMMANDS[name], before, after)


def _printing(page: Callable[[], str]) -> Callable[[], object]:
    """Return the printing of a page of help."""
    return complete_output()(lambda: print(page(), end=""))  # noqa: T201


def _divided(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words before two hyphens, and those after them, which are no options."""
    end = words.index("--") if "--" in words else len(words)
    return words[:end], words[end + 1 :]


def _call(command: Command, words: Sequence[str], arguments: Sequence[str]) -> Callable[[], object]:
    """Return the call of a command with these options, and with arguments among them and after them."""
    forget()
    function = command.function
    declared = parameters(function)
    options = [one for one in declared if not one.positional]
    given, others = _given_options(options, words)
    for word in others:
        if word.startswith("-") and word != "-":
            hint = meant(word.partition("=")[0], [name for one in options for name in one.names])
            raise UsageError(f"unknown option {word}{hint} (`unjudged {command.name} -h` lists them)")
    files = _bound(
        command, [one for one in declared if one.positional], [*others, *arguments], among_options=bool(given)
    )
    for one in options:
        if one.needed and one.name not in given:
            raise UsageError(f"{one.names[-1]} is missing: {command.called}")
    given_options = [Given(one, given[one.name]) for one in options if one.name in given]
    take_arguments(command.name, [*files, *given_options])
    named = {one.parameter.name: one.value for one in given_options if one.parameter.group is None}
    for holder, group in {one.holder: one.group for one in options if one.group is not None}.items():
        named[holder] = group(
            **{one.parameter.name: one.value for one in given_options if one.parameter.holder == holder}
        )
    bound = signature(function).bind(*(one.value for one in files), **named)
    return partial(function, *bound.args, **bound.kwargs)


def _bound(
    command: Command, declared: Sequence[Parameter], words: Sequence[str], *, among_options: bool
) -> list[Given]:
    """Return the arguments of a command, which are the words that belong to no option."""
    wanted = [one for one in declared if not one.variable]
    rest = [one for one in declared if one.variable]
    for one in wanted[len(words) :]:
        if one.needed:
            hint = "; files come before options" if among_options else ""
            raise UsageError(f"{one.names[0]} is missing: {command.called}{hint}")
    if len(words) > len(wanted) and not rest:
        raise UsageError(f"unexpected argument {words[len(wanted)]}: {command.called}")
    places = zip([*wanted, *rest * len(words)], words, strict=False)
    return [Given(one, one.value(word, one.names[0])) for one, word in places]


class _Keep(Action):
    """Keep what an option says: a list grows, anything else is given once."""

    def __init__(self, parameter: Parameter, **others: Any) -> None:
        super().__init__(**others)
        self.parameter = parameter

    def __call__(self, _: ArgumentParser, kept: Namespace, words: Any, spelling: str | None = None) -> None:
        spelling, one = spelling or "", self.parameter
        if one.flag:
            values: list[Any] = [not spelling.startswith("--no-")]
        else:
            values = [one.value(word, spelling) for word in ([words] if isinstance(words, str) else words)]
        if one.several:
            parts = [part for value in values for part in (value if isinstance(value, list) else [value])]
            setattr(kept, self.dest, [*getattr(kept, self.dest, []), *parts])
        elif hasattr(kept, self.dest):
            raise UsageError(f"{spelling} is given twice")
        else:
            setattr(kept, self.dest, values[0])


def _given_options(options: Sequence[Parameter], words: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Return the values of the options that were given, and all other words."""
    parser = ArgumentParser(
        "unjudged",
        formatter_class=partial(HelpFormatter, width=80),  # it asks for the terminal's for every option
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    for one in options:
        count = 0 if one.flag else "+" if one.option.words else None
        parser.add_argument(
            *one.names, dest=one.name, nargs=count, action=_Keep, parameter=one, default=SUPPRESS
        )
    try:
        given, others = parser.parse_known_args(words)
    except ArgumentError as error:
        names = str(error.argument_name).split("/")
        problem = "takes no value" if "explicit" in error.message else "needs a value"
        known = {name for one in options for name in one.names}
        if any(word in names and value[:1] == "-" and value not in known for word, value in pairwise(words)):
            problem += f"; one that begins with a hyphen is written {names[-1]}=VALUE"
        raise UsageError(f"{names[-1]} {problem}") from None
    return vars(given), others
