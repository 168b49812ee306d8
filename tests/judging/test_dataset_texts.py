"""Texts of documents and topics from ir_datasets; nothing here is downloaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseDocs, GenericDoc, TrecQueries
from ir_datasets.formats.trec import TrecQuery

from tests.cli.in_process import unjudged
from unjudged import InputError
from unjudged.judging.judging_page import Text, read_documents, read_queries


class News(NamedTuple):
    doc_id: str
    headline: bytes
    body: bytes

    def default_text(self) -> str:
        return f"{self.headline.decode()} {self.body.decode()}"


class Titled(NamedTuple):
    doc_id: str
    title: str
    text: str


class Store:
    """A document store in memory: it hands out the documents that it has and is asked for."""

    def __init__(self, documents: Iterable[Any]) -> None:
        self.documents = {document.doc_id: document for document in documents}

    def get_many_iter(self, names: Iterable[str]) -> Iterator[Any]:
        yield from (self.documents[name] for name in names if name in self.documents)


class Documents(BaseDocs):  # type: ignore[misc]
    def __init__(self, documents: Iterable[Any]) -> None:
        self.documents = documents

    def docs_store(self) -> Store:
        return Store(self.documents)


class NotThere(BaseDocs):  # type: ignore[misc]
    def docs_store(self) -> Store:
        raise RuntimeError("All download sources failed")


class Queries(TrecQueries):  # type: ignore[misc]
    def __init__(self) -> None:
        pass

    def queries_iter(self) -> Iterator[TrecQuery]:
        yield TrecQuery("401", "minorities", "Which <b>?", "A relevant one.")


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [
        GenericDoc("a", "plain"),
        Titled("b", "T", "one"),
        News("c", b"H", b"two"),
        GenericDoc("x", "no"),
    ]
    known = {
        "mine": Dataset(Documents(kinds), Queries()),
        "far": Dataset(NotThere()),
        "bare": Dataset(Queries()),
    }
    monkeypatch.setattr(ir_datasets, "load", known.__getitem__)


def test_texts_and_topics(registered: None) -> None:
    found = read_documents("irds:mine", {"a", "b", "c", "missing"})
    assert found == {"a": Text("", "plain"), "b": Text("T", "one"), "c": Text("", "H two")}
    minorities = Text("minorities", "Which <b>?\n\nA relevant one.")
    assert read_queries("irds:mine", {"401"}) == {"401": minorities}


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("irds:nothing", "irds:nothing: ir_datasets has no dataset of this name"),
        ("irds:bare", "irds:bare: this dataset has no documents"),
        ("irds:far", "irds:far: its documents are not on this machine.*All download"),
    ],
)
def test_what_may_be_wrong(registered: None, name: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        read_documents(name, {"a"})


def test_the_page_has_the_texts(registered: None, tmp_path: Path) -> None:
    (tmp_path / "task").write_text("401 0 b -1\n401 0 gone -1\n")
    page = tmp_path / "page.html"
    command = ["judge", str(tmp_path / "task"), "--set=documents=irds:mine", "--set=queries=irds:mine"]
    found = unjudged(*command, "-o", str(page))
    assert found.returncode == 0
    assert "1 of 2 documents has no text in irds:mine: gone." in found.stderr.decode()
    assert '"texts": ["T\\n\\none", null]' in page.read_text()
    assert "Which \\u003cb\\u003e?" in page.read_text()
