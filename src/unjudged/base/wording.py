"""Numbers and names in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def counted(number: int, what: str) -> str:
    """Return `1 document`, `2 documents`, `1,590 documents`.

    >>> counted(1, "query"), counted(1590, "query"), counted(0, "left-out run")
    ('1 query', '1,590 queries', '0 left-out runs')
    """
    many = f"{what[:-1]}ies" if what.endswith("y") else f"{what}s"
    return f"{number:,} {what if number == 1 else many}"


def percent(share: float, decimals: int | None = None) -> str:
    """Return a share in per cent, a level with as many digits as it was given, never rounded to another.

    >>> percent(0.95), percent(0.995), percent(2 / 3, 0)
    ('95 %', '99.5 %', '67 %')
    """
    return f"{100 * share:.10g} %" if decimals is None else f"{100 * share:.{decimals}f} %"


def p_text(value: float) -> str:
    """Return a p value as it stands in sentences."""
    return "p < 0.0001" if value < 0.0001 else f"p = {value:.4f}"


def kind_of(value: object) -> str:
    """Return the kind of a value with its article; None, as of JSON's null, is "no value".

    >>> kind_of(1), kind_of([]), kind_of(None)
    ('an int', 'a list', 'no value')
    """
    name = type(value).__name__
    return "no value" if value is None else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def shortlist(names: Sequence[str], shown: int = 5) -> str:
    """Return the first names, and how many more there are.

    >>> shortlist(["q1", "q2"]), shortlist([f"q{k}" for k in range(1, 8)], 3)
    ('q1, q2', 'q1, q2, q3 and 4 more')
    """
    more = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {more:,} more" if more > 0 else "")


def meant(word: object, known: Iterable[str]) -> str:
    """Return a question after a word that is not known, if it is like one that is.

    >>> meant("comapre", ["compare", "gate"]), meant("xyz", ["compare", "gate"])
    ('; did you mean compare?', '')
    """
    from difflib import get_close_matches

    close = get_close_matches(str(word)[:60], list(known), 1)
    return f"; did you mean {close[0]}?" if close else ""


FORMULA = "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20"
"""How a text starts that a spreadsheet would run; in CSV a quote stands before it."""


def plain(text: str) -> str:
    r"""Escape every character that is not printable, so that no text can control a terminal.

    >>> print(plain("query\x1b[31m\n"))
    query\x1b[31m\n
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shortened(text: str, longest: int = 60) -> str:
    """Cut long text in its middle, because names often differ at their end.

    >>> shortened("a long name of a run", 12)
    'a long…a run'
    """
    end = (longest - 1) // 2
    return text if len(text) <= longest else f"{text[: longest - 1 - end]}…{text[len(text) - end :]}"
