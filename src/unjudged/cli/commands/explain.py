"""Say what a measure, a word of the output, a method, a note, an error or a saved JSON result means.

Words of the papers are known, too: induced AP, user model, residual. Without a word the measures are listed
by family.

    unjudged explain nDCG@10 --bibtex
    unjudged explain needs judging
    unjudged explain result.json
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from unjudged.cli.options import Option, options
from unjudged.cli.output import wrapped
from unjudged.cli.standard_streams import show

if TYPE_CHECKING:
    from unjudged.cli.command_line import Given

USAGE = "[WORD]"
BIBTEX = Option("--bibtex", action="store_true", help="Write BibTeX of what a paper should cite.")
OPTIONS = options(BIBTEX, "output")


def run(given: Given) -> None:
    """Explain a word; several words are one."""
    from unjudged.diagnosis.explaining import explain

    found = explain(" ".join(given.words) or None)
    show(found.bibtex if given.bibtex else wrapped([*_flowing(str(found))]), given.output)


def _flowing(text: str) -> Iterator[str]:
    """Yield paragraphs as one line each; lists, formulas and examples stay as they are."""
    for place, paragraph in enumerate(text.split("\n\n")):
        lines = paragraph.splitlines()
        as_is = any(line.startswith((" ", ">>>")) for line in lines)
        yield from [""] if place else []
        yield from lines if as_is else [" ".join(lines)]
