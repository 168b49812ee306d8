"""Works that measures cite, by key, as text and as BibTeX."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import NamedTuple

PLACE = {
    "article": "journal",
    "inproceedings": "booktitle",
    "book": "publisher",
    "techreport": "institution",
}
"""What BibTeX calls the place of publication, by the kind of work."""


LETTERS = {
    ord(letter): f"{{\\{mark}{plain}}}" for letter, mark, plain in zip("äöüé", '"""\'', "aoue", strict=True)
}
"""Letters with marks as LaTeX writes them."""


class Reference(NamedTuple):
    """`where` is the journal, the proceedings, the publisher or the institution, by `kind`."""

    kind: str
    authors: tuple[str, ...]
    title: str
    where: str
    year: int
    volume: str = ""
    number: str = ""
    pages: str = ""
    doi: str = ""

    @property
    def text(self) -> str:
        """One line, as in a list of references."""
        names = [" ".join(reversed(author.split(", "))) for author in self.authors]
        listed = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        volume = f"{self.volume}({self.number})" if self.number else self.volume
        published = ", ".join(filter(None, (self.where, volume, self.pages, str(self.year))))
        link = f" https://doi.org/{self.doi}" if self.doi else ""
        return f"{listed}. {self.title}. {published}.{link}"

    def bibtex(self, key: str) -> str:
        """A BibTeX entry in ASCII."""
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            PLACE[self.kind]: self.where,
            "volume": self.volume,
            "number": self.number,
            "pages": self.pages.replace("-", "--"),
            "year": str(self.year),
            "doi": self.doi,
        }
        return entry(self.kind, key, fields)


def entry(kind: str, key: str, fields: dict[str, str]) -> str:
    """A BibTeX entry; empty fields are left out, letters with marks are written as LaTeX commands."""
    lines = [f"  {name} = {{{value}}}" for name, value in fields.items() if value]
    text = f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}\n"
    return text.translate(LETTERS)


def _read() -> dict[str, Reference]:
    text = files("unjudged.measures.kernel").joinpath("references.toml").read_text("utf-8")
    return {
        key: Reference(**{**fields, "authors": tuple(fields["authors"])})
        for key, fields in tomllib.loads(text).items()
    }


REFERENCES = _read()
