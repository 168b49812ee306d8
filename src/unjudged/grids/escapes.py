"""Text from a file, made safe for the format it is shown in."""

from __future__ import annotations

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
}
_MARKDOWN = "\\`*_{}[]<>()#+!|~&$"
_FORMULA = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


def plain(text: str) -> str:
    r"""Escape every character that is not printable, so that no text can control a terminal.

    >>> print(plain("query\x1b[31m\n"))
    query\x1b[31m\n
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def latex(text: str) -> str:
    r"""Escape what has a meaning in LaTeX; the sign of a negative number is a minus, not a hyphen.

    >>> print(latex("-0.25"), latex("<0.0001"), latex("a_b"))
    \textminus{}0.25 \textless{}0.0001 a\_b
    """
    escaped = "".join(_LATEX.get(c, c) for c in plain(text))
    return rf"\textminus{{}}{escaped[1:]}" if escaped[:1] == "-" and escaped[1:2].isdecimal() else escaped


def markdown(text: str) -> str:
    return "".join("\\" + c if c in _MARKDOWN else c for c in plain(text))


def html(text: str) -> str:
    from html import escape

    return escape(plain(text))


def csv(text: str) -> str:
    """Escape control characters, and put a quote before text that a spreadsheet would run as a formula.

    >>> csv("=1+2")
    "'=1+2"
    """
    return ("'" if text.startswith(_FORMULA) else "") + plain(text)
