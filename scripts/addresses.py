"""The address of the documentation, and the links of README.md for those who have no files.

`python scripts/addresses.py` rewrites README.md for a package index, where links to files lead nowhere.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)(#[^)\s]+)?\)")
SHOWN_AS = {
    "CHANGELOG.md": "changelog.html",
    "benchmarks/results.md": "benchmarks.html",
    "docs/reproductions/README.md": "reproductions/index.html",
}
"""Files that have another name in the documentation, or are not in docs/."""


def documentation() -> str:
    """The address of the documentation, which is written in pyproject.toml alone."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return str(project["urls"]["Documentation"])


def for_package_index(text: str) -> str:
    """The text with links to the documentation instead of files."""
    site = documentation()
    return LINK.sub(lambda found: f"]({site}{page_of(found[1])}{found[2] or ''})", text)


def page_of(path: str) -> str:
    """The page of the documentation that shows a file, or the file."""
    shown = path.removeprefix("docs/")
    return SHOWN_AS.get(path) or (shown.removesuffix(".md") + ".html" if shown.endswith(".md") else shown)


if __name__ == "__main__":
    readme = ROOT / "README.md"
    readme.write_text(for_package_index(readme.read_text()))
