"""The table of commands, from which `unjudged --help` lists them without importing them."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

from unjudged.cli import commands

TABLE = Path(commands.__file__).parent.with_suffix(".tsv")


def command_table() -> str:
    """Return a line per command: name, task, place, function, arguments and summary, as it declares them."""
    names = [module.name for module in walk_packages(commands.__path__, f"{commands.__name__}.")]
    commands.COMMANDS.clear()
    for name in names:
        import_module(name)
    rows = [one.row for listed in commands.by_task().values() for one in listed]
    return "".join("\t".join(row) + "\n" for row in rows)


if __name__ == "__main__":
    TABLE.write_text(command_table())
