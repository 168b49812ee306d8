"""A page in HTML, made of its data and of the files beside this one."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import os
from dataclasses import dataclass
from importlib.resources import files as resources
from importlib.util import find_spec
from typing import Any

from unjudged.base.errors import missing_package
from unjudged.formats.writing import write_whole
from unjudged.report.descriptions import IN_THE_DARK

SCRIPTS = ("data", "elements", "charts", "plots", "systems", "pair", "holes", "start")
"""Parts of the page's script, in the order in which they need each other."""


@dataclass(frozen=True, repr=False)
class Page:
    """A page in HTML; `save` writes it to a file, and a notebook shows it in a frame."""

    html: str

    @classmethod
    def of(cls, facts: dict[str, Any], arrays: str) -> Page:
        """Return the page that shows this data.

        Only its own script and style may run, as their hashes in its security policy say.
        """
        check_report()
        from jinja2 import Environment, StrictUndefined
        from markupsafe import Markup

        folder = resources("unjudged.report.page") / "files"
        colours = "".join(f"--{c[1:].lower()}: light-dark({c}, {dark});" for c, dark in IN_THE_DARK.items())
        style = (folder / "page.css").read_text("utf-8").replace("/* colours of the charts */", colours)
        parts = [(folder / f"{name}.js").read_text("utf-8") for name in SCRIPTS]
        script = '"use strict";\n(() => {\n' + "\n".join(parts) + "\n})();\n"
        environment = Environment(
            autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        # Escaped so that no name in the data can end the element or start a comment.
        island = json.dumps(facts, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
        template = environment.from_string((folder / "page.html").read_text("utf-8"))
        text = template.render(
            title=facts["title"],
            style=Markup(style),  # noqa: S704 (our own file)
            script=Markup(script),  # noqa: S704 (our own files)
            style_hash=policy_hash(style),
            script_hash=policy_hash(script),
            facts=Markup(island),  # noqa: S704 (escaped above)
            arrays=arrays,
            systems=len(facts["runs"]),
            ranked=facts["ranked"],
            extras=facts["extras"],
        )
        return cls(text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file, whole or not at all."""
        write_whole(path, self.html)

    def __repr__(self) -> str:
        return f"Page({len(self.html) / 1e6:.1f} MB)"

    def _repr_html_(self) -> str:
        inside = html.escape(self.html)
        return f'<iframe title="evaluation report" style="width:100%;height:80vh" srcdoc="{inside}"></iframe>'


def check_report() -> None:
    """Raise an error if pages cannot be made."""
    if find_spec("jinja2") is None:
        raise missing_package("jinja2", "a report")


def policy_hash(text: str) -> str:
    """Return the hash by which a security policy allows a script or a style."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode("ascii")
