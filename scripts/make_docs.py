"""Writes the page of documentation that is made from the code: `make docs`."""

from __future__ import annotations

from pathlib import Path

from unjudged.report.pages import measures_in_markdown

DOCS = Path(__file__).parent.parent / "docs"

if __name__ == "__main__":
    (DOCS / "measures.md").write_text(measures_in_markdown())
