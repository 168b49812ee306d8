"""The address of the documentation, decided by pyproject.toml alone, in the pages that other sites show."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md")
"""They are read where relative links do not work: on PyPI, and as pages of the site."""
LINK = re.compile(r"\]\(https://[^()\s]*?/((?:how-to/|reference/|reproductions/)?[\w-]+)\.html(#[\w-]+)?\)")
RELATIVE = re.compile(r"\]\((?!https?://|#)[^)]*\)")


def documentation() -> str:
    """The address of the documentation."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return str(project["urls"]["Documentation"])


def with_addresses(text: str) -> str:
    """The text with the links to pages of the documentation as they are now."""
    site = documentation()
    return LINK.sub(lambda found: f"]({site}{found[1]}.html{found[2] or ''})", text)


def broken(text: str) -> list[str]:
    """Links that are relative, or lead to a page of the documentation that does not exist."""
    pages = [f"{page}.md" for page, _ in LINK.findall(text)]
    readme = {"reproductions/index.md": "reproductions/README.md"}
    missing = [page for page in pages if not (ROOT / "docs" / readme.get(page, page)).exists()]
    return [*RELATIVE.findall(text), *missing]
