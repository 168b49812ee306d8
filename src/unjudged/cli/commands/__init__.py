"""Commands: one module each, which declares its command with `@command` and is imported when it runs.

    @command("squares", "Learn and look up", usage="NUMBER...", summary="Print squares.")
    def squares(*numbers: int, format: OutputFormat = None, output: Output = None) -> None:
        ...

The parameters of the function are its arguments and options, its docstring is its help.
"""

from __future__ import annotations

import os
from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    Function = TypeVar("Function", bound=Callable[..., None])

TASKS = ("Score and compare", "Collect judgments", "Study measures and designs", "Learn and look up")
"""What commands are for, in the order of the help."""


class Command:
    """A command as it is listed: by task and place there, with its arguments and a summary.

    `where` is its function, as `module:name`, or empty for a word such as `plan` that only leads to others.
    """

    def __init__(  # noqa: PLR0917, a row of the table
        self,
        name: str,
        task: str,
        place: int,
        where: str,
        usage: str,
        summary: str,
        function: Callable[..., Any] | None = None,
    ) -> None:
        self.name, self.task, self.place = name, task, place
        self.where, self.usage, self.summary = where, usage, summary
        self._function = function

    @property
    def function(self) -> Callable[..., Any]:
        """Import the command."""
        if self._function is None:
            module, _, name = self.where.partition(":")
            self._function = getattr(import_module(module), name)
        return self._function


def _listed() -> dict[str, Command]:
    """Return the commands of this package, which `make docs` lists from their declarations."""
    with open(os.path.join(os.path.dirname(__file__), "table.tsv"), encoding="utf-8") as table:
        rows = [line.rstrip("\n").split("\t") for line in table]
    return {name: Command(name, task, int(place), *rest) for name, task, place, *rest in rows}  # type: ignore[arg-type]


COMMANDS = _listed()
"""Every command by its name; `plan queries` is a command of two words."""


def command(
    name: str, task: str, *, summary: str, usage: str = "", place: int = 99
) -> Callable[[Function], Function]:
    """Register a function as a command."""

    def register(function: Function) -> Function:
        where = f"{function.__module__}:{function.__name__}"
        COMMANDS[name] = Command(name, task, place, where, usage, summary, function)
        return function

    return register


def command_group(name: str, task: str, *, summary: str, place: int = 99) -> None:
    """Register a word that leads to commands of two words."""
    COMMANDS[name] = Command(name, task, place, "", "", summary)


def by_task() -> dict[str, list[Command]]:
    """Return the commands of each task in the order of the help; those of two words follow their first."""
    listed = sorted(COMMANDS.values(), key=lambda one: one.place)
    tasks = dict.fromkeys((*TASKS, *(one.task for one in listed)))
    return {task: [one for one in listed if one.task == task] for task in tasks}
