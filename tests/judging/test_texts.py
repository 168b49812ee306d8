"""Texts of documents and topics in two formats, and what is refused."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import ir_datasets
import pytest
from ir_datasets.datasets.base import Dataset
from ir_datasets.formats import BaseDocs, GenericDoc, TrecQueries
from ir_datasets.formats.trec import TrecQuery

from tests.cli.in_process import refused, unjudged
from unjudged import InputError, UsageError
from unjudged.judging.judging_page import Text, judging_page, read_documents, read_queries

JSONL = '{"_id": "a", "title": "T", "text": "one"}\n{"docno": "b", "contents": "two"}\n'
TSV = "a\tT\tone\nb\ttwo\nc\tthree\n"
TOPICS = (
    '{"id": "401", "title": "minorities", "description": "Which <b>?", "narrative": "A relevant one."}\n'
    '{"qid": 402, "text": "words alone"}\n'
)


@pytest.mark.parametrize("text", [JSONL, TSV])
def test_formats(tmp_path: Path, text: str) -> None:
    for file, data in (("plain", text.encode()), ("packed.gz", gzip.compress(text.encode()))):
        (tmp_path / file).write_bytes(data)
        found = read_documents(tmp_path / file, {"a", "b"})
        assert found == {"a": Text("T", "one"), "b": Text("", "two")}
        assert found["a"].whole == "T\n\none"


def test_queries(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text(TOPICS)
    minorities = Text("minorities", "Which <b>?\n\nA relevant one.")
    assert read_queries(tmp_path / "topics", {"401", "402"}) == {
        "401": minorities,
        "402": Text("words alone"),
    }
    (tmp_path / "topics").write_text("401\tforeign minorities\n")
    assert read_queries(tmp_path / "topics", {"401"}) == {"401": Text("foreign minorities")}


def test_long_texts_are_whole(tmp_path: Path) -> None:
    (tmp_path / "long").write_text(f"a\t{'x' * 1_000_000}\n")
    assert read_documents(tmp_path / "long", {"a"})["a"].body == "x" * 1_000_000


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"docno": "a"\n', "not JSON"),
        ('{"text": "a"}\n', "no name among the keys"),
        ("{" * 50_000 + "\n", "not JSON"),
        ("a\tb\nonly\n", "separated by a tab"),
    ],
)
def test_refusals(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "bad").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_documents(tmp_path / "bad", {"a"})


def test_a_page_refuses_what_it_cannot_export() -> None:
    with pytest.raises(InputError, match="not UTF-8"):
        judging_page([("q", "d\udcff")], {})
    with pytest.raises(InputError, match="no document is left"):
        judging_page([], {})
    for grades in ([1], [0, 10], [-1, 1]):
        with pytest.raises(UsageError, match="from 0 to 9"):
            judging_page([("q", "d")], {}, grades=grades)


@pytest.mark.parametrize("grades", ["0,1.5", "", "a,b"])
def test_the_command_refuses_other_grades(tmp_path: Path, grades: str) -> None:
    (tmp_path / "task.qrels").write_text("q 0 d -1\n")
    files = str(tmp_path / "task.qrels"), f"--set=documents={tmp_path / 'task.qrels'}"
    assert "expected whole numbers from 0 to 9" in refused(2, "judge", *files, "--grades", grades)


def test_data_cannot_end_its_element() -> None:
    page = judging_page([("q", "d")], {"d": Text("", "</script><!-- \u2028 &")}, {"q": Text("</script>")})
    assert page.count("</script>") == page.count("<script") == 2
    assert "<!--" not in page
    assert "\u2028" not in page


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
