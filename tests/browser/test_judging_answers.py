"""Answers on the judging page in Chromium: cannot judge, topics, import and undo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Open
from tests.browser.test_judging_page import exported
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


def test_cannot_judge(page: Any, tmp_path: Path) -> None:
    page.keyboard.press("x")
    assert page.inner_text("#progress") == "document 2 of 80, 0 judged, 1 cannot be judged"
    page.click("#grades [data-grade='-2']")
    assert page.inner_text("#progress") == "document 3 of 80, 0 judged, 2 cannot be judged"
    page.keyboard.press("u")
    assert page.inner_text("#name") == "d1-1"
    assert page.inner_text("#progress") == "document 2 of 80, 0 judged, 1 cannot be judged"
    assert Judgments.read(exported(page, tmp_path)).grade.tolist()[:2] == [-2, -1]
    page.keyboard.press("ArrowLeft")
    assert page.get_attribute("#grades [data-grade='-2']", "aria-pressed") == "true"
    page.keyboard.press("1")
    assert page.inner_text("#progress") == "document 2 of 80, 1 judged"


def test_topics_with_progress(page: Any) -> None:
    page.keyboard.press("1")
    page.select_option("#topics", "1")
    assert page.inner_text("#name") == "d2-0"
    page.keyboard.press("0")
    page.keyboard.press("0")
    assert page.locator("#topics option").all_inner_texts() == ["1 (1/40)", "2 (2/40)"]
    page.select_option("#topics", "0")
    assert page.inner_text("#name") == "d1-1"


def test_an_import_is_undone_in_one_step(page: Any, tmp_path: Path) -> None:
    page.keyboard.press("1")
    page.keyboard.press("2")
    before = exported(page, tmp_path).read_text()
    other = tmp_path / "other.qrels"
    lines = "".join(f"1 0 d1-{n} {n % 3}\n" for n in range(1, 30))
    other.write_text(f"{lines}1 0 d1-30 -2\n")
    page.set_input_files("#import", other)
    page.locator("#message", has_text="Loaded 29 answers.").wait_for()
    assert "30 judged, 1 cannot" in page.inner_text("#progress")
    page.keyboard.press("u")
    assert "2 judged" in page.inner_text("#progress")
    assert exported(page, tmp_path).read_text() == before
