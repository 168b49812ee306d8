"""Documents on the judging page in Chromium: direction, length, scrolling, markup as text, small screens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open, wait_until
from tests.cli.in_process import printed

ARABIC = "تأكل الدببة التوت والأسماك في الغابة.\nIn English: bears eat berries.\nوهي تنام في الشتاء."  # noqa: RUF001
HTML = (
    "<h1 onclick='window.hacked=1'>Bears</h1><script>window.hacked = 2</script><p style='color:red'>They eat "
    "<b>berries</b> <a href='javascript:window.hacked=3'>here</a>.<img src=x onerror='window.hacked=4' "
    "alt='a bear'><svg onload='window.hacked=5'></svg><table><tr><td colspan=2>cell</td></tr></table>"
    "<style>body{display:none}</style>"
)
PAGES = 200
LINES = 55


def page_of(folder: Path, documents: dict[str, dict[str, Any]], topic: str = "What bears eat") -> Path:
    (folder / "task.qrels").write_text("".join(f"1 0 {name} -1\n" for name in documents))
    records = [json.dumps({"docno": name, **record}) for name, record in documents.items()]
    (folder / "documents.jsonl").write_text("".join(f"{line}\n" for line in records))
    topics = {"id": "1", "title": topic, "description": "What do they eat?", "narrative": "Berries count."}
    (folder / "topics.jsonl").write_text(json.dumps(topics))
    path = folder / "page.html"
    files = f"--set=documents={folder / 'documents.jsonl'}", f"--set=queries={folder / 'topics.jsonl'}"
    printed("judge", str(folder / "task.qrels"), *files, "-o", str(path))
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
    shot(page)


def test_a_document_of_200_pages_is_whole(tmp_path: Path, opened: Open, shot: Any) -> None:
    text = "".join(f"Page {n}, {'a line about bears. ' * 3}\n" for n in range(PAGES) for _ in range(LINES))
    page = opened(page_of(tmp_path, {"long": {"text": f"{text}THE END"}, "short": {"text": "short"}}))
    assert page.locator("#text").text_content() == f"{text}THE END"
    top = "document.getElementById('reading').scrollTop"
    for key, moved in (("PageDown", ">"), (" ", ">"), ("ArrowDown", ">"), ("PageUp", "<")):
        before = page.evaluate(top)
        page.keyboard.press(key)
        wait_until(page, f"{top} {moved} {before}")
        page.wait_for_timeout(300)
    shot(page)
    page.keyboard.press("End")
    at_end = "(({ scrollTop, clientHeight, scrollHeight }) => scrollHeight - clientHeight - scrollTop)"
    wait_until(page, f"{at_end}(document.getElementById('reading')) < 2")
    page.keyboard.press("1")
    assert page.inner_text("#name") == "short"
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(top) == 0


def test_html_is_text(tmp_path: Path, opened: Open) -> None:
    page = opened(page_of(tmp_path, {"d1": {"text": HTML}}))
    assert page.locator("#text").text_content() == HTML
    assert page.locator("#text *").count() == 0
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize(("width", "colours"), [(1200, "light"), (1200, "dark"), (390, "light")])
def test_everything_at_once(tmp_path: Path, opened: Open, shot: Any, width: int, colours: str) -> None:
    """24 topics with narratives, read by axe and looked at."""
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
    path = tmp_path / "page.html"
    printed(
        *("judge", str(tmp_path / "task.qrels"), f"--set=documents={tmp_path / 'texts.tsv'}"),
        *(f"--set=queries={tmp_path / 'topics.jsonl'}", "--grades", "0,1,2,3", "-o", str(path)),
    )
    page = opened(path, width=width, height=850, colours=colours)
    for key in "012012012012x":
        page.keyboard.press(key)
    shot(page)
    found = axe.Axe().run(page)
    assert [violation["id"] for violation in found.response["violations"]] == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
