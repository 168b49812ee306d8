"""The pages made from the code are as the code would make them now."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from addresses import LINK, documentation, for_package_index
from bench import MARKS, shortened
from check_site import loads
from command_outputs import refreshed
from coverage_page import coverage_figure, coverage_page, with_tables
from held import EVIDENCE, read_rows
from hero import hero
from judgments_page import judgments_in_markdown
from measures_page import measures_pages
from reference_pages import references
from sessions import replayed
from states import states

from unjudged import MEASURES
from unjudged.citation import REFERENCES
from unjudged.collection.description import Description
from unjudged.diagnosis.explaining import page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"


def of_the_package() -> set[str]:
    return {name for name, m in MEASURES.items() if m.function.__module__.startswith("unjudged.")}


def test_the_page_of_measures_is_up_to_date() -> None:
    if set(MEASURES) == of_the_package():
        for name, text in measures_pages().items():
            assert (DOCS / "measures" / name).read_text() == text, "run `make docs`"
        assert (DOCS / "judgments.md").read_text() == judgments_in_markdown(), "run `make docs`"


@pytest.mark.parametrize("name", sorted(of_the_package()))
def test_a_page_has_all_that_a_reader_needs(name: str) -> None:
    text = page(MEASURES[name])
    assert "Use it" in text or MEASURES[name].traits.summary == "sum"
    assert "judged" in text
    assert "Values from" in text
    assert all(REFERENCES[key].text in text for key in MEASURES[name].traits.cite)


@pytest.mark.parametrize("page", references(), ids=lambda page: page.stem)
def test_references_are_up_to_date(page: Path) -> None:
    assert page.read_text() == references()[page], "run `make docs`"


def test_the_description_of_the_page_is_read(tmp_path: Path) -> None:
    """Every key that docs/data.md shows is one, with a value that it takes."""
    shown = re.search(r"```toml\n(.*?)```", (DOCS / "data.md").read_text(), re.DOTALL)
    assert shown
    (tmp_path / "collection.toml").write_text(shown[1])
    described = Description.read(tmp_path / "collection.toml")
    assert described.defaults.baseline == "bm25"
    page = (DOCS / "data.md").read_text()
    keys = {name for name in Description.__annotations__ if name not in {"place", "found"}}
    assert [key for key in keys if not re.search(rf"\b{key}\b( =|`|\]|\.)", page)] == []
    assert described.judgments[0].depth == 10


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


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["known-drawn-unknown.md", "how-to/until-decided.md"])
def test_the_loop_is_as_its_pages_show_it(name: str, tmp_path: Path) -> None:
    """From two runs to an answer: `make trial` follows the other pages, with the wheel."""
    page = (DOCS / name).read_text()
    found = replayed(page, tmp_path, Path(sys.executable).parent, install=False)
    assert found == page, "run `make docs`"


def test_the_pictures_show_the_sample() -> None:
    assert (DOCS / "figures" / "hero.svg").read_text() == hero(), "run `make docs`"
    assert (DOCS / "figures" / "states.svg").read_text() == states(), "run `make docs`"
    assert "<title>dense looks fifth of six. It is second.</title>" in hero()


def test_the_readme_quotes_what_was_measured() -> None:
    """Speeds are those of the benchmarks; pairs, and how many of them were lost, those of the evidence."""
    text = (ROOT / "README.md").read_text()
    results = (ROOT / "benchmarks" / "results.md").read_text()
    assert f"{MARKS[0]}\n{shortened(results)}\n{MARKS[1]}" in text, "run `make bench`"
    better = [
        row
        for row in read_rows("headlines")
        if (row["setting"], row["rule"]) == ("two groups left out", "better")
    ]
    assert f"Of {sum(int(row['pairs']) for row in better):,} pairs" in text
    assert sum(int(row["lost"]) for row in better) == 0
    assert len(text.split()) <= 950


MADE_FOR_THE_SITE = {DOCS / "gallery" / "page.html"}
READ_AS_FILES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


@pytest.mark.parametrize("page", READ_AS_FILES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    """Whoever reads the files themselves can follow every link."""
    linked = {(page.parent / found[1]).resolve() for found in LINK.finditer(page.read_text())}
    assert [path for path in linked - MADE_FOR_THE_SITE if not path.exists()] == []


def test_links_of_the_readme_in_a_package_index() -> None:
    text = for_package_index((ROOT / "README.md").read_text())
    assert not LINK.search(text)
    site = re.escape(documentation())
    pages = set(re.findall(rf"\]\({site}([^)#]+)\.html", text))
    assert {"tutorial", "how-to/rag-team", "reproductions/index", "changelog", "benchmarks"} <= pages
    pages = {page.replace("reproductions/index", "reproductions/README") for page in pages}
    assert [page for page in pages if not (DOCS / f"{page}.md").exists()] == []
    assert f"]({documentation()}figures/hero.svg)" in text


def test_the_architecture_names_what_exists() -> None:
    """Every folder of its table is there, and every folder of the package is in it."""
    text = (DOCS / "architecture.md").read_text()
    table = text[text.index("| folder |") : text.index("Beside it")]
    named = {found for row in table.splitlines() for found in re.findall(r"`([\w/]+)/`", row.split(" | ")[0])}
    package = ROOT / "src" / "unjudged"
    folders = {path.parent.relative_to(package).parts[0] for path in package.glob("*/*.py")}
    assert {name for name in named if "/" not in name} == folders
    assert [name for name in named if not (package / name).is_dir()] == []
    types = re.findall(r"^\| `(\w+)` \| `([\w/]+\.py)`", text, re.MULTILINE)
    assert len(types) == 12
    assert [name for name, file in types if f"class {name}" not in (package / file).read_text()] == []
    written = re.findall(r"`(\w+/[\w/]+\.(?:py|toml))`", text)
    assert [name for name in written if not ((package / name).exists() or (ROOT / name).exists())] == []
    assert len(text.split()) <= 2000


def test_the_pages_of_coverage_show_what_was_measured() -> None:
    """The page, its figure and the tables of other pages are those of the CSV files."""
    assert (EVIDENCE / "coverage.md").read_text() == coverage_page(), "run `make docs`"
    assert (EVIDENCE / "coverage.svg").read_text() == coverage_figure(), "run `make docs`"
    for name in ("trust.md", "known-drawn-unknown.md", "how-to/sessions-of-queries.md"):
        page = (DOCS / name).read_text()
        assert with_tables(page) == page, "run `make docs`"


@pytest.mark.parametrize(
    "claim",
    [
        "calibrated",
        "new-kinds",
        "queries",
        "collections",
        "tests",
        "sampling",
        "drawn",
        "looks",
        "segments",
        "gate",
        "headlines",
    ],
)
def test_claims_are_measured_on_two_collections(claim: str) -> None:
    """TREC-8 beside DL-2019."""
    collections = {row["collection"].partition(",")[0] for row in read_rows(claim)}
    assert {"TREC-8", "DL-2019"} <= collections


PROGRAMS = Path(sys.executable).parent
PAGE = """\
```python title="count.py"
print(len(open("lines.txt").readlines()))
```

