"""Commands: a table of them, from which help lists them; the module of one is imported when it runs.

    COMMANDS["squares"] = Command("squares", LOOK_UP, "NUMBER...", "Print squares.", "squares:squares")

    def squares(*numbers: int, format: OutputFormat = None, output: Output = None) -> None:
        ...

The parameters of the function are its arguments and options. Its docstring is its help: a text, what the
parameters are, and three examples.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SCORE, COLLECT = "Score and compare", "Collect judgments"
STUDY, LOOK_UP = "Study measures and designs", "Learn and look up"


class Command:
    """A command as it is listed; `usage` is what follows its name, `place` its function as `module:name`."""

    def __init__(self, name: str, task: str, usage: str, summary: str, place: str = "") -> None:
        self.name, self.task, self.summary = name, task, summary
        self.called = f"unjudged {name} {usage}".rstrip()
        self._place = place or f"{name}:{name}"

    @property
    def function(self) -> Callable[..., Any]:
        """Import the command."""
        module, _, name = self._place.partition(":")
        found: Callable[..., Any] = getattr(import_module(f"{__name__}.{module}"), name)
        return found


CONVERTED = (
    *("evaluate", "compare", "gate", "report", "next", "judge", "merge"),
    *("audit", "experiment", "check", "explain", "demo"),
)
"""Commands whose module has `USAGE`, `OPTIONS` and `run(given)`."""

COMMANDS = {
    one.name: one
    for one in (
        Command("evaluate", SCORE, "QRELS RUN...", "Score runs against relevance judgments."),
        Command(
            "compare", SCORE, "QRELS RUN RUN...", "Compare runs: better, or in need of queries or judging?"
        ),
        Command("report", SCORE, "QRELS RUN... -o PAGE", "Write an evaluation as one page of HTML."),
        Command(
            "calibrate", SCORE, "QRELS RUN... --groups GROUPS", "Learn how far off scores of new runs are."
        ),
        Command("gate", SCORE, "QRELS OLD NEW --margin M", "Let a build pass or fail: is the new run worse?"),
        Command("collections", SCORE, "NAME=QRELS:RUNS...", "Compare systems over several collections."),
        Command("next", COLLECT, "[SOURCE...]", "List or draw the documents to judge next."),
        Command("judge", COLLECT, "TO_JUDGE", "Make a page on which people judge documents."),
        Command("merge", COLLECT, "QRELS ANSWERS...", "Merge answers with judgments."),
    )
}
"""Every command by its name, in the order of the help."""


def by_task() -> dict[str, dict[str, Command]]:
    """Return the commands of each task."""
    tasks = dict.fromkeys(one.task for one in COMMANDS.values())
    return {task: {name: one for name, one in COMMANDS.items() if one.task == task} for task in tasks}
