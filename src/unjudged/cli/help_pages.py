"""Help: the list of commands, one screen about a command (`-h`), and everything about it (`--help`)."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from inspect import getdoc
from itertools import accumulate

from unjudged.cli.commands import Command, by_task
from unjudged.cli.option import Parameter, parameters

SCREEN = 30
"""Lines that a page of `-h` may have."""

OVERVIEW = """\
usage: unjudged COMMAND ...

  unjudged demo --files practice
  unjudged evaluate practice/qrels.txt practice/*.run
  unjudged compare practice/qrels.txt practice/dense.run practice/fused.run

{tasks}
  trec_eval    Print what trec_eval prints.

unjudged COMMAND -h: examples and main options; --help: all; unjudged --version
"""


def overview() -> str:
    """Return the commands by task."""
    lines: list[str] = []
    for task, commands in by_task().items():
        lines += [f"{task}:", *(f"  {name:13}{one.summary}" for name, one in commands.items())]
    return OVERVIEW.format(tasks="\n".join(lines))


def short(command: Command) -> str:
    """Return usage, examples, and as many options as a screen has lines; those with a letter come first."""
    about = About(command.function)
    lines = [*about.start(command, paragraphs=1), ""]
    declared = sorted(about.parameters, key=_importance)
    column = max(len(_label(one)) for one in declared) + 2
    entries = [_entry(one, about.of[one.name], column) for one in declared]
    room = SCREEN - len(lines)
    sizes = list(accumulate(map(len, entries)))
    count = len(entries) if sizes[-1] <= room else sum(size <= room - 2 for size in sizes)
    lines += [line for entry in entries[:count] for line in entry]
    if more := len(entries) - count:
        lines += ["", f"{more} more options: unjudged {command.name} --help"]
    return "\n".join([*lines, ""])


def _entry(one: Parameter, text: str, column: int) -> list[str]:
    """Return what a parameter is called and the first sentence about it, in a line or two."""
    sentence = re.split(r"\.( |$)", text)[0]
    first, *others = textwrap.wrap(
        sentence, 78 - column, max_lines=2, placeholder=" ...", break_on_hyphens=False
    )
    return [f"  {_label(one):{column}}{first}", *(f"  {'':{column}}{line}" for line in others)]


def full(command: Command, width: int = 0) -> str:
    """Return all that is said of a command, and every argument and option with choices and default."""
    from unjudged.cli.output import terminal_width

    width = width or terminal_width()
    about = About(command.function)
    lines, title = about.start(command, width=width), ""
    for one in sorted(about.parameters, key=lambda one: (not one.positional, one.group is not None)):
        of = "Arguments" if one.positional else one.group.title if one.group else "Options"
        lines += ["", f"{of}:"] if of != title else []
        title = of
        lines += [f"  {_label(one)}", *_filled(_all(one, about.of[one.name]), width, " " * 6)]
    return "\n".join([*lines, ""])


class About:
    """What docstrings and declarations say of a command: its text, its examples, and each parameter."""

    def __init__(self, function: Callable[..., object]) -> None:
        self.parameters = parameters(function)
        self.text, said, examples = _sections(function)
        self.examples = [line.strip() for line in examples.splitlines() if line.strip()]
        groups = dict.fromkeys(one.group for one in self.parameters if one.group is not None)
        homes = [base for group in groups for base in reversed(group.__mro__) if base.__doc__]
        explained = {name: text for home in homes for name, text in _paragraphs(_sections(home)[1])}
        explained |= dict(_paragraphs(said))
        self.of = {one.name: explained.get(one.name) or one.option.help for one in self.parameters}

    def start(self, command: Command, paragraphs: int | None = None, width: int = 80) -> list[str]:
        """Return usage, text and examples in lines."""
        lines = [f"usage: {command.called} [OPTION...]"]
        for paragraph in self.text.split("\n\n")[:paragraphs]:
            lines += ["", *_filled(paragraph, width)]
        return [*lines, "", *(f"  {example}" for example in self.examples)]


def _sections(owner: object) -> tuple[str, str, str]:
    """Return the text of a docstring, and its sections of parameters and of examples."""
    text, *rest = re.split(r"\n\n(Parameters|Examples)\n-+\n", getdoc(owner) or "")
    found = dict(zip(rest[::2], rest[1::2], strict=True))
    return text, found.get("Parameters", ""), found.get("Examples", "")


def _paragraphs(section: str) -> list[tuple[str, str]]:
    """Return the names in a section, each with the indented lines below it as one line."""
    parts = re.findall(r"^(\w+)\n((?: +.*\n?)+)", section, re.MULTILINE)
    return [(name, " ".join(text.split())) for name, text in parts]


def _importance(one: Parameter) -> tuple[bool, bool, bool, bool]:
    """Return what sorts arguments and options for the short page: what must be given is first."""
    return (
        not one.positional,
        not one.needed,
        len(one.names[0]) != 2,
        one.group is not None or one.name[0] == "_",
    )


def _label(one: Parameter) -> str:
    names = ", ".join(one.names)
    if one.positional or one.flag:
        return f"{names}..." if one.variable else names
    return f"{names} {one.metavar}"


def _all(one: Parameter, text: str) -> str:
    """Return what is said of a parameter, with its choices and its default unless the text has them."""
    choices = one.choices
    if not all(re.search(rf"\b{re.escape(word)}\b", text) for word in choices):
        text += f" One of {', '.join(choices)}."
    if one.needed or one.variable:
        return text if one.positional else f"{text} It must be given."
    if "default" in text.lower():
        return text
    default = ("yes" if one.default else "no") if one.flag and one.default is not None else one.default
    return f"{text} Default: {'none' if default is None else default}."


def _filled(text: str, width: int, indent: str = "") -> Sequence[str]:
    return textwrap.wrap(
        text,
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
