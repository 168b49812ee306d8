"""Help: a list of commands, a screen about each, and everything about it; and how much there is of it."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.cli.in_process import printed, refused, unjudged
from unjudged import sample
from unjudged.cli.command_line import command_named, parsed
from unjudged.cli.commands import COMMANDS

OPTIONS = {name: command_named(name).options for name in COMMANDS}


@pytest.mark.parametrize("words", [[], ["-h"], ["--help"], ["help"]])
def test_commands_are_listed_by_task(words: list[str]) -> None:
    lines = printed(*words).splitlines()
    assert len(lines) <= 32
    assert max(map(len, lines)) <= 80
    listed = [line.split()[0] for line in lines if re.match(r"  [a-z_]+  ", line)]
    assert listed == [*COMMANDS, "trec_eval"]
    assert len([line for line in lines if line.startswith("  unjudged ")]) == 3


@pytest.mark.parametrize("command", COMMANDS)
def test_a_screen_about_a_command(command: str) -> None:
    """Usage, three examples and every option fit on one, however wide the terminal is."""
    lines = printed(command, "-h").splitlines()
    assert len(lines) <= 30
    assert max(map(len, lines)) <= 80
    assert lines[0].startswith(f"usage: unjudged {command}")
    assert len([line for line in lines if line.startswith("  unjudged ")]) == 3
    assert len([line for line in lines if line.startswith("  -")]) == len(OPTIONS[command])


@pytest.mark.parametrize("command", COMMANDS)
def test_everything_about_a_command(command: str) -> None:
    """Every option with all that is said of it, and every word that it takes."""
    text = " ".join(unjudged(command, "--help", COLUMNS="80").stdout.decode().split())
    for one in OPTIONS[command]:
        assert ", ".join(one.names) in text
        assert all(re.search(rf"\b{re.escape(word)}\b", text) for word in one.known), one.name
    assert ("SOURCE is one of" in text) == ("SOURCE" in command_named(command).usage)


def test_there_are_few_options() -> None:
    assert {name: len(own) for name, own in OPTIONS.items() if len(own) > 15} == {}
    distinct = {one.names[-1] for own in OPTIONS.values() for one in own}
    assert len(distinct) <= 48, sorted(distinct)


def test_an_option_means_one_thing() -> None:
    """What two commands share has the same names, and takes the same."""
    by_name: dict[str, set[tuple[str, ...]]] = {}
    for own in OPTIONS.values():
        for one in own:
            for name in one.names:
                by_name.setdefault(name, set()).add(one.names)
    assert {name: names for name, names in by_name.items() if len(names) > 1} == {}


EXAMPLES = [
    line.strip()
    for name in COMMANDS
    for line in command_named(name).help.splitlines()
    if line.startswith("    unjudged ")
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_are_commands(example: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    program, name, *words = shlex.split(example)
    assert program == "unjudged"
    assert parsed(name, words).command == command_named(name)


def test_help_is_also_a_word() -> None:
    asked = printed("evaluate", "--help")
    assert printed("help", "evaluate") == printed("--help", "evaluate") == asked
    assert printed("evaluate", "-h") == printed("evaluate", "none", "--depth", "x", "-h") != asked
    assert refused(2, "--help", "foo") == refused(2, "foo")


def test_exit_codes_are_documented() -> None:
    text = " ".join(printed("gate", "--help").split())
    for said in ("0 if", "1 if", "2 if", "3 if"):
        assert said in text
    assert str(sample.qrels)
