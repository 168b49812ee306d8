"""The pages made from the code are as the code would make them now."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from addresses import LINK, documentation, for_pypi
from command_outputs import refreshed
from judgments_page import judgments_in_markdown
from measures_page import measures_in_markdown
from reference_pages import command_line_page, python_names_page

import unjudged
from unjudged import MEASURES, experiments, judging, measures, predictions
from unjudged.citation import REFERENCES
from unjudged.report.measure_pages import page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def of_the_package() -> set[str]:
    return {name for name, m in MEASURES.items() if m.function.__module__.startswith("unjudged.")}


def test_the_page_of_measures_is_up_to_date() -> None:
    if set(MEASURES) == of_the_package():
        assert (DOCS / "measures.md").read_text() == measures_in_markdown(), "run `make docs`"
        assert (DOCS / "judgments.md").read_text() == judgments_in_markdown(), "run `make docs`"


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
    here = set(unjudged.__all__) - set(measures.__all__)
    packages = {"judging": judging, "predictions": predictions, "experiments": experiments}
    below = {f"{package}.{name}" for package, module in packages.items() for name in module.__all__}
    assert listed == here | below - {"judging.pool", "judging.DESIGNS"}


def test_the_reference_of_commands_is_up_to_date() -> None:
    assert (DOCS / "reference" / "command-line.md").read_text() == command_line_page(), "run `make docs`"


def test_the_reference_of_names_is_up_to_date() -> None:
    assert (DOCS / "reference" / "python-names.md").read_text() == python_names_page(), "run `make docs`"


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


MADE_FOR_THE_SITE = {DOCS / "gallery" / "page.html"}
READ_AS_FILES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


@pytest.mark.parametrize("page", READ_AS_FILES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    """Whoever reads the files themselves can follow every link."""
    linked = {(page.parent / found[1]).resolve() for found in LINK.finditer(page.read_text())}
    assert [path for path in linked - MADE_FOR_THE_SITE if not path.exists()] == []


def test_links_of_the_readme_on_pypi() -> None:
    text = for_pypi((ROOT / "README.md").read_text())
    assert not LINK.search(text)
    site = re.escape(documentation())
    pages = set(re.findall(rf"\]\({site}([^)#]+)\.html", text))
    assert {"tutorial", "how-to/rag-team", "reproductions/index", "changelog", "benchmarks"} <= pages
    pages = {page.replace("reproductions/index", "reproductions/README") for page in pages}
    assert [page for page in pages if not (DOCS / f"{page}.md").exists()] == []


def test_the_architecture_names_what_exists() -> None:
    """Every file and folder of its map, and every folder of the package in it."""
    text = (DOCS / "architecture.md").read_text()
    rows = [
        line.split("|")[1:3] for line in text.split("## The states")[0].splitlines() if line.startswith("| `")
    ]
    package = ROOT / "src" / "unjudged"
    named = re.compile(r"`([\w/*]+(?:/|\.py))`")
    missing = []
    for places, what in rows:
        homes = [package / place for place in named.findall(places)]
        missing += [home for home in homes if not home.exists()]
        for name in named.findall(what):
            if not any(list(home.glob(name.rstrip("/"))) for home in [*homes, ROOT] if home.is_dir()):
                missing.append(homes[0] / name)
    assert missing == []
    folders = {path.parent.relative_to(package).parts[:1] for path in package.rglob("*.py")} - {()}
    assert {f"`{folder}/" for (folder,) in folders if f"`{folder}/" not in text} == set()


def test_the_journeys_of_the_architecture_pass_files_that_exist() -> None:
    text = (DOCS / "architecture.md").read_text()
    journeys = text[text.index("## Journeys") : text.index("## Decisions")]
    package = ROOT / "src" / "unjudged"
    named = re.findall(r"`(\w+(?:/\w+)+)`", journeys)
    assert len(named) > 40
    assert [n for n in named if not list(package.rglob(f"{n}.py")) and not (package / n).is_dir()] == []


def coverage_tables() -> dict[str, str]:
    """Return what `make coverage` wrote into docs/trust.md, by name."""
    page = (DOCS / "trust.md").read_text()
    return dict(re.findall(r"<!-- coverage: (.*?) -->\n(.*?)<!-- end -->", page, re.DOTALL))


def test_claims_are_measured_on_two_collections() -> None:
    """TREC-8 beside DL-2019, in one table or in one each."""
    tables = coverage_tables()
    claims = "calibrated levels parts kinds queries collections tests segments gate headlines"
    for claim in (*claims.split(), "other files", "sampling"):
        text = " ".join(name + table for name, table in tables.items() if name.partition(", ")[0] == claim)
        assert "TREC-8" in text, claim
        assert "DL-2019" in text, claim


def test_levels_that_are_missed_have_a_sentence() -> None:
    """Made by the scripts: none is missed, or which ones and why."""
    said = "missed by more than two standard errors"
    levels = "calibrated levels parts queries worlds collections agreement gate segments"
    tables = coverage_tables()
    for name in (*levels.split(), "kinds", "sampling, TREC-8, even topics", "sampling, DL-2019"):
        assert said in tables[name], name
