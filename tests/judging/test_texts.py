"""Texts of documents and topics in three formats, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tests.cli.in_process import refused
from unjudged import InputError, UsageError
from unjudged.judging.judging_page import judging_page
from unjudged.judging.texts import Topic, read_texts, read_topics

JSONL = '{"_id": "a", "title": "T", "text": "one"}\n{"docno": "b", "contents": "two"}\n'
TSV = "a\tT\tone\nb\ttwo\nc\tthree\n"
SGML = """<DOC>
<DOCNO> a </DOCNO><HEADLINE>T</HEADLINE>
<TEXT>one &lt;b&gt; &amp;
more</TEXT>
</DOC>
<DOC><DOCNO>b</DOCNO><TEXT>two</TEXT></DOC>
"""
TOPICS = """<top>
<num> Number: 401
<title> foreign minorities
<desc> Description:
What language?
<narr> Narrative:
A relevant one.
</top>
"""


@pytest.mark.parametrize(("text", "a"), [(JSONL, "T\n\none"), (TSV, "T\n\none"), (SGML, "T one <b> & more")])
def test_formats(tmp_path: Path, text: str, a: str) -> None:
    for file, data in (("plain", text.encode()), ("packed.gz", gzip.compress(text.encode()))):
        (tmp_path / file).write_bytes(data)
        found = read_texts(tmp_path / file, {"a", "b"})
        assert found.keys() == {"a", "b"}
        assert found["b"] == "two"
        assert found["a"].split() == a.split()


def test_topics(tmp_path: Path) -> None:
    (tmp_path / "topics").write_text(TOPICS)
    assert read_topics(tmp_path / "topics") == {
        "401": Topic("foreign minorities", "What language?", "A relevant one.")
    }
    (tmp_path / "topics").write_text("401\tforeign minorities\n")
    assert read_topics(tmp_path / "topics") == {"401": Topic("foreign minorities")}


def test_long_texts_are_whole(tmp_path: Path) -> None:
    (tmp_path / "long").write_text(f"a\t{'x' * 1_000_000}\n")
    assert read_texts(tmp_path / "long", {"a"})["a"] == "x" * 1_000_000


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{"docno": "a"\n', "not JSON"),
        ('{"text": "a"}\n', "no name among the keys"),
        ("{" * 50_000 + "\n", "not JSON"),
        ("a\tb\nonly\n", "separated by a tab"),
        ("<DOC>\n<TEXT>a</TEXT></DOC>\n", "no <docno>"),
        ("<DOC><DOCNO>a</DOCNO></DOC>\n<DOC><DOCNO>b</DOCNO>\n", ":2: the last <doc> does not end"),
    ],
)
def test_refusals(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "bad").write_text(text)
    with pytest.raises(InputError, match=problem):
        read_texts(tmp_path / "bad", {"a"})


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
    files = str(tmp_path / "task.qrels"), "--documents", str(tmp_path / "task.qrels")
    assert "use whole numbers from 0 to 9" in refused(2, "judge", *files, "--grades", grades)


def test_data_cannot_end_its_element() -> None:
    page = judging_page([("q", "d")], {"d": "</script><!-- \u2028 &"}, {"q": Topic("</script>")})
    assert page.count("</script>") == page.count("<script") == 2
    assert "<!--" not in page
    assert "\u2028" not in page
