"""Text from a file, made safe for the format it is shown in."""

from __future__ import annotations

from unjudged.base.errors import UsageError
from unjudged.base.wording import FORMULA, plain

LONGEST = 60
"""Characters of the longest name in a figure."""

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "±": r"\textpm{}",
    "\u2013": "--",
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
}
_MARKDOWN = "\\`*_{}[]<>()#+!|~&$"


def shortened(text: str, longest: int = LONGEST) -> str:
    """Cut long text in its middle, because names often differ at their end.

    >>> shortened("a long name of a run", 12)
    'a long…a run'
    """
    end = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[: longest - 1 - end]}…{text[len(text) - end :]}"


def latex(text: str) -> str:
    r"""Escape what has a meaning in LaTeX, also at the start of a row, where `[` and `*` have one.

    The sign of a negative number is a minus, not a hyphen.

    >>> print(latex("-0.25"), latex("<0.0001"), latex("a_b"), latex("[a]"))
    \textminus{}0.25 \textless{}0.0001 a\_b {[}a]
    """
    escaped = "".join(_LATEX.get(c, c) for c in plain(text))
    first = escaped.lstrip(" ")[:1]
    if first and first in "[*":
        escaped = escaped.replace(first, f"{{{first}}}", 1)
    return rf"\textminus{{}}{escaped[1:]}" if escaped[:1] == "-" and escaped[1:2].isdecimal() else escaped


def key(label: str) -> str:
    """Return a label; LaTeX reads it as it is, so what it cannot hold is refused."""
    if not (label.isascii() and label.isprintable()) or set(label) & set("\\{}#%~^$& "):
        raise UsageError(
            f"label is {label!r}, expected letters, digits, hyphens and colons, such as tab:main"
        )
    return label


def markdown(text: str) -> str:
    return "".join("\\" + c if c in _MARKDOWN else c for c in plain(text))


def html(text: str) -> str:
    from html import escape

    return escape(plain(text))


def csv(text: str) -> str:
    """Escape control characters, and put a quote before text that a spreadsheet would run as a formula.

    Our readers of tables take the quote away.

    >>> csv("=1+2")
    "'=1+2"
    """
    return ("'" if text.lstrip("'").startswith(tuple(FORMULA)) else "") + plain(text)
