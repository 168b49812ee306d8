"""Commands: one module each, which declares its command with `@command` and is imported when it runs.

    @command("squares", LOOK_UP, 9, "NUMBER...", "Print squares.")
    def squares(*numbers: int, format: OutputFormat = None, output: Output = None) -> None:
        ...

The parameters of the function are its arguments and options, its docstring is its help.
"""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., None])

SCORE, COLLECT = "Score and compare", "Collect judgments"
STUDY, LOOK_UP = "Study measures and designs", "Learn and look up"
TASKS = (SCORE, COLLECT, STUDY, LOOK_UP)
"""Tasks of commands in the order of the help."""


class Command:
    """A command as it is listed: by task and place there, with its arguments and a summary.

    `where` is its function, as `module:name`.
    """

    def __init__(self, row: Sequence[str], function: Callable[..., Any] | None = None) -> None:
        self.row, self._function = row, function
        self.name, self.task, place, self.where, self.usage, self.summary = row
        self.place = int(place)

    @property
    def function(self) -> Callable[..., Any]:
        """Import the command."""
        if self._function is None:
            module, _, name = self.where.partition(":")
            self._function = getattr(import_module(module), name)
        return self._function


def _listed() -> dict[str, Command]:
    """Return the commands of this package, which `make docs` lists from their declarations."""
    with open(f"{os.path.dirname(__file__)}.tsv", encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table]
    return {row[0]: Command(row) for row in rows}


COMMANDS = _listed()
"""Every command by its name."""


def command(name: str, task: str, place: int, usage: str, summary: str) -> Callable[[Function], Function]:
    """Register a function as a command; `usage` is what comes after its name."""

    def register(function: Function) -> Function:
        where = f"{function.__module__}:{function.__name__}"
        COMMANDS[name] = Command((name, task, str(place), where, usage, summary), function)
        return function

    return register


def by_task() -> dict[str, list[Command]]:
    """Return the commands of each task in the order of the help."""
    listed = sorted(COMMANDS.values(), key=lambda one: one.place)
    tasks = dict.fromkeys((*TASKS, *(one.task for one in listed)))
    return {task: [one for one in listed if one.task == task] for task in tasks}
