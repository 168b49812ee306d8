"""The page on which people judge documents: one file that needs no network.

Text from files cannot become markup or code: it is data, which scripts of the page show. The harmless part of
HTML becomes a tree of a few elements and text, from which scripts build new elements.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b, sha256
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any, NamedTuple

from unjudged.base.errors import InputError, UsageError, quoted
from unjudged.formats.small_files import read_small_text
from unjudged.formats.tables import encode
from unjudged.formats.writing import document_id, query_id
from unjudged.judging.collecting.texts import Image, Topic

SCRIPTS = ("store.js", "answers.js", "text.js", "transfer.js", "page.js")
START = """"use strict";
const at = (id) => document.getElementById(id);
const data = JSON.parse(at("data").textContent);
const items = data.items;
const place = new Map(items.map(([query, name], i) => [`${data.queries[query]} ${data.documents[name]}`, i]));
"""
CHUNK = 1 << 20
"""Texts are parsed about a megabyte at a time, when one of them is shown."""
ESCAPED = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
"""In JSON these stand inside strings only; escaped, no text can end the element that holds the data."""


LABELS = {0: "not relevant", 1: "relevant", 2: "highly relevant", 3: "perfectly relevant"}
HIGHEST = 9
"""Grades are typed as one key."""


class Grade(NamedTuple):
    """What a grade is called, and when to give it."""

    label: str
    description: str = ""


Scale = dict[int, Grade]
"""Grades by number, in ascending order."""


def scale_of(grades: Iterable[int]) -> Scale:
    """Return a scale of plain numbers, with their usual labels."""
    chosen = sorted(set(grades))
    if len(chosen) < 2 or chosen[0] < 0 or chosen[-1] > HIGHEST:
        raise UsageError(f"grades are {chosen}, expected two or more whole numbers from 0 to {HIGHEST}")
    return {grade: Grade(LABELS.get(grade, "")) for grade in chosen}


def read_scale(given: str) -> Scale:
    """Read `0,1,2`, or a file of lines `grade label description`, separated by tabs."""
    words = [word.strip() for word in given.split(",")]
    if all(word.isascii() and word.isdecimal() and len(word) == 1 for word in words):
        return scale_of(int(word) for word in words)
    if re.fullmatch(r"[-+0-9,.\s]*", given):
        raise UsageError(f"grades are {given!r}: use whole numbers from 0 to {HIGHEST}, as 0,1,2, or a file")
    found: Scale = {}
    lines = read_small_text(given, "lines of a grade, its label and its description").splitlines()
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        first, *rest = (field.strip() for field in line.split("\t", 2))
        known = first.isascii() and first.isdecimal() and len(first) == 1
        if not known or not rest or not rest[0]:
            problem = f"{quoted(line)}: expected a grade from 0 to {HIGHEST}, a tab and its label"
            raise InputError(problem, source=given, line=number)
        if int(first) in found:
            raise InputError(f"grade {first} comes twice", source=given, line=number)
        found[int(first)] = Grade(*rest)
    if len(found) < 2:
        raise InputError(f"{len(found)} grades, expected two or more lines", source=given)
    return dict(sorted(found.items()))


def judging_page(
    task: Sequence[tuple[str, str]],
    texts: Mapping[str, str],
    topics: Mapping[str, Topic] | None = None,
    *,
    grades: Sequence[int] | Scale = (0, 1),
    name: str = "task",
    marks: Sequence[str] = (),
    guidelines: str = "",
    images: Mapping[str, Sequence[Image]] | None = None,
    html: bool = False,
) -> str:
    """Return a page to judge these (query, document) pairs.

    `marks` are comments that its export begins with. With `html` the harmless part of each text's markup is
    shown, without it the text as it is. Names that the export cannot hold are refused.
    """
    scale = dict(grades) if isinstance(grades, Mapping) else scale_of(grades)
    if not task:
        raise InputError("no document is left to judge")
    for query, document in task:
        query_id(query)
        document_id(document)
    for name_of in {name for pair in task for name in pair}:
        if not name_of.isprintable() or any(0xD800 <= ord(c) <= 0xDFFF for c in name_of):
            raise InputError(f"{quoted(name_of)} is not UTF-8 text, so a browser cannot export it unchanged")
    queries = {query: n for n, query in enumerate(dict.fromkeys(query for query, _ in task))}
    documents = {document: n for n, document in enumerate(dict.fromkeys(document for _, document in task))}
    chunks = list(_chunks(documents, texts, images or {}, html))
    data = {
        "task": name,
        "file": f"{name}-judged.qrels",
        "checksum": blake2b(encode("".join(f"{q} {d}\n" for q, d in task)), digest_size=12).hexdigest(),
        "grades": list(scale),
        "labels": {str(grade): meaning._asdict() for grade, meaning in scale.items()},
        "marks": list(marks),
        "guidelines": guidelines,
        "topics": {q: topic._asdict() for q, topic in (topics or {}).items() if q in queries},
        "queries": list(queries),
        "documents": list(documents),
        "items": [(queries[q], documents[d]) for q, d in task],
        "chunks": [first for first, _ in chunks],
    }
    style, script = _part("page.css"), f"{{\n{START}{''.join(map(_part, SCRIPTS))}}}\n"
    policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; img-src data:"
    parts = {
        "policy": f"{policy}; base-uri 'none'; form-action 'none'",
        "style": style,
        "data": island(data),
        "script": script,
        "texts": "\n".join(
            f'<script type="application/json" id="texts-{n}">{text}</script>'
            for n, (_, text) in enumerate(chunks)
        ),
    }
    pieces = _part("page.html").split("@")  # odd pieces are the names of parts
    return "".join(parts[piece] if number % 2 else piece for number, piece in enumerate(pieces))


def _chunks(
    documents: Iterable[str], texts: Mapping[str, str], images: Mapping[str, Sequence[Image]], html: bool
) -> Iterator[tuple[int, str]]:
    """Yield the contents of documents as JSON, each chunk with the place of its first document."""
    first, size, held = 0, 0, list[str]()
    for place, document in enumerate(documents):
        text = texts.get(document)
        content: dict[str, Any] = {"parts": harmless(text)} if html and text else {"text": text}
        if images.get(document):
            content["images"] = [image._asdict() for image in images[document]]
        held.append(island(content))
        size += len(held[-1])
        if size >= CHUNK:
            yield first, f"[{','.join(held)}]"
            first, size, held = place + 1, 0, []
    if held:
        yield first, f"[{','.join(held)}]"


def island(data: Any) -> str:
    """Return JSON that can stand inside a script element."""
    return json.dumps(data, ensure_ascii=True).translate(ESCAPED)


def _part(name: str) -> str:
    return files("unjudged.judging.collecting").joinpath("page", name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


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
