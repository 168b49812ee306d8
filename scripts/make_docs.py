"""Writes what is made from the code: the measures' page and stub, and outputs of commands (`make docs`)."""

from __future__ import annotations

from pathlib import Path

from command_outputs import refreshed

from unjudged.report.pages import measures_in_markdown, measures_stub

ROOT = Path(__file__).parent.parent

if __name__ == "__main__":
    (ROOT / "docs" / "measures.md").write_text(measures_in_markdown())
    (ROOT / "src" / "unjudged" / "measures" / "__init__.pyi").write_text(measures_stub())
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        page.write_text(refreshed(page.read_text()))
