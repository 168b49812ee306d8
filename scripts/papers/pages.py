"""Write the pages of the reproductions and their figures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from unjudged.data.writing import write_whole

FOLDER = Path(__file__).parent.parent.parent / "docs" / "reproductions"


def page(name: str, text: str) -> None:
    write_whole(FOLDER / f"{name}.md", text)


def figure(name: str, chart: Any) -> None:
    chart.save(FOLDER / "figures" / f"{name}.svg")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], labels: int = 1) -> str:
    """A Markdown table; all columns after the labels are aligned to the right."""
    rule = ["---"] * labels + ["---:"] * (len(head) - labels)
    return "\n".join("| " + " | ".join(line) + " |" for line in [head, rule, *rows])
