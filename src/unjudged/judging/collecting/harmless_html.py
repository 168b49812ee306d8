"""The harmless part of HTML: a tree of a few elements and text, from which a page builds new elements.

Nothing of the document becomes markup again, so there is nothing to escape.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

_KEPT = """p br ul ol li dl dt dd table caption thead tbody tfoot tr th td b strong i em u s sub sup small
code pre blockquote hr div span"""
_DROPPED = "script style template noscript head iframe object svg math title"
KEPT, DROPPED = frozenset(_KEPT.split()), frozenset(_DROPPED.split())
VOID = frozenset({"br", "hr"})
ENDS = {
    "p": {"p"},
    "li": {"li"},
    "dt": {"dt", "dd"},
    "dd": {"dt", "dd"},
    "td": {"td", "th"},
    "th": {"td", "th"},
    "tr": {"td", "th", "tr"},
}
"""Elements that end where another one begins, as HTML has it."""
DEEPEST = 60
HEADING = re.compile(r"h[1-6]")
ATTRIBUTES = {"dir": r"ltr|rtl|auto", "colspan": r"[0-9]{1,3}", "rowspan": r"[0-9]{1,3}"}

Part = str | list[Any]
"""A text, or [name, attributes, parts]; a heading has the name h."""


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[list[Any]] = [["div", {}, []]]
        self.dropped: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if self.dropped or tag in DROPPED:
            self.dropped.append(tag)
        elif tag == "img":
            self.handle_data(f"[image: {given['alt']}]" if given.get("alt") else "[image]")
        elif tag in KEPT or HEADING.fullmatch(tag):
            while len(self.open) > 1 and self.open[-1][0] in ENDS.get(tag, ()):
                self.open.pop()
            kept = {
                name: given[name]
                for name, form in ATTRIBUTES.items()
                if re.fullmatch(form, given.get(name, ""))
            }
            part = ["h" if HEADING.fullmatch(tag) else tag, kept, []]
            self.open[-1][2].append(part)
            if tag not in VOID and len(self.open) < DEEPEST:
                self.open.append(part)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in DROPPED:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if self.dropped:
            if tag in self.dropped:
                del self.dropped[len(self.dropped) - 1 - self.dropped[::-1].index(tag) :]
            return
        name = "h" if HEADING.fullmatch(tag) else tag
        places = [place for place, part in enumerate(self.open) if part[0] == name and place]
        if places:
            del self.open[places[-1] :]

    def handle_data(self, data: str) -> None:
        if not self.dropped:
            self.open[-1][2].append(data)


def harmless(text: str) -> list[Part]:
    """Return the parts of a document that a page may show.

    >>> harmless("<p onclick='x()'>Owls <b>hunt</b><script>x()</script><p>at night")
    [['p', {}, ['Owls ', ['b', {}, ['hunt']]]], ['p', {}, ['at night']]]
    """
    reader = _Reader()
    reader.feed(text)
    reader.close()
    parts: list[Part] = reader.open[0][2]
    return parts
