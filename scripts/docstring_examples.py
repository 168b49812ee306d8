"""Examples in docstrings, fenced, so that mkdocstrings shows them as code."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

FOR_DOCTEST = re.compile(r"^<BLANKLINE>$|  # doctest: .*$", re.MULTILINE)
EXAMPLE = re.compile(r"(?:^|(?<=\n))>>> .*?(?=\n\s*\n(?!>>> )|\Z)", re.DOTALL)


class Examples(Extension):
    """Puts every block that starts with `>>>` in a fence."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        """Rewrite the docstring of one class, function or module."""
        if obj.docstring:
            text = obj.docstring.value
            if "Parameters\n----" in text:  # what follows would be one of them
                text = text.replace("\n\n>>> ", "\n\nExamples\n--------\n>>> ", 1)
            obj.docstring.value = EXAMPLE.sub(
                lambda found: f"```pycon\n{FOR_DOCTEST.sub('', found.group())}\n```", text
            )
