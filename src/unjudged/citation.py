"""References: BibTeX of this package and of the papers that define its measures and methods."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from importlib import import_module
from importlib.resources import files
from itertools import chain
from typing import Any, NamedTuple

from unjudged.base.errors import UnjudgedWarning, UsageError, announce
from unjudged.measures.kernel.names import MeasureLike, parse, parse_measures

PACKAGE = "unjudged"
TITLE = "unjudged: evaluation of ranked retrieval that knows what it does not know"
AUTHORS = "The unjudged developers"
YEAR = 2026


def cite(*names: MeasureLike) -> str:
    """BibTeX entries of what a paper should cite: measures and methods, or 'unjudged', the default.

    Methods are intervals ('calibrated'), tests ('t'), corrections ('holm') and designs ('stratified').

    >>> print(cite("RBP"), end="")
    @article{moffat2008,
      author = {Moffat, A. and Zobel, J.},
      title = {{Rank-biased precision for measurement of retrieval effectiveness}},
      journal = {ACM Transactions on Information Systems},
      volume = {27},
      number = {1},
      pages = {2:1--2:27},
      year = {2008},
      doi = {10.1145/1416950.1416952}
    }
    """
    return entries(*_keys(names))


def entries(*keys: str) -> str:
    """Return the BibTeX entries of works by their keys."""
    return "\n".join(_entry_of(key) for key in keys)


def works_of(name: str) -> Sequence[str]:
    """Return the keys of the works that define a measure or a method, by name or title; none if unknown."""
    try:
        return list(chain(*_works_by_name(name).values()))
    except UsageError:
        return []


def _entry_of(key: str) -> str:
    """Return the entry of a key; a measure of your own may give the entry itself."""
    if key.startswith("@"):
        return f"{key.strip()}\n"
    return _own_entry() if key == PACKAGE else REFERENCES[key].bibtex(key)


def _works_by_name(name: MeasureLike) -> dict[str, Sequence[str]]:
    """Return the keys of the works that a work, a method or measures rest on."""
    if not isinstance(name, str):
        return {measure.name: measure.traits.cite for measure in parse_measures([name])}
    if name == PACKAGE or name in REFERENCES:
        return {name: [name]}
    known = methods()
    method = known.get(name) or next((m for m in known.values() if getattr(m, "title", "") == name), None)
    return {m.name: m.traits.cite for m in parse(name)} if method is None else {name: method.cite}


def _keys(names: tuple[MeasureLike, ...]) -> list[str]:
    """Return the works that define the measures, each once; a measure that has none is announced."""
    cited: dict[str, Sequence[str]] = {}
    for name in names or (PACKAGE,):
        cited |= _works_by_name(name)
    if without := [name for name, keys in cited.items() if not keys]:
        announce([UnjudgedWarning(f"no paper to cite for {', '.join(without)}; cite {PACKAGE} instead.")])
    return list(dict.fromkeys(chain(*cited.values())))


def methods() -> dict[str, Any]:
    """Every interval, test, correction and design by its name; each has `cite`, keys of works."""
    registries = (
        import_module("unjudged.evidence.intervals").INTERVALS,
        import_module("unjudged.inference.significance").TESTS,
        import_module("unjudged.inference.corrections").CORRECTIONS,
        import_module("unjudged.judging.designs").DESIGNS,
    )
    return {name: method for registry in registries for name, method in registry.items()}


def _own_entry() -> str:
    fields = {"author": f"{{{AUTHORS}}}", "title": f"{{{TITLE}}}", "year": str(YEAR), "version": version()}
    return entry("software", PACKAGE, {**fields, "license": "Apache-2.0"})


def version() -> str:
    """Return the version of this package."""
    version: str = import_module(PACKAGE).__version__
    return version


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
