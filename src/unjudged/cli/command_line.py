"""The command line: words to a call. argv is read here and nowhere else."""

from __future__ import annotations

import re
import textwrap
from argparse import ArgumentError, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from unjudged.base.errors import UsageError
from unjudged.base.wording import meant
from unjudged.cli.commands import COMMANDS, MODULE_OF, TASKS
from unjudged.cli.options import REGISTERED, Command, Option, forget, reads, writes

if TYPE_CHECKING:
    from unjudged.rankings.judgments import Judgments

WIDTH = 80
HELP = ("-h", "--help", "help")
MOST_WORDS = 4
"""A command with more words is advised for some of its systems."""
NUMBERS = {"int": "a whole number", "float": "a number"}
OVERVIEW = """\
usage: unjudged COMMAND ...

  unjudged demo --files practice
  unjudged evaluate practice/qrels.txt practice/*.run
  unjudged compare practice/qrels.txt practice/dense.run practice/fused.run

{tasks}

unjudged COMMAND -h: examples and options; --help: all; unjudged --version
Exit codes: 0 done, 1 input, 2 usage, 130 interrupted
Of gate: 0 pass, 1 fail, 2 undecided, 3 anything wrong
"""
SOURCES = """\
SOURCE is one of: judgments and runs (QRELS RUN...); tables of scores; a description (collection.toml, its
folder, a folder of BEIR, irds:ID), then names of its runs; nothing, or names of runs, for the collection.toml
of this folder or one above; several NAME=SOURCE, to compare over collections. Labels by a model stand behind
people's judgments: a second file of judgments, or NAME=FILE. Judgments, runs and tables may be text as TREC
has it, CSV, TSV, JSON, Parquet or Arrow, plain or compressed; - is standard input.
"""


class Given(Namespace):
    """What a command line says: `words` that belong to no option, and a value for each option."""

    command: Command
    arguments: list[str]
    """All of it, from the name of the command on."""
    words: list[str]

    def files(self) -> list[str]:
        """Return the words, which are files to read."""
        reads(self.words)
        return self.words

    def check(self) -> None:
        """Refuse too few or too many words; one with dots in the usage stands for several."""
        usage = self.command.usage
        wanted, needed = usage.split(), re.sub(r"\[.*?\]", "", usage).split()
        if len(self.words) < len(needed):
            raise UsageError(f"{needed[len(self.words)].strip('.')} is missing: {self.usage}")
        if len(self.words) > len(wanted) and "..." not in usage:
            raise UsageError(f"unexpected argument {self.words[len(wanted)]}: {self.usage}")

    @property
    def usage(self) -> str:
        """How the command is called, for messages."""
        name = f"unjudged {self.arguments[0]}"
        return f"{name} {self.command.call}".rstrip() + f" (`{name} -h` has examples)"

    @property
    def line(self) -> str:
        """The command as a shell takes it."""
        from unjudged.data.sources import in_shell

        return f"unjudged {in_shell(self.arguments)}"

    @property
    def settings(self) -> list[str]:
        """What is set, as words."""
        return [part for text in self.set for part in ("--set", text)]

    def about(self, systems: Sequence[str], others: Sequence[str]) -> list[str]:
        """Return the words about the same data, of many without those that name others than some systems."""
        from unjudged.rankings.runs import file_name

        out = {*others} - {*systems} if len(self.words) > MOST_WORDS else set[str]()
        kept = [word for word in self.words[1:] if not {word, file_name(word)} & out]
        return [*self.words[:1], *kept, *self.settings]

    def judge_next(
        self, judgments: Judgments, asked: Sequence[str], systems: Sequence[str], *more: str
    ) -> str:
        """Return the command that lists or draws what to judge of some systems; nothing if none would do."""
        from shlex import join

        from unjudged.measures.kernel.permitted import how_to_judge

        how = how_to_judge(judgments, len(systems))
        return join(["unjudged", "next", *self.about(asked, systems), *more, *how]) if how else ""


def command_named(name: str) -> Command:
    """Return a command, once it is imported; refuse a name that is none."""
    if name in COMMANDS:
        import_module(f"unjudged.cli.commands.{MODULE_OF[name]}")
    if name not in REGISTERED:
        hint = meant(name, [*COMMANDS, "trec_eval", "--help", "--version"])
        what = "option" if name.startswith("-") else "command"
        raise UsageError(f"unknown {what} {name}{hint} (`unjudged -h` lists the commands)")
    return REGISTERED[name]


