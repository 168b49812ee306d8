"""What makes and checks the pages: sessions that a stranger can follow, and a site that loads nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from check_site import loads
from sessions import replayed

ROOT = Path(__file__).parent.parent
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
