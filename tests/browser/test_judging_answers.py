"""Answers on the judging page in Chromium: cannot judge, later, filters, topics, import, undo, reminder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.browser.test_judging_page import another_tab, exported
from tests.cli.in_process import printed
from unjudged import Judgments


@pytest.fixture
def page(tmp_path: Path, opened: Open) -> Any:
    """Two topics with 40 documents each."""
    (tmp_path / "task.qrels").write_text("".join(f"{t} 0 d{t}-{n} -1\n" for t in "12" for n in range(40)))
    (tmp_path / "texts.tsv").write_text("".join(f"d{t}-{n}\ttext\n" for t in "12" for n in range(40)))
    path = tmp_path / "page.html"
    task, texts = str(tmp_path / "task.qrels"), str(tmp_path / "texts.tsv")
    printed("judge", task, "--documents", texts, "-g", "0,1,2", "-o", str(path))
    return opened(path)


def test_cannot_judge_needs_a_reason(page: Any, tmp_path: Path) -> None:
    page.keyboard.press("x")
    page.keyboard.press("Enter")
    assert "Say why" in page.inner_text("#message")
    page.keyboard.type("torn,  in 2 pieces")
    page.keyboard.press("Enter")
    assert page.inner_text("#progress") == "document 2 of 80, 0 judged, 1 cannot be judged"
    page.click("#cannot")
    page.fill("#why", "another language")
    page.click("#sure")
    page.keyboard.press("u")
    assert page.inner_text("#name") == "d1-1"
    assert page.inner_text("#progress") == "document 2 of 80, 0 judged, 1 cannot be judged"
    path = exported(page, tmp_path)
    assert "# cannot-judge 1 d1-0 torn, in 2 pieces\n" in path.read_text()
    assert Judgments.read(path).grade.tolist()[:2] == [-2, -1]
    page.keyboard.press("ArrowLeft")
    assert page.inner_text("#given") == "Cannot be judged: torn, in 2 pieces"
    page.keyboard.press("1")
    assert page.inner_text("#progress") == "document 2 of 80, 1 judged"


def test_later_and_filters(page: Any) -> None:
    for key in "0l1l2":
        page.keyboard.press(key)
    assert page.inner_text("#progress") == "document 6 of 80, 3 judged, 2 for later"
    page.select_option("#filter", "later")
    assert page.inner_text("#name") == "d1-1"
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#name") == "d1-3"
    page.keyboard.press("ArrowRight")
    assert page.inner_text("#name") == "d1-3"
    assert "No further document" in page.inner_text("#message")
    page.keyboard.press("2")
    page.select_option("#filter", "judged")
    assert page.locator("#filter option").all_inner_texts() == [
        *("all (80)", "not judged (75)", "for later (1)", "cannot be judged (0)", "judged (4)"),
        "with a comment",
    ]
    page.select_option("#filter", "cannot")
    assert page.inner_text("#message") == "There are no such documents."
    assert page.input_value("#filter") == "all"


def test_topics_with_progress(page: Any) -> None:
    page.keyboard.press("1")
    page.locator("#topics button").nth(1).click()
    assert page.inner_text("#name") == "d2-0"
    page.keyboard.press("0")
    page.keyboard.press("0")
    assert page.locator("#topics button span:last-child").all_inner_texts() == ["1/40", "2/40"]
    page.locator("#topics button").nth(0).click()
    assert page.inner_text("#name") == "d1-1"


def test_an_import_is_undone_in_one_step(page: Any, tmp_path: Path) -> None:
    page.keyboard.press("1")
    page.keyboard.press("2")
    before = exported(page, tmp_path).read_text()
    other = tmp_path / "other.qrels"
    lines = "".join(f"1 0 d1-{n} {n % 3}\n" for n in range(1, 30))
    other.write_text(f"{lines}# comment 1 d1-7 what?\n# cannot-judge 1 d1-30 torn\n1 0 d1-30 -2\n")
    page.evaluate("window.confirm = () => true")
    page.set_input_files("#import", other)
    page.locator("#message", has_text="Imported 30 judgments.").wait_for()
    assert "30 judged, 1 cannot" in page.inner_text("#progress")
    page.keyboard.press("u")
    assert "2 judged" in page.inner_text("#progress")
    assert exported(page, tmp_path).read_text() == before


def test_a_damaged_import_is_said(page: Any, tmp_path: Path) -> None:
    page.keyboard.press("1")
    whole = exported(page, tmp_path)
    cut = tmp_path / "cut.qrels"
    cut.write_bytes(whole.read_bytes()[:-30])
    page.evaluate("window.confirm = (text) => { window.asked = text; return false; }")
    page.set_input_files("#import", cut)
    page.locator("#message", has_text="Imported nothing").wait_for()
    assert "cut or edited" in page.evaluate("window.asked")
    page.evaluate("window.asked = null")
    page.set_input_files("#import", whole)
    page.locator("#message", has_text="Imported 1 judgments").wait_for()
    assert page.evaluate("window.asked") is None


def test_the_page_reminds_of_exporting(page: Any, tmp_path: Path) -> None:
    for _ in range(49):
        page.keyboard.press("1")
    assert page.inner_text("#reminder") == ""
    page.keyboard.press("1")
    assert page.inner_text("#reminder") == "50 answers since the last export: export them."
    page.wait_for_selector("html[data-saved=yes]")
    page = another_tab(page)
    assert page.inner_text("#reminder") == "50 answers since the last export: export them."
    exported(page, tmp_path)
    assert page.inner_text("#reminder") == ""
    page.wait_for_selector("html[data-saved=yes]")