def help_asked(words: Sequence[str], width: int) -> str | None:
    """Return the page of help that the words ask for, None if they ask for none."""
    if not words or [*words] in ([one] for one in HELP):
        return _overview()
    asked = words[0] in HELP
    name, *rest = words[1:] if asked else words
    before = rest[: rest.index("--")] if "--" in rest else rest
    if not asked and not {"--help", "-h"} & {*before}:
        return None
    full = asked or "-h" not in before
    return help_of(name, full=full, width=width if full else WIDTH)


def help_of(name: str, *, full: bool, width: int = WIDTH) -> str:
    """Return the help of a command: one screen, or all."""
    return _parser(name, command_named(name), full=full, width=width).format_help()


def _overview() -> str:
    """Return the commands by task."""
    lines: list[str] = []
    for task, commands in TASKS.items():
        lines += [f"{task}:", *(f"  {name:13}{summary}" for name, summary in commands.items())]
    return OVERVIEW.format(tasks="\n".join(lines))


def parsed(name: str, words: Sequence[str]) -> Given:
    """Return what the words after the name of a command say, once its files are known to be safe to write."""
    forget()
    command = command_named(name)
    end = words.index("--") if "--" in words else len(words)
    given = Given(command=command, arguments=[name, *words])
    given, others = _parser(name, command).parse_known_args(words[:end], given)
    for one in command.options:
        if one.needed and not hasattr(given, one.name):
            raise UsageError(f"{one.needed} is missing: {given.usage}")
    for word in others:
        if word.startswith("-") and word != "-":
            hint = meant(word.partition("=")[0], [name for one in command.options for name in one.names])
            raise UsageError(f"unknown option {word}{hint} (`unjudged {name} -h` lists them)")
    given.words = [*others, *words[end + 1 :]]
    given.check()
    outputs: dict[bool, list[Any]] = {True: [], False: []}
    for one in command.options:
        value: Any = getattr(given, one.name)
        if one.reads and value is not None:
            reads([value])
        if one.writes and value is not None:
            outputs[one.made].append(value)
    writes(outputs[False], outputs[True])
    return given


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(message)

    def parse_known_args(self, *given: Any) -> Any:  # type: ignore[override]
        """Parse; an error names the option as it is documented."""
        try:
            return super().parse_known_args(*given)
        except ArgumentError as error:
            name = str(error.argument_name).split("/")[-1]
            if "explicit argument" in error.message:
                raise UsageError(f"{name} takes no value") from None
            if error.message.startswith(("expected one arg", "expected at least")):
                hint = f"one that begins with a hyphen is written {name}=VALUE"
                raise UsageError(f"{name} needs a value; {hint}") from None
            if number := re.fullmatch(r"invalid (int|float) value: (.*)", error.message):
                raise UsageError(f"{name} is {number[2]}, expected {NUMBERS[number[1]]}") from None
            raise UsageError(error.message.replace("{}", name)) from None


class _Help(RawDescriptionHelpFormatter):
    """Help with names of options on the left, once with what stands for their value."""

    def _format_action_invocation(self, action: Any) -> str:
        value = "" if action.nargs == 0 else f" {action.metavar}" + ("..." if action.nargs == "+" else "")
        return ", ".join(action.option_strings) + value


def _parser(name: str, command: Command, *, full: bool = False, width: int = WIDTH) -> ArgumentParser:
    """Return the parser of a command; its help is short, or has everything."""
    parser = _Parser(
        usage=" ".join(filter(None, ["unjudged", name, command.call, "[OPTION...]"])),
        description=_about(command, full, width),
        epilog=None if full else f"unjudged {name} --help says more.",
        formatter_class=lambda prog: _Help(prog, max_help_position=26, width=width),
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    group = parser.add_argument_group("options")
    for one in command.options:
        group.add_argument(*one.names, help=_said(one, full).replace("%", "%%"), **one.others)
    return parser


def _said(one: Option, full: bool) -> str:
    """Return the first sentence of what is said of an option, or all, with the words that it takes."""
    if not full:
        return re.split(r"\.( |$)", one.help)[0]
    missing = [word for word in one.known if not re.search(rf"\b{re.escape(word)}\b", one.help)]
    return f"{one.help} One of {', '.join(one.known)}." if missing else one.help


def _about(command: Command, full: bool, width: int) -> str:
    """Return what a command says of itself: a paragraph, or all of them, and its examples."""
    paragraphs = command.help.split("\n\n")
    examples = [one for one in paragraphs if one.startswith(" ")]
    text = [one for one in paragraphs if one not in examples]
    if full and "SOURCE" in command.usage:
        text.append(SOURCES)
    shown = [textwrap.fill(" ".join(one.split()), width) for one in (text if full else text[:1])]
    return "\n\n".join([*shown, *(textwrap.indent(textwrap.dedent(one), "  ") for one in examples)])
