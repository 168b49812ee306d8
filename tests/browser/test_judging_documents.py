"""Documents on the judging page in Chromium: direction, length, scrolling, HTML, images, words, pictures."""

from __future__ import annotations

import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.browser.test_judging_page import exported
from tests.cli.in_process import printed

PNG = b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC"
)
ARABIC = "تأكل الدببة التوت والأسماك في الغابة.\nIn English: bears eat berries.\nوهي تنام في الشتاء."  # noqa: RUF001
HTML = (
    "<h1 onclick='window.hacked=1'>Bears</h1><script>window.hacked = 2</script><p style='color:red'>They eat "
    "<b>berries</b> <a href='javascript:window.hacked=3'>here</a>.<img src=x onerror='window.hacked=4' "
    "alt='a bear'><svg onload='window.hacked=5'></svg><table><tr><td colspan=2>cell</td></tr></table>"
    "<style>body{display:none}</style>"
)
PAGES = 200
LINES = 55


def page_of(
    folder: Path, documents: dict[str, dict[str, Any]], *options: str, topic: str = "What bears eat"
) -> Path:
    (folder / "task.qrels").write_text("".join(f"1 0 {name} -1\n" for name in documents))
    records = [json.dumps({"docno": name, **record}) for name, record in documents.items()]
    (folder / "documents.jsonl").write_text("".join(f"{line}\n" for line in records))
    topics = {"id": "1", "title": topic, "description": "What do they eat?", "narrative": "Berries count."}
    (folder / "topics.jsonl").write_text(json.dumps(topics))
    path = folder / "page.html"
    files = "--documents", str(folder / "documents.jsonl"), "--queries", str(folder / "topics.jsonl")
    printed("judge", str(folder / "task.qrels"), *files, *options, "-o", str(path))
    return path


@pytest.mark.parametrize(("width", "colours"), [(1200, "light"), (1200, "dark"), (390, "light")])
def test_right_to_left(tmp_path: Path, opened: Open, shot: Any, width: int, colours: str) -> None:
    path = page_of(tmp_path, {"d1": {"text": ARABIC}, "d2": {"text": "x"}}, topic="ماذا تأكل الدببة؟")
    page = opened(path, width=width, height=800, colours=colours)
    sides = page.evaluate(
        """() => {
            const node = document.getElementById("text").firstChild, range = document.createRange();
            const side = (start, end) => {
                range.setStart(node, start); range.setEnd(node, end);
                return range.getBoundingClientRect();
            };
            const lines = node.data.split("\\n");
            const box = document.getElementById("text").getBoundingClientRect();
            const first = side(0, lines[0].length);
            const second = side(lines[0].length + 1, lines[0].length + 1 + lines[1].length);
            return [box.right - first.right, second.left - box.left];
        }"""
    )
    assert max(sides) < 2, "each paragraph begins on its own side"
    assert page.evaluate("getComputedStyle(document.getElementById('query')).direction") == "rtl"
    assert page.evaluate("CSS.highlights.get('words').size") >= 2
    shot(page)


def test_a_document_of_200_pages_is_whole(tmp_path: Path, opened: Open, shot: Any) -> None:
    text = "".join(f"Page {n}, {'a line about bears. ' * 3}\n" for n in range(PAGES) for _ in range(LINES))
    page = opened(page_of(tmp_path, {"long": {"text": f"{text}THE END"}, "short": {"text": "short"}}))
    assert "THE END" not in page.inner_text("#text")
    assert "more characters" in page.inner_text("#rest")
    places = [0]
    for key in (" ", "PageDown", "ArrowDown", "ArrowDown", "Shift+ ", "PageUp"):
        page.keyboard.press(key)
        places.append(page.evaluate("document.getElementById('reading').scrollTop"))
    assert places[0] < places[1] < places[2] < places[3] < places[4] > places[5] > places[6]
    shot(page)
    page.keyboard.press("End")
    assert page.locator("#text").text_content() == f"{text}THE END"
    at_end = "(({ scrollTop, clientHeight, scrollHeight }) => scrollHeight - clientHeight - scrollTop)"
    assert page.evaluate(f"{at_end}(document.getElementById('reading'))") < 2
    page.keyboard.press("Home")
    assert page.evaluate("document.getElementById('reading').scrollTop") == 0
    page.keyboard.press("1")
    assert page.inner_text("#name") == "short"
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("a")
    assert page.locator("#text").text_content() == f"{text}THE END"


