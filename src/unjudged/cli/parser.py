"""cyclopts as this package uses it: no other module knows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from inspect import BoundArguments
from types import NoneType
from typing import Annotated, Any, Literal, get_args, get_type_hints

from cyclopts import (
    App,
    CoercionError,
    CycloptsError,
    Group,
    MissingArgumentError,
    Parameter,
    RepeatArgumentError,
)
from cyclopts.exceptions import UnusedCliTokensError

from unjudged.base.errors import UsageError
from unjudged.cli import as_trec_eval, version
from unjudged.cli.commands import COMMANDS, Command, by_task
from unjudged.cli.option import OptionGroup, option_of

EXPECTED = {int: "a whole number", float: "a number"}


def parse(words: Sequence[str]) -> tuple[Callable[..., object], BoundArguments]:
    """Return the function that the words ask for, a command or the printing of help, and its arguments."""
    try:
        app = make_app(name for name in COMMANDS if name in words[:1])
        function, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
    except CycloptsError as error:
        raise UsageError(_problem(error)) from None
    return function, bound


def make_app(names: Iterable[str] = COMMANDS) -> App:
    """Return an app with all commands, of which these are imported; of the others it knows the summaries."""
    loaded = set(names)
    app = App(
        name="unjudged",
        help="Evaluation of ranked retrieval that knows what it does not know.",
        version=version,
        help_format=None if loaded else "plaintext",
        suppress_keyboard_interrupt=False,
        default_parameter=Parameter(negative_bool=(), negative_iterable=()),
    )
    tasks = by_task()
    for n, (task, commands) in enumerate(tasks.items()):
        group = Group(task, sort_key=n)
        for command in commands:
            _add(app, command, command.name in loaded, group)
    app.command(as_trec_eval, name="trec_eval", group=group, sort_key=len(COMMANDS))
    app["--help"].group = app["--version"].group = Group("Options", sort_key=len(tasks))
    return app


def _add(app: App, command: Command, loaded: bool, group: Group) -> None:
    """Add a command to an app, with its own help if it is loaded."""
    if loaded:
        declare(command.function)
        usage = f"Usage: unjudged {command.name} {command.usage} [OPTIONS]" if command.usage else None
        app.command(command.function, name=command.name, usage=usage, group=group, sort_key=command.place)
    else:
        app.command(App(name=command.name, help=command.summary, group=group, sort_key=command.place))


def declare(annotated: Any) -> None:
    """Translate the declarations on a function's parameters, or a class's fields, for cyclopts."""
    hints = get_type_hints(annotated, include_extras=True)
    explained = [line.strip() for line in (annotated.__doc__ or "").splitlines()]
    annotated.__annotations__ = {name: _declared(hint, name in explained) for name, hint in hints.items()}


def _declared(hint: Any, explained: bool) -> Any:
    """Return an annotation with what cyclopts needs to know; a docstring goes before an option's help."""
    option, plain = option_of(hint), get_args(hint)[0] if option_of(hint) else hint
    if isinstance(plain, type) and issubclass(plain, OptionGroup):
        declare(plain)
        return Annotated[plain, Parameter(name="*", group=Group(plain.title, sort_key=1))]
    if option is None:
        return hint
    words = tuple(option.choices() if callable(option.choices) else option.choices)
    if words:
        one = list[Literal[words]] if "list[" in str(plain) else Literal[words]  # type: ignore[valid-type]
        plain = one | None if NoneType in get_args(plain) else one
    given = option.more | ({"name": option.names} if option.names else {})
    if option.help and not explained:
        given["help"] = option.help
    return Annotated[plain, option, Parameter(**given)]


def _problem(error: CycloptsError) -> str:
    """Return the problem in one sentence; what the parser says where it needs no other words."""
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
    if isinstance(error, CoercionError) and error.token is not None and error.argument is not None:
        name, choices = error.token.keyword, error.argument.get_choices(force=True)
        expected = EXPECTED.get(error.target_type or str)
        if choices:
            name, expected = max(error.argument.names, key=len), f"one of {', '.join(choices)}"
        if expected:
            return f"{name} is {error.token.value!r}, expected {expected}"
    return str(error)


def _usage(error: CycloptsError) -> str:
    """Return how the command is called."""
    usage = None if error.app is None else error.app.usage
    called = usage or f"unjudged {' '.join(error.command_chain or ())} --help"
    return called.removeprefix("Usage: ").removesuffix(" [OPTIONS]")
