"""BibTeX of every work that a measure cites, and of the package."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import unjudged
from unjudged import AP, MEASURES, UnjudgedWarning
from unjudged.citation import REFERENCES, YEAR, cite, methods
from unjudged.evidence.intervals import INTERVALS
from unjudged.inference.corrections import CORRECTIONS
from unjudged.inference.significance import TESTS
from unjudged.judging.designs import DESIGNS

FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
WITHOUT_DOI = {
    *("vanrijsbergen1979", "salton1983", "harman1993", "voorhees1999", "aslam2007"),
    *("robertson2006", "robertson2012", "thakur2021", "holm1979", "hall1992"),
}
"""Books, reports and proceedings without one, and two papers whose identifier nobody has checked yet."""


@pytest.mark.parametrize("key", REFERENCES)
def test_every_work_is_complete(key: str) -> None:
    text = REFERENCES[key].bibtex(key)
    assert text.isascii()
    assert text.count("{") == text.count("}")
    fields = dict(FIELD.findall(text))
    assert {"author", "title", "year"} <= fields.keys()
    assert ("doi" in fields) == (key not in WITHOUT_DOI)
    if text.startswith("@article"):
        assert {"journal", "volume", "number", "pages"} <= fields.keys()
    if "pages" in fields:
        assert re.fullmatch(r"[\d:]+--[\d:]+", fields["pages"])
    assert all(value.isdecimal() for name, value in fields.items() if name in ("volume", "number", "year"))


def test_every_citation_is_known_and_used() -> None:
    cited = {key for measure in MEASURES.values() for key in measure.traits.cite}
    cited |= {key for method in methods().values() for key in method.cite}
    assert cited == REFERENCES.keys()


def test_every_method_can_be_cited() -> None:
    assert {name for name, method in methods().items() if not method.cite} == {"none"}
    for name in (*TESTS, *CORRECTIONS, *INTERVALS, *DESIGNS):
        assert name in methods()
    entries = cite("t", "holm", "calibrated", "stratified", "AP", "unjudged")
    assert re.findall(r"^@\w+\{(\w+),$", entries, re.MULTILINE) == [
        *("student1908", "holm1979", "vovk2005", "lei2018", "yilmaz2008b", "harman1993", "unjudged"),
    ]
    with pytest.warns(UnjudgedWarning, match="no paper to cite for none"):
        assert cite("none") == ""


def test_the_package_itself() -> None:
    """The entry says what CITATION.cff says."""
    entry = cite("unjudged")
    assert entry == cite()
    fields = dict(FIELD.findall(entry))
    assert entry.startswith("@software{unjudged,\n")
    assert fields["version"] == unjudged.__version__
    assert fields["year"] == str(YEAR)
    file = Path(__file__).parents[2] / "CITATION.cff"
    if file.exists():
        text = file.read_text()
        assert f'title: "{fields["title"].strip("{}")}"' in text
        assert f"version: {fields['version']}" in text
        assert f"name: {fields['author'].strip('{}')}" in text


def test_measures_in_every_spelling() -> None:
    assert cite("map") == cite(AP) == cite("ap@10") == cite("AP,map")
    both = cite("unjudged", "nDCG@10", "AP")
    assert re.findall(r"^@\w+\{(\w+),$", both, re.MULTILINE) == [
        *("unjudged", "jarvelin2002", "burges2005", "harman1993"),
    ]


def test_a_measure_without_a_paper_is_announced() -> None:
    with pytest.warns(UnjudgedWarning, match=r"no paper to cite for P, R; cite unjudged instead\."):
        assert cite("P", "R@5") == ""
