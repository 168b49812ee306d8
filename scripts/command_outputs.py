"""The outputs of commands in Markdown pages: `    $ unjudged ...` and the indented lines after it.

The commands of a page run one after another, in a copy of the folder of the sample. What they list is
judged: to-judge.qrels gets the grades of answers.qrels.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

SAMPLE = Path(__file__).parents[1] / "src" / "unjudged" / "sample"
BLOCK = re.compile(r"^    \$ (unjudged .*)\n(?:\n?(?:    (?!\$).*)\n)*", re.MULTILINE)


def refreshed(page: str) -> str:
    """The page with the output of every command as it is now."""
    if not BLOCK.search(page):
        return page
    with TemporaryDirectory() as folder:
        for file in [*SAMPLE.glob("*.run"), *SAMPLE.glob("*qrels*")]:
            shutil.copy(file, folder)
        return BLOCK.sub(lambda found: _block(found.group(1), Path(folder)), page)


def _block(command: str, folder: Path) -> str:
    words = [sys.executable, "-m"]
    for word in shlex.split(command):
        words += sorted(path.name for path in folder.glob(word)) if "*" in word else [word]
    environment = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run(  # noqa: S603 (commands of our own pages)
        words,
        capture_output=True,
        text=True,
        check=True,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
    )
    _judge(folder)
    lines = [f"    {line}".rstrip() for line in done.stdout.strip("\n").split("\n")]
    return "\n".join([f"    $ {command}", "", *lines, ""])


def _judge(folder: Path) -> None:
    """Replace each -1 of the list by the grade that people would give."""
    asked = folder / "to-judge.qrels"
    if asked.exists():
        known = {
            tuple(line.split()[:3]): line for line in (folder / "answers.qrels").read_text().splitlines()
        }
        lines = asked.read_text().splitlines()
        asked.write_text("".join(known.get(tuple(line.split()[:3]), line) + "\n" for line in lines))