```console
$ printf 'a\\nb\\n' \\
    > lines.txt
$ python count.py
an old output
$ pip install nothing
```
"""


def test_a_session_writes_files_and_runs_commands_in_order(tmp_path: Path) -> None:
    found = replayed(PAGE, tmp_path, PROGRAMS, install=False)
    assert found == PAGE.replace("an old output", "2")
    assert replayed(found, tmp_path, PROGRAMS, install=False) == found


@pytest.mark.parametrize("command", ["false", "false | cat", "echo $missing"])
def test_a_command_that_fails_stops_a_session(command: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="ended with"):
        replayed(f"```console\n$ {command}\n```\n", tmp_path, PROGRAMS, install=False)


def test_a_console_block_starts_with_a_command(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not with a command"):
        replayed("```console\noutput\n```\n", tmp_path, PROGRAMS, install=False)


LOADED = {
    '<script src="https://elsewhere.example/x.js"></script>': "https://elsewhere.example/x.js",
    '<link rel="stylesheet" href="//elsewhere.example/x.css">': "//elsewhere.example/x.css",
    '<img src="http://elsewhere.example/x.png">': "http://elsewhere.example/x.png",
    '<p style="background: url(https://elsewhere.example/x.png)">': "https://elsewhere.example/x.png",
}
NOT_LOADED = (
    '<a href="https://elsewhere.example/">a link</a>',
    '<link rel="canonical" href="https://elsewhere.example/">',
    '<script src="assets/x.js"></script>',
    '<img src="data:image/png;base64,AAAA">',
)


@pytest.mark.parametrize("html", LOADED)
def test_what_a_page_loads_from_elsewhere(html: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(html)
    assert list(loads(page)) == [LOADED[html]]


@pytest.mark.parametrize("html", NOT_LOADED)
def test_what_a_page_does_not_load(html: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(html)
    assert list(loads(page)) == []


def test_what_a_style_sheet_loads(tmp_path: Path) -> None:
    sheet = tmp_path / "x.css"
    sheet.write_text('@import "https://elsewhere.example/a.css"; p { background: url(icons/b.svg) }')
    assert list(loads(sheet)) == ["https://elsewhere.example/a.css"]


def test_what_a_reader_copies_are_commands() -> None:
    """Prompts and outputs have classes of their own, which the style sheet leaves out of what is copied."""
    pytest.importorskip("mkdocs")
    from site_pages import as_sessions, on_page_content

    session = "```python\n>>> print(found)  # doctest: +ELLIPSIS\na\n<BLANKLINE>\nb\n\n```\n"
    assert as_sessions(session) == "```pycon\n>>> print(found)\na\n\nb\n\n```\n"
    prompted = '<span class="gp"># </span><span class="m">5</span> documents\n<span class="gp">$ </span>ls\n'
    expected = '<span class="go"># 5 documents</span>\n<span class="gp">$ </span>ls\n'
    assert on_page_content(prompted) == expected
    assert on_page_content("<code>--judged</code>") == '<code class="option">--judged</code>'
    assert ":is(.gp, .go) { display: none; }" in (ROOT / "docs" / "site.css").read_text()
