"""What mkdocs adds to the pages of docs/: the site's address, the command-line reference and the examples."""

from __future__ import annotations

from pathlib import Path

from addresses import documentation
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from unjudged.cli.main import make_app

ROOT = Path(__file__).parent.parent
INTRODUCTION = """# Command line

Every command with its options. This page is made from the code, as `unjudged COMMAND --help` is.

"""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The address of the site is written in pyproject.toml alone."""
    config.site_url = documentation()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the command-line reference and the examples, so that pages can link to them."""
    files.append(File.generated(config, "reference/command-line.md", content=command_line_page()))
    for path in sorted((ROOT / "examples").iterdir()):
        files.append(File.generated(config, f"examples/{path.name}", abs_src_path=str(path)))
    return files


def command_line_page() -> str:
    """The reference of the command line in Markdown: a section per command."""
    made: str = make_app().generate_docs(output_format="markdown", recursive=True, heading_level=1)
    return INTRODUCTION + made[made.index("## unjudged evaluate") :]