def test_html_is_text_or_sanitised(tmp_path: Path, opened: Open, shot: Any) -> None:
    documents = {"d1": {"text": HTML}}
    page = opened(page_of(tmp_path, documents))
    assert page.locator("#text").text_content() == HTML
    page = opened(page_of(tmp_path, documents, "--html"))
    assert " ".join(page.inner_text("#text").split()) == "Bears They eat berries here.[image: a bear] cell"
    found = page.evaluate(
        "[...document.querySelectorAll('#text *')].map((one) => one.outerHTML.split('>')[0])"
    )
    assert found == ['<p class="heading"', "<p", "<b", "<table", "<tr", '<td colspan="2"']
    assert page.evaluate("window.hacked") is None
    shot(page)


def test_images_are_part_of_the_page(tmp_path: Path, opened: Open) -> None:
    (tmp_path / "images").mkdir()
    for name in ("bear.png", "d2.png"):
        (tmp_path / "images" / name).write_bytes(PNG)
    documents = {"d1": {"text": "A bear", "image": "bear.png"}, "d2": {"text": ""}, "d3": {"text": "none"}}
    page = opened(page_of(tmp_path, documents, "--images", str(tmp_path / "images")))
    for alt in ("Image bear.png", "Image d2.png"):
        assert page.get_attribute("#images img", "alt") == alt
        assert page.evaluate("document.querySelector('#images img').naturalWidth") == 10
        page.keyboard.press("1")
    assert page.locator("#images img").count() == 0


def test_words_of_the_query_are_highlighted(tmp_path: Path, opened: Open) -> None:
    text = "Bears eat; a bear ate. Bearings are what they are. EAT!"
    page = opened(page_of(tmp_path, {"d1": {"text": text}, "d2": {"text": "bears"}}))
    words = """[...(CSS.highlights.get('words') ?? [])].map(
        (one) => one.startContainer.data.slice(one.startOffset, one.endOffset))"""
    assert page.evaluate(words) == ["Bears", "eat", "bear", "EAT"]
    page.keyboard.press("h")
    assert page.evaluate(words) == []
    page.keyboard.press("1")
    assert page.evaluate(words) == []
    page.keyboard.press("h")
    assert page.evaluate(words) == ["bears"]
    assert page.locator("#text *").count() == 0


@pytest.mark.parametrize(("width", "colours"), [(1200, "light"), (1200, "dark"), (390, "light")])
def test_everything_at_once(tmp_path: Path, opened: Open, shot: Any, width: int, colours: str) -> None:
    """24 topics with guidelines and described grades, read by axe and looked at."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    (tmp_path / "task.qrels").write_text(
        "".join(f"{t} 0 d{t}-{n} -1\n" for t in range(1, 25) for n in range(9))
    )
    texts = [
        f"d{t}-{n}\tBears of topic {t}\t{'They eat berries and fish. ' * 40}"
        for t in range(1, 25)
        for n in range(9)
    ]
    (tmp_path / "texts.tsv").write_text("\n".join(texts))
    topics = [
        {
            "id": str(t),
            "title": f"the food of bears {t}",
            "description": "What do they eat?",
            "narrative": "Only wild bears count. " * 5,
        }
        for t in range(1, 25)
    ]
    (tmp_path / "topics.jsonl").write_text("\n".join(map(json.dumps, topics)))
    (tmp_path / "grades.tsv").write_text(
        "0\tuseless\tSays nothing.\n1\tpartial\tA part of the answer.\n2\tfull\tThe answer.\n"
    )
    (tmp_path / "guide.txt").write_text("Judge each document by itself.\nLength does not matter.")
    path = tmp_path / "page.html"
    printed(
        *("judge", str(tmp_path / "task.qrels"), "--documents", str(tmp_path / "texts.tsv")),
        *("--queries", str(tmp_path / "topics.jsonl"), "--grades", str(tmp_path / "grades.tsv")),
        *("--guidelines", str(tmp_path / "guide.txt"), "-o", str(path)),
    )
    page = opened(path, width=width, height=850, colours=colours)
    for key in "012012012012l":
        page.keyboard.press(key)
    page.keyboard.press("c")
    page.keyboard.type("a comment")
    page.keyboard.press("Escape")
    page.keyboard.press("x")
    shot(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    assert "Judge each document by itself." in page.inner_text("#guidelines")
    assert page.inner_text("#meanings").split("\n")[-2:] == ["2: full", "The answer."]
    found = axe.Axe().run(page)
    assert [violation["id"] for violation in found.response["violations"]] == []
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width
    text = exported(page, tmp_path).read_text()
    assert "# later 2 d2-3\n" in text
