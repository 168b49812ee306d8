"""Draws the figures of docs/gallery.md by the code and the commands that stand before them."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent.parent / "docs" / "gallery.md"
BLOCK = re.compile(
    r"^```(python)?\n(.*?)^```$(?:\n\n!\[.*?\]\(gallery/(\w+)\.svg\))?", re.MULTILINE | re.DOTALL
)


def draw_gallery(place: Path) -> list[str]:
    """Write every figure of the page to a folder, and return their names."""
    from unjudged import sample

    names: dict[str, Any] = {}
    drawn = []
    for is_python, code, name in BLOCK.findall(PAGE.read_text()):
        drawn += [name] if name else []
        if is_python and name:
            eval(code.strip(), names).save(place / f"{name}.svg")  # noqa: S307 (the page's own code)
        elif is_python:
            exec(code, names)  # noqa: S102 (the page's own code)
        elif name:
            words = shlex.split(
                code.replace("\\\n", "").replace("*.run", shlex.join(sorted(map(str, sample.runs.values()))))
            )
            words = [str(sample.qrels) if word == "qrels.txt" else word for word in words[1:-1]]
            asked = [sys.executable, "-m", "unjudged", *words, str(place / f"{name}.svg")]
            subprocess.run(asked, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 (the page's own command)
    return drawn
