"""Declarations on parameters of commands: how each is spelt, what it takes, and which files it names.

A parameter is annotated with an `Option` where its name and type do not say everything. `parameters` reads
these declarations: for the parser, for help, and for the check that no command writes over what it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from inspect import Parameter as Argument
from inspect import signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from unjudged.base.errors import UsageError
from unjudged.base.wording import meant


class Option:
    """How the command line gives a parameter.

    Without `names` the option is called like the parameter. `reads` and `writes` say that it names a file or
    a folder; a folder is `made` if it need not exist. `choices` are the words that it takes, a registry for
    example, or a function that returns them; what is in brackets after one is left to the registry. With
    `words` it takes all words up to the next option. `read` makes a value of a word, or several values.
    `help` is for commands whose docstring lacks the parameter.
    """

    def __init__(
        self,
        *names: str,
        reads: bool = False,
        writes: bool = False,
        made: bool = False,
        choices: Iterable[str] | Callable[[], Iterable[str]] = (),
        words: bool = False,
        read: Callable[[str], Any] | None = None,
        help: str = "",
    ) -> None:
        self.names, self.reads, self.writes, self.made = names, reads, writes, made
        self.choices, self.words, self.read, self.help = choices, words, read, help


class OptionGroup:
    """A base for dataclasses whose fields are options of a command; help shows them under their title."""

    title = ""

    def __init_subclass__(cls, title: str = "") -> None:
        cls.title = title or cls.title


@dataclass(frozen=True)
class Parameter:
    """An argument or an option of a command.

    A field of a group of options names the group, and the parameter that holds it.
    """

    name: str
    hint: Any
    default: Any
    positional: bool = False
    variable: bool = False
    group: type[OptionGroup] | None = None
    holder: str = ""

    @cached_property
    def option(self) -> Option:
        return next(
            (part for part in getattr(self.hint, "__metadata__", ()) if isinstance(part, Option)), Option()
        )

    @cached_property
    def names(self) -> tuple[str, ...]:
        """How it is spelt; an argument is only called so in messages."""
        if self.positional:
            return (self.name.upper().removesuffix("S") if self.variable else self.name.upper(),)
        return self.option.names or (spelt(self.name),)

    @cached_property
    def _types(self) -> list[Any]:
        """The alternatives of its type, but None."""
        plain = get_args(self.hint)[0] if get_origin(self.hint) is Annotated else self.hint
        parts = get_args(plain) if get_origin(plain) in (Union, UnionType) else (plain,)
        return [part for part in parts if part is not NoneType]

    @property
    def several(self) -> bool:
        return get_origin(self._types[0]) is list

    @property
    def flag(self) -> bool:
        return self._types[0] is bool

    @property
    def needed(self) -> bool:
        return self.default is Argument.empty and not self.variable

    @property
    def choices(self) -> tuple[str, ...]:
        """The words that it takes, if they are few."""
        given = self.option.choices
        own = [word for part in self._types if get_origin(part) is Literal for word in get_args(part)]
        return tuple(given() if callable(given) else given) or tuple(own)

    @property
    def kind(self) -> type:
        """The type of a value: int, float, Path or str."""
        only = get_args(self._types[0])[0] if self.several else self._types[0]
        return only if only in KINDS else str

    @property
    def metavar(self) -> str:
        """What stands for a value in help."""
        what = "FILE" if self.option.reads or self.option.writes else KINDS[self.kind][0]
        return f"{what}..." if self.option.words else what

    def value(self, word: str, spelling: str) -> Any:
        """Return what a word stands for; `spelling` is the option as it was given."""
        if self.option.read is not None:
            return self.option.read(word)
        if choices := self.choices:
            if word.partition("(")[0] not in choices:
                expected = f"expected one of {', '.join(choices)}"
                raise UsageError(f"{spelling} is {word!r}, {expected}{meant(word, choices)}")
            return word
        try:
            return self.kind(word)
        except ValueError:
            raise UsageError(f"{spelling} is {word!r}, expected {KINDS[self.kind][1]}") from None


KINDS = {
    int: ("N", "a whole number"),
    float: ("X", "a number"),
    Path: ("FILE", "a file"),
    str: ("WORD", "a word"),
}
"""Types of values: what stands for one in help, and what is said of any other word."""


def parameters(function: Callable[..., object]) -> list[Parameter]:
    """Return the parameters of a command in order; a group of options stands for its fields."""
    found: list[Parameter] = []
    hints = get_type_hints(function, include_extras=True)
    for name, one in signature(function).parameters.items():
        hint = hints[name]
        if isinstance(hint, type) and issubclass(hint, OptionGroup):
            defaults = {field: part.default for field, part in signature(hint).parameters.items()}
            own = get_type_hints(hint, include_extras=True)
            found += [
                Parameter(field, own[field], default, group=hint, holder=name)
                for field, default in defaults.items()
            ]
        else:
            variable = one.kind is Argument.VAR_POSITIONAL
            positional = variable or one.kind is Argument.POSITIONAL_ONLY
            found.append(Parameter(name, hint, one.default, positional, variable))
    return found


def spelt(name: str) -> str:
    """Return the option of a parameter: `--per-query` of `per_query`."""
    return f"--{name.strip('_').replace('_', '-')}"


def refuse(problem: str, options: Mapping[str, object]) -> None:
    """Raise UsageError for the first of these options that was given; `{}` in the problem is its name."""
    for name, value in options.items():
        if value not in (None, False):
            raise UsageError(problem.format(spelt(name)))
