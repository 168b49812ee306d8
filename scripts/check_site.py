"""No page of the built site loads anything from a network (`make site`)."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

NOT_LOADED = {"canonical", "prev", "next", "alternate", "license"}
"""Relations of `<link>` that name a page and load nothing."""
LOADING = {"src", "srcset", "poster", "data", "action", "formaction", "background"}
IN_STYLES = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"]?)((?:https?:)?//[^'\")\s]+)")


class Loads(HTMLParser):
    """Collects the addresses elsewhere that a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at the attributes that make a browser load something."""
        given = {name: value or "" for name, value in attrs}
        loading = [given[name] for name in LOADING & set(given)]
        if tag == "link" and not NOT_LOADED & set(given.get("rel", "").split()):
            loading.append(given.get("href", ""))
        self.found += [value for value in loading if re.match(r"\s*(https?:)?//", value)]
        self.found += IN_STYLES.findall(given.get("style", ""))


def loads(path: Path) -> Iterator[str]:
    """The addresses elsewhere that a page or a style sheet loads."""
    text = path.read_text()
    if path.suffix == ".css":
        yield from IN_STYLES.findall(text)
        return
    page = Loads()
    page.feed(text)
    yield from page.found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("site", type=Path)
    site = parser.parse_args().site
    files = sorted(path for path in site.rglob("*") if path.suffix in (".html", ".css"))
    found = [f"{path.relative_to(site)} loads {address}" for path in files for address in loads(path)]
    if found or not files:
        sys.exit("\n".join(found) or f"{site} has no pages")
    sys.stdout.write(f"{len(files)} pages and style sheets load nothing from a network\n")


if __name__ == "__main__":
    main()
