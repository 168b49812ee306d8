"""Writes what is made from the code: the page of measures and their list for editors (`make docs`)."""

from __future__ import annotations

from pathlib import Path

from unjudged.report.pages import measures_in_markdown, measures_stub

ROOT = Path(__file__).parent.parent

if __name__ == "__main__":
    (ROOT / "docs" / "measures.md").write_text(measures_in_markdown())
    (ROOT / "src" / "unjudged" / "measures" / "__init__.pyi").write_text(measures_stub())
