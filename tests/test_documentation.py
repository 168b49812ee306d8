"""The pages made from the code are as the code would make them now."""

from __future__ import annotations

from pathlib import Path

import pytest
from addresses import PAGES, broken, with_addresses
from command_outputs import refreshed

import unjudged
from unjudged import MEASURES, measures
from unjudged.measures.references import REFERENCES
from unjudged.report.pages import measures_in_markdown, page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def of_the_package() -> set[str]:
    return {name for name, m in MEASURES.items() if m.function.__module__.startswith("unjudged.")}


def test_the_page_of_measures_is_up_to_date() -> None:
    if set(MEASURES) == of_the_package():
        assert (DOCS / "measures.md").read_text() == measures_in_markdown(), "run `make docs`"


@pytest.mark.parametrize("name", sorted(of_the_package()))
def test_a_page_has_all_that_a_reader_needs(name: str) -> None:
    text = page(MEASURES[name])
    assert "Use it" in text or MEASURES[name].traits.summary == "sum"
    assert "judged" in text
    assert "Values from" in text
    assert all(REFERENCES[key].text in text for key in MEASURES[name].traits.cite)


def test_the_python_reference_has_every_name() -> None:
    page_text = (DOCS / "reference" / "python.md").read_text()
    listed = {line.removeprefix("::: unjudged.") for line in page_text.splitlines() if line.startswith(":::")}
    assert listed == set(unjudged.__all__) - set(measures.__all__)


def test_bibtex_has_balanced_braces() -> None:
    for key, reference in REFERENCES.items():
        entry = reference.bibtex(key)
        assert entry.count("{") == entry.count("}")
        assert f"year = {{{reference.year}}}" in entry


@pytest.mark.parametrize("name", ["README.md", *sorted(f"docs/{p.name}" for p in DOCS.glob("*.md"))])
def test_outputs_of_commands(name: str) -> None:
    """What a page shows after `$ unjudged ...` is what the command prints on the sample."""
    text = (ROOT / name).read_text()
    assert refreshed(text) == text, "run `make docs`"


@pytest.mark.parametrize("name", PAGES)
def test_links_of_pages_that_other_sites_show(name: str) -> None:
    text = (ROOT / name).read_text()
    assert with_addresses(text) == text, "run `make docs`"
    assert broken(text) == []
