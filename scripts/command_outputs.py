"""The outputs of commands in Markdown pages: `    $ unjudged ...` and the indented lines after it."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "src" / "unjudged" / "sample"
BLOCK = re.compile(r"^    \$ (unjudged .*)\n(?:\n?(?:    (?!\$).*)\n)*", re.MULTILINE)


def refreshed(page: str) -> str:
    """The page with the output of every command as it is now, run on the sample collection."""
    return BLOCK.sub(lambda found: _block(found.group(1)), page)


def _block(command: str) -> str:
    words = [sys.executable, "-m", *shlex.split(command)]
    environment = {**os.environ, "COLUMNS": "100"}
    done = subprocess.run(  # noqa: S603 (commands of our own pages)
        words,
        capture_output=True,
        text=True,
        check=True,
        cwd=SAMPLE,
        env=environment,
        stdin=subprocess.DEVNULL,
    )
    lines = [f"    {line}".rstrip() for line in done.stdout.strip("\n").split("\n")]
    return "\n".join([f"    $ {command}", "", *lines, ""])
