"""What mkdocs adds to docs/: the address of the site, a report, the examples."""

from __future__ import annotations

import re
import warnings
from contextlib import chdir
from pathlib import Path
from typing import Any

from addresses import documentation
from docstring_examples import FOR_DOCTEST
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from unjudged import UnjudgedWarning, report_page, sample

ROOT = Path(__file__).parent.parent
PYTHON_SESSION = re.compile(r"^```(?:python)?\n>>> ", re.MULTILINE)
ROOT_PROMPT = re.compile(r'^<span class="gp"># </span>(.*)$', re.MULTILINE)
OPTION = re.compile(r"<code>(?=-[^<]{1,30}</code>)")
TAG = re.compile(r"<[^>]+>")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The address of the site is written in pyproject.toml alone."""
    config.site_url = documentation()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a report and the examples, so that pages can link to them."""
    files.append(File.generated(config, "gallery/page.html", content=report_of_the_sample()))
    kept = (path for path in (ROOT / "examples").rglob("*") if "__pycache__" not in path.parts)
    for path in sorted(path for path in kept if path.is_file()):
        name = path.relative_to(ROOT).as_posix()
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Links to the examples, which are beside docs/ and in the site within it; sessions of Python."""
    up = "../" * page.file.src_uri.count("/")
    return as_sessions(markdown.replace(f"](../{up}examples/", f"]({up}examples/"))


def as_sessions(markdown: str) -> str:
    """Blocks that start with `>>>` as sessions, without what only doctest reads."""
    return FOR_DOCTEST.sub("", PYTHON_SESSION.sub("```pycon\n>>> ", markdown))


def on_page_content(html: str, **_: Any) -> str:
    """A line of output that starts with # is no prompt of root's, and no option breaks after its hyphens."""
    whole = OPTION.sub('<code class="option">', html)
    return ROOT_PROMPT.sub(lambda found: f'<span class="go"># {TAG.sub("", found[1])}</span>', whole)


def report_of_the_sample() -> str:
    """The page that `unjudged report qrels.txt *.run` makes in the folder of the sample."""
    folder = Path(sample.__file__).parent
    command = "unjudged report qrels.txt *.run -o page.html"
    with chdir(folder), warnings.catch_warnings():
        warnings.simplefilter("ignore", UnjudgedWarning)
        runs = {path.stem: path.name for path in sorted(folder.glob("*.run"))}
        return report_page("qrels.txt", runs, command=command, source="qrels.txt *.run").html
