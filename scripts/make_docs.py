"""Writes what is made from the code: measures, references, gallery, outputs of commands (`make docs`)."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from command_outputs import refreshed
from coverage_page import write_pages
from gallery import draw_gallery
from hero import hero
from judgments_page import judgments_in_markdown
from measures_page import measures_pages
from reference_pages import references
from sessions import PAGES, replayed
from states import states
from stubs import stubs

ROOT = Path(__file__).parent.parent

if __name__ == "__main__":
    for name, text in measures_pages().items():
        (ROOT / "docs" / "measures" / name).write_text(text)
    (ROOT / "docs" / "judgments.md").write_text(judgments_in_markdown())
    for path, text in {**stubs(), **references()}.items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    draw_gallery(ROOT / "docs" / "gallery")
    write_pages()
    (ROOT / "docs" / "figures" / "hero.svg").write_text(hero())
    (ROOT / "docs" / "figures" / "states.svg").write_text(states())
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        page.write_text(refreshed(page.read_text()))
    for name in PAGES:
        page = ROOT / "docs" / name
        with TemporaryDirectory() as folder:
            made = replayed(page.read_text(), Path(folder), Path(sys.executable).parent, install=False)
        page.write_text(made)
